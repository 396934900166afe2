// What a target file lacks for a program: in words, and as the piece of target file that gives it.
import type { Account, Fixtures, NodeFixture, Safety, User } from './environment.js'
import { isObject } from './objects.js'

/** Part of a target file, with ids, names and addresses to put one's own in place of. */
export interface Piece {
  readonly exclusive?: true
  readonly accounts?: readonly Account[]
  readonly users?: readonly User[]
  readonly tokens?: readonly {
    readonly name: string
    readonly user: string
    readonly scopes: '*' | readonly string[]
    readonly secret: { readonly env: string }
  }[]
  readonly fixtures?: Fixtures
  readonly safety?: Partial<Omit<Safety, 'prefix'>>
  /** Names of functions, whose code the target's owner alone can write. */
  readonly hooks?: readonly string[]
}

export interface Need {
  /** Completes "needs …". */
  readonly what: string
  /** What to add to the target file; undefined where nothing would help. */
  readonly add?: Piece
  /** A number that is too low: what it counts, and the least that will do. */
  readonly bound?: { readonly of: string; readonly least: number }
  /** Which one it is of several alike that are needed together; the first when left out. */
  readonly nth?: number
}

export interface TokenQuery {
  readonly restricted?: boolean
  readonly balance?: 'positive' | 'negative'
  readonly managed?: boolean
  /** Another account than the plan's own. */
  readonly foreign?: boolean
  /** Lacks this scope and has the others of the operation. */
  readonly lacks?: string
  readonly has?: readonly string[]
  /** Id of an operation whose scopes it has. */
  readonly for?: string
  /** Whether it holds a global grant (restricted users). */
  readonly grant?: { readonly name: string; readonly held: boolean }
  /** On fixtures: whether it has read_write; anything less, or nothing, where `write` is false. */
  readonly permission?: readonly {
    readonly kind: 'nodes' | 'nodebalancers' | 'volumes' | 'domains' | 'firewalls'
    readonly id: number
    readonly write: boolean
  }[]
}

/** Names that stand for the first account and another one. */
export const first = 'main'
export const stranger = 'another'

type Fixture<K extends keyof Fixtures> = NonNullable<Fixtures[K]>[number]

const blanks: { readonly [K in keyof Fixtures]-?: Fixture<K> } = {
  regions: { id: 'r1' },
  clusters: { id: 'c1', region: 'r1' },
  nodes: { id: 0, region: 'r1' },
  nodebalancers: { id: 0 },
  domains: { id: 0 },
  volumes: { id: 0, region: 'r1', migrating: false },
  vlans: { label: 'vlan-1', region: 'r1' },
  buckets: { cluster: 'c1', label: 'bucket-1' },
  dns: { name: 'host.example.org', address: '203.0.113.7' },
  managedIssues: { id: 0 },
}

/** Needs a fixture of that kind with these members. */
export const aFixture = <K extends keyof Fixtures>(
  kind: K,
  what: string,
  like: Partial<Fixture<K>> = {},
  nth?: number,
): Need => ({ what, add: { fixtures: { [kind]: [{ ...blanks[kind], ...like }] } }, ...(nth !== undefined && { nth }) })

/** The same of another account than the first. */
export const aForeignFixture = <K extends keyof Fixtures>(
  kind: K,
  what: string,
  like: Partial<Fixture<K>> = {},
): Need =>
  together(
    what,
    { what, add: { accounts: [{ name: stranger }] } },
    aFixture(kind, what, { account: stranger, ...like }),
  )

export const aNode = (what: string, like: Partial<NodeFixture> = {}, nth?: number): Need =>
  aFixture('nodes', what, like, nth)

/** Members of a node that has so many public and private addresses, and may be given further ones. */
export const addressed = (publics: number, privates = 0): Partial<NodeFixture> => ({
  liveMigration: false,
  extraAddresses: true,
  ipv4: {
    public: ['203.0.113.7', '203.0.113.8'].slice(0, publics),
    private: ['192.168.128.7'].slice(0, privates),
    natted: [],
  },
})

/** Members of a node with one configuration profile. */
export const profiled: Partial<NodeFixture> = { configs: [0], liveMigration: false }

export const someSlaac = '2001:db8::1'

/** Needs a token; the words are made of the query where none are given. */
export const aToken = (query: TokenQuery, what: string = wordsFor(query)): Need => {
  const { restricted = false, balance, managed, lacks, has = [], grant } = query
  const account = accountFor(query)
  const held = grant && `${grant.held ? 'with' : 'without'}-${grant.name}`
  const user = [restricted ? 'restricted' : 'owner', account !== first && account, held].filter(Boolean).join('-')
  const scopes = has.length > 0 ? has : harmless.filter((scope) => !lacks?.startsWith(familyOf(scope))).slice(0, 1)
  const name = [user, lacks && `without-${lacks}`, ...scopes].filter(Boolean).join('-').replaceAll(':', '-')
  const grants = grantsFor(query)
  return {
    what,
    add: {
      ...(account !== first && {
        accounts: [{ name: account, ...(balance && { balance }), ...(managed !== undefined && { managed }) }],
      }),
      users: [{ name: user, account, restricted, ...(grants && { grants }) }],
      tokens: [{ name, user, scopes, secret: secretOf(name) }],
    },
  }
}

