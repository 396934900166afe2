// What an IPv6 range is created for: the node or address that a call names, and whether there is room; no operation.

import { known, type Ternary } from '../language/clause.js'
import type { NodeFixture } from '../language/environment.js'
import { nodes } from '../language/facts.js'
import { canonicalAddress, parseAddress } from '../language/formats.js'
import { aNode, someSlaac } from '../language/needs.js'
import type { Plan } from '../language/plan.js'
import { type Entity, exists, find, live, type World } from '../language/world.js'
import { rangeKey, ranges } from './record.js'

interface Target {
  readonly node_id?: number
  readonly route_target?: string
}

export const isIPv6 = (address: string): boolean => parseAddress(address)?.kind() === 'ipv6'

/** Whether exactly one of the two is given, and it is an address where it has to be. */
export const isClear = ({ node_id, route_target }: Target): boolean =>
  route_target === undefined ? node_id !== undefined : node_id === undefined && isIPv6(route_target)

/** The node that a call names by its id or by its SLAAC address, where the target file knows it. */
export const nodeOf = (world: World, { node_id, route_target }: Target): Entity<NodeFixture> | undefined =>
  node_id === undefined
    ? live(world, nodes).find(
        ({ slaac }) =>
          slaac !== undefined &&
          route_target !== undefined &&
          canonicalAddress(slaac) === canonicalAddress(route_target),
      )
    : find(world, nodes, node_id)

export const isRegionTaken = (world: World, account: string | undefined, region: string | undefined): Ternary =>
  exists(world, ranges, account, (one) => known(one.region, region, (a, b) => a === b))

/** Whether some range of the account is routed to the node. */
export const isNodeTaken = (
  world: World,
  account: string | undefined,
  node: Entity<NodeFixture> | undefined,
): Ternary =>
  exists(world, ranges, account, (one) =>
    one.node_id === undefined
      ? known(one.route_target, node?.slaac, (a, b) => rangeKey(a) === rangeKey(b))
      : known(one.node_id, node?.id, (a, b) => a === b),
  )

export const isRoomy = (node: NodeFixture): boolean => node.slaac !== undefined && node.liveMigration !== true

const what = 'a node with a known SLAAC address and no live migration'

/** Members of a node that can take a range. */
export const roomy: Partial<NodeFixture> = { liveMigration: false, slaac: someSlaac }

const need = aNode(what, roomy)

/** The regions in which a range can be made. */
const regionsIn = (plan: Plan): readonly string[] => {
  const home = plan.environment.accounts[0]?.name
  const own = (plan.environment.fixtures.nodes ?? []).filter(
    (node) => isRoomy(node) && (node.account === undefined || node.account === home),
  )
  return [...new Set(own.map(({ region }) => region))]
}

/** Needs what two ranges take: a region has one of an account. */
export const needTwoRegions = (plan: Plan): void =>
  plan.need(regionsIn(plan).length > 1, aNode(`${what} in a second region`, { ...roomy, region: 'r2' }, 2))

/** A node in a region that no earlier draft of the program has used, as long as there is one. */
export const freshNode = (plan: Plan): NodeFixture => {
  const regions = regionsIn(plan)
  const first = regions.indexOf(plan.node(isRoomy, need).region)
  const region = regions[(first + plan.turn('ipv6-ranges')) % Math.max(1, regions.length)]
  return plan.node((node) => isRoomy(node) && node.region === region, need)
}
