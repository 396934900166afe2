// Splits overlapping calls into groups that can be judged one after another; in time and memory that grow with the calls, not with their pairs.

import { getOrInsert } from '../models/language/get-or-insert.js'
import { related } from '../models/language/reach.js'
import { componentsOf } from './components.js'
import { areIndependent, type CallWithOutcome, type Reached, reachedBy } from './independence.js'

/** A call in time. */
export interface Spanned extends CallWithOutcome {
  readonly startedAt: number
  readonly endedAt: number
}

/**
 * Splits overlapping calls into groups that can be judged one after another. Two calls are in one group if they are related and
 * neither surely came first, or if other calls of the group tie them together in that way.
 * @param calls in the order in which they were sent
 * @param isBefore whether one had been answered before another was sent, as far as that is known beyond the times
 */
export const groupsOf = <T extends Spanned>(
  calls: readonly T[],
  isBefore: (one: T, other: T) => boolean,
): readonly (readonly T[])[] => {
  const { headOf, edges } = tied(calls, isBefore)
  const { nodes, from } = later(calls)
  const leads = [...calls.map((): number[] => []), ...nodes.map((next) => [...next])]
  const add = (one: number, other: number): void => void leads[headOf(one)]?.push(other)
  for (const [one, other] of edges) add(one, other)
  for (const i of calls.keys()) for (const node of from(i)) add(i, node)
  const toHeads = leads.map((next) => next.map((one) => (one < calls.length ? headOf(one) : one)))
  const members = calls.map((): number[] => [])
  for (const i of calls.keys()) members[headOf(i)]?.push(i)
  // Those that have nothing to do with each other come in the order of sending as well, so that a guess is about what came after.
  const places = toHeads.map((_, place) => place)
  const order = [...places.slice(calls.length), ...places.slice(0, calls.length)]
  return componentsOf(toHeads, order)
    .map((group) => group.flatMap((i) => members[i] ?? []).sort((a, b) => a - b))
    .filter(({ length }) => length > 0)
    .map((group) => group.map((i) => calls[i] as T))
}

/** Joins calls that are under way together and may have come in either order; of others that are, which one leads to which. */
const tied = <T extends Spanned>(calls: readonly T[], isBefore: (one: T, other: T) => boolean) => {
  const { headOf, join } = joining(calls.length)
  const edges: (readonly [number, number])[] = []
  for (const [i, one] of calls.entries()) {
    for (let j = i + 1; j < calls.length && (calls[j] as T).startedAt <= one.endedAt; j += 1) {
      const other = calls[j] as T
      if (headOf(i) === headOf(j) || areIndependent(one, other)) continue
      if (isBefore(one, other)) edges.push([i, j])
      else if (isBefore(other, one)) edges.push([j, i])
      else join(i, j)
    }
  }
  return { headOf, edges }
}

/** Sets of numbers, each with a head (union-find). */
const joining = (size: number) => {
  const heads = Array.from({ length: size }, (_, i) => i)
  const headOf = (i: number): number => {
    let head = i
    while (heads[head] !== head) {
      heads[head] = heads[heads[head] as number] as number
      head = heads[head] as number
    }
    return head
  }
  const join = (one: number, other: number): void => {
    heads[headOf(other)] = headOf(one)
  }
  return { headOf, join }
}

/**
 * Nodes that stand for all calls of a kind that begin with a certain one or later, and for each call those of what it is related to and
 * that began after its end. So the pairs of calls that are far apart need not be looked at.
 */
const later = (calls: readonly Spanned[]) => {
  const kinds = new Map<string, number[]>()
  for (const [i, call] of calls.entries())
    for (const kind of kindsOf(reachedBy(call))) getOrInsert(kinds, kind, () => []).push(i)
  const firsts = new Map<string, number>()
  const nodes: (readonly number[])[] = []
  for (const [kind, all] of kinds) {
    firsts.set(kind, calls.length + nodes.length)
    for (const [at, i] of all.entries()) nodes.push(at + 1 < all.length ? [i, calls.length + nodes.length + 1] : [i])
  }
  const from = (i: number): readonly number[] => {
    const call = calls[i] as Spanned
    return relatedTo(reachedBy(call)).flatMap((kind) => {
      const all = kinds.get(kind) ?? []
      const at = firstPlace(all.length, (place) => (calls[all[place] as number] as Spanned).startedAt > call.endedAt)
      return at < all.length ? [(firsts.get(kind) as number) + at] : []
    })
  }
  return { nodes, from }
}

/** The first place at which something holds that holds at all places after it. */
export const firstPlace = (length: number, holds: (place: number) => boolean): number => {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** The kinds that a call is of. */
const kindsOf = (reached: Reached | undefined): readonly string[] => {
  if (!reached) return ['every', 'anything']
  const { partition, own, concerns } = reached
  return [
    'every',
    partition,
    `${partition} ${own ?? 'several'}`,
    ...concerns.map((other) => `${partition} to ${other}`),
  ]
}

/** The kinds of later calls that a call is related to: they may name what it has made, whatever it concerned itself. */
const relatedTo = (reached: Reached | undefined): readonly string[] => {
  if (!reached) return ['every']
  const { partition, own } = reached
  const near = own === undefined ? [partition] : [`${partition} ${own}`, `${partition} several`]
  return ['anything', ...near, ...related[partition].map((other) => `${other} to ${partition}`)]
}
