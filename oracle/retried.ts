// Tells a target that refuses calls once, and takes them when they are sent again, from one that is late. Pure; what is late is said elsewhere.

import type { CallEntry } from '../history/entry.js'
import type { Facts } from '../models/language/operation.js'
import type { World } from '../models/language/world.js'
import { readCall, wellFormed } from './facts.js'
import type { Judgement } from './judgement.js'

/** The part of a call that tells what it named, and when. */
type Timed = Pick<CallEntry, 'op' | 'call'> & Partial<Pick<CallEntry, 'startedAt' | 'endedAt' | 'group'>>

/** How old what a call names was when the call was refused, and when it was taken, in milliseconds. */
interface Window {
  /** What had happened to it last: an operation, or that it was seen to have come to rest. */
  readonly after: string
  readonly fromMs: number
  readonly toMs: number
}

interface Touch {
  readonly by: string
  readonly at: number
}

/** An entity that is remembered. */
interface Known {
  readonly touch: Touch
  /** Operations that were refused on it, for whatever reason. */
  readonly refused: readonly string[]
}

interface Refusal {
  readonly touch: Touch
  readonly startedAt: number
  readonly endedAt: number
}

export interface Retries {
  /** What has happened last to an entity, by table and key; the one that was touched last is the last. */
  readonly touched: ReadonlyMap<string, Known>
  /** Refused calls that may have come too early and were not sent again yet, by call. */
  readonly refused: ReadonlyMap<string, Refusal>
  /** Those that were taken when they were sent again once, by operation; `late` where one was taken at once, or needed more than that. */
  readonly taken: ReadonlyMap<string, readonly Window[] | 'late'>
}

export const noRetries: Retries = { touched: new Map(), refused: new Map(), taken: new Map() }

/** The most entities of which it is remembered what has happened last. */
const mostTouched = 256

/** So many windows beyond the first after each kind of change, with no moment in common, are no chance. */
const enough = 4

/**
 * Whether calls of an operation are refused just for being sent the first time. If a change were late instead, it would show at some age:
 * if at the same age each time, the windows in which it shows would have a moment in common; if not, one repetition would not always be
 * needed, nor always be enough.
 */
export const isRefusedOnce = ({ taken }: Retries, operation: string): boolean => {
  const windows = taken.get(operation) ?? []
  if (windows === 'late' || windows.length <= enough) return false
  const afters = [...new Set(windows.map(({ after }) => after))]
  // One age may be usual after each kind of change.
  const more = afters.map((after) => apart(windows.filter((one) => one.after === after)) - 1)
  return more.reduce((sum, count) => sum + count, 0) >= enough
}

/** The most windows of which no two have a moment in common. */
const apart = (windows: readonly Window[]): number => {
  let count = 0
  let lastMs = Number.NEGATIVE_INFINITY
  for (const { fromMs, toMs } of [...windows].sort((a, b) => a.toMs - b.toMs)) {
    if (fromMs <= lastMs) continue
    count += 1
    lastMs = toMs
  }
  return count
}

/** Takes in a call that is not late. */
export const noted = (retries: Retries, by: Timed, before: World, told: Judgement): Retries => {
  if (by.op.method === 'GET') return rested(retries, by, before, told.world)
  const after = sentAgain(takenAtOnce(retries, by, before, told), by, told)
  if (told.accepted === false) return refusing(after, namedInPath(by, before), by.op)
  if (by.endedAt === undefined) return after
  const made = by.op.makes && told.made !== undefined ? [`${by.op.makes.name} ${told.made}`] : []
  return touching(after, [...namedBy(by, before), ...made], { by: by.op.id, at: by.endedAt })
}

/** Takes in a write that was refused and may have come too early. */
export const notedRefusal = (retries: Retries, by: Timed, world: World): Retries => {
  const { op, startedAt, endedAt, group } = by
  const isWrite = op.method !== 'GET' && startedAt !== undefined && endedAt !== undefined
  if (!isWrite || group !== undefined) return retries
  const name = nameOf(by)
  if (retries.refused.has(name)) return isLate(retries, op)
  const named = namedBy(by, world)
  const touch = latestOf(retries, named)
  if (!touch) return retries
  const refused = new Map([...retries.refused, [name, { touch, startedAt, endedAt }]])
  return refusing({ ...retries, refused }, named, op)
}

