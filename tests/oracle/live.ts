// Replies to the calls of a run, taken in one by one as they come. No tests.

import { buildCall } from '../../history/calls.js'
import type { CallEntry } from '../../history/entry.js'
import { operationById } from '../../models/index.js'
import type { Args } from '../../models/language/plan.js'
import { open } from '../../oracle/fold.js'
import type { Judged } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'

/** A call as the owner and the body of its reply; `overdue`: nothing may be late any more. */
export type Live = readonly [operation: string, args: Args, body: unknown, overdue?: true | undefined]

/** How the replies are judged, a millisecond apart. */
export const live = (steps: readonly Live[], exclusive = true): readonly Judged[] => taken(steps, exclusive).judged

/** The same, and what is believed in the end. */
export const taken = (steps: readonly Live[], exclusive = true) => {
  const fold = open({ ...embeddedEnvironment(), exclusive }, { nonce: 'ts-t' })
  const judged: readonly Judged[] = steps.map(([id, args, body, overdue], i) => {
    const op = operationById(id)
    if (!op) throw new Error(`no operation ${id}`)
    const isRefusal = typeof body === 'object' && body !== null && 'errors' in body
    const outcome = { status: isRefusal ? 409 : 200, body, contentType: 'application/json' }
    const call = buildCall(op, { as: 'owner', ...args })
    const from = { program: 'p', instance: 1, role: 'read', startedAt: i, endedAt: i, ...(overdue && { overdue }) }
    return fold.take({ kind: 'call', n: i + 1, op, call, outcome, ...from } as unknown as CallEntry)
  })
  return { judged, world: fold.world() }
}
