// A target that takes no write at all says nothing of itself by refusing them; one that refuses some does.

import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { createWrites } from '../../driver/writes.js'
import type { RecordLine } from '../../history/record.js'
import type { Outcome } from '../../history/wire.js'
import { allClauses, operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Judgement } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const [tags, volumes, buckets, list] = ['tags.create', 'volumes.create', 'buckets.create', 'tags.list'].map(
  operationById,
) as [Operation, Operation, Operation, Operation]
const forbidden: Outcome = { status: 403, body: { message: 'Forbidden' } }

type Heard = readonly [Operation, Outcome, Partial<Judgement>?]

/** What is known after these calls, of which each refusal had to be an acceptance unless something else is said. */
const barredBy = (calls: readonly Heard[]): string | undefined => {
  const { hear, barred } = createWrites()
  for (const [op, outcome, judgement] of calls)
    hear({ op, outcome, judgement: { expects: 'accept', accepted: false, ...judgement } as Judgement })
  return barred()
}

/** Twenty refusals, by turns of three areas. */
const refused = (
  outcome: Outcome = forbidden,
  areas: readonly Operation[] = [tags, volumes, buckets],
): readonly Heard[] => Array.from({ length: 20 }, (_, i) => [areas[i % areas.length] as Operation, outcome])

describe('twenty writes that had to be accepted, of three areas', () => {
  test.each<readonly [string, Outcome]>([
    ['in a body of its own', forbidden],
    ['in the envelope of the interface', { status: 405, body: { errors: [{ reason: 'Read-only', field: '' }] } }],
    ['by a page', { status: 403, text: '<h1>403</h1>' }],
  ])('tell of no target where all are refused alike, %s', (_, outcome) => {
    expect(barredBy(refused(outcome))).toMatch(
      /^each of 20 writes .* answered 40[35] \(tags.create, volumes.create, buckets.create\)/,
    )
  })

  test.each<readonly [string, readonly Heard[]]>([
    ['one less', refused().slice(1)],
    ['only two areas', refused(forbidden, [tags, volumes])],
    ['another one that was accepted', [[tags, { status: 200 }, { accepted: true }], ...refused()]],
    ['another one that was refused otherwise', [[tags, { status: 404 }], ...refused()]],
    ['a status that tells of what was sent', refused({ status: 400 })],
    ['a status that tells of what is not there', refused({ status: 404, text: '<h1>404</h1>' })],
    ['a field to blame', refused({ status: 403, body: { errors: [{ reason: 'no', field: 'label' }] } })],
    ['refusals that may be due', refused().map(([op, outcome]) => [op, outcome, { expects: 'either' }] as const)],
  ])('are held against it with %s', (_, calls) => {
    expect(barredBy(calls)).toBeUndefined()
  })

  test('are counted among reads that are given', () => {
    const read: Heard = [list, { status: 200 }, { accepted: true }]
    expect(barredBy(refused().flatMap((one) => [read, one]))).toBeDefined()
  })
})

test('what was found of the refusals of a target that takes no write is withdrawn, and no more is told', async () => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => {
    const send: typeof plain.transport.send = async (call, step) =>
      call.method === 'GET' ? plain.transport.send(call, step) : forbidden
    return { ...plain, transport: { send } }
  })
  await survey(session)
  const show = async (id: string): Promise<void> => {
    const clause = allClauses().find((one) => one.id === id)
    const probe = clause && probeFor(clause, session.context)
    if (probe?.kind === 'program') await runProgram(session, probe.program, clause)
  }
  for (const id of ['managed-contacts.create.accepts', 'managed-credentials.create.accepts']) await show(id)
  const found = idsIn(lines, 'finding')
  for (let time = 0; time < 4; time += 1)
    for (const id of ['tags.create.accepts', 'volumes.create.accepts', 'firewalls.create.accepts']) await show(id)
  expect(session.barred()).toMatch(/^each of 20 writes /)
  expect(found).not.toEqual([])
  expect(new Set(idsIn(lines, 'withdrawn'))).toEqual(new Set(idsIn(lines, 'finding')))
})

const idsIn = (lines: readonly RecordLine[], type: 'finding' | 'withdrawn'): readonly string[] =>
  lines.flatMap((line) => {
    if (line.type !== type) return []
    return [line.type === 'finding' ? line.finding.id : line.finding]
  })
