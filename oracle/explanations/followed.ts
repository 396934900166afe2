// Removals that were refused as if what they name were gone: until a later reply decides, it may be there or not.

import type { CallEntry } from '../../history/entry.js'
import { isAbsent } from '../../history/outcomes.js'
import { accountOf } from '../../models/language/access.js'
import { getOrInsert } from '../../models/language/get-or-insert.js'
import type { Operation } from '../../models/language/operation.js'
import { idNamed, referencesOf } from '../../models/language/references.js'
import { type AnyEntity, find, type World } from '../../models/language/world.js'
import { type Observed, worldsOf } from '../belief.js'
import { type Deviation, type Judgement, withReasons } from '../judgement.js'

/** Whether a removal was answered as for what is gone, though nothing surely forbids it. */
export const saysGone = (
  { op, outcome }: Pick<CallEntry, 'op' | 'outcome'>,
  { expects, accepted }: Pick<Judgement, 'expects' | 'accepted'>,
): boolean => op.removes !== undefined && accepted === false && expects !== 'refuse' && isAbsent(outcome)

interface Removal {
  readonly n: number
  readonly op: Operation
  /** How its refusal deviates; undefined where it might be refused. */
  readonly refusal: Deviation | undefined
  readonly isThere: (world: World) => boolean
}

/** So many removals that did nothing, and none that did: it is not for their way that they are refused. */
const enoughIdle = 3

/** The most removals that are remembered. */
export const mostFollowed = 256

/**
 * Remembers such removals. Where what one of them names is shown again, that is not the doing of what shows it: if the removal had to be
 * accepted, its refusal is what deviates.
 */
export const createFollowed = () => {
  const removals = new Map<number, Removal>()
  const accepted = new Set<string>()
  /** The removals whose things were shown again, by operation. */
  const idle = new Map<string, Set<Removal>>()
  const told = new Set<string>()
  /** Whether all that is known of an operation is that it removes nothing: `proven` tells it then, and nothing else. */
  const isOnlyIdle = (id: string): boolean => idle.has(id) && !accepted.has(id)
  const noteIdle = (removal: Removal): void => {
    if (removal.refusal) getOrInsert(idle, removal.op.id, () => new Set()).add(removal)
  }
  const removalOf = ({ kind, facts = [] }: Deviation): Removal | undefined =>
    kind === 'deleted' ? [...removals.values()].find(({ n }) => facts.some(({ step }) => step === n)) : undefined
  const blamed = (one: Deviation): readonly Deviation[] => {
    const removal = removalOf(one)
    if (!removal) return [one]
    const { n, op, refusal } = removal
    if (!refusal || isOnlyIdle(op.id)) return []
    const why = { text: `what step ${n} (${op.id}) was to remove is still shown`, step: n, by: op.id }
    return [{ ...withReasons(refusal, why), from: one }]
  }
  const note = (entry: CallEntry, judgement: Judgement): void => {
    const { op, n } = entry
    if (op.removes !== undefined && judgement.accepted === true) accepted.add(op.id)
    if (!saysGone(entry, judgement)) return
    const refusal = judgement.deviations.find(({ kind }) => kind === 'refused')
    removals.set(n, { n, op, refusal, isThere: presenceOf(entry, judgement.world) })
    const [oldest] = removals.keys()
    if (removals.size > mostFollowed && oldest !== undefined) removals.delete(oldest)
  }
  /** A read that only what is there explains has shown that a removal did nothing; so has one that deviates by it. */
  const learn = (observed: Observed): void => {
    for (const removal of shownIdle(observed)) noteIdle(removal)
  }
  const shownIdle = ({ belief, judgement: { deviations, late } }: Observed): readonly Removal[] => {
    const isThere = ({ isThere }: Removal): boolean => worldsOf(belief).every(({ world }) => isThere(world))
    const named = (some: readonly Deviation[] = []) => some.flatMap((one) => removalOf(one) ?? [])
    if (late) return named(late.hidden).filter(({ op }) => isOnlyIdle(op.id))
    return deviations.length > 0 ? named(deviations) : [...removals.values()].filter(isThere)
  }
  return {
    note,
    /** Notes such a removal; what shows something again is laid to it, as `from` what the reply deviates by. */
    blaming: (observed: Observed, entry: CallEntry): Observed => {
      const { belief, judgement } = observed
      note(entry, judgement)
      if (removals.size === 0 || entry.op.method !== 'GET' || judgement.accepted !== true) return observed
      learn(observed)
      const { late, ...rest } = judgement
      const hidden = late?.hidden.flatMap(blamed) ?? []
      const isLate = late !== undefined && (hidden.length > 0 || late.hidden.length === 0)
      const deviations = judgement.deviations.flatMap(blamed)
      return { belief, judgement: { ...rest, deviations, ...(isLate && { late: { ...late, hidden } }) } }
    },
    isIdle: ({ id }: Operation): boolean => idle.has(id),
    /** A removal by an operation that was never accepted, of which so many were shown to have done nothing; told once. */
    proven: (): { readonly n: number; readonly refusal: Deviation } | undefined => {
      for (const [id, some] of idle) {
        if (some.size < enoughIdle || accepted.has(id) || told.has(id)) continue
        told.add(id)
        for (const { n, refusal } of [...some].slice(-1)) if (refusal) return { n, refusal }
      }
      return undefined
    },
  }
}

/** Tells of a world whether what a removal names is there, and was before it. */
const presenceOf = ({ op, call, n }: CallEntry, { environment }: World): ((world: World) => boolean) => {
  const named = referencesOf(op).find(([param]) => param === op.removes)
  const key = named && idNamed(named, call.path, accountOf(environment, call.as))
  if (named === undefined || key === undefined) return () => false
  return (world) => {
    const there = find(world, named[1].table, key)
    return there !== undefined && !isMadeSince(there, n)
  }
}

/** Whether all that is known of something was told after a step: names, and ids, may be given again to what is made since. */
const isMadeSince = ({ since = {} }: AnyEntity, n: number): boolean => {
  const marks = Object.values(since)
  return marks.length > 0 && marks.every(({ step }) => step > n)
}
