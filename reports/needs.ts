// What would make untestable clauses testable: each need once, those that open the most clauses first, with a piece of target file.
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Results } from './results-schema.js'
import { byReason } from './tally.js'

/** Clauses that lack the same thing. */
export interface Lacking {
  readonly reason: string
  readonly remedy?: string | undefined
  readonly clauses: readonly string[]
}

export interface Need {
  /** What is lacking, completing "needs …"; of several wordings that which most clauses have, of several bounds the highest. */
  readonly what: string
  /** Other wordings that the same piece of target file meets. */
  readonly alike: readonly string[]
  /** Clauses that lack it. */
  readonly clauses: readonly string[]
  /** How many of them lack nothing else, as far as is told. */
  readonly opens: number
  /** What to put into a target file in JSON, values to be filled in; undefined where it takes code or an account. */
  readonly snippet?: string
}

/** Needs that a target file could meet, ranked by how many clauses each opens; needs that the same piece of it meets are one. */
export function rankNeeds(lacking: readonly Lacking[]): Need[] {
  const clausesOf = new Map<string, Set<string>>()
  for (const { reason, remedy, clauses } of lacking) {
    if (remedy === undefined) continue
    for (const what of meaningsOf(reason)) {
      const known = getOrInsert(clausesOf, what, () => new Set())
      for (const clause of clauses) known.add(clause)
    }
  }
  const merged = new Map<string, Wording[]>()
  for (const [what, clauses] of clausesOf) {
    const snippet = snippetFor(what)
    getOrInsert(merged, sameness(what, snippet), () => []).push({ what, clauses, snippet })
  }
  const wide = [...merged.values()].map(asOne)
  const times = new Map<string, number>()
  for (const clause of wide.flatMap(({ clauses }) => clauses)) times.set(clause, (times.get(clause) ?? 0) + 1)
  return wide
    .map((need): Need => ({ ...need, opens: need.clauses.filter((clause) => times.get(clause) === 1).length }))
    .sort((a, b) => b.opens - a.opens || b.clauses.length - a.clauses.length)
}

interface Wording {
  readonly what: string
  readonly clauses: ReadonlySet<string>
  readonly snippet: string | undefined
}

const boundIn = (what: string): number | undefined => {
  const bound = /^(?:safety\.\S+ of|a bucket with)\D* (\d+)/.exec(what)?.[1]
  return bound === undefined ? undefined : Number(bound)
}

/** Equal for needs that one snippet of the target file meets: of several bounds the highest meets all. Two nodes are two needs. */
const sameness = (what: string, snippet: string | undefined): string => {
  if (snippet === undefined) return what
  if (boundIn(what) !== undefined) return snippet.replaceAll(/\d+/g, '')
  return `${what.match(/\b(?:second|third|further node|another node|beside)\b/g) ?? ''} ${snippet}`
}

const asOne = (wordings: readonly Wording[]): Omit<Need, 'opens'> => {
  const [first, ...others] = wordings.toSorted(
    (a, b) => (boundIn(b.what) ?? 0) - (boundIn(a.what) ?? 0) || b.clauses.size - a.clauses.size,
  )
  const { what, snippet } = first as Wording
  return {
    what,
    alike: others.map((other) => other.what),
    clauses: [...new Set(wordings.flatMap(({ clauses }) => [...clauses]))],
    ...(snippet === undefined ? {} : { snippet }),
  }
}

/** What would make clauses of a run testable. */
export const needsOf = (results: Results): Need[] =>
  rankNeeds(
    byReason(results, 'untestable').map(({ reason, remedies, clauses }) => ({
      reason,
      remedy: remedies[0],
      clauses: clauses.map(({ id }) => id),
    })),
  )

/** What a reason names, each by itself; a need is told from the side of a call and from that of a clause. */
const meaningsOf = (reason: string): string[] =>
  reason
    .replace(/^needs /, '')
    .split('; ')
    .map((what) => what.replace(/\.$/, ''))

/** A piece of target file for a need, in JSON. */
export function snippetFor(what: string): string | undefined {
  for (const [pattern, write] of SNIPPETS) {
    const match = pattern.exec(what)
    if (match) return write(match, what)
  }
  return undefined
}

const json = (key: string, value: unknown): string => `${JSON.stringify(key)}: ${JSON.stringify(value, null, 2)}`

