// One request under way and what every operation does with it: bodies checked, refusals thrown, lists cut into pages; no operation.
import type { FaultName } from './faults.js'
import { hash, type Oddities, random } from './oddities.js'
import { type Account, type Caller, clusters, type State } from './state.js'

export interface Answer {
  readonly status: number
  /** Absent where the reply has no body. */
  readonly body?: unknown
}

export type Issue = readonly [field: string, reason: string]

export class Refusal extends Error {
  constructor(
    readonly issues: readonly Issue[],
    readonly status = 400,
  ) {
    super(issues.map(([field, reason]) => `${field}: ${reason}`).join('; '))
  }
}

export interface World {
  readonly oddities: Oddities
  readonly draw: () => number
  state: State
  /** How often the fault took effect. */
  struck: number
}

export interface Call {
  readonly world: World
  readonly account: Account
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: unknown
  readonly files: readonly { readonly name: string; readonly size: number }[]
}

export type Handler = (call: Call) => Answer

export interface Route {
  readonly method: string
  readonly path: string
  readonly scopes: readonly string[]
  readonly handle: Handler
}

export interface Rule {
  readonly type: 'string' | 'integer' | 'boolean' | 'strings' | 'array' | 'object'
  readonly required?: boolean
  /** Of a string's length or an integer's value. */
  readonly min?: number
  readonly max?: number
  readonly oneOf?: readonly string[]
}

export const createWorld = (oddities: Oddities, state: State): World => ({
  oddities,
  draw: random(oddities.seed),
  state,
  struck: 0,
})

/** Whether the fault is the one that is switched on; ask last, since a yes counts as an activation. */
export const broken = (world: World, name: FaultName): boolean => {
  if (world.oddities.fault !== name) return false
  world.struck += 1
  return true
}

/** Whether something on which the document is silent is refused. */
export const silent = ({ oddities: { silence, seed }, draw }: World, topic: string): boolean => {
  if (silence === 'whim') return draw() < 0.5
  return silence === 'refuse' || (silence === 'mixed' && hash(seed, topic) < 0.5)
}

/** Refuses where the target is minded to refuse what the document is silent on. */
export const silence = (call: Call, when: boolean, field: string, topic: string): void => {
  if (when && silent(call.world, topic)) throw new Refusal([[field, `not here: ${topic}`]], 422)
}

export const refuseIf = (issues: readonly Issue[], status = 400): void => {
  if (issues.length > 0) throw new Refusal(issues, status)
}

