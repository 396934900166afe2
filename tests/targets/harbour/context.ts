// What every operation is given and does: the call, refusals, events, records in this target's dress, lists cut into pages; no operation.
import { type Check, expanded, type Fault, type Json, Refusal, readValue, spell } from './checks.js'
import type { Account, Fixtures, Token, User } from './fixtures.js'
import type { Options, Rules } from './options.js'
import { type Held, newId, ordered, type State, type TableName } from './state.js'

export interface Context {
  readonly state: State
  readonly rules: Rules
  readonly options: Options
  readonly fixtures: Fixtures
  readonly route: Route
  readonly user: User
  readonly account: Account
  readonly token: Token
  readonly params: { readonly [name: string]: string }
  readonly query: URLSearchParams
  readonly body: unknown
  readonly files: readonly { readonly field: string; readonly name: string; readonly size: number }[]
}

/** `exact` replies are shown by the document, so that no option touches them. */
export interface Reply {
  readonly kind: 'exact' | 'view' | 'list' | 'creation' | 'change' | 'removal'
  readonly status?: number
  readonly body?: unknown
}

export interface Route {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly scopes: readonly string[]
  readonly unrestricted?: boolean
  readonly handle: (context: Context) => Reply
}

export const refuse = (field: string, reason: string, status = 400): never => {
  throw new Refusal([{ field, reason }], status)
}

/** A refusal that concerns no member of the request. */
export const deny = ({ options }: Context, reason: string, status = 409): never =>
  refuse(options.noField, reason, status)

/** Where a member of the body stands, as this target spells it. */
export const at = ({ rules }: Context, ...path: readonly (string | number)[]): string => spell(path, rules)

/** Refuses where the target is minded to refuse what the document is silent on. */
export const silence = (context: Context, when: boolean, field: string, topic: string): void => {
  if (when && !context.rules.silent(topic)) refuse(field === '' ? context.options.noField : field, topic, 422)
}

/** Runs a check of the state now if its turn is now. */
export const inTurn = ({ options }: Context, turn: Options['first'], check: () => void): void => {
  if (options.first === turn) check()
}

/** @throws Refusal naming each member that is wrong */
export const readBody = ({ body, rules, route }: Context, check: Check, name = route.id): Json =>
  readValue(body, check, name, rules)

/** The document says nothing of restricted users where it neither names a grant nor an unrestricted user. */
export const restrictedMay = (context: Context): void => {
  if (context.user.restricted && context.options.restricted === 'refuse') deny(context, 'restricted user', 403)
}

export const quota = (context: Context, live: number): void => {
  const most = context.options.quota
  if (most > 0 && live >= most) deny(context, `no more than ${most} here`)
}

/** What the account of the caller holds in a table. */
export const mine = <Item extends Held>(context: Context, table: ReadonlyMap<unknown, Item>, kind: string): Item[] => {
  const { user, rules, token, route } = context
  const own = [...table.values()].filter(
    ({ account }) => account === user.account || (rules.fault === `${kind}.isolation` && !rules.holds(rules.fault)),
  )
  const hides = rules.fault === `${route.id} / own-token` && !rules.holds(rules.fault)
  return hides ? own.filter(({ maker }) => maker === '' || maker === token.name) : own
}

export const mint = ({ state, options }: Context, kind: TableName | 'replies' | 'devices'): number =>
  newId(state, options, kind)

export const emit = ({ state, user, rules }: Context, action: string, type: string, id: number): void => {
  if (!rules.holds(`event ${action}`)) return
  const happening = { action, account: user.account, at: Date.now(), entity: { type, id } }
  state.events.push(happening)
  if (!rules.holds(`event ${action} / twice`)) state.events.push(happening)
}

/** A path parameter that is a whole number. */
export const idOf = (context: Context, name: string): number => {
  const value = context.params[name] ?? ''
  if (!/^-?\d+$/.test(value)) throw new Refusal([{ field: name, reason: 'must be a whole number' }], 404)
  if (!Number.isSafeInteger(Number(value))) throw missing(context, name)
  return Number(value)
}

export const missing = ({ options }: Context, name: string): Refusal =>
  new Refusal([{ field: options.fields === 'leaf' ? name : options.noField, reason: 'not found' }], 404)

/** Whether the user may write to a node, node balancer, volume or domain. */
export const mayWrite = (context: Context, kind: keyof User['grants'], id: number): boolean =>
  granted(context, kind, id) === 'read_write'

export const granted = (
  { user }: Context,
  kind: keyof User['grants'],
  id: number,
): 'read_only' | 'read_write' | undefined => {
  if (!user.restricted) return 'read_write'
  return (user.grants[kind] as { readonly [id: string]: 'read_only' | 'read_write' })[String(id)]
}

/** A record whose members are not shown, as this target writes it; `kept` names those without which no record is of use. */
export const dress = (record: Json, options: Options, kept: readonly string[]): Json => {
  if (options.records === 'bare')
    return Object.fromEntries(Object.entries(record).filter(([name]) => kept.includes(name)))
  const created = options.dates === 'offset' ? '2024-02-29T23:30:00+05:30' : '2024-02-29T18:00:00'
  const plain = { ...record, created }
  if (options.records !== 'extra') return plain
  return { ...plain, _links: { self: null }, errors: [], page: 1, harbour: [1, { a: null }] }
}

