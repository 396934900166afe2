// Which values the writes of the interface can give a member: only a faulty target shows a value of another kind. Nothing is judged here.

import { operations } from '../../models/index.js'
import { getOrInsert } from '../../models/language/get-or-insert.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import type { Deviation } from '../judgement.js'

/** Whether some write may have made one value of a member another, so that both are of a kind that the interface sets. */
export const maySet = (table: AnyTable, field: string, from: unknown, to: unknown): boolean => {
  if (!isPlain(from)) return true
  const settings = settingsOf(table, field)
  if (to === null) return mayBeNull(settings)
  return !isPlain(to) || (typeof from === typeof to && mayBecome(settings, from, to))
}

/** Objects and arrays may be shown in several forms. */
const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** The part of a schema that says what kind of value a member has. */
interface Kind {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly minLength?: number
}

/** What sets a member of a resource. */
interface Settings {
  /** What the requests that have it may send, by those that create and those that update. */
  readonly made: readonly Kind[]
  readonly updated: readonly Kind[]
  /** Whether it also changes otherwise. */
  readonly isElsewhere: boolean
}

/** Only a text with a least length is always there: a text that may be empty may be shown as null, and other calls may unset all else. */
const mayBeNull = ({ made, updated, isElsewhere }: Settings): boolean =>
  isElsewhere || updated.length === 0 || ![...made, ...updated].every(isNeverEmpty)

const isNeverEmpty = ({ type, minLength = 0 }: Kind): boolean => type === 'string' && minLength > 0

/** Whether both are among the values that requests may send. What is shown in other words may be anything. */
const mayBecome = ({ made, updated, isElsewhere }: Settings, from: unknown, to: unknown): boolean => {
  const kinds = [...made, ...updated]
  const listed = kinds.flatMap((one) => one.enum ?? [])
  const isListed = kinds.every((one) => one.enum !== undefined) && listed.includes(from)
  return !isListed || isElsewhere || listed.includes(to)
}

const known = new Map<string, Settings>()

const settingsOf = (table: AnyTable, field: string): Settings =>
  getOrInsert(known, `${table.name} ${field}`, () => readSettings(table, field))

const readSettings = (table: AnyTable, field: string): Settings => {
  const writes = operations.filter(
    ({ method, reply, makes }) =>
      method !== 'GET' && (makes?.name === table.name || ('table' in reply && reply.table.name === table.name)),
  )
  const kindsIn = (some: typeof writes): readonly Kind[] =>
    some.flatMap(({ body }) => (body?.properties[field] ? [body.properties[field] as Kind] : []))
  const isEffect = operations.some(({ body, effects = [] }) =>
    effects.some((one) => one.table.name === table.name && one.field === field && !body?.properties[field]),
  )
  return {
    made: kindsIn(writes.filter(({ makes }) => makes !== undefined)),
    updated: kindsIn(writes.filter(({ makes }) => makes === undefined)),
    isElsewhere: isEffect || table.change.outside.includes(field),
  }
}

/** Whether it may change that member of what is there. */
export const changesMember = (op: Operation, member: string): boolean =>
  op.makes === undefined && op.method !== 'GET' && setsMember(op, member)

type About = Pick<Operation, 'params' | 'reply'>

/** Whether two operations have a resource in common. */
export const isAboutSame = (one: About, other: About): boolean => {
  const tables = tablesOf(other)
  return tablesOf(one).some((table) => tables.includes(table))
}

const tablesOf = ({ params, reply }: About): readonly AnyTable[] => [
  ...Object.values(params).flatMap((one) => (typeof one === 'object' ? [one.table] : [])),
  ...('table' in reply ? [reply.table] : []),
]

const setsMember = ({ body, effects = [] }: Pick<Operation, 'body' | 'effects'>, member: string): boolean =>
  body?.properties[member] !== undefined || effects.some(({ field }) => field === member)

/** Whether a refused write may have left what a look shows: one that does not set a member, where others do, has not left that. */
export const mayLeave = (refused: Operation, { kind, member }: Pick<Deviation, 'kind' | 'member'>): boolean => {
  if (refused.removes !== undefined) return kind === 'missing' || kind === 'refused'
  if (refused.makes !== undefined) return kind === 'unknown'
  if (!member || setsMember(refused, member.name)) return true
  return !operations.some((op) => changesMember(op, member.name) && isAboutSame(op, refused))
}
