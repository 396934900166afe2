// What all parts of a session share: the belief, the evidence, and the watches over the target.

import type { AnyTable } from '../models/language/operation.js'
import { open } from '../oracle/fold.js'
import { createAlive } from './alive.js'
import { createAnswers } from './answers.js'
import { createEventWatch } from './events.js'
import { createEvidence } from './evidence.js'
import { HookError } from './hooks.js'
import { createMemory } from './memory.js'
import { createOwnership } from './ownership.js'
import type { SessionOptions } from './session.js'
import { createSwaps } from './swaps.js'
import { createWrites } from './writes.js'

/** Whoever takes longer to answer a call is waited for. */
const longCallMs = 100

/** See `createCore`. */
export type Core = ReturnType<typeof createCore>

/** What all parts of a session share: the belief, the evidence, and the watches over the target. */
export const createCore = (given: SessionOptions) => {
  const { environment, emit } = given
  const alive = createAlive(environment)
  const options: SessionOptions = {
    ...given,
    ledger: (line) => {
      alive.hear(line)
      given.ledger(line)
    },
  }
  const fold = open(environment, { nonce: options.nonce })
  const evidence = createEvidence(emit)
  let n = 0
  const answers = createAnswers(options)
  /** Nothing is waited for, either, where the target gives no answer any more. */
  const isOver = (): boolean => options.time?.isOver() === true || answers.gone() !== undefined
  const events = createEventWatch({
    readEvents: options.hooks.readEvents,
    onFailure: (error) => tellHook(error),
    sleep: (ms) => sleep(ms),
    patienceMs: options.settleMs,
  })

  let waitedMs = 0
  const sleep = (ms: number): Promise<void> => {
    waitedMs += ms
    return options.sleep(ms)
  }
  /** A call that takes long is waited for as well, above all one that no reply comes to. */
  const lasted = (ms: number): void => {
    if (ms > longCallMs) waitedMs += ms
  }

  const found = new Set<string>()
  const said = new Set<string>()
  const ownership = createOwnership({
    environment,
    nonce: options.nonce,
    send: (call) => options.transport.send(call, 0),
    onProven: ({ name }, key) => options.ledger({ event: 'proven', step: n, kind: name, operation: '', key }),
  })

  const tell = (text: string): void => {
    if (said.has(text)) return
    said.add(text)
    emit({ type: 'trouble', kind: 'inconclusive', text })
  }
  const tellHook = (error: unknown): void => void (error instanceof HookError && tell(error.message))
  const step = (): number => {
    n += 1
    return n
  }
  return {
    options,
    sleep,
    lasted,
    waitedMs: () => waitedMs,
    fold,
    evidence,
    answers,
    events,
    ownership,
    alive,
    found,
    memory: createMemory(environment),
    swaps: createSwaps(),
    writes: createWrites(),
    /** Creations that are sent and not judged yet, by step. */
    making: new Map<number, AnyTable>(),
    said,
    isOver,
    tell,
    tellHook,
    /** The number of the next step, and of the latest. */
    step,
    latest: () => n,
  }
}
