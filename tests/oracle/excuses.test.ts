// A deviation that does not show when its program is sent once more is a finding, unless something explains why it may have shown once.
import { expect, test } from 'vitest'
import { operationById } from '../../models/index.js'
import type { Environment } from '../../models/language/environment.js'
import { createExcuses, excuseOf, leastShown, type TriedAgain } from '../../oracle/excuses.js'
import type { Deviation, Judged } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const shared: Environment = { ...embeddedEnvironment(), exclusive: false }

/** The name of the explanation of what one call of this run shows, by the kind of deviation. */
const excused = (
  [operation, status, kind]: readonly [operation: string, status: number, kind: string],
  tried: TriedAgain,
  environment: Environment = shared,
): string | undefined => {
  const call = { as: 'owner', method: 'GET', path: {}, query: {} }
  const steps = [{ op: operationById(operation), call, outcome: { status }, judgement: { made: '7' } }]
  const deviation = { kind, clause: `${operation}.shows.tags`, operation } as Deviation
  return excuseOf(environment, deviation, tried, steps as unknown as readonly Judged[])?.name
}

const never: TriedAgain = { isConfirmed: false }

test.each([
  ['a tag on a volume of ours', ['volumes.view', 200, 'tags']],
  ['a volume of ours that is gone', ['volumes.view', 404, 'refused']],
  ['one that is gone when it is deleted', ['volumes.delete', 404, 'refused']],
] as const)('%s may be the doing of another who uses the account', (_, shown) => {
  // The program of a list may be too long to be sent again; that of a call that was refused is known to be short.
  const isOfList = shown[2] === 'tags'
  expect([excused(shown, never), excused(shown, { ...never, isLong: true })]).toEqual([
    'interference',
    isOfList ? undefined : 'interference',
  ])
  expect(excused(shown, { isConfirmed: true })).toBe(undefined)
  expect(excused(shown, never, { ...shared, explanations: { interference: false } })).toBe(undefined)
})

test('on accounts that nobody else uses it is a finding', () => {
  expect(excused(['volumes.view', 200, 'tags'], never, embeddedEnvironment())).toBe(undefined)
})

test.each([
  ['the form of a reply', ['volumes.view', 200, 'shape']],
  ['a failure', ['volumes.view', 500, 'server-error']],
  ['an acceptance of what is forbidden', ['volumes.create', 200, 'accepted']],
  ['a refusal for a reason that is none', ['volumes.create', 400, 'refused']],
] as const)('%s is nobody else’s doing', (_, shown) => {
  expect(excused(shown, never)).toBe(undefined)
})

test('a refusal of a token that is known when the call is sent again is that of a gateway', () => {
  const shown = ['volumes.update', 401, 'refused'] as const
  expect([excused(shown, { ...never, isAccepted: true }), excused(shown, never)]).toEqual(['gateway', undefined])
})

test('a reply that is no JSON or no HTTP, and is when its program is sent again, was damaged on its way', () => {
  const call = { as: 'owner', method: 'GET', path: {}, query: {} }
  const op = operationById('volumes.view')
  const excuse = (kind: string, outcome: object, tried: TriedAgain, explanations = {}) => {
    const steps = [{ op, call, outcome, judgement: {} }] as unknown as readonly Judged[]
    const deviation = { kind, clause: 'volumes.view.json', operation: 'volumes.view' } as Deviation
    return excuseOf({ ...embeddedEnvironment(), explanations }, deviation, tried, steps)?.name
  }
  const text = { status: 200, text: '(its content-encoding is br, and it is not so encoded) {}' }
  expect(excuse('not-json', text, never)).toBe('gateway')
  const steps = [{ op, call, outcome: text, judgement: {} }] as unknown as readonly Judged[]
  const least = (kind: string) =>
    leastShown(embeddedEnvironment(), { kind, clause: 'volumes.view.json' } as Deviation, steps)
  expect([least('not-json'), least('shape')]).toEqual([3, 1])
  expect(excuse('envelope', { ...text, status: 404 }, never)).toBe('gateway')
  expect(excuse('malformed', { lost: 'malformed' }, never)).toBe('gateway')
  expect(excuse('malformed', { lost: 'malformed' }, { isConfirmed: true })).toBe(undefined)
  expect(excuse('not-json', text, { isConfirmed: true })).toBe(undefined)
  expect(excuse('not-json', text, never, { gateway: false })).toBe(undefined)
  expect(excuse('envelope', { status: 404, body: { error: 'no' } }, never)).toBe(undefined)
})

test('what a look misses after a write that repeats another and its reply is a gateway’s where it shows after a pause', () => {
  let n = 0
  const stepOf = (operation: string, url: string, body: unknown, at = 0) => {
    const op = operationById(operation)
    const call = { as: 'owner', method: op?.method, url, path: {}, query: {}, body: { label: 'ts-1' } }
    n += 1
    return { op, call, outcome: { status: 200, body }, judgement: {}, n, instance: 1, startedAt: at, endedAt: at }
  }
  const make = (at = 0, url = '/tags') => stepOf('tags.create', url, { label: 'ts-1' }, at)
  const [made, again, later] = [make(), make(1999), make(2000)]
  const [put, putAgain] = [make(0, '/firewalls'), make(1, '/firewalls')]
  const other = stepOf('tags.create', '/tags', { label: 'ts-1', id: 2 })
  const list = stepOf('tags.list', '/tags', { data: [] })
  const deviation = { kind: 'missing', clause: 'tags.list.complete', operation: 'tags.list' } as Deviation
  type Steps = readonly object[]
  const by = (
    steps: Steps,
    isConfirmed: boolean,
    few: Steps = steps,
    explanations: Environment['explanations'] = {},
  ) => {
    const [calls, fewest] = [steps, few] as unknown as readonly [readonly Judged[], readonly Judged[]]
    const excuses = createExcuses({ ...embeddedEnvironment(), explanations })
    return excuses.tried({ deviation, calls }, { isConfirmed }, fewest)?.by.name
  }
  const both = [made, again, list]
  expect([by(both, false), by(both, false, [made, list]), by(both, false, [again, list])]).toEqual(
    Array(3).fill('gateway'),
  )
  expect([
    by(both, true),
    by([made, other, list], false),
    by([made, list, list], false),
    by(both, false, both, { gateway: false }),
    // It forgets by then.
    by([made, later, list], false),
    // What was repeated has nothing to do with it.
    by([made, put, putAgain, list], false, [made, list]),
  ]).toEqual(Array(6).fill(undefined))
})