const kinds: Readonly<Record<Rule['type'], (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

const ruleIssue = (name: string, value: unknown, rule: Rule): Issue | undefined => {
  if (value === undefined) return rule.required ? [name, `${name} is required`] : undefined
  if (!kinds[rule.type](value)) return [name, `${name} must be of type ${rule.type}`]
  const amount = typeof value === 'string' ? [...value].length : value
  if (typeof amount === 'number' && rule.min !== undefined && amount < rule.min) return [name, `less than ${rule.min}`]
  if (typeof amount === 'number' && rule.max !== undefined && amount > rule.max) return [name, `more than ${rule.max}`]
  if (rule.oneOf && !rule.oneOf.includes(value as string)) return [name, `one of ${rule.oneOf.join(', ')}`]
  return undefined
}

export type Fields = Readonly<Record<string, unknown>>

/** The body with what is wrong with it; an optional member that is null counts as left out where that is accepted. */
export const examine = (call: Call, rules: Readonly<Record<string, Rule>>): { fields: Fields; issues: Issue[] } => {
  const { body, world } = call
  if (body === undefined && Object.values(rules).every(({ required }) => !required)) return { fields: {}, issues: [] }
  if (!kinds.object(body)) throw new Refusal([['', 'a JSON object is expected']])
  const fields: Record<string, unknown> = {}
  const issues: Issue[] = []
  for (const [name, value] of Object.entries(body as Fields)) {
    if (!(name in rules)) silence(call, true, name, 'unknown members')
    else if (value !== null || rules[name]?.required || silent(world, `null for ${name}`)) fields[name] = value
  }
  for (const [name, rule] of Object.entries(rules)) {
    const issue = ruleIssue(name, fields[name], rule)
    if (issue) issues.push(issue)
  }
  return { fields, issues }
}

export const checked = (call: Call, rules: Readonly<Record<string, Rule>>): Fields => {
  const { fields, issues } = examine(call, rules)
  refuseIf(issues)
  return fields
}

export interface Bounds {
  readonly page: readonly [min: number, standard: number]
  readonly size: readonly [min: number, max: number, standard: number]
}

/** An integer of the query within bounds, or an issue. */
export const queryInteger = (call: Call, name: string, standard: number, min: number, max: number): number => {
  const text = call.query.get(name)
  if (text === null) return standard
  if (!/^-?\d+$/.test(text) || Number(text) < min || Number(text) > max)
    throw new Refusal([[name, `an integer of ${min} to ${max}`]])
  return Number(text)
}

export const knownQuery = (call: Call, ...names: readonly string[]): void => {
  for (const name of call.query.keys()) silence(call, !names.includes(name), name, 'unknown query parameters')
}

const standardBounds: Bounds = {
  page: [1, 1],
  size: [25, 500, 100],
}

/** The collection envelope for the page that is asked for. */
export const paged = (call: Call, all: readonly unknown[], bounds = standardBounds): Answer => {
  const { world } = call
  knownQuery(call, 'page', 'page_size')
  const page = queryInteger(call, 'page', bounds.page[1], bounds.page[0], Number.MAX_SAFE_INTEGER)
  const [min, max, standard] = bounds.size
  const size = queryInteger(call, 'page_size', standard, min, max)
  const exact = all.length / size
  const whole = all.length % size > 0 && broken(world, 'pages-rounded-down') ? Math.floor(exact) : Math.ceil(exact)
  const pages = Math.max(whole, all.length === 0 ? world.oddities.emptyPages : 1)
  silence(call, page > Math.max(pages, 1), 'page', 'a page beyond the last')
  const start = (page - 1) * size
  const data = all.slice(Math.max(start, 0), start + size + (page < pages && broken(world, 'pages-overlap') ? 1 : 0))
  const results = pages > 1 && broken(world, 'results-of-page-only') ? data.length : all.length
  const shown = page > 1 && broken(world, 'page-always-one') ? 1 : page
  return { status: 200, body: { data, page: shown, pages, results, ...(extras(world) && { sorted: false }) } }
}

/** A list as this target orders it; always the same way for the same items. */
export const ordered = <T>(world: World, items: readonly T[], key: (item: T) => string | number): readonly T[] => {
  const { order, seed } = world.oddities
  if (order === 'reverse') return [...items].reverse()
  if (order === 'made') return items
  return [...items].sort((a, b) => hash(seed, String(key(a))) - hash(seed, String(key(b))))
}

export const extras = (world: World): boolean => world.oddities.records === 'extra'

/** A record whose members are not shown, as this target writes it: `id` names the members without which no list is of use. */
export const record = (world: World, full: Fields, id: readonly string[], where: 'list' | 'reply'): unknown => {
  const { records } = world.oddities
  if (records === 'plain') return full
  if (records === 'extra') return { ...full, kind: 'berth', links: [{ self: null }], meta: { page: 1, errors: [] } }
  if (where === 'reply') return {}
  const kept = Object.entries(full).filter(([name]) => id.includes(name))
  return Object.fromEntries(records === 'bare' ? kept : kept.map(([name, value]) => [`harbour_${name}`, value]))
}

/** A reply whose body the document does not show. */
export const unshown = ({ oddities: { bodies }, draw }: World, body: unknown, status = 200): Answer => {
  if (bodies === 'plain') return { status, body }
  if (bodies === 'empty') return { status: 204 }
  return { status, body: [null, [], 'done', { ok: true }, 0][Math.floor(draw() * 5)] }
}

export const mint = (world: World): number => {
  const { ids, seed } = world.oddities
  world.state.minted += 1
  const count = world.state.minted
  if (ids === 'counting') return count
  if (ids === 'negative') return -count
  // Distinct by the count in the low part.
  const high = Math.floor(hash(seed, `id ${count}`) * (ids === 'huge' ? 900 : 90_000))
  return ids === 'huge' ? 9_000_000_000_000_000 - high * 1_000_000_000 + count : high * 1_000 + (count % 1_000)
}

export const identifier = (call: Call, name: string): number => {
  const text = call.params[name] ?? ''
  if (!/^-?\d+$/.test(text)) throw new Refusal([[name, 'an integer is expected']], 404)
  return Number(text)
}

/** Runs a check of the state now if its turn is now. */
export const inTurn = ({ world }: Call, turn: Oddities['first'], check: () => void): void => {
  if (world.oddities.first === turn) check()
}

export const quota = ({ world }: Call, live: number): void => {
  const { quota: most } = world.oddities
  if (most > 0 && live >= most) throw new Refusal([['', `no more than ${most} here`]], 409)
}

export const emit = (world: World, action: string, type: string, id: number): void => {
  world.state.events.push({ action, at: Date.now(), entity: { type, id } })
}

export const knownCluster = (call: Call): string => {
  const id = call.params.clusterId ?? ''
  if (!(clusters as readonly string[]).includes(id)) throw new Refusal([['clusterId', 'no such cluster']], 404)
  return id
}
