// A proxy sent a call twice, as HTTP allows for methods that may be repeated (RFC 9110, 9.2.2). The second removal is refused, since what
// it names is gone; the second update emits its event again; and one that comes late undoes what came after the first.

import type { CallEntry } from '../../history/entry.js'
import { recordsIn } from '../../history/pages.js'
import { accountOf } from '../../models/language/access.js'
import type { Environment } from '../../models/language/environment.js'
import { getOrInsert } from '../../models/language/get-or-insert.js'
import type { Operation } from '../../models/language/operation.js'
import {
  adjusted,
  type Belief,
  impatiently,
  isLateAtTimes,
  type Observe,
  type Observed,
  orElse,
  worldOf,
} from '../belief.js'
import { areIndependent } from '../independence.js'
import { assuming, type Deviation, type Judged, type Judgement } from '../judgement.js'
import { nameOfCall, type Past } from '../past.js'
import { type Explanation, isAllowed, isTraceOf, traceOf } from './explanation.js'
import { createFollowed, saysGone } from './followed.js'
import { land, type Pending } from './landing.js'

export const resent: Explanation = {
  name: 'resent',
  refutes: 'the same calls, sent again, are answered the same',
  bound:
    'for each operation that removes, one call that is answered 404, and one more for every five that are accepted, none of an operation of which one has been shown to remove nothing, on a target that shows each change at once; what may not show yet is waited for first; a program in which it comes about counts for nothing, twice at the most; for each update, one that emits twice and one that undoes a later one, and one more for every five that do not',
}

/**
 * Takes in calls so that such a removal may have had its effect. If it had to be accepted, its refusal is a deviation, and the world
 * follows the target; if it might be refused, that it had its effect is an assumption.
 */
export const followingRemovals =
  (look: Observe): Observe =>
  (before, observation) => {
    const observed = look(before, observation)
    const { belief, judgement } = observed
    if (judgement.late || !saysGone(observation, judgement)) return observed
    const isDue = judgement.expects === 'accept'
    if (!isDue && !isAllowed(judgement.world.environment, resent)) return observed
    const { op, call, n } = observation
    const after = orElse(belief, (world) => land(world, { op, call, n, sentIn: world }))
    if (isDue || after.hypotheses.length === belief.hypotheses.length) return { belief: after, judgement }
    return { belief: after, judgement: assuming(judgement, traceOf(resent, op.id)) }
  }

const plainForOneMore = 5

/** Counts the calls of each operation that were answered plainly, and those that are excused. */
const createTallies = () => {
  const tallies = new Map<string, { plain: number; excused: number }>()
  const tallyOf = ({ id }: Operation) => getOrInsert(tallies, id, () => ({ plain: 0, excused: 0 }))
  return {
    note: (op: Operation): void => {
      tallyOf(op).plain += 1
    },
    /** Whether one more may be excused; it counts as such. */
    excuses: (op: Operation): boolean => {
      const tally = tallyOf(op)
      if (tally.excused * plainForOneMore > tally.plain) return false
      tally.excused += 1
      return true
    },
  }
}

/** So many things must have shown at once before a removal is not refused for what does not show yet. */
const enough = 10

/** The runs of a program in which it may be so; what shows in the next is told. */
const mostRuns = 2

/** How a run takes in calls: such a removal teaches nothing, and its program runs again. What a clean-up sends is judged by nobody. */
export const createResent = (look: Observe) => {
  const runs = new Map<string, Set<number | undefined>>()
  const tallies = createTallies()
  const made = new Set<string>()
  const doubtful = createDoubtful(look)
  const followed = createFollowed()
  let shown = 0
  /** Counts what was made and has shown: a target that is late would have been so by then. */
  const note = ({ op, call, outcome }: CallEntry, { world, made: key }: Judgement): void => {
    if (op.makes && key !== undefined) made.add(`${op.makes.name} ${key}`)
    if (shown >= enough || op.method !== 'GET' || !('table' in op.reply) || !('body' in outcome)) return
    const { table } = op.reply
    const account = accountOf(world.environment, call.as)
    for (const record of recordsIn(outcome.body))
      if (made.delete(`${table.name} ${table.identify(record, call.path, account)}`)) shown += 1
  }
  const mayBe = ({ program, clause, instance, phase, confirms }: CallEntry, op: Operation): boolean => {
    if (followed.isIdle(op)) return false
    if (phase === 'clean-up') return true
    const known = getOrInsert(runs, `${program} ${clause}`, () => new Set())
    if (confirms !== undefined) return false
    // The run of a program counts for nothing then, whatever else it meets; a recording has no runs.
    if (known.has(instance)) return instance !== undefined
    if (known.size >= mostRuns || !tallies.excuses(op)) return false
    known.add(instance)
    return true
  }
  const ofRemoval = (observed: Observed, belief: Belief, entry: CallEntry): Observed => {
    const { judgement } = observed
    const isDue = judgement.expects === 'accept' && saysGone(entry, judgement) && !isLateAtTimes(belief)
    if (!isDue || !isAllowed(judgement.world.environment, resent)) return observed
    if ((judgement.late && shown < enough) || !mayBe(entry, entry.op)) return observed
    const firm = judgement.late ? look(impatiently(belief), entry) : observed
    // A run confirms what follows from a refusal that may only have come too early; a recording can't.
    if (judgement.late && entry.instance !== undefined) followed.note(entry, firm.judgement, belief)
    return silently(firm, belief, entry.op, observed.belief.past?.vain)
  }
  const lookAlone = (belief: Belief, entry: CallEntry): Observed => {
    const observed = look(belief, entry)
    const { accepted, late } = observed.judgement
    note(entry, observed.judgement)
    if (accepted === true && (entry.op.removes !== undefined || entry.op.method === 'PUT')) tallies.note(entry.op)
    const mayBeLate = late && (shown < enough || isLateAtTimes(belief))
    const undone = mayBeLate ? undefined : doubtful.explaining(observed, belief, entry)
    doubtful.note(entry, observed.judgement, belief)
    if (!undone) return ofRemoval(followed.blaming(observed, entry, belief), belief, entry)
    const vain = observed.belief.past?.vain
    return mayBe(entry, undone.by) ? silently(undone.observed, belief, undone.by, vain) : observed
  }
  /** Takes in what was sent beside others: what came twice then shows later. */
  const noteBeside = (before: Belief, entry: CallEntry, judgement: Judgement): void => {
    doubtful.note(entry, judgement, before)
    followed.note(entry, judgement, before)
  }
  return { lookAlone, noteBeside, proven: followed.proven }
}

