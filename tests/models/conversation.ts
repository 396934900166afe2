// Calls and their replies judged one after another in the embedded setting: for table tests of models; nothing is sent.

import { judge } from '../../checker/judge.js'
import type { Judgement } from '../../checker/judgement.js'
import { operationById } from '../../models/index.js'
import type { Args } from '../../models/plan.js'
import { startWorld } from '../../models/start.js'
import { buildCall, recorded } from '../../target/calls.js'
import { embeddedSetting } from '../../target/setting.js'

export interface Conversation {
  /** Judges a call with that reply; what follows goes on from the world that it leaves. */
  readonly hear: (operation: string, args: Args, body?: unknown, status?: number) => Judgement
}

/** Starts with the fixtures of the embedded setting; calls are the owner's unless they say otherwise. */
export const conversation = (): Conversation => {
  let world = startWorld(embeddedSetting(), { nonce: 'ts-t' })
  let n = 0
  return {
    hear: (operation, args, body = {}, status = 200) => {
      const op = operationById(operation)
      if (!op) throw new Error(`no operation ${operation}`)
      n += 1
      const call = recorded(buildCall(op, { as: 'owner', ...args }))
      const judgement = judge(world, op, call, { status, body }, n, operationById)
      world = judgement.world
      return judgement
    },
  }
}

export const refusal = (field = '') => ({ errors: [{ field, reason: 'no' }] })

/** Clause and level of each deviation. */
export const told = ({ deviations }: Judgement): readonly string[] =>
  deviations.map(({ clause, level }) => `${level} ${clause}`)
