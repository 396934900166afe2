// Records each call with its outcome and judgement as a line of the run record.

import type { SendableCall } from '../history/calls.js'
import type { CallEntry, Origin, Role } from '../history/entry.js'
import type { Judged } from '../oracle/judgement.js'
import { stepLine, whereOf } from '../oracle/step-line.js'
import { type Keeper, noteJudged } from './creations.js'
import { isLost } from './lost.js'
import type { Exchanged, Sent } from './session.js'
import type { Core } from './session-core.js'
import { withdraw } from './withdrawals.js'

/** Records what was judged, and what it shows. */
export const createRecording = (core: Core) => {
  const { options, fold, answers, evidence, events, making, memory, swaps, writes, isOver, tell } = core
  const { emit } = options

  /** Records a judged call, and what it shows. */
  const write = (keeper: Keeper, judged: Judged, call: SendableCall): Judged => {
    const { op, n: step, judgement } = judged
    emit(stepLine(judged, whereOf(judged), judgement))
    for (const text of judgement.defects ?? []) emit({ type: 'trouble', kind: 'suite-defect', text })
    evidence.hold(judged.held, step)
    for (const { id, value } of judgement.choices) evidence.choose(id, value, step)
    noteJudged(keeper, op, call, judgement, step)
    const heard = writes.hear(judged)
    if (heard) withdraw(memory.withdrawals, emit, heard)
    const swapped = swaps.hear(judged, fold.world())
    if (swapped !== undefined) {
      withdraw(memory.withdrawals, emit, 'swapped replies')
      answers.giveUp(swapped)
    }
    if (op.makes && isLost(op, judged.outcome, judgement.accepted))
      keeper.lost.push({ op, table: op.makes, call: judged.call, step, at: judged.endedAt })
    making.delete(step)
    return judged
  }

  /** Waits for the events of a call, and records them. */
  const listen = async (judged: Judged): Promise<Sent> => {
    const { n: step } = judged
    const heard = await events.after(() => fold.awaited(step))
    // Events may have come even if none was waited for.
    if (!heard || isOver()) return judged
    const { held, assumed = [] } = judged.judgement
    const told = fold.heard({ kind: 'events', n: step, ...heard })
    emit({ type: 'events', n: step, ...heard })
    if (!told) return judged
    evidence.hold(told.held.slice(held.length), step)
    for (const one of told.judgement.assumed?.slice(assumed.length) ?? [])
      emit({ type: 'assumed', n: step, assumed: one })
    return told
  }

  /** Reports an operation that is not called any more though nothing is found of it: nothing is judged by it. */
  const tellUnjudged = ({ op, outcome }: Sent): void => {
    const reason = 'lost' in outcome ? fold.unjudged(op.id) : undefined
    if (reason !== undefined) tell(reason)
  }
  return { write, listen, tellUnjudged }
}

/** Times as they are recorded, so that the record tells what was judged. */
export const hundredths = (ms: number): number => Math.round(ms * 100) / 100

/** A call and what came of it, as the history has it. */
export const entryOf = (
  origin: Origin,
  { op, wire, outcome, step, at, ms, unsettled }: Exchanged,
  role: Role,
): CallEntry => ({
  kind: 'call',
  n: step,
  op,
  call: wire,
  outcome,
  role,
  startedAt: at,
  endedAt: at + ms,
  ms,
  ...(unsettled && { unsettled: true }),
  ...origin,
})
