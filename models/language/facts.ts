// Tables of what the interface cannot create: regions, clusters, nodes and their like, as the target file lists them.
import type { ClusterFixture, DomainFixture, NodebalancerFixture, NodeFixture, RegionFixture } from './environment.js'
import { find, type Table, type WireRecord } from './world.js'

export const byId = (record: WireRecord): string | undefined =>
  typeof record.id === 'number' || (typeof record.id === 'string' && record.id !== '') ? String(record.id) : undefined

/** Ids are the same as numbers and as texts, where the type is not shown. */
export const sameId = (known: unknown, seen: unknown): boolean => String(known) === String(seen)

/** A table of things that others make and remove, and of which nothing but `more` changes. */
const given = <F extends { readonly id: unknown }>(name: string, more: Partial<Table<F>> = {}): Table<F> => ({
  name,
  fields: ['id'],
  identify: byId,
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: false,
  ...more,
})

export const regions = given<RegionFixture>('regions')
export const clusters: Table<ClusterFixture> = given<ClusterFixture>('clusters', {
  // The document does not show the record, so an id that no cluster has may be of another kind.
  same: {
    id: (known, seen, _, world) =>
      sameId(known, seen) || find(world, clusters, String(seen)) ? sameId(known, seen) : undefined,
  },
})
export const nodes = given<NodeFixture>('nodes', {
  fields: ['id', 'label', 'region'],
  reasons: ['memoryGiB', 'configs', 'liveMigration', 'extraAddresses'],
  node: ({ key }) => Number(key),
  change: { lasting: ['id', 'region'], outside: ['label', 'liveMigration'], renewable: false },
})
export const nodebalancers = given<NodebalancerFixture>('nodebalancers')
export const domains = given<DomainFixture>('domains')

/** The tables that only the target file fills. */
export const factTables = [regions, clusters, nodes, nodebalancers, domains] as const