/** What was observed, as if it decided nothing but what the world is from now on, and what was waited for in vain. */
const silently = (
  { belief: after, judgement }: Observed,
  before: Belief,
  op: Operation,
  vain: Past['vain'] | undefined,
): Observed => {
  const { late: _, ...rest } = judgement
  const past = before.past && vain ? { ...before.past, vain } : before.past
  const silent = { verdict: 'inconclusive', accepted: undefined, deviations: [], held: [], choices: [] } as const
  return {
    belief: { ...after, ...(past && { past }) },
    judgement: assuming({ ...rest, ...silent }, traceOf(resent, op.id)),
  }
}

/** The most writes that are remembered, and that are tried to explain one reply. */
const mostDoubtful = 64
const mostLookedAt = 8

/** Whether a write may have come twice, and what it did the second time or the first is not seen yet. */
const isDoubtful = (entry: CallEntry, judgement: Judgement): boolean =>
  entry.op.method === 'PUT'
    ? judgement.accepted === true
    : judgement.late !== undefined && judgement.expects === 'accept' && saysGone(entry, judgement)

/** What an update did once more is read; what a removal did shows in whatever is asked of the thing. */
const mayExplain = (write: Pending, entry: CallEntry): boolean =>
  (write.op.method !== 'PUT' || entry.op.method === 'GET') &&
  !areIndependent({ ...write, outcome: entry.outcome }, entry)

/**
 * Remembers accepted updates, and removals that were refused for what may not show yet; tells which of them explains what a call shows:
 * an update that has its effect once more, a removal that had it.
 */
const createDoubtful = (look: Observe) => {
  let latest: readonly Pending[] = []
  return {
    note: (entry: CallEntry, judgement: Judgement, before: Belief): void => {
      const { op, call, n } = entry
      if (!isDoubtful(entry, judgement)) return
      // What is waited for is sent again and again.
      const others = latest.filter((one) => op.method === 'PUT' || nameOfCall(one) !== nameOfCall(entry))
      latest = [{ op, call, n, sentIn: worldOf(before) }, ...others.slice(0, mostDoubtful - 1)]
    },
    explaining: ({ judgement }: Observed, belief: Belief, entry: CallEntry): Explaining | undefined => {
      const deviates = judgement.deviations.length > 0 || judgement.late !== undefined
      if (!deviates || !('status' in entry.outcome)) return undefined
      return isAllowed(judgement.world.environment, resent) ? explainingIn(latest, look, belief, entry) : undefined
    },
  }
}

interface Explaining {
  readonly by: Operation
  readonly observed: Observed
}

/** The latest of those writes that explains a call, with what is observed then. */
const explainingIn = (
  latest: readonly Pending[],
  look: Observe,
  belief: Belief,
  entry: CallEntry,
): Explaining | undefined => {
  let tried = 0
  for (const one of latest) {
    const again = mayExplain(one, entry) ? landedIn(belief, one) : undefined
    if (!again) continue
    const observed = look(impatiently(again), entry)
    if (observed.judgement.deviations.length === 0) return { by: one.op, observed }
    tried += 1
    if (tried === mostLookedAt) break
  }
  return undefined
}

/** The belief after such a write had its effect; undefined where it changes nothing, as what it was about may be gone. */
const landedIn = (belief: Belief, write: Pending): Belief | undefined => {
  const after = adjusted(belief, (world) => land(world, write))
  const isSame = after.hypotheses.every(({ world }, i) => world.tables === belief.hypotheses[i]?.world.tables)
  return isSame ? undefined : after
}

/** Whether an update that emitted its event twice may have been sent twice. */
export const createResentUpdates = (environment: Environment) => {
  const { note, excuses } = createTallies()
  return {
    noteOnce: note,
    mayBe: (op: Operation): boolean => op.method === 'PUT' && isAllowed(environment, resent) && excuses(op),
  }
}

/** Whether a call was taken for one that was sent twice. */
export const wasResent = ({ assumed }: Judgement): boolean =>
  assumed?.some((trace) => isTraceOf(trace, resent)) === true

/** Whether a look showed what only an update that came a second time explains: what it was to show is not known yet. */
export const wasUndone = ({ op, judgement }: Pick<Judged, 'op' | 'judgement'>): boolean =>
  op.method === 'GET' && wasResent(judgement)

/** A removal that was refused so in a program that had been run again already, and that is accepted when it is tried once more. */
export const isResent = (environment: Environment, { kind }: Deviation, steps: readonly Judged[]): boolean => {
  const last = steps.at(-1)
  return (
    kind.startsWith('refused') && last !== undefined && saysGone(last, last.judgement) && isAllowed(environment, resent)
  )
}
