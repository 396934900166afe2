// Turns deviations into findings: shrunk on what was recorded, then shown again on the target; one finding an id.

import { setImmediate as underWay } from 'node:timers/promises'
import isEqual from 'fast-deep-equal'
import type { Finding } from '../history/record.js'
import { operationById } from '../models/index.js'
import { idIn } from '../models/language/world.js'
import type { Belief } from '../oracle/belief.js'
import { bracketOf } from '../oracle/bracket.js'
import type { Spotted } from '../oracle/episode.js'
import { asUnconfirmed, isOfEvent } from '../oracle/events.js'
import { type Excuse, isDamaged, isLongFor, leastShown, longestReplay, mostExcused } from '../oracle/excuses.js'
import { asJudged, doerOf, findingOf, isMadeBy, withDoer, withNearest, withUnshown } from '../oracle/found.js'
import { type Deviation, findingIdOf, type Judged } from '../oracle/judgement.js'
import { isOfWhatIsShown } from '../oracle/late.js'
import { shrinking } from '../oracle/shrink.js'
import { unforeseenIn } from '../oracle/unforeseen.js'
import { isBare } from './bare.js'
import { replay } from './replay.js'
import { begin, type Running } from './running.js'
import type { Session } from './session.js'
import { shortened, triesOf } from './shorten.js'
import type { Beside } from './withdrawals.js'

/**
 * Records a finding for every deviation whose like has not been reported in this run. One that was not confirmed is recorded again once
 * another program confirms it.
 */
export const report = async (running: Running, spotted: readonly Spotted[]): Promise<readonly Finding[]> => {
  const { found, memory, options } = running.session
  const findings: Finding[] = []
  for (const one of spotted) {
    const id = findingIdOf(one.deviation)
    const isTold = found.has(id)
    if (isTold && !mayConfirm(running.session, id)) continue
    const finding = isTold ? await confirmed(running, one) : await told(running, one)
    if (!finding || memory.withdrawals.bars(finding.id, besidesOf(one))) continue
    if (finding.confirmed) memory.unconfirmed.delete(finding.id)
    else memory.unconfirmed.set(finding.id, mostConfirming)
    if (!isTold) findings.push(finding)
    options.emit({ type: 'finding', finding })
  }
  return findings
}

/** What is wrong with a reply, whatever the target that gave it holds. */
const ofForm = new Set(['content-type', 'envelope', 'malformed', 'no-reply', 'not-empty', 'not-json', 'status'])

/** What besides the target may be the reason of a deviation; where that is seen later, the finding is withdrawn. */
const besidesOf = ({ deviation, calls }: Spotted): readonly Beside[] => {
  const last = calls.at(-1)
  const isOfWrite = last !== undefined && last.op.method !== 'GET'
  const isOfRefusal = isOfWrite && last.judgement.accepted === false
  return [
    'swapped replies',
    ...(last && isBare(last.op, last.outcome) ? (['lost bodies'] as const) : []),
    ...(!ofForm.has(deviation.kind) && isOfWhatIsShown(deviation) ? (['several targets'] as const) : []),
    ...(isOfRefusal ? (['no writes'] as const) : []),
    ...(isOfWrite && deviation.kind === 'no-reply' ? (['silent writes'] as const) : []),
  ]
}

/** A deviation as a finding, unless something excuses it. */
const told = async (running: Running, one: Spotted): Promise<Finding | undefined> => {
  const { session } = running
  const { found, memory } = session
  const { deviation, calls } = one
  const id = findingIdOf(deviation)
  const early = memory.excuses.untried(one)
  if (early) return noteExcused(session, id, early)
  found.add(id)
  const shown = await showing(running, one)
  const isLong = isLongFor(session.world(), deviation, calls)
  const excuse = memory.excuses.tried(one, { ...shown, isLong }, shown.steps)
  if (excuse) return noteExcused(session, id, excuse)
  const shownAs = findingIdOf(shown.deviation ?? deviation)
  if (shownAs === id) return recorded(session, one, shown)
  found.delete(id)
  if (found.has(shownAs)) return undefined
  found.add(shownAs)
  return recorded(session, one, shown)
}

/** A deviation as a finding, where it shows again when it is tried once more. */
const confirmed = async (running: Running, one: Spotted): Promise<Finding | undefined> => {
  const shown = await showing(running, one)
  const isIt = findingIdOf(shown.deviation ?? one.deviation) === findingIdOf(one.deviation)
  return shown.isConfirmed && isIt ? recorded(running.session, one, shown) : undefined
}

const showing = async (running: Running, one: Spotted): Promise<Shown> => {
  if (one.isWhole) return { steps: one.calls, isConfirmed: true }
  const { memory, options } = running.session
  const id = findingIdOf(asJudged(one.deviation))
  memory.trying.add(id)
  try {
    return await memory.budget.during(options.clock, () => showAgain(running, one))
  } finally {
    memory.trying.delete(id)
  }
}