const SNIPPETS: readonly (readonly [RegExp, (match: RegExpExecArray, what: string) => string | undefined])[] = [
  [/^safety\.allow to name ([\w.-]+)/, ([, operation]) => json('safety', { allow: [operation] })],
  [/^safety\.maxLive\.([\w-]+) of (\d+)/, ([, kind = '', n]) => json('safety', { maxLive: { [kind]: Number(n) } })],
  [/^safety\.(\w+) of at least (\d+)/, ([, key = '', n]) => json('safety', { [key]: Number(n) })],
  [/^a token of (an unrestricted|a restricted) user/, ([, user], what) => tokenFor(user === 'a restricted', what)],
  [/\bnode ?balancer/, (_, what) => json('fixtures', { nodebalancers: [{ ...holderOf(what), id: 0 }] })],
  [
    /\bDNS entry/,
    (_, what) =>
      json('fixtures', {
        dns: [{ name: 'host.example.org', address: /SLAAC/.test(what) ? '2001:db8::1' : '203.0.113.7' }],
      }),
  ],
  [/\bbucket\b/, (_, what) => json('fixtures', { buckets: [bucketFor(what)] })],
  [/\bVLAN\b/, (_, what) => json('fixtures', { vlans: [{ ...holderOf(what), label: 'vlan-1', region: 'r1' }] })],
  [/\bManaged issue/, () => json('fixtures', { managedIssues: [{ id: 0 }] })],
  [/^a volume\b/, (_, what) => json('fixtures', { volumes: [{ id: 0, migrating: /is migrating/.test(what) }] })],
  [/^a (?:second |further )?node\b/, (_, what) => json('fixtures', { nodes: [nodeFor(what)] })],
  [
    /^the hook (\w+)/,
    ([, hook]) => `hooks: {\n  ${hook}: async (...args) => {\n    /* what makes it so on your side */\n  },\n}`,
  ],
  [/\bcluster\b/, () => json('fixtures', { clusters: [{ id: 'c1', region: 'r1' }] })],
  [/\bdomains?\b/, (_, what) => json('fixtures', { domains: [{ ...holderOf(what), id: 0 }] })],
  [/^a (?:second )?region\b/, () => json('fixtures', { regions: [{ id: 'r1' }] })],
]

function tokenFor(restricted: boolean, what: string): string | undefined {
  // An account of another kind, or a grant, takes more than a line.
  if (/account (?:with|of)|another account|grant|read_write on/.test(what)) return undefined
  const lacks = /lacks the scope (\S+)/.exec(what)?.[1]
  const has = what.match(/(?<!lacks the scope )\b[a-z_]+:read_(?:only|write)\b/g) ?? []
  const name = restricted ? 'restricted' : lacks === undefined ? 'another' : `without-${lacks.replace(':', '-')}`
  const scopes = has.length > 0 ? [...new Set(has)] : ['account:read_only']
  const user = restricted ? 'restricted' : 'owner'
  const token = {
    name,
    user,
    scopes: scopes.filter((scope) => scope !== lacks),
    secret: { env: `TOKEN_${name.toUpperCase().replaceAll(/\W/g, '_')}` },
  }
  const users = [
    { name: 'owner', account: 'main', restricted: false },
    ...(restricted ? [{ name: 'restricted', account: 'main', restricted: true }] : []),
  ]
  return `${json('users', users)},\n${json('tokens', [token])}`
}

/** The account to fill in, where the first one will not do. */
const holderOf = (what: string): object => (/of another account/.test(what) ? { account: 'another' } : {})

const bucketFor = (what: string): object => ({
  ...holderOf(what),
  cluster: 'c1',
  label: 'bucket-1',
  ...(/object/.test(what) && {
    objects: Array.from(
      { length: Math.min(3, Number(/\d+/.exec(what) ?? 1)) },
      (_, i) => `${/slash/.test(what) ? 'folder/' : ''}object-${i + 1}`,
    ),
  }),
})

function nodeFor(what: string): object {
  const ram = /(\d+)(?: to \d+)? GB of RAM/.exec(what)?.[1]
  const ipv4 = /private/.test(what) || /address/.test(what)
  return {
    ...holderOf(what),
    id: 0,
    region: 'r1',
    ...(ram !== undefined && { memoryGiB: Number(ram) }),
    ...(/configuration profile/.test(what) && { configs: [0] }),
    ...(/live migration/.test(what) && { liveMigration: /under live migration/.test(what) }),
    ...(/further/.test(what) && { extraAddresses: !/may not be given/.test(what) }),
    ...(ipv4 && {
      ipv4: {
        public: /two public/.test(what) ? ['203.0.113.7', '203.0.113.8'] : ['203.0.113.7'],
        private: /private/.test(what) && !/\b(?:no|without a) private/.test(what) ? ['192.168.128.7'] : [],
        natted: [],
      },
    }),
    ...(/SLAAC/.test(what) && { slaac: '2001:db8::1' }),
  }
}
