// Follows how many creations a recording lacks: resources that show after a list without them, and that no recorded call made. Nothing is judged here.

import { bodyOf } from '../../history/outcomes.js'
import { recordsIn } from '../../history/pages.js'
import { isObject } from '../../models/language/objects.js'
import type { AnyTable } from '../../models/language/operation.js'
import { forked } from '../forked.js'
import type { Judged } from '../judgement.js'

/** Keys of resources, by table and caller. */
type Keys = Map<string, ReadonlySet<string>>

const nothingSeen = () => ({
  /** What the first whole list of a caller held. */
  listed: new Map() as Keys,
  /** What showed later, and was not in it. */
  later: new Map() as Keys,
  made: new Set<string>(),
  creations: 0,
})

/** A recording lacks much if it lacks at least one creation for so many that it has. */
const recordedForOne = 3

export const createUnrecorded = (state = nothingSeen()) => {
  const { listed, later, made } = state
  const hearCreation = ({ op: { makes }, call, outcome, judgement }: Judged): void => {
    if (!makes || judgement.accepted === false) return
    state.creations += 1
    const body = bodyOf(outcome)
    const key = isObject(body) ? makes.identify(body, call.path, undefined) : undefined
    if (key !== undefined) made.add(`${makes.name} ${key}`)
  }
  const hearLook = ({ op: { method, reply }, call, outcome }: Judged): void => {
    const body = bodyOf(outcome)
    if (method !== 'GET' || body === undefined || !('table' in reply) || !isFollowed(reply.table)) return
    const { table } = reply
    const place = `${table.name} ${call.as}`
    const keys = recordsIn(body).flatMap((one) => table.identify(one, call.path, undefined) ?? [])
    const first = listed.get(place)
    if (!first && isWholeList(call, body)) listed.set(place, new Set(keys))
    const news = first ? keys.filter((key) => !first.has(key)) : []
    if (news.length > 0) later.set(place, new Set([...(later.get(place) ?? []), ...news]))
  }
  return {
    hear: (step: Judged): void => {
      hearCreation(step)
      hearLook(step)
    },
    /** Whether enough creations are missing that one in so many writes may be missing anywhere. */
    isSampled: (): boolean => {
      const shown = new Set([...later].flatMap(([place, keys]) => [...keys].map((key) => `${tableIn(place)} ${key}`)))
      const lacked = [...shown].filter((one) => !made.has(one)).length
      // A creation without an id in its reply may have made any of them.
      const anonymous = state.creations - made.size
      return (lacked - anonymous) * recordedForOne >= Math.max(1, state.creations)
    },
    fork: () => createUnrecorded(forked(state)),
  }
}

const tableIn = (place: string): string => place.slice(0, place.indexOf(' '))

/** Names may be given again, and some resources come without a call. */
const isFollowed = ({ closable, nameless, change }: AnyTable): boolean => closable && !nameless && !change.renewable

/** Whether a list of everything of its kind holds all that there is. */
const isWholeList = ({ path, query }: Judged['call'], body: unknown): boolean =>
  isObject(body) &&
  Array.isArray(body.data) &&
  body.data.length === body.results &&
  Object.keys(path).length === 0 &&
  Object.keys(query).every((name) => name === 'page' || name === 'page_size')
