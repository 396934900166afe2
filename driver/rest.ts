// Waits until a resource has come to rest, by looking at it with pauses that grow.

import { buildCall, recorded } from '../history/calls.js'
import type { Origin } from '../history/entry.js'
import { isTrailing } from '../models/language/changes.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args } from '../models/language/plan.js'
import { type AnyEntity, find, isLatent, type Path } from '../models/language/world.js'
import { findingIdOf } from '../oracle/judgement.js'
import { isOfWhatIsShown } from '../oracle/late.js'
import { observe } from '../oracle/observe.js'
import { isUnanswered } from './answers.js'
import type { Sent, Session } from './session.js'
import { view } from './survey.js'

/** After one resource of a kind did not come to rest in time, others are not waited for as long. */
const impatientMs = 100

/** The longest pause between two looks, and how many looks come without one. */
const longestPauseMs = 2000
const atOnce = 4

/** Waits until a resource has come to rest, looking when others of its kind had. Gives up after `settleMs`. */
export const settle = async (
  session: Session,
  origin: Origin,
  table: AnyTable,
  key: string,
  from: Path,
): Promise<readonly Sent[]> => {
  const sent: Sent[] = []
  if (!table.settled) return sent
  const { clock, settleMs, sleep } = session.options
  const startedAt = clock()
  const longestMs = session.memory.restless.has(table.name) ? impatientMs : settleMs
  // When the first look was sent that may have met it at rest: one that is lost must not make the next resource wait for longer.
  let shownMs = 0
  let wasLost = false
  for (;;) {
    const entity = find(session.world(), table, key)
    const passedMs = clock() - startedAt
    if (!entity || !isAwaited(session, table, entity, { passedMs, shownMs, longestMs, looks: sent.length })) return sent
    if (sent.length >= atOnce) await sleep(Math.min(pauseAfter(passedMs, session.rests.get(table.name)), longestMs))
    if (!wasLost) shownMs = clock() - startedAt
    const [read] = await view(session, origin, table, entity, from)
    if (!read) return sent
    sent.push(read)
    wasLost = isUnanswered(read.outcome)
    // A wrong reply tells nothing, and asking again does not help.
    if (read.judgement.accepted === false || read.judgement.deviations.length > 0) return sent
  }
}

interface Waited {
  readonly passedMs: number
  readonly shownMs: number
  readonly longestMs: number
  readonly looks: number
}

/** Whether to go on waiting after so many looks. Remembers how long the kind takes to rest, or that it does not. */
const isAwaited = (
  { rests, memory, isOver }: Session,
  { name, settled }: AnyTable,
  entity: AnyEntity,
  { passedMs, shownMs, longestMs, looks }: Waited,
): boolean => {
  if (isLatent(entity.key)) return false
  const isSettled =
    settled?.(entity) !== false && !Object.keys(entity.since ?? {}).some((field) => isTrailing(entity, field))
  if (isSettled && looks > atOnce) rests.set(name, shownMs)
  if (isSettled || isOver()) return false
  if (passedMs > longestMs) memory.restless.add(name)
  return passedMs <= longestMs
}

/** The first look comes a little earlier than the last resource had come to rest, so that one that took long does not slow down all others. */
const earlier = 0.8

/** The next pause: until about the time that the last one took has passed, then a share of the time passed. */
const pauseAfter = (passedMs: number, usualMs = 0): number =>
  Math.max(5, earlier * usualMs - passedMs, Math.min(passedMs / 4, longestPauseMs))

/**
 * Asks, unjudged and unrecorded, until nothing speaks against the reply that time may mend. Gives up after `settleMs`; what was waited
 * for in vain, or was found already, is not waited for again.
 */
export const bide = async (
  { options, fold, isOver, found, memory: { awaitedInVain } }: Session,
  op: Operation,
  args: Args,
): Promise<void> => {
  const call = buildCall(op, args)
  const deadline = options.clock() + options.settleMs
  for (let pause = 5; ; pause = Math.min(pause * 2, 2000)) {
    const outcome = await options.transport.send(call, 0)
    const { judgement } = observe(fold.belief(), { op, call: recorded(call), outcome, n: 0 })
    const awaited = judgement.deviations
      .filter(isOfWhatIsShown)
      .map(findingIdOf)
      .filter((id) => !found.has(id) && !awaitedInVain.has(id))
    if (awaited.length === 0 || isOver()) return
    if (options.clock() > deadline) {
      for (const id of awaited) awaitedInVain.add(id)
      return
    }
    await options.sleep(pause)
  }
}
