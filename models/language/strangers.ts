// Fixtures of another account than the one that calls; no rule.
import type { NodebalancerFixture, NodeFixture } from './environment.js'
import type { Plan } from './plan.js'

interface Fixture {
  readonly id: number
  readonly account?: string
}

/** A node of another account. */
export const foreignNode = (
  plan: Plan,
  fits: (node: NodeFixture) => boolean = () => true,
  what = 'a node of another account',
): NodeFixture => foreign(plan, (plan.environment.fixtures.nodes ?? []).filter(fits), what) ?? { id: 0, region: 'none' }

/** A node balancer of another account. */
export const foreignNodebalancer = (plan: Plan): NodebalancerFixture =>
  foreign(plan, plan.environment.fixtures.nodebalancers ?? [], 'a node balancer of another account') ?? { id: 0 }

const foreign = <T extends Fixture>(plan: Plan, all: readonly T[], what: string): T | undefined => {
  const home = plan.environment.accounts[0]?.name
  const found = all.find(({ account }) => account !== undefined && account !== home)
  plan.need(found !== undefined, what)
  return found
}
