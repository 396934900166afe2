// The target file for this target, with many fixtures or with few; not the target.
import type { defineTarget } from '../../../config/target-file.js'
import type { Harbour } from './server.js'
import { callers, clusters, regions, startBuckets, startNodes, vlans } from './state.js'

type TargetFile = Parameters<typeof defineTarget>[0]

export interface Wanted {
  readonly exclusive: boolean
  readonly fixtures: 'many' | 'few'
}

export const targetFile = (harbour: Harbour, { exclusive, fixtures }: Wanted): TargetFile => ({
  name: 'harbour',
  baseUrl: harbour.baseUrl,
  exclusive,
  pace: { requestTimeoutMs: 5_000, settleMs: 1_500, concurrency: 2 },
  safety: { allow: ['object-storage.cancel'] },
  ...(fixtures === 'many' ? { ...whole, hooks: hooksOf(harbour) } : few),
})

const few: Partial<TargetFile> = {
  tokens: [{ name: 'owner', scopes: '*', secret: 'harbour-owner' }],
  fixtures: { regions: [{ id: regions[0] }], clusters: [{ id: clusters[0] }] },
}

const users = ['owner', 'reader', 'volumes', 'nothing', 'limited', 'adder', 'other', 'poor'] as const

const caller = (user: string) => {
  const found = callers[`harbour-${user}`]
  if (!found) throw new Error(`no caller ${user}`)
  return found
}

const whole: Partial<TargetFile> = {
  accounts: [
    { name: 'main', balance: 'positive', managed: true },
    { name: 'other', balance: 'positive', managed: false },
    { name: 'poor', balance: 'negative', managed: false },
  ],
  users: users.map((name) => {
    const { account, restricted, global, nodes, volumes } = caller(name)
    return { name, account, restricted, ...(restricted && { grants: { global: [...global], nodes, volumes } }) }
  }),
  tokens: users.map((name) => {
    const { scopes } = caller(name)
    return { name, user: name, scopes: scopes === '*' ? '*' : [...scopes], secret: `harbour-${name}` }
  }),
  fixtures: {
    regions: regions.map((id) => ({ id, vlans: id === 'eu-quay' })),
    clusters: clusters.map((id) => ({ id })),
    nodes: startNodes.map(({ id, account, region, label, memoryGiB, configs }) => ({
      id,
      account,
      region,
      label,
      memoryGiB,
      configs: [...configs],
    })),
    volumes: [
      { id: 601, region: 'eu-quay', migrating: false },
      { id: 602, region: 'eu-quay', migrating: false },
      { id: 603, region: 'eu-quay', migrating: true },
      { id: 604, account: 'other', region: 'eu-quay' },
    ],
    vlans: vlans.map(({ label, region }) => ({ label, region })),
    buckets: startBuckets,
  },
}

const hooksOf = (harbour: Harbour): NonNullable<TargetFile['hooks']> => ({
  reset: async () => harbour.reset(),
  deleteNode: async (id: number) => harbour.deleteNode(id),
  setVolumeMigrating: async (id: number, on: boolean) => harbour.setVolumeMigrating(id, on),
  putObjects: async (cluster: string, bucket: string, names: readonly string[]) =>
    harbour.putObjects(cluster, bucket, names),
  readEvents: async (since: Date) => harbour.readEvents(since),
})
