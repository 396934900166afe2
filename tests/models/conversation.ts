// Calls and their replies judged one after another in the embedded environment: for table tests of models; nothing is sent.

import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Args } from '../../models/language/plan.js'
import { startWorld } from '../../models/start.js'
import { judge } from '../../oracle/judge.js'
import type { Judgement } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'

export interface Conversation {
  /** Judges a call with that reply; what follows goes on from the world that it leaves. */
  readonly hear: (operation: string, args: Args, body?: unknown, status?: number) => Judgement
}

/** Starts with the fixtures of the embedded environment; calls are the owner's unless they say otherwise. */
export const conversation = (): Conversation => {
  let world = startWorld(embeddedEnvironment(), { nonce: 'ts-t' })
  let n = 0
  return {
    hear: (operation, args, body = {}, status = 200) => {
      const op = operationById(operation)
      if (!op) throw new Error(`no operation ${operation}`)
      n += 1
      const call = recorded(buildCall(op, { as: 'owner', ...args }))
      const judgement = judge(world, op, call, { status, body }, n)
      world = judgement.world
      return judgement
    },
  }
}

export const refusal = (field = '') => ({ errors: [{ field, reason: 'no' }] })

/** Clause and level of each deviation. */
export const told = ({ deviations }: Judgement): readonly string[] =>
  deviations.map(({ clause, level }) => `${level} ${clause}`)
