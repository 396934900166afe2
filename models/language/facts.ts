// Tables of what the interface cannot create: regions, clusters, nodes and their like, as the target file lists them.
import type { ClusterFixture, DomainFixture, NodebalancerFixture, NodeFixture, RegionFixture } from './environment.js'
import { find, type Table, type WireRecord } from './world.js'

export const byId = (record: WireRecord): string | undefined =>
  typeof record.id === 'number' || (typeof record.id === 'string' && record.id !== '') ? String(record.id) : undefined

/** Ids are the same as numbers and as texts, where the type is not shown. */
export const sameId = (known: unknown, seen: unknown): boolean => String(known) === String(seen)

export const regions: Table<RegionFixture> = {
  name: 'regions',
  fields: ['id'],
  identify: byId,
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: false,
}
export const clusters: Table<ClusterFixture> = {
  name: 'clusters',
  fields: ['id'],
  identify: byId,
  // The document does not show the record, so an id that no cluster has may be of another kind.
  same: {
    id: (known, seen, _, world) =>
      sameId(known, seen) || find(world, clusters, String(seen)) ? sameId(known, seen) : undefined,
  },
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: false,
}
export const nodes: Table<NodeFixture> = {
  name: 'nodes',
  fields: ['id', 'label', 'region'],
  reasons: ['memoryGiB', 'configs', 'liveMigration', 'extraAddresses'],
  identify: byId,
  node: ({ key }) => Number(key),
  change: { lasting: ['id', 'region'], outside: ['label', 'liveMigration'], renewable: false },
  closable: false,
}
export const nodebalancers: Table<NodebalancerFixture> = {
  name: 'nodebalancers',
  fields: ['id'],
  identify: byId,
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: false,
}
export const domains: Table<DomainFixture> = {
  name: 'domains',
  fields: ['id'],
  identify: byId,
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: false,
}

/** The tables that only the target file fills. */
export const factTables = [regions, clusters, nodes, nodebalancers, domains] as const