const recorded = ({ options }: Session, { deviation, calls }: Spotted, shown: Shown): Finding =>
  findingOf(shown.deviation ?? deviation, shown.steps, {
    shrunkFrom: calls.length,
    confirmed: shown.isConfirmed,
    unforeseen: shown.unforeseen,
    replay: options.replayLine(findingIdOf(shown.deviation ?? deviation)),
    nonce: options.nonce,
  })

/** How many more programs may confirm a finding that did not show when it was tried once more. */
const mostConfirming = 3

/** Whether a finding was told without being confirmed, and one more program may do so. */
const mayConfirm = ({ memory: { unconfirmed } }: Session, id: string): boolean => {
  const left = unconfirmed.get(id) ?? 0
  if (left > 0) unconfirmed.set(id, left - 1)
  return left > 0
}

const noteExcused = ({ found, options }: Session, id: string, { n, trace, isOneTooMany }: Excuse): undefined => {
  found.delete(id)
  options.emit({ type: 'assumed', n, assumed: trace })
  if (!isOneTooMany) return
  const text = `${id} was seen in ${mostExcused + 1} programs, and not again when they were repeated: others who use the account may change what the run makes; see who does, or run where nobody else is`
  options.emit({ type: 'trouble', kind: 'inconclusive', text })
}

/** At the end of a run, reports deviations held back for hooks that were never seen to work. Clauses that depend on an idle hook are untested. */
export const reportRest = async (session: Session): Promise<readonly Finding[]> => {
  const { spotted, idle } = session.fold.rest()
  const { emit } = session.options
  for (const { hook, clauses } of idle) {
    const text = `hook ${hook} had no visible effect: ${clauses.join(', ')} depend on it and stay untested; check that it works`
    emit({ type: 'trouble', kind: 'inconclusive', text })
    for (const clause of clauses) emit({ type: 'untested', clause, reason: `hook ${hook} had no visible effect` })
  }
  return report(begin(session, 'what depends on hooks'), spotted)
}

interface Shown {
  readonly steps: readonly Judged[]
  readonly isConfirmed: boolean
  /** Whether the last of them was accepted when it was sent again. */
  readonly isAccepted?: boolean
  /** As the last of the steps shows it, where they are not those that were judged. */
  readonly deviation?: Deviation
  /** Numbers of the steps without which the target did not show it, and that have nothing to do with it by the document. */
  readonly unforeseen?: readonly number[]
}

/** The fewest calls that show a deviation, and whether they show it again on the target. */
const showAgain = async ({ session, origin }: Running, { deviation, start, calls: all }: Spotted): Promise<Shown> => {
  const at = all.length - 1
  // A deviation that was blamed on another clause is looked for under the clause that the judge named.
  const judged = asJudged(deviation)
  // A program that sends what is to be refused breaks one rule and no other, and stays so.
  const isLastFixed = deviation.kind === 'accepted'
  const id = findingIdOf(judged)
  const fewest = withDoer(all, await shrunk(session, start, all, id), doerOf(deviation, all.at(-1)))
  const steps = withUnshown(all, fewest, deviation)
  const confirming = { ...origin, phase: 'confirm', confirms: id } as const
  session.spare()
  const { environment } = session.options
  const least = leastShown(environment, deviation, all)
  // Any look may be damaged on its way, so that only the call itself tells that it is each time.
  const isOfCall = isDamaged(environment, deviation, all)
  let isAccepted = false
  let trial = 0
  const nextTrial = () => {
    trial += 1
    return { ...confirming, trial }
  }
  const sentAs = new Map<readonly Judged[], readonly Judged[]>()
  const again = async (some: readonly Judged[]): Promise<boolean> => {
    for (let times = 0; times < least; times += 1) {
      if (session.isOver()) return false
      const replayed = await replay(session, nextTrial(), some, id)
      isAccepted ||= replayed.isAccepted
      if (isOfCall ? !replayed.shown : !replayed.isShown) return false
      if (replayed.shown) sentAs.set(some, replayed.shown)
    }
    session.memory.trying.delete(id)
    return true
  }
  const { budget } = session.memory
  const plainest = async (some: readonly Judged[]): Promise<Shown> => {
    const mayBePlainer = budget.mayBePlainer(`${deviation.operation} ${deviation.kind}`, session.options.clock())
    const told =
      mayBePlainer && judged === deviation
        ? await shortened(session, nextTrial, { steps: some, id, isLastFixed })
        : undefined
    const sent = sentAs.get(some)
    // Replies that other calls were given before do not go with those that are left.
    const isToSee = some.length > steps.length || !hasReason(deviation, some)
    return { steps: some, isConfirmed: true, ...(told ?? (sent && isToSee && retold(deviation, sent, id))) }
  }
  if (await again(steps)) return plainest(steps)
  // State of the target that the model lacks may have caused the deviation, and may need a write that the judge does not.
  const writes = all.filter(({ op, role }, i) => i === at || (op.method !== 'GET' && role !== 'clean'))
  for (const more of budget.isSpent(session.options.clock()) ? [all] : distinct([withNearest(all, steps), writes, all]))
    if (more.length > steps.length && more.length <= longestReplay && (await again(more))) {
      const { steps: fewer, isLeanest } = await leaner(more, again, triesOf(session))
      const isOther = !isBlamed(deviation, all, fewer)
      const told = { ...(await plainest(fewer)), ...(isOther && { deviation: judged }) }
      return isLeanest ? { ...told, unforeseen: unforeseenIn(start, told.steps, id) } : told
    }
  return { ...toldOnce({ deviation, calls: all }, steps, writes), isConfirmed: false, isAccepted }
}

