// Fixtures that are elsewhere: nodes in another region, first those whose region is called much alike, and things of another account; no rule.
import type { NodebalancerFixture, NodeFixture } from './environment.js'
import type { Plan } from './plan.js'

type Where = (node: NodeFixture) => boolean

/** Whether one of two ids begins with the other: what compares regions by how they begin takes them for one. */
const areAlike = (one: string, other: string): boolean =>
  one !== other && (one.startsWith(other) || other.startsWith(one))

/** A node in another region than that one, called much like it where there is such a region. */
export const nodeBeyond = (plan: Plan, region: string, fits: Where, what: string): NodeFixture =>
  plan.attempt(() => plan.node((node) => areAlike(node.region, region) && fits(node))) ??
  plan.node((node) => node.region !== region && fits(node), what)

/** A fixture of another account. */
const foreign = <T extends { readonly id: number; readonly account?: string }>(
  plan: Plan,
  all: readonly T[] | undefined,
  what: string,
): T | undefined => {
  const home = plan.environment.accounts[0]?.name
  const found = all?.find(({ account }) => account !== undefined && account !== home)
  plan.need(found !== undefined, what)
  return found
}

/** A node of another account. */
export const foreignNode = (plan: Plan): NodeFixture =>
  foreign(plan, plan.environment.fixtures.nodes, 'a node of another account') ?? { id: 0, region: 'none' }

/** A node balancer of another account. */
export const foreignNodebalancer = (plan: Plan): NodebalancerFixture =>
  foreign(plan, plan.environment.fixtures.nodebalancers, 'a node balancer of another account') ?? { id: 0 }
