// A story is a list of calls with replies written down by hand; it is judged from the embedded target's first world. No tests.

import { buildCall } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Environment } from '../../models/language/environment.js'
import type { Args } from '../../models/language/plan.js'
import { close, type World } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { judge } from '../../oracle/judge.js'
import type { Reply } from '../../oracle/step.js'
import { embeddedEnvironment } from '../../reference/environment.js'

/** A call as the owner unless it says otherwise, and the reply to it. */
export type Told = readonly [operation: string, args: Args, status: number, body: unknown]

export interface Options {
  /** Tables of the account that are wholly known. */
  readonly closed?: readonly string[]
  readonly nonce?: string
  /** Whether what nothing has made is believed once it is shown, as in recorded traffic. */
  readonly adopting?: boolean
  readonly environment?: Environment
  /** Clauses that replies before the last may break. */
  readonly broken?: readonly string[]
}

/** Level and clause of every deviation of the last reply; those before it must show none that gates. */
export const told = (
  steps: readonly Told[],
  { closed = [], nonce = '', adopting = false, environment, broken = [] }: Options = {},
) => {
  let world: World = { ...startWorld(environment ?? embeddedEnvironment(), { nonce }), adopting }
  for (const name of closed) world = close(world, { name }, 'main')
  let last: ReturnType<typeof judge> | undefined
  for (const [i, [id, args, status, body]] of steps.entries()) {
    const op = operationById(id)
    if (!op) throw new Error(`no operation ${id}`)
    const early = last?.deviations.filter(({ level, clause }) => level === 'must' && !broken.includes(clause)) ?? []
    if (early.length > 0) throw new Error(`step ${i} deviates: ${early.map(({ clause }) => clause).join(', ')}`)
    last = judge(world, op, buildCall(op, { as: 'owner', ...args }), { status, body } as Reply, i + 1)
    world = last.world
  }
  if (!last) throw new Error('an empty story')
  return {
    expects: last.expects,
    deviations: last.deviations.map(({ level, clause }) => `${level} ${clause}`),
    because: last.deviations.flatMap(({ because }) => because),
    facts: last.deviations.flatMap(({ facts = [] }) => facts),
    held: last.held,
    choices: last.choices,
    emits: last.emits,
    defects: last.defects,
    world,
  }
}

export const refusal = (field = '') => ({ errors: [{ field, reason: 'no' }] })

export const pageOf = (...data: readonly object[]) => ({
  data,
  page: 1,
  pages: 1,
  results: data.length,
})