const harmless = ['account:read_only', 'volumes:read_only']
const secretOf = (token: string) => ({ env: `TOKEN_${token.toUpperCase().replaceAll(/\W/g, '_')}` })
const familyOf = (scope: string): string => scope.slice(0, scope.indexOf(':') + 1)

const accountFor = ({ foreign, balance, managed }: TokenQuery): string =>
  [foreign && stranger, balance, managed !== undefined && (managed ? 'managed' : 'unmanaged')]
    .filter(Boolean)
    .join('-') || first

const grantsFor = ({ grant, permission }: TokenQuery): User['grants'] => {
  if (!grant && !permission) return undefined
  const objects: Record<string, Record<string, 'read_write'>> = {}
  for (const { kind, id } of (permission ?? []).filter(({ write }) => write))
    objects[kind] = { ...objects[kind], [id]: 'read_write' }
  return { ...(grant?.held && { global: [grant.name] }), ...objects }
}

/** What stands in for a fixture that is missing has no id of the target. */
const nameOfGranted = ({ kind, id }: NonNullable<TokenQuery['permission']>[number]): string =>
  id === 0 ? `one of the ${kind}` : `${kind} ${id}`

const wordsFor = ({ restricted, balance, managed, foreign, lacks, has = [], grant, permission }: TokenQuery): string =>
  [
    `a token of ${restricted ? 'a restricted' : 'an unrestricted'} user`,
    foreign && 'of another account',
    balance && `${foreign ? '' : 'of an account '}with a ${balance} balance`,
    managed !== undefined && `${foreign ? '' : 'of an account '}${managed ? 'with' : 'without'} Managed`,
    grant && `${grant.held ? 'with' : 'without'} the ${grant.name} grant`,
    ...[true, false].map((wanted) => {
      const all = (permission ?? []).filter(({ write }) => write === wanted).map(nameOfGranted)
      return all.length > 0 && `${wanted ? 'with' : 'without'} read_write on ${all.join(', ')}`
    }),
    lacks && `that lacks the scope ${lacks}`,
    has.length > 0 && `${lacks ? 'and' : 'that'} has ${has.join(' and ')}`,
  ]
    .filter(Boolean)
    .join(' ')

/** Needs a user of that name, account and so on, and a token of theirs with every scope. */
export const aUser = (what: string, user: User): Need => ({
  what,
  add: {
    ...(user.account !== first && { accounts: [{ name: user.account }] }),
    users: [user],
    tokens: [{ name: user.name, user: user.name, scopes: '*', secret: secretOf(user.name) }],
  },
})

export const mainTokenNeed = aUser('a token with scopes "*" of an unrestricted user of the first account', {
  name: 'owner',
  account: first,
  restricted: false,
})

export const strangerNeed = (what: string): Need =>
  aUser(what, { name: `owner-${stranger}`, account: stranger, restricted: false })

export const liveNeed = (kind: string, least: number): Need => ({
  what: `safety.maxLive.${kind} of ${least} or more`,
  add: { safety: { maxLive: { [kind]: least } } },
  bound: { of: `safety.maxLive.${kind}`, least },
})

export const sizeNeed = (least: number): Need => ({
  what: `safety.maxVolumeGiB of at least ${least}`,
  add: { safety: { maxVolumeGiB: least } },
  bound: { of: 'safety.maxVolumeGiB', least },
})

export const allowNeed = (operation: string, what: string): Need => ({
  what,
  add: { safety: { allow: [operation] } },
})

export const exclusiveNeed = (what = 'an exclusive target'): Need => ({ what, add: { exclusive: true } })

export const hookNeed = (name: string): Need => ({ what: `the hook ${name}`, add: { hooks: [name] } })

/** What is needed, completing "needs …". */
export const saying = (needs: readonly Need[]): string => needs.map(({ what }) => what).join('; ')

/** Needs all of that at once. */
export const together = (what: string, ...needs: readonly Need[]): Need => ({
  what,
  add: needs.map(({ add = {} }) => add).reduce(joined),
})

const joined = (one: Piece, other: Piece): Piece =>
  joinedValues(one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>) as Piece

/** Lists of both one after the other; of what else both have, that of the second. */
const joinedValues = (
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([name, value]) => {
      const known = one[name]
      if (Array.isArray(known) && Array.isArray(value)) return [name, [...known, ...value]]
      return isObject(known) && isObject(value) ? [name, joinedValues(known, value)] : [name, value]
    }),
  ),
})
