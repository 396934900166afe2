// Ways of going wrong that fit any operation: an effect that is lost the second time, a sibling that is reset; not the operations.
import { type Json, Refusal } from './checks.js'
import type { Context, Reply } from './context.js'
import { USERS } from './fixtures.js'
import { bucketKey, type Held, type State, type TableName, tables } from './state.js'

/** What an operator remembers from one call to the next. */
export interface Memory {
  /** By table and id, the resource as it was made. */
  readonly first: Map<string, Held>
  /** By subject, the resource as it was before the first write. */
  readonly before: Map<string, Held>
  /** By table, account and label, what was deleted. */
  readonly gone: Map<string, Held>
  readonly counts: Map<string, number>
}

export const newMemory = (): Memory => ({ first: new Map(), before: new Map(), gone: new Map(), counts: new Map() })

type Act = (context: Context) => Reply
type Operator = (context: Context, act: Act, memory: Memory) => Reply | Promise<Reply>

const SUBJECTS: { readonly [param: string]: TableName } = {
  volumeId: 'volumes',
  bucket: 'buckets',
  keyId: 'keys',
  ticketId: 'tickets',
  firewallId: 'firewalls',
  contactId: 'contacts',
  credentialId: 'credentials',
  serviceId: 'services',
  tagLabel: 'tags',
  nodeId: 'nodes',
  address: 'addresses',
  range: 'ranges',
}

interface Subject {
  readonly table: TableName
  readonly key: number | string
  readonly held: Held
}

const subjectOf = ({ params, state, user }: Context): Subject | undefined => {
  const param = Object.keys(params).find((name) => SUBJECTS[name])
  const table = param && SUBJECTS[param]
  if (!table) return undefined
  const text = decodeURIComponent(params[param] ?? '')
  const keys = [Number(text), text, bucketKey(params.clusterId ?? '', text), `${user.account} ${text}`]
  const found = state[table] as ReadonlyMap<number | string, Held>
  const key = keys.find((one) => found.has(one))
  const held = key === undefined ? undefined : found.get(key)
  return key === undefined || !held ? undefined : { table, key, held }
}

const nameOf = ({ table, key }: Subject): string => `${table} ${key}`

const count = ({ counts }: Memory, name: string): number => {
  const next = (counts.get(name) ?? 0) + 1
  counts.set(name, next)
  return next
}

/** Does it, answers as if it were done, and leaves everything but events as it was. */
const losing = (context: Context, act: Act): Reply => {
  const saved = structuredClone(context.state)
  const reply = act(context)
  Object.assign(context.state, saved, { events: context.state.events, counter: context.state.counter })
  return reply
}

const put = (state: State, { table, key }: Subject, held: Held): void => {
  ;(state[table] as Map<number | string, Held>).set(key, structuredClone(held))
}

/** Puts the members of what is there back, so that whoever holds it sees them. */
const assume = (held: Held, members: object): void => void Object.assign(held, structuredClone(members))

const FIXED = ['id', 'account', 'maker', 'created', 'cluster', 'hardware']

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

