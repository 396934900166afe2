// What is known about a target before the first call: accounts, users, tokens and fixtures; not how it is reached.

/** A permission of a restricted user on one object. */
export type Permission = 'read_only' | 'read_write'

export interface Account {
  readonly name: string
  readonly balance?: 'positive' | 'negative'
  /** Whether the account has Managed enabled. */
  readonly managed?: boolean
}

/** What a restricted user may do; an object that is not listed is not granted. Keys are object ids. */
export interface Grants {
  readonly global?: readonly string[]
  readonly nodes?: Readonly<Record<string, Permission>>
  readonly nodebalancers?: Readonly<Record<string, Permission>>
  readonly volumes?: Readonly<Record<string, Permission>>
  readonly domains?: Readonly<Record<string, Permission>>
  readonly firewalls?: Readonly<Record<string, Permission>>
}

export interface User {
  readonly name: string
  readonly account: string
  /** Undefined where that is not known (recorded traffic). */
  readonly restricted: boolean | undefined
  readonly grants?: Grants
}

/** A credential by name; its secret is known to the client alone. */
export interface Token {
  readonly name: string
  readonly user: string
  readonly scopes: '*' | readonly string[]
}

/** What is known about a credential. */
export interface KnownToken extends Token {
  /** Whether it may hold further, unknown scopes (recorded traffic). */
  readonly isOpen?: boolean
}

interface Owned {
  /** The account that holds it; the first one when left out. */
  readonly account?: string
}

export interface RegionFixture {
  readonly id: string
  readonly vlans?: boolean
}
export interface ClusterFixture {
  readonly id: string
  readonly region?: string
}
export interface NodeFixture extends Owned {
  readonly id: number
  readonly region: string
  readonly label?: string
  readonly memoryGiB?: number
  /** Ids of its configuration profiles. */
  readonly configs?: readonly number[]
  readonly liveMigration?: boolean
  /** Whether it may be given further IP addresses. */
  readonly extraAddresses?: boolean
  readonly ipv4?: {
    readonly public?: readonly string[]
    readonly private?: readonly string[]
    /** Those that carry an active 1:1 NAT to a VPC interface address. */
    readonly natted?: readonly string[]
    /** Addresses of other nodes that are shared with it before the run. If no node has this member, nothing is known about sharing. */
    readonly shared?: readonly string[]
  }
  readonly slaac?: string
}
export interface NodebalancerFixture extends Owned {
  readonly id: number
  readonly region?: string
}
export interface DomainFixture extends Owned {
  readonly id: number
}
export interface VolumeFixture extends Owned {
  readonly id: number
  readonly region?: string
  readonly migrating?: boolean
}
export interface VlanFixture extends Owned {
  readonly label: string
  readonly region: string
}
export interface BucketFixture extends Owned {
  readonly cluster: string
  readonly label: string
  /** Names of the objects in it. */
  readonly objects?: readonly string[]
}
/** A forward DNS entry that exists. */
export interface DnsFixture {
  readonly name: string
  readonly address: string
}
export interface ManagedIssueFixture extends Owned {
  readonly id: number
  readonly ongoing?: boolean
}

export interface Fixtures {
  readonly regions?: readonly RegionFixture[]
  readonly clusters?: readonly ClusterFixture[]
  readonly nodes?: readonly NodeFixture[]
  readonly nodebalancers?: readonly NodebalancerFixture[]
  readonly domains?: readonly DomainFixture[]
  readonly volumes?: readonly VolumeFixture[]
  readonly vlans?: readonly VlanFixture[]
  readonly buckets?: readonly BucketFixture[]
  readonly dns?: readonly DnsFixture[]
  readonly managedIssues?: readonly ManagedIssueFixture[]
}

export interface Safety {
  /** What the names of everything created begin with. */
  readonly prefix: string
  /** The most live resources of a kind at a time, by table name; `default` for the others. */
  readonly maxLive: Readonly<Record<string, number>>
  readonly maxVolumeGiB: number
  /** Ids of operations that run only where they are named here. */
  readonly allow: readonly string[]
}

/** How many of a kind may be alive at a time, where the target file does not say. */
const usualMost = 20

/** How many of a kind, by the name of its table, may be alive at a time. */
export const mostLive = ({ safety: { maxLive } }: Pick<Environment, 'safety'>, kind: string): number =>
  maxLive[kind] ?? maxLive.default ?? usualMost

/** The explanations that may excuse a deviation, each a sentence about the target that the document leaves possible. */
export const suppositions = {
  drift: 'a state had moved on by itself since it was last seen',
  landing: 'a write without an answer had taken effect by then',
  interference: 'somebody else had changed something',
  gap: 'a write of the same client had not been recorded',
  lag: 'a reply did not show yet what had been changed',
  overlap: 'a write was refused because another call was under way',
  resent: 'a removal or an update was sent twice on its way, and the reply is that to the second',
  gateway: 'what stands before the target answered in its place',
  token: 'a token had expired',
  quota: 'a creation was refused because there was no room for more of its kind',
  remains: 'what is gone was still shown as deleted, or as an empty list',
  clock: 'the times of a recording are those of several clocks, or of one that was set back',
  clocks: 'the clocks of recorders differ, and nothing tells by how much',
  origins: 'several addresses of a recording lead to one target',
} as const
export type ExplanationName = keyof typeof suppositions

/** Everything the model may know of a target. */
export interface Environment {
  readonly name: string
  /** Nobody else changes the accounts during a run. */
  readonly exclusive: boolean
  readonly accounts: readonly Account[]
  readonly users: readonly User[]
  readonly tokens: readonly KnownToken[]
  readonly fixtures: Fixtures
  /** Choices that this implementation has fixed: clause or choice id to value. */
  readonly pins: Readonly<Record<string, string | number | boolean>>
  readonly safety: Safety
  /** Explanations set to false may not be assumed for this target. */
  readonly explanations?: Readonly<Partial<Record<ExplanationName, boolean>>>
}
