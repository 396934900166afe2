// The world before the first call: what the target file says exists, put into the tables; nothing read from the target.

import { bucketKey, buckets, bucketsOf } from './buckets/record.js'
import { fixedAddresses, fixedShares, ips, shares } from './ips/record.js'
import { doubt, put } from './language/changes.js'
import type { Environment } from './language/environment.js'
import { clusters, domains, nodebalancers, nodes, regions } from './language/facts.js'
import type { AnyTable } from './language/operation.js'
import { type Entity, emptyWorld, live, type Table, type World } from './language/world.js'
import { managedIssues } from './managed-issues/record.js'
import { nodeSettings } from './managed-node-settings/record.js'
import { vlanKey, vlans } from './vlans/record.js'
import { volumes } from './volumes/record.js'

/** A fixture as an entity: its fields, its key, and the account that holds it. */
const seed = <F, T extends object>(
  world: World,
  table: Table<F>,
  items: readonly T[] | undefined,
  key: (item: T) => string,
): World =>
  (items ?? []).reduce<World>((before, item) => {
    const owner = 'account' in item ? (item.account as string) : world.environment.accounts[0]?.name
    return put(before, table, { ...item, key: key(item), account: owner } as unknown as Entity<F>)
  }, world)

const id = ({ id }: { readonly id: number | string }): string => String(id)

/** Facts of regions and clusters belong to no account. */
const shared = <T extends object>(items: readonly T[] | undefined) =>
  items?.map((item) => ({ ...item, account: undefined }))

export const startWorld = (environment: Environment, options: Parameters<typeof emptyWorld>[1] = {}): World => {
  const { fixtures } = environment
  const home = environment.accounts[0]?.name
  let world = emptyWorld(environment, options)
  world = seed(world, regions, shared(fixtures.regions), id)
  world = seed(world, clusters, shared(fixtures.clusters), id)
  world = seed(world, nodes, fixtures.nodes, id)
  world = seed(world, nodebalancers, fixtures.nodebalancers, id)
  world = seed(world, domains, fixtures.domains, id)
  // One that the target file names is at rest, unless it says otherwise.
  const lent = fixtures.volumes?.map((volume) => ({ migrating: false, ...volume }))
  world = seed(world, volumes, lent, id)
  world = seed(world, buckets, bucketsOf(fixtures.buckets), ({ cluster, label }) => bucketKey(cluster, label))
  world = seed(world, vlans, fixtures.vlans, ({ account = home, region, label }) => vlanKey(account, region, label))
  world = seed(world, ips, fixedAddresses(fixtures.nodes), ({ address }) => String(address))
  world = seed(world, shares, fixedShares(fixtures.nodes), ({ node_id: node }) => String(node))
  world = seed(world, managedIssues, fixtures.managedIssues, id)
  // What the settings of a node are is not known before they are read.
  world = seed(
    world,
    nodeSettings,
    fixtures.nodes?.map(({ id: node, account }) => ({ id: node, ...(account !== undefined && { account }) })),
    id,
  )
  return world
}

/** Tables of what the target file lists and calls may change or remove. */
const changeable: readonly AnyTable[] = [volumes, buckets, ips, shares]

/** The same world after calls that are not known: they may have changed or removed what the target file lists. */
export const inDoubt = (world: World): World =>
  changeable.reduce<World>(
    (before, table) => live(before, table).reduce<World>((rest, { key }) => doubt(rest, table, key), before),
    world,
  )
