// Which nodes are in another region than a node: first those whose region is called much like its own; no rule, no operation.
import type { NodeFixture } from './environment.js'
import type { Need } from './needs.js'
import type { Plan } from './plan.js'

type Where = (node: NodeFixture) => boolean

/** Whether one of two ids begins with the other: what compares regions by how they begin takes them for one. */
const areAlike = (one: string, other: string): boolean =>
  one !== other && (one.startsWith(other) || other.startsWith(one))

/** A node in another region than that one, called much like it where there is such a region. */
export const nodeBeyond = (plan: Plan, region: string, fits: Where, need: Need): NodeFixture =>
  plan.attempt(() => plan.node((node) => areAlike(node.region, region) && fits(node))) ??
  plan.node((node) => node.region !== region && fits(node), need)
