// Removals that were refused as if what they name were gone: until a later reply decides, it may be there or not.

import type { CallEntry } from '../../history/entry.js'
import { isAbsent } from '../../history/outcomes.js'
import { accountOf } from '../../models/language/access.js'
import { getOrInsert } from '../../models/language/get-or-insert.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { idNamed, referencesOf } from '../../models/language/references.js'
import { find, type World } from '../../models/language/world.js'
import { type Belief, type Observed, worldsOf } from '../belief.js'
import { type Deviation, type Judgement, withReasons } from '../judgement.js'
import { land } from './landing.js'

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
  readonly subject: Subject
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
  const forgetMade = (isMade: (subject: Subject) => boolean): void => {
    for (const [n, { subject }] of removals) if (isMade(subject)) removals.delete(n)
  }
  const note = (entry: CallEntry, judgement: Judgement, before: Belief): void => {
    const { op, n } = entry
    if (op.removes !== undefined && judgement.accepted === true) accepted.add(op.id)
    if (removals.size > 0) forgetMade(makingAnew(entry, judgement, before))
    const subject = saysGone(entry, judgement) ? subjectOf(entry, judgement.world) : undefined
    if (!subject) return
    const refusal = judgement.deviations.find(({ kind }) => kind === 'refused')
    removals.set(n, { n, op, refusal, subject })
    const [oldest] = removals.keys()
    if (removals.size > mostFollowed && oldest !== undefined) removals.delete(oldest)
  }
  /** A read that only what is there explains has shown that a removal did nothing; so has one that deviates by it. */
  const learn = (observed: Observed): void => {
    for (const removal of shownIdle(observed)) noteIdle(removal)
  }
  const shownIdle = ({ belief, judgement: { deviations, late } }: Observed): readonly Removal[] => {
    const remains = ({ subject }: Removal): boolean => {
      const isIn = ({ world }: { readonly world: World }): boolean => isThere(world, subject)
      // The hypotheses are among their worlds, and far fewer.
      return belief.hypotheses.every(isIn) && worldsOf(belief).every(isIn)
    }
    const named = (some: readonly Deviation[] = []) => some.flatMap((one) => removalOf(one) ?? [])
    if (late) return named(late.hidden).filter(({ op }) => isOnlyIdle(op.id))
    return deviations.length > 0 ? named(deviations) : [...removals.values()].filter(remains)
  }
  return {
    note,
    /** Notes such a removal; what shows something again is laid to it, as `from` what the reply deviates by. */
    blaming: (observed: Observed, entry: CallEntry, before: Belief): Observed => {
      const { belief, judgement } = observed
      note(entry, judgement, before)
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

interface Subject {
  readonly table: AnyTable
  readonly key: string
}

/** What a removal names. */
const subjectOf = ({ op, call }: CallEntry, { environment }: World): Subject | undefined => {
  const named = referencesOf(op).find(([param]) => param === op.removes)
  const key = named && idNamed(named, call.path, accountOf(environment, call.as))
  return named && key !== undefined ? { table: named[1].table, key } : undefined
}

const isThere = (world: World, { table, key }: Subject): boolean => {
  const there = find(world, table, key)
  return there !== undefined && there.stub !== true
}

/** Tells whether a write may have made something anew: names, and ids, may be given again to what is made once the first has gone. */
const makingAnew = ({ op, call, n }: CallEntry, { accepted, made }: Judgement, { hypotheses }: Belief) => {
  if (op.method === 'GET' || accepted === false) return () => false
  const effects = hypotheses.map(({ world }) => [world, land(world, { op, call, n, sentIn: world })] as const)
  return (subject: Subject): boolean =>
    (subject.key === made && subject.table === op.makes) ||
    effects.some(
      ([before, after]) => !find(before, subject.table, subject.key) && find(after, subject.table, subject.key),
    )
}
