// Tables of what the interface cannot create: regions, clusters, nodes and their like, as the target file lists them.
import type { ClusterFixture, DomainFixture, NodebalancerFixture, NodeFixture, RegionFixture } from '../setting.js'
import type { Table, WireRecord } from '../world.js'

export const byId = (record: WireRecord): string | undefined =>
  typeof record.id === 'number' || (typeof record.id === 'string' && record.id !== '') ? String(record.id) : undefined

export const regions: Table<RegionFixture> = { name: 'regions', fields: ['id'], identify: byId, closable: false }
export const clusters: Table<ClusterFixture> = { name: 'clusters', fields: ['id'], identify: byId, closable: false }
export const nodes: Table<NodeFixture> = {
  name: 'nodes',
  fields: ['id', 'label', 'region'],
  identify: byId,
  closable: false,
}
export const nodebalancers: Table<NodebalancerFixture> = {
  name: 'nodebalancers',
  fields: ['id'],
  identify: byId,
  closable: false,
}
export const domains: Table<DomainFixture> = { name: 'domains', fields: ['id'], identify: byId, closable: false }

/** Everything that the target file alone tells. */
export const factTables = [regions, clusters, nodes, nodebalancers, domains] as const
