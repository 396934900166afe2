// Ids that others on a shared account are given once something of the run's own is gone.
import { expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import type { CallEntry } from '../../history/entry.js'
import { operationById } from '../../models/index.js'
import type { Args } from '../../models/language/plan.js'
import { open } from '../../oracle/fold.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { named, page } from './traffic.js'

type Step = readonly [operation: string, args: Args, body: unknown]

/** Clauses that the last of the replies breaks; what else the lists of these stories should hold is no matter. */
const brokenBy = (exclusive: boolean, steps: readonly Step[]): readonly string[] => {
  const fold = open({ ...embeddedEnvironment(), exclusive }, { nonce: 'ts-t' })
  const judged = steps.map(([id, args, body], i) => {
    const op = operationById(id)
    if (!op) throw new Error(`no operation ${id}`)
    const outcome = { status: 200, body, contentType: 'application/json' }
    const call = buildCall(op, { as: 'owner', ...args })
    const entry = {
      kind: 'call',
      n: i + 1,
      op,
      call,
      outcome,
      program: 'p',
      instance: 1,
      startedAt: i,
      endedAt: i,
      role: 'read',
      overdue: true,
    }
    return fold.take(entry as unknown as CallEntry)
  })
  return (judged.at(-1)?.deviations ?? []).map(({ clause }) => clause).filter((id) => id !== 'volumes.list.complete')
}

const path = { volumeId: 7 }
const madeAndRemoved: readonly Step[] = [
  ['volumes.create', { body: { label: 'ts-t-1', region: 'r1' } }, named('ts-t-1')],
  ['volumes.delete', { path }, {}],
]
const listed = (label: string): Step => ['volumes.list', {}, page(named(label))]
const viewed = (label: string): Step => ['volumes.view', { path }, named(label)]

test.each<[string, boolean, Step, readonly string[]]>([
  ['a list shows something else by the id, which others have made', false, listed('theirs'), []],
  ['a view shows something else by the id, which others have made', false, viewed('theirs'), []],
  ['a list shows what was removed', false, listed('ts-t-1'), ['volumes.list.only-live']],
  ['a view shows what was removed', false, viewed('ts-t-1'), ['volumes.delete.takes-effect']],
  ['a view shows it by another name of the run', false, viewed('ts-t-2'), ['volumes.delete.takes-effect']],
  ['a list shows something else, and nobody else uses the account', true, listed('theirs'), ['volumes.list.only-live']],
])('%s', (_, exclusive, step, clauses) => {
  expect(brokenBy(exclusive, [...madeAndRemoved, step])).toEqual(clauses)
})