/** As `dress`, where even the names are the target's own. */
export const disguise = (record: Json, options: Options, kept: readonly string[]): Json => {
  if (options.records !== 'alien') return dress(record, options, kept)
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [kept.includes(name) ? name : `harbour_${name}`, value]),
  )
}

/** A text as lists show it. */
export const brief = ({ options, route }: Context, value: string): string =>
  options.abbreviates && route.id.endsWith('.list') && value.length > 40 ? `${value.slice(0, 40)}…` : value

/** An address in the spelling this target shows. */
export const shown = (address: string, options: Options): string => {
  const [bare = '', mask] = address.split('/')
  const spelled = options.normalises && bare.includes(':') ? expanded(bare).toUpperCase() : bare
  return mask === undefined ? spelled : `${spelled}/${mask}`
}

export interface Bounds {
  readonly size: readonly [min: number, max: number, standard: number]
  /** Whether the document shows the bounds for this list. */
  readonly firm: boolean
}

const STANDARD: Bounds = { size: [25, 500, 100], firm: true }
export const CALLED_PAGINATED: Bounds = { size: [25, 500, 100], firm: false }

const wholeParam = (context: Context, name: string, fallback: number): number => {
  const value = context.query.get(name)
  if (value === null) return fallback
  if (/^-?\d+$/.test(value)) return Number(value)
  return /^\d+\.\d+$/.test(value) && !context.rules.holds(`${name}.fraction`) ? Math.trunc(Number(value)) : Number.NaN
}

export const knownQuery = (context: Context, ...names: readonly string[]): void => {
  for (const name of context.query.keys()) silence(context, !names.includes(name), '', 'unknown query parameters')
}

const asked = (context: Context, { size: bounds, firm }: Bounds): readonly [number: number, size: number] => {
  const { rules, options, route } = context
  knownQuery(context, 'page', 'page_size')
  const [min, max, standard] = bounds
  const usual = rules.holds(`${route.id} / default-25`) && rules.holds('page_size.default') ? standard : 25
  const number = wholeParam(context, 'page', rules.bound('page.default', 1))
  let size = wholeParam(context, 'page_size', usual)
  if (options.loosePages && !firm && !Number.isNaN(size)) size = Math.min(Math.max(size, min), max)
  const found: Fault[] = []
  if (!(number >= rules.bound('page.minimum', 1))) found.push({ field: 'page', reason: 'must be at least 1' })
  const least = rules.bound('page_size.minimum', min)
  if (!(size >= least && size <= rules.bound('page_size.maximum', max)))
    found.push({ field: 'page_size', reason: `must be from ${min} to ${max}` })
  if (found.length > 0) throw new Refusal(found)
  return [number, rules.holds(`${route.id} / size-ignored`) ? size : 100]
}

/** One page of the records in this target's order. */
export const page = <Item>(
  context: Context,
  items: readonly Item[],
  show: (item: Item) => unknown,
  key: (item: Item) => string,
  bounds: Bounds = STANDARD,
): Reply => {
  const { rules, options, route } = context
  const [number, size] = asked(context, bounds)
  const exact = rules.holds('pages') ? Math.ceil(items.length / size) : Math.floor(items.length / size) + 1
  const pages = Math.max(options.emptyPages, rules.holds('pages.down') ? exact : Math.floor(items.length / size))
  silence(context, number > Math.max(pages, 1), 'page', 'a page beyond the last')
  const last = Math.max(pages, 1)
  const told = number > last && rules.silent('shows the last page instead') ? last : number
  const all = ordered(items, key, options)
  const start = (told - 1) * size
  let data: readonly Item[] = all.slice(rules.holds('page.start') ? start : Math.max(0, start - 1), start + size)
  const { fault } = rules
  if (told > 1 && fault.startsWith(`${route.id} / `)) data = wrongLater(context, all, data, start)
  if (size === 25 && data.length > 1 && !rules.holds(`${route.id} / short-at-25`)) data = data.slice(0, -1)
  const results = rules.holds('results') ? items.length : data.length
  const total = number > 1 && number === pages && !rules.holds('pages.last') ? pages + 1 : pages
  const shownPage = told > 1 && !rules.holds('page.always-one') ? 1 : told
  return { kind: 'list', body: { data: data.map(show), page: shownPage, pages: total, results } }
}

/** What is wrong with a second page and those after it. */
const wrongLater = <Item>(
  { rules, route }: Context,
  all: readonly Item[],
  data: readonly Item[],
  start: number,
): readonly Item[] => {
  if (!rules.holds(`${route.id} / repeats`)) return [...all.slice(start - 1, start), ...data]
  if (!rules.holds(`${route.id} / skips`)) return data.slice(1)
  if (!rules.holds(`${route.id} / reorders`)) return all.toReversed().slice(start, start + data.length)
  return data
}

/** What the document says nothing of about texts that name something. */
export const oddName = (context: Context, value: unknown, field: string, form: RegExp): void =>
  silence(context, typeof value === 'string' && !form.test(value), field, `odd characters in ${field}`)
