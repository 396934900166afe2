// Removals that were answered as for what is gone: what shows the thing again is laid to them.
import { expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import { drop, put } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import type { World } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { tagKey, tags } from '../../models/tags/record.js'
import { volumes } from '../../models/volumes/record.js'
import { believe } from '../../oracle/belief.js'
import { surelyClauseOf } from '../../oracle/clauses.js'
import { createFollowed } from '../../oracle/explanations/followed.js'
import { open } from '../../oracle/fold.js'
import { type Deviation, deviation, type Judgement } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const [removes, list] = ['volumes.delete', 'volumes.list'].map((id) => operationById(id)) as [Operation, Operation]
const world = startWorld(embeddedEnvironment())
const gone = { status: 404, body: { errors: [{ field: '', reason: 'Not found' }] }, contentType: 'application/json' }
const refusal = deviation(surelyClauseOf(removes, 'accepts'), 'refused', 'a 2xx status', '404')
const shownAgain = (step: number): Deviation =>
  deviation(surelyClauseOf(list, 'only-live'), 'deleted', 'not', 'it', [{ text: 'removed', step, by: removes.id }])

const following = () => {
  const followed = createFollowed()
  const removal = (n: number, expects: Judgement['expects'], accepted = false) => {
    const call = buildCall(removes, { path: { volumeId: '601' }, as: 'owner' })
    const deviations = expects === 'accept' && !accepted ? [refusal] : []
    const judgement = { expects, accepted, world, deviations } as unknown as Judgement
    followed.note(
      { op: removes, call, n, outcome: accepted ? { status: 200 } : gone } as never,
      judgement,
      believe(world),
    )
  }
  const read = (deviations: readonly Deviation[], more: object = {}, from = world) => {
    const judgement = { expects: 'accept', accepted: true, world, deviations, ...more } as unknown as Judgement
    const entry = { op: list, n: 99, call: buildCall(list, { as: 'owner' }), outcome: { status: 200 } } as never
    return followed.blaming({ belief: believe(from), judgement }, entry, believe(from)).judgement
  }
  const creation = (id: string, body: Record<string, unknown>, told: Partial<Judgement>, before: World): void => {
    const op = operationById(id) as Operation
    const entry = { op, call: buildCall(op, { body, as: 'owner' }), n: 50, outcome: { status: 200, body: {} } } as never
    followed.note(
      entry,
      { expects: 'accept', accepted: true, world, deviations: [], ...told } as never,
      believe(before),
    )
  }
  return { ...followed, removal, read, creation }
}

test('what is shown again after a removal that had to be accepted is its refusal, where others were accepted', () => {
  const { removal, read, proven } = following()
  removal(1, 'accept', true)
  removal(2, 'accept')
  const [laid, ...rest] = read([shownAgain(2)]).deviations
  expect([laid?.clause, laid?.kind, laid?.from?.kind, rest]).toEqual([
    'volumes.delete.accepts',
    'refused',
    'deleted',
    [],
  ])
  expect(laid?.because.at(-1)).toBe('what step 2 (volumes.delete) was to remove is still shown')
  // Of another removal nothing is known here.
  expect(read([shownAgain(7)]).deviations).toEqual([shownAgain(7)])
  for (const n of [3, 4, 5]) {
    removal(n, 'accept')
    read([shownAgain(n)])
  }
  expect(proven()).toBe(undefined)
})

test('where one might be refused, that the thing is still there is nothing', () => {
  const { removal, read, isIdle, proven } = following()
  for (const n of [1, 2, 3]) removal(n, 'either')
  expect([1, 2, 3].flatMap((n) => read([shownAgain(n)]).deviations)).toEqual([])
  expect([isIdle(removes), proven()]).toEqual([false, undefined])
})

test.each([
  ['reads that deviate by it', (n: number) => [shownAgain(n)]],
  ['reads that only what is there explains', () => []],
])('three removals that did nothing, and none that did, are told once, by %s', (_, deviationsOf) => {
  const { removal, read, isIdle, proven } = following()
  for (const n of [1, 2]) {
    removal(n, 'accept')
    expect(read(deviationsOf(n)).deviations).toEqual([])
  }
  expect([isIdle(removes), proven()]).toEqual([true, undefined])
  removal(3, 'accept')
  read(deviationsOf(3))
  expect(proven()).toEqual({ n: 3, refusal })
  expect(proven()).toBe(undefined)
})

test('a read that shows nothing of it, or too late, proves nothing; one that can only be late for it is not waited for again', () => {
  const { removal, read, isIdle, proven } = following()
  const without = drop(world, volumes, '601')
  for (const n of [1, 2, 3]) {
    removal(n, 'accept')
    read([], {}, without)
    const late = { by: 'volumes.create', changedAt: 0, ageMs: 5, hidden: [shownAgain(n)] }
    expect(read([], { late }).late?.hidden).toEqual([{ ...refusal, ...read([], { late }).late?.hidden[0] }])
  }
  expect([isIdle(removes), proven()]).toEqual([false, undefined])
  read([shownAgain(1)])
  expect(isIdle(removes)).toBe(true)
  expect(read([], { late: { by: '', changedAt: 0, ageMs: 5, hidden: [shownAgain(2)] } }).late).toBe(undefined)
})

test('that what was made since under the same id is there does not show that a removal did nothing', () => {
  const { removal, read, creation, isIdle } = following()
  removal(2, 'accept')
  creation('volumes.create', { label: 'again' }, { made: '601' }, world)
  read([])
  expect(isIdle(removes)).toBe(false)
  removal(3, 'accept')
  creation('volumes.create', { label: 'other' }, { made: '777' }, world)
  read([])
  expect(isIdle(removes)).toBe(true)
})

test('nor does what a write of another kind may have made anew', () => {
  const deletes = operationById('tags.delete') as Operation
  const label = 'ts-t-anew'
  const without = startWorld(embeddedEnvironment())
  const showing = put(without, tags, { key: tagKey('main', label), account: 'main', label } as never)
  const after = (body: Record<string, unknown>) => {
    const followed = following()
    const call = buildCall(deletes, { path: { tagLabel: label }, as: 'owner' })
    const told = { expects: 'accept', accepted: false, world: showing, deviations: [refusal] } as unknown as Judgement
    followed.note({ op: deletes, call, n: 1, outcome: gone } as never, told, believe(showing))
    followed.creation('volumes.create', { label: 'v', size: 20, region: 'r1', ...body }, { made: '9' }, without)
    followed.read([], {}, showing)
    return followed.isIdle(deletes)
  }
  expect([after({ tags: [label] }), after({})]).toEqual([false, true])
})

test('a removal that its own program shows to have done nothing is spotted itself, and what shows it is not', () => {
  const fold = open(embeddedEnvironment(), { nonce: 'ts-t' })
  let n = 0
  const send = (id: string, args: Args, outcome: object, role: string) => {
    n += 1
    const op = operationById(id) as Operation
    const from = {
      kind: 'call',
      program: 'p',
      instance: 1,
      role,
      startedAt: n * 1000,
      endedAt: n * 1000,
      overdue: true,
    }
    return fold.take({ ...from, n, op, call: buildCall(op, { as: 'owner', ...args }), outcome } as never)
  }
  const ok = (body: unknown) => ({ status: 200, body, contentType: 'application/json' })
  const label = 'ts-t-tag'
  const page = ok({ data: [{ label }], page: 1, pages: 1, results: 1 })
  send('tags.create', { body: { label } }, ok({ label }), 'check')
  send('tags.delete', { path: { tagLabel: label } }, ok({}), 'check')
  send('tags.create', { body: { label } }, ok({ label }), 'check')
  // Refused twice: only one that is gone is refused then.
  send('tags.delete', { path: { tagLabel: label } }, gone, 'check')
  send('tags.delete', { path: { tagLabel: label } }, gone, 'check')
  send('tags.list', {}, page, 'read')
  const spotted = fold.spottedIn(1).filter(({ deviation }) => deviation.level === 'must')
  expect(spotted.map(({ deviation, calls }) => [deviation.clause, deviation.kind, calls.at(-1)?.n])).toEqual([
    ['tags.delete.accepts', 'refused', 4],
  ])
})
