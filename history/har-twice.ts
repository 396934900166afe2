// Finds calls that several recorders have seen, such as a browser and a proxy behind it: each is taken once.
import { grouped } from '../models/language/grouped.js'
import { bodyTextOf, outcomeOf } from './har-content.js'
import { formOf, type HarEntry, tellsMore } from './har-entries.js'
import { count } from './recording.js'
import type { Outcome } from './wire.js'

/** An entry of a recorder, with what tells its call from others. */
interface Seen {
  readonly one: HarEntry
  readonly key: string
  readonly outcome: Outcome
}

/** This part of the smaller recording has to be in the other one as well: two clients may happen to do the same. */
const leastShare = 1 / 3

/** The files without entries of calls that another recorder has as well, and tells as much of. */
export const seenOnce = (
  files: readonly (readonly HarEntry[])[],
  ignored: Record<string, number>,
): readonly (readonly HarEntry[])[] => {
  const left = seenTwice(files)
  if (left.size === 0) return files
  for (const _ of left) count(ignored, 'was seen by another recorder as well')
  return files.map((file) => file.filter((one) => !left.has(one)))
}

const seenTwice = (files: readonly (readonly HarEntry[])[]): ReadonlySet<HarEntry> => {
  const recorders = files.flatMap(recordersIn)
  const left = new Set<HarEntry>()
  for (const [i, later] of recorders.entries())
    for (const earlier of recorders.slice(0, i)) {
      const pairs = pairsOf(earlier, later)
      if (pairs.length < leastShare * Math.min(earlier.length, later.length)) continue
      for (const [one, other] of pairs) left.add(saysMore(other, one) ? one.one : other.one)
    }
  return left
}

/** The entries of a file by recorder: one that was put together of several tells its times in several ways. */
const recordersIn = (file: readonly HarEntry[]): readonly (readonly Seen[])[] => {
  const timed = file.filter(({ isTimed }) => isTimed)
  const recorders = grouped(timed, ({ entry }) => formOf(String(entry.startedDateTime)))
  return [...recorders.values()].map((own) =>
    own.map((one) => ({ one, key: keyOf(one), outcome: outcomeOf(one.response, one.entry) })),
  )
}

const keyOf = ({ method, url, request }: HarEntry): string =>
  `${method} ${url?.host}${url?.pathname}${url?.search} ${spelled(bodyTextOf(request) ?? '')}`

/** A JSON text without the space between its parts. */
const spelled = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

/** Entries of two recorders that were under way at the same time, asked for the same and got the same, the first with the first. */
const pairsOf = (some: readonly Seen[], others: readonly Seen[]): readonly (readonly [Seen, Seen])[] => {
  const byKey = grouped(some, ({ key }) => key)
  return others.flatMap((other): readonly (readonly [Seen, Seen])[] => {
    const open = byKey.get(other.key) ?? []
    const one = open.find(
      (candidate) => areAtOnce(candidate.one, other.one) && mayBeSame(candidate.outcome, other.outcome),
    )
    if (!one) return []
    open.splice(open.indexOf(one), 1)
    return [[one, other]]
  })
}

const endOf = ({ endedAt, toldAt, unitMs }: HarEntry): number => endedAt ?? toldAt + unitMs

const areAtOnce = (one: HarEntry, other: HarEntry): boolean =>
  one.startedAt <= endOf(other) && other.startedAt <= endOf(one)

/** Whether two recorders may have seen one reply; of each, what it did not record is not known. */
const mayBeSame = (one: Outcome, other: Outcome): boolean => {
  const [a, b] = [one, other].map((each) => ('lost' in each ? each.replied : each.status))
  if (a !== undefined && b !== undefined && a !== b) return false
  return 'lost' in one || 'lost' in other || shownBy(one) === shownBy(other)
}

const shownBy = (outcome: Outcome): string => JSON.stringify('body' in outcome ? outcome.body : outcome)

const saysMore = (one: Seen, other: Seen): boolean =>
  'lost' in one.outcome === 'lost' in other.outcome ? tellsMore(one.one, other.one) : 'lost' in other.outcome