const OPERATORS: { readonly [name: string]: Operator } = {
  'lost-again': (context, act, memory) => {
    const subject = subjectOf(context)
    const reply = subject && count(memory, nameOf(subject)) > 1 ? losing(context, act) : act(context)
    return reply
  },
  'lost-third': (context, act, memory) =>
    count(memory, context.route.id) % 3 === 0 ? losing(context, act) : act(context),
  'lost-half': (context, act) => (context.rules.draw() < 0.5 ? losing(context, act) : act(context)),
  'taken-back': (context, act, memory) => {
    const subject = subjectOf(context)
    if (subject && !memory.before.has(nameOf(subject)))
      memory.before.set(nameOf(subject), structuredClone(subject.held))
    const reply = act(context)
    const isSecond = subject && count(memory, nameOf(subject)) > 1
    const old = isSecond && memory.before.get(nameOf(subject))
    const still = isSecond && (context.state[subject.table] as ReadonlyMap<number | string, Held>).get(subject.key)
    if (old && still) assume(still, old)
    return reply
  },
  'resets-sibling': (context, act, memory) => {
    const subject = subjectOf(context)
    const reply = act(context)
    if (!subject) return reply
    const table = context.state[subject.table] as ReadonlyMap<number | string, Held>
    for (const [key, held] of table) {
      const first = memory.first.get(`${subject.table} ${key}`)
      if (key !== subject.key && held.account === context.user.account && first) assume(held, first)
    }
    return reply
  },
  forgets: (context, act, memory) => {
    const subject = subjectOf(context)
    const was = subject && structuredClone(subject.held)
    const reply = act(context)
    const first = subject && memory.first.get(nameOf(subject))
    const now = subject && (context.state[subject.table] as ReadonlyMap<number | string, Held>).get(subject.key)
    if (!first || !now || !was) return reply
    const left = Object.entries(first).filter(
      ([name]) => !FIXED.includes(name) && same(member(now, name), member(was, name)),
    )
    assume(now, Object.fromEntries(left))
    return reply
  },
  half: (context, act) => {
    try {
      return act(context)
    } catch (refusal) {
      const members = Object.entries((context.body ?? {}) as Json)
      if (members.length < 2 || !(refusal instanceof Refusal)) throw refusal
      for (const [name, value] of members) if (succeeds(() => act({ ...context, body: { [name]: value } }))) break
      throw refusal
    }
  },
  foreign: (context, act) => {
    const owner = subjectOf(context)?.held.account
    const user = USERS.find((one) => one.account === owner && !one.restricted)
    return act(user && owner !== context.user.account ? { ...context, user } : context)
  },
  inherits: (context, act, memory) => {
    const known = new Set(
      tables(context.state).flatMap(([name, table]) => [...table.keys()].map((key) => `${name} ${key}`)),
    )
    const reply = act(context)
    for (const [name, table] of tables(context.state))
      for (const [key, held] of table) {
        const old = known.has(`${name} ${key}`) ? undefined : memory.gone.get(labelled(name, held))
        const given = Object.keys((context.body ?? {}) as object)
        const left = Object.entries(old ?? {}).filter(
          ([each]) => ![...FIXED, ...given, 'label', 'pathLabel', 'status', 'wakes', 'updated'].includes(each),
        )
        assume(held, Object.fromEntries(left))
      }
    return reply
  },
  stale: async (context, act) => {
    const subject = subjectOf(context)
    const was = subject && structuredClone(subject.held)
    await pause(12)
    if (subject && was && subjectOf(context)) put(context.state, subject, was)
    return act(context)
  },
  race: async (context, act) => {
    const check = context.rules.fault.split(' / ')[0]
    act({ ...context, state: structuredClone(context.state) })
    await pause(12)
    const holds = (name: string): boolean => name !== check && context.rules.holds(name)
    return act({ ...context, rules: { ...context.rules, holds } })
  },
}

const member = (held: Held, name: string): unknown => (held as unknown as Json)[name]
const same = (one: unknown, another: unknown): boolean => plainOf(one) === plainOf(another)
const plainOf = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (each instanceof Map || each instanceof Set ? [...each] : each))

const labelled = (table: string, held: Held): string =>
  `${table} ${held.account} ${'label' in held ? held.label : held.id} ${'cluster' in held ? held.cluster : ''}`

const succeeds = (act: () => unknown): boolean => {
  try {
    act()
    return true
  } catch {
    return false
  }
}

export const operate = async (context: Context, act: Act, memory: Memory): Promise<Reply> => {
  const { fault } = context.rules
  const [place = '', name = ''] = fault.split(' / ')
  const operator = OPERATORS[name]
  const applies =
    operator && (place === context.route.id || (name === 'race' && place.startsWith(`${context.route.id}.`)))
  if (!operator) return act(context)
  const held = new Map(
    tables(context.state).flatMap(([table, all]) => [...all].map(([key, one]) => [`${table} ${key}`, one] as const)),
  )
  const reply = applies && !context.rules.holds(fault) ? await operator(context, act, memory) : act(context)
  const now = new Map(
    tables(context.state).flatMap(([table, all]) => [...all].map(([key, one]) => [`${table} ${key}`, one] as const)),
  )
  for (const [key, one] of now) if (!held.has(key)) memory.first.set(key, structuredClone(one))
  for (const [key, one] of held)
    if (!now.has(key)) memory.gone.set(labelled(key.split(' ')[0] ?? '', one), structuredClone(one))
  return reply
}
