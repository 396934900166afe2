// Fixtures of another account than the one that calls; no rule.
import type { NodebalancerFixture, NodeFixture } from './environment.js'
import { aForeignFixture, type Need } from './needs.js'
import type { Plan } from './plan.js'

interface Fixture {
  readonly id: number
  readonly account?: string
}

/** A node of another account. */
export const foreignNode = (
  plan: Plan,
  fits: (node: NodeFixture) => boolean = () => true,
  need = aForeignFixture('nodes', 'a node of another account'),
): NodeFixture => foreign(plan, (plan.environment.fixtures.nodes ?? []).filter(fits), need) ?? { id: 0, region: 'none' }

/** A node balancer of another account. */
export const foreignNodebalancer = (plan: Plan): NodebalancerFixture =>
  foreign(
    plan,
    plan.environment.fixtures.nodebalancers ?? [],
    aForeignFixture('nodebalancers', 'a node balancer of another account'),
  ) ?? { id: 0 }

const foreign = <T extends Fixture>(plan: Plan, all: readonly T[], need: Need): T | undefined => {
  const home = plan.environment.accounts[0]?.name
  const found = all.find(({ account }) => account !== undefined && account !== home)
  plan.need(found !== undefined, need)
  return found
}
