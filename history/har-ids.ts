// Which calls of a recording surely took effect after a creation: those that were accepted for, or show, the id that it was given.

import { unknownToken } from '../models/language/access.js'
import { isObject } from '../models/language/objects.js'
import type { CallEntry, Entry, Known } from './entry.js'
import { isAccepted } from './outcomes.js'
import { recordsIn } from './pages.js'

/** The id that a target chose for what a call made: one that nobody can have named before. */
const madeBy = ({ op: { makes }, call, outcome }: CallEntry): string | undefined => {
  if (!makes || makes.change.renewable || !('body' in outcome) || !isObject(outcome.body)) return undefined
  const key = makes.identify(outcome.body, call.path, undefined)
  const isChosen = String(outcome.body.id) === key
  return isChosen ? `${call.as} ${makes.name} ${key}` : undefined
}

/** What an accepted call names in its path, and what its reply shows. */
const usedBy = ({ op: { params, reply }, call, outcome }: CallEntry): readonly string[] => {
  const named = Object.entries(params).flatMap(([name, reference]) =>
    typeof reference === 'object' && !reference.key ? [`${call.as} ${reference.table.name} ${call.path[name]}`] : [],
  )
  if (!('table' in reply) || !('body' in outcome)) return named
  const { table } = reply
  return [
    ...named,
    ...recordsIn(outcome.body).map(
      (record) => `${call.as} ${table.name} ${table.identify(record, call.path, undefined)}`,
    ),
  ]
}

/** Which call made each thing, where its id was given only once, and to nothing that was there before. */
const makersIn = (calls: readonly CallEntry[], uses: ReadonlyMap<CallEntry, readonly string[]>) => {
  const makers = new Map<string, CallEntry>()
  const isAgain = new Set<string>()
  for (const one of calls) {
    const made = madeBy(one)
    if (made !== undefined && makers.has(made)) isAgain.add(made)
    if (made !== undefined) makers.set(made, one)
  }
  const isEarlier = (one: CallEntry, maker: CallEntry | undefined) =>
    maker !== undefined && one.endedAt < maker.startedAt
  for (const [one, ids] of uses) for (const id of ids) if (isEarlier(one, makers.get(id))) isAgain.add(id)
  for (const id of isAgain) makers.delete(id)
  return makers
}

/** The entries, each with what the ids in it tell of its order. */
export const withKnown = (entries: readonly Entry[]): readonly Entry[] => {
  const known = knownOf(entries.filter((one) => one.kind === 'call'))
  return entries.map((one) => {
    const told = one.kind === 'call' ? known.get(one) : undefined
    return told ? { ...one, known: told } : one
  })
}

/** What the ids that calls were given, and used, tell of their order. */
const knownOf = (calls: readonly CallEntry[]): ReadonlyMap<CallEntry, Known> => {
  const told = calls.filter((one) => isAccepted(one.outcome) && one.call.as !== null && one.call.as !== unknownToken)
  const uses = new Map(told.map((one) => [one, usedBy(one)]))
  const makers = makersIn(told, uses)
  const known = told.flatMap((one): readonly (readonly [CallEntry, Known])[] => {
    const made = madeBy(one)
    const isMaker = made !== undefined && makers.get(made) === one
    const used = new Set(uses.get(one)?.filter((id) => makers.has(id) && makers.get(id) !== one))
    return isMaker || used.size > 0 ? [[one, { ...(isMaker && { made }), uses: used }]] : []
  })
  return new Map(known)
}