/** What is named has had a call of the operation refused. */
const refusing = (retries: Retries, named: readonly string[], { id }: Timed['op']): Retries => {
  const touched = new Map(retries.touched)
  for (const key of named) {
    const known = touched.get(key)
    if (known && !known.refused.includes(id)) touched.set(key, { ...known, refused: [...known.refused, id] })
  }
  return { ...retries, touched }
}

const isLate = (retries: Retries, { id }: Timed['op']): Retries => ({
  ...retries,
  taken: new Map([...retries.taken, [id, 'late']]),
})

/** Anything may be different from now on, as far as it has not been seen. */
export const forgotten = (retries: Retries): Retries => ({ ...retries, touched: new Map(), refused: new Map() })

const nameOf = ({ call }: Timed): string => `${call.method} ${call.url} ${call.as} ${JSON.stringify(call.body)}`

/** A call that was taken the first time, on what no such call was refused on before, was not refused for being the first. */
const takenAtOnce = (retries: Retries, by: Timed, world: World, { accepted }: Judgement): Retries => {
  const isOne = accepted === true && by.group === undefined && retries.taken.get(by.op.id) !== 'late'
  if (!isOne || retries.refused.has(nameOf(by))) return retries
  const [first] = namedInPath(by, world)
  const known = first === undefined ? undefined : retries.touched.get(first)
  return known && !known.refused.includes(by.op.id) ? isLate(retries, by.op) : retries
}

const sentAgain = (retries: Retries, by: Timed, told: Judgement): Retries => {
  const first = retries.refused.get(nameOf(by))
  if (!first) return retries
  const refused = new Map(retries.refused)
  refused.delete(nameOf(by))
  const windows = retries.taken.get(by.op.id) ?? []
  const { startedAt } = by
  if (told.accepted !== true || startedAt === undefined || windows === 'late') return { ...retries, refused }
  // What has happened to it meanwhile may be why it was taken.
  const now = latestOf(retries, namedBy(by, told.world))
  if (now && now.at > first.startedAt) return { ...retries, refused }
  const { touch } = first
  const window = { after: touch.by, fromMs: first.startedAt - touch.at, toMs: startedAt - touch.at }
  return { ...retries, refused, taken: new Map([...retries.taken, [by.op.id, [...windows, window]]]) }
}

/** Whatever of a look has come to rest since it was last looked at. */
const rested = (retries: Retries, { op, endedAt }: Timed, before: World, after: World): Retries => {
  if (!('table' in op.reply) || endedAt === undefined) return retries
  const { table } = op.reply
  const { settled } = table
  const [was, is] = [before.tables.get(table.name)?.live, after.tables.get(table.name)?.live]
  if (!settled || !is || was === is) return retries
  const isNews = (key: string): boolean => {
    const [old, now] = [was?.get(key), is.get(key)]
    return old !== now && now !== undefined && settled(now as never) && !(old !== undefined && settled(old as never))
  }
  const keys = [...is.keys()].filter(isNews).map((key) => `${table.name} ${key}`)
  return touching(retries, keys, { by: 'rest', at: endedAt })
}

const touching = (retries: Retries, keys: readonly string[], touch: Touch): Retries => {
  if (keys.length === 0) return retries
  const touched = new Map(retries.touched)
  for (const key of keys) {
    const { refused = [] } = touched.get(key) ?? {}
    touched.delete(key)
    touched.set(key, { touch, refused })
  }
  for (const key of touched.keys()) {
    if (touched.size <= mostTouched) break
    touched.delete(key)
  }
  return { ...retries, touched }
}

/** What has happened last to any of them; undefined where it is not remembered of the first, which the path names. */
const latestOf = ({ touched }: Retries, keys: readonly string[]): Touch | undefined => {
  const [first] = keys
  if (first === undefined || !touched.has(first)) return undefined
  const all = keys.flatMap((key) => touched.get(key)?.touch ?? [])
  return all.toSorted((a, b) => b.at - a.at)[0]
}

const namedBy = (by: Timed, world: World): readonly string[] => {
  const { op, call } = by
  const others = wellFormed(() => op.names?.(readCall(world, op, call).facts as Facts))
  return [...namedInPath(by, world), ...others.map(({ table, key }) => `${table.name} ${key}`)]
}

const namedInPath = ({ op, call }: Timed, world: World): readonly string[] =>
  readCall(world, op, call).named.flatMap(({ reference, resolution }) =>
    'entity' in resolution ? [`${reference.table.name} ${resolution.entity.key}`] : [],
  )
