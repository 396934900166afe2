// A target that takes no write at all says nothing of itself by refusing them; one that refuses some does.

import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import type { Session } from '../../driver/session.js'
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

/**
 * What is known after these calls, a second after each other, of which each refusal had to be an acceptance unless something else is
 * said.
 */
const barredBy = (calls: readonly Heard[], everyMs = 1000): string | undefined => {
  const { hear, barred } = createWrites()
  for (const [i, [op, outcome, judgement]] of calls.entries())
    hear({
      op,
      outcome,
      judgement: { expects: 'accept', accepted: false, ...judgement } as Judgement,
      startedAt: i * everyMs,
      endedAt: i * everyMs,
    })
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

describe('twenty writes without a reply', () => {
  const down: Outcome = { status: 503, text: '<h1>503</h1>' }
  const accepted: Heard = [volumes, { status: 200 }, { accepted: true }]

  test.each<readonly [string, readonly Heard[]]>([
    ['503', refused(down)],
    ['no reply', refused({ lost: 'reset' }).map(([op, outcome]) => [op, outcome, { expects: 'either' }] as const)],
    ['503, after others were accepted', [accepted, ...refused(down)]],
    ['503, of the only operation that is called', refused(down, [tags])],
    [
      '503, among what is rightly refused',
      refused(down).flatMap((one) => [one, [tags, forbidden, { expects: 'refuse' }]]),
    ],
  ])('tell of no target where they come to %s', (_, calls) => {
    expect(barredBy(calls)).toMatch(/^20 writes had no reply, .*\(tags.create.*; the last: (status 503|reset)\)/)
  })

  test.each<[string, readonly Heard[], number?]>([
    ['one less', refused(down).slice(1)],
    ['less time', refused(down), 100],
    ['one of them accepted', [...refused(down).slice(1), accepted, ...refused(down).slice(1)]],
    ['nothing sent', refused({ lost: 'refused' })],
    ['all of one operation, where another was accepted', [accepted, ...refused(down, [tags])]],
  ])('tell nothing with %s', (_, calls, everyMs) => {
    expect(barredBy(calls, everyMs)).toBeUndefined()
  })
})

test('what was found of the refusals of a target that takes no write is withdrawn, and no more is told', async () => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => {
    const send: typeof plain.transport.send = async (call, step) =>
      call.method === 'GET' ? plain.transport.send(call, step) : forbidden
    return { ...plain, transport: { send } }
  })
  await survey(session)
  const show = showing(session)
  for (const id of ['managed-contacts.create.accepts', 'managed-credentials.create.accepts']) await show(id)
  const found = idsIn(lines, 'finding')
  for (let time = 0; time < 4; time += 1)
    for (const id of ['tags.create.accepts', 'volumes.create.accepts', 'firewalls.create.accepts']) await show(id)
  expect(session.barred()).toMatch(/^each of 20 writes /)
  expect(found).not.toEqual([])
  expect(new Set(idsIn(lines, 'withdrawn'))).toEqual(new Set(idsIn(lines, 'finding')))
})

test('what was found of writes without a reply is withdrawn once all of them have none for long enough', async () => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => {
    let now = 0
    const send: typeof plain.transport.send = async (call, step) => {
      now += call.method === 'GET' ? 0 : 1500
      return call.method === 'GET' ? plain.transport.send(call, step) : { lost: 'timeout' }
    }
    return { ...plain, transport: { send }, clock: () => now }
  })
  await survey(session)
  const show = showing(session)
  for (let time = 0; time < 8; time += 1) await show('managed-contacts.create.accepts')
  const found = idsIn(lines, 'finding')
  for (let time = 0; time < 20; time += 1)
    for (const id of ['volumes.create', 'firewalls.create']) await show(`${id}.accepts`)
  expect(session.barred()).toMatch(/^20 writes had no reply, /)
  expect([found, new Set(idsIn(lines, 'withdrawn'))]).toEqual([
    ['managed-contacts.create.accepts:no-reply'],
    new Set(idsIn(lines, 'finding')),
  ])
})

/** Runs the program of a clause. */
const showing =
  (session: Session) =>
  async (id: string): Promise<void> => {
    const clause = allClauses().find((one) => one.id === id)
    const probe = clause && probeFor(clause, session.context)
    if (probe?.kind === 'program') await runProgram(session, probe.program, clause)
  }

const idsIn = (lines: readonly RecordLine[], type: 'finding' | 'withdrawn'): readonly string[] =>
  lines.flatMap((line) => {
    if (line.type !== type) return []
    return [line.type === 'finding' ? line.finding.id : line.finding]
  })