/** What is told of a deviation that did not show again. */
const toldOnce = (
  { deviation, calls }: Pick<Spotted, 'deviation' | 'calls'>,
  fewest: readonly Judged[],
  writes: readonly Judged[],
): Pick<Shown, 'steps' | 'deviation' | 'unforeseen'> => {
  if (deviation.facts?.some(({ step, by }) => step > 0 && !operationById(by))) return { steps: about(calls) }
  // What is changed for good does not change once more.
  const changed = bracketOf({ deviation, calls })
  if (changed) return { steps: [changed.before, changed.write, changed.look], unforeseen: [changed.write.n] }
  // The reason for a refusal is not in the model either: unless the short program shows it again, all earlier calls are kept.
  const steps = deviation.kind.startsWith('refused') && writes.length <= longestReplay ? writes : fewest
  return { steps, ...(isOfEvent(deviation) && { deviation: asUnconfirmed(deviation) }) }
}

/** Whether a reason that was given lies in the steps, or none does anywhere: otherwise it is about something else that shows the same. */
const hasReason = ({ facts = [] }: Deviation, steps: readonly Judged[]): boolean => {
  const reasons = facts.filter(({ step }) => step > 0)
  return reasons.length === 0 || reasons.some(({ step }) => steps.some(({ n }) => n === step))
}

/** The steps as they were sent last, with what the last of them shows; what was blamed on another call stays so. */
const retold = (
  deviation: Deviation,
  sent: readonly Judged[],
  id: string,
): Pick<Shown, 'steps' | 'deviation'> | undefined => {
  if (deviation.from) return { steps: sent }
  const shown = sent.at(-1)?.judgement.deviations.find((one) => findingIdOf(one) === id)
  return shown && { steps: sent, deviation: shown }
}

/** Whether the target needs the call that is blamed to show it, if one is. */
const isBlamed = (deviation: Deviation, all: readonly Judged[], needed: readonly Judged[]): boolean => {
  const doer = doerOf(deviation, all.at(-1))
  return doer === undefined || needed.some(({ n }) => n === doer)
}

/** While shrinking, milliseconds between pauses for other work, and before a message. */
const sliceMs = 50
const silentMs = 2000

/** The fewest calls that show a deviation, as far as there is time to look for them. */
const shrunk = async (
  { options, isOver, memory }: Session,
  start: Belief,
  all: readonly Judged[],
  id: string,
): Promise<readonly Judged[]> => {
  const begunAt = performance.now()
  const leftMs = memory.budget.shrinkingLeftMs()
  let kept = all
  let pausedAt = begunAt
  let isTold = false
  for (const fewer of shrinking(start, all, id)) {
    kept = fewer
    const now = performance.now()
    if (now - pausedAt < sliceMs) continue
    if (isOver() || now - begunAt > leftMs) break
    if (!isTold && now - begunAt > silentMs) {
      isTold = true
      options.say?.(`shrinking the ${all.length} calls that show ${id}`)
    }
    await underWay()
    pausedAt = performance.now()
  }
  memory.budget.shrank(performance.now() - begunAt)
  return kept
}

/** The steps on what the last one names: a change that no call made can be told no shorter, as calls alone never show it. */
const about = (all: readonly Judged[]): readonly Judged[] => {
  const named = Object.values(all.at(-1)?.call.path ?? {})
  const isAbout = ({ call, judgement: { made } }: Judged): boolean =>
    named.some((key) => Object.values(call.path).includes(key) || (made !== undefined && idIn(made) === key))
  return named.length === 0 ? all : all.filter(isAbout)
}

/** The programs without those that are there before. */
const distinct = (programs: readonly (readonly Judged[])[]): readonly (readonly Judged[])[] =>
  programs.filter((one, i) => programs.findIndex((other) => isEqual(numbersOf(one), numbersOf(other))) === i)

const numbersOf = (program: readonly Judged[]): readonly number[] => program.map(({ n }) => n)

/**
 * The steps without those that the target does not need to show it again, as far as it may be tried; what a step names stays made by
 * another. The latest go first, so that what only they named may go as well.
 */
const leaner = async (
  steps: readonly Judged[],
  again: (some: readonly Judged[]) => Promise<boolean>,
  mayTry: () => boolean,
): Promise<{ readonly steps: readonly Judged[]; readonly isLeanest: boolean }> => {
  let kept = steps
  let isLeanest = true
  for (const one of steps.slice(0, -1).toReversed()) {
    const without = kept.filter((other) => other !== one)
    const isNeeded = without.some((other) => isMadeBy(one, other))
    if (isNeeded) continue
    if (!mayTry()) isLeanest = false
    else if (await again(without)) kept = without
  }
  return { steps: kept, isLeanest }
}
