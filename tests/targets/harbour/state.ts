// What the target holds in memory, and what it starts with; not how it answers.

export interface Volume {
  readonly id: number
  label: string
  /** The label that the path is made of. */
  pathLabel: string
  size: number
  /** Before any resize. */
  sizeAtFirst: number
  region: string
  status: 'creating' | 'active' | 'resizing'
  readonly hardware: 'hdd' | 'nvme'
  node: number | null
  /** Whether it is in the node's configuration profile. */
  profiled: boolean
  tags: readonly string[]
  readonly created: number
  updated: number
  migrating: boolean
  /** The request count, or the moment, at which it becomes active. */
  wakes: number
}

export interface Bucket {
  readonly account: string
  readonly cluster: string
  readonly label: string
  acl: string
  cors: boolean
  certificate: boolean
  /** By the object's name, its ACL. */
  readonly objects: Map<string, string>
}

export interface Key {
  readonly id: number
  label: string
  readonly firstLabel: string
  readonly access: unknown
}

export interface TicketReply {
  readonly id: number
  readonly description: string
}

export interface Ticket {
  readonly id: number
  readonly summary: string
  readonly description: string
  readonly subject: Readonly<Record<string, unknown>>
  open: boolean
  readonly replies: TicketReply[]
}

export interface Account {
  readonly name: string
  readonly poor: boolean
  readonly managed: boolean
  readonly volumes: Map<number, Volume>
  readonly keys: Map<number, Key>
  readonly tickets: Map<number, Ticket>
  cancelled: boolean
}

export interface Node {
  readonly id: number
  readonly account: string
  readonly label: string
  readonly region: string
  readonly memoryGiB: number
  readonly configs: readonly number[]
}

export interface Caller {
  readonly account: string
  readonly restricted: boolean
  readonly scopes: '*' | readonly string[]
  readonly global: readonly string[]
  readonly nodes: Readonly<Record<number, 'read_only' | 'read_write'>>
  readonly volumes: Readonly<Record<number, 'read_only' | 'read_write'>>
}

export interface HarbourEvent {
  readonly action: string
  readonly at: number
  readonly entity: { readonly type: string; readonly id: number }
}

export interface State {
  readonly accounts: Map<string, Account>
  readonly buckets: Map<string, Bucket>
  /** Names of deleted buckets, for the fault that keeps them reserved. */
  readonly retired: Set<string>
  /** Those of them that had a certificate. */
  readonly certified: Set<string>
  readonly nodes: Map<number, Node>
  readonly firewalls: Map<number, Readonly<Record<string, unknown>>>
  readonly events: HarbourEvent[]
  requests: number
  minted: number
}

export const regions = ['eu-quay', 'ap-pier'] as const
export const clusters = ['eu-quay-1', 'ap-pier-1'] as const
export const vlans = [{ label: 'dock-lan', region: 'eu-quay' }] as const

const node = (id: number, account: string, region: string, memoryGiB: number, configs: readonly number[]): Node => ({
  id,
  account,
  label: `crane-${id}`,
  region,
  memoryGiB,
  configs,
})

export const startNodes: readonly Node[] = [
  node(11, 'main', 'eu-quay', 16, [1101]),
  node(12, 'main', 'eu-quay', 4, [1201]),
  node(13, 'main', 'ap-pier', 96, [1301]),
  node(14, 'main', 'eu-quay', 2, []),
  node(15, 'main', 'eu-quay', 20, [1501]),
  node(21, 'other', 'eu-quay', 16, [2101]),
]

const all = { restricted: false, global: [], nodes: {}, volumes: {} } as const
const limited = { restricted: true, account: 'main', scopes: '*' } as const

/** By the token's secret. */
export const callers: Readonly<Record<string, Caller>> = {
  'harbour-owner': { ...all, account: 'main', scopes: '*' },
  'harbour-other': { ...all, account: 'other', scopes: '*' },
  'harbour-poor': { ...all, account: 'poor', scopes: '*' },
  'harbour-reader': {
    ...all,
    account: 'main',
    scopes: ['volumes:read_only', 'object_storage:read_only', 'account:read_only', 'nodes:read_only'],
  },
  'harbour-volumes': { ...all, account: 'main', scopes: ['volumes:read_write', 'volumes:read_only'] },
  'harbour-nothing': { ...all, account: 'main', scopes: ['ips:read_only'] },
  'harbour-limited': {
    ...limited,
    global: [],
    nodes: { 11: 'read_write', 12: 'read_only' },
    volumes: { 601: 'read_write', 602: 'read_only' },
  },
  'harbour-adder': {
    ...limited,
    global: ['add_volumes'],
    nodes: { 11: 'read_write' },
    volumes: { 601: 'read_write', 602: 'read_write' },
  },
}

/** Volumes that stand there from the start: two for grants, one that migrates, one of another account. */
const startVolumes: readonly (readonly [account: string, id: number, migrating: boolean])[] = [
  ['main', 601, false],
  ['main', 602, false],
  ['main', 603, true],
  ['other', 604, false],
]

export const startBuckets = [
  { cluster: 'eu-quay-1', label: 'photos', objects: ['a/1.jpg', 'a/2.jpg', 'b.txt'] },
  {
    cluster: 'ap-pier-1',
    label: 'manifests',
    objects: [...Array.from({ length: 104 }, (_, i) => `m/${String(i).padStart(3, '0')}.txt`), 'z.txt'],
  },
]

export const bucketKey = (cluster: string, label: string): string => `${cluster}/${label}`

export const startState = (): State => {
  const accounts = new Map<string, Account>()
  for (const name of ['main', 'other', 'poor'])
    accounts.set(name, {
      name,
      poor: name === 'poor',
      managed: name === 'main',
      volumes: new Map(),
      keys: new Map(),
      tickets: new Map(),
      cancelled: false,
    })
  for (const [account, id, migrating] of startVolumes)
    accounts.get(account)?.volumes.set(id, {
      id,
      label: `mooring-${id}`,
      pathLabel: `mooring-${id}`,
      size: 30,
      sizeAtFirst: 30,
      region: 'eu-quay',
      status: 'active',
      hardware: 'hdd',
      node: null,
      profiled: false,
      tags: [],
      created: Date.UTC(2020, 1, 2),
      updated: Date.UTC(2020, 1, 2),
      migrating,
      wakes: 0,
    })
  const buckets = new Map<string, Bucket>()
  for (const { cluster, label, objects } of startBuckets)
    buckets.set(bucketKey(cluster, label), {
      account: 'main',
      cluster,
      label,
      acl: 'private',
      cors: false,
      certificate: false,
      objects: new Map(objects.map((name) => [name, 'private'])),
    })
  return {
    accounts,
    buckets,
    retired: new Set(),
    certified: new Set(),
    nodes: new Map(startNodes.map((one) => [one.id, one])),
    firewalls: new Map(),
    events: [],
    requests: 0,
    // Above the ids that are there from the start.
    minted: 1_000,
  }
}
