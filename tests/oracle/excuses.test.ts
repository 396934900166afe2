// A deviation that does not show when its program is sent once more is a finding, unless something explains why it may have shown once.
import { expect, test } from 'vitest'
import { operationById } from '../../models/index.js'
import type { Environment } from '../../models/language/environment.js'
import { startWorld } from '../../models/start.js'
import { believe } from '../../oracle/belief.js'
import { createExcuses, excuseOf, leastShown, type TriedAgain } from '../../oracle/excuses.js'
import type { Deviation, Judged } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { type Live, live } from './live.js'
import { page } from './traffic.js'

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
  const make = ['tags.create', { body: { label: 'ts-1' } }, { label: 'ts-1' }] as const
  const remove = ['tags.delete', { path: { tagLabel: 'ts-1' } }, {}] as const
  const put = ['tags.create', { body: { label: 'ts-2' } }, { label: 'ts-2' }] as const
  const look = ['tags.list', {}, page(), true] as const
  const start = believe(startWorld(embeddedEnvironment(), { nonce: 'ts-t' }))
  /** By what it is excused that the last call lacks the tag, where the others were sent at these times and so many show it. */
  const by = (
    calls: readonly Live[],
    { isConfirmed = false, few = [0, 1, 2, 3], at = [0, 1, 2, 3, 4, 5], explanations = {} } = {},
  ) => {
    const steps = live(calls).map((one, i) => ({ ...one, startedAt: at[i] ?? 0, endedAt: at[i] ?? 0 }))
    const deviation = steps.at(-1)?.judgement.deviations.find(({ kind }) => kind === 'missing') as Deviation
    const fewest = steps.filter((_, i) => few.includes(i))
    const excuses = createExcuses({ ...embeddedEnvironment(), explanations })
    return excuses.tried({ deviation, start, calls: steps }, { isConfirmed }, fewest)?.by.name
  }
  const both = [make, remove, make, look]
  expect([by(both), by(both, { few: [0, 3] }), by(both, { few: [2, 3], at: [0, 1, 1999, 2000] })]).toEqual(
    Array(3).fill('gateway'),
  )
  expect([
    by(both, { isConfirmed: true }),
    by(both, { explanations: { gateway: false } }),
    // The gateway forgets by then.
    by(both, { at: [0, 1, 2000, 2001] }),
    // What was repeated is not needed to show it.
    by([make, put, ['tags.delete', { path: { tagLabel: 'ts-2' } }, {}], put, look], { few: [0, 4] }),
    // The tag was there before it was made again, so that it is missing with or without that.
    by([make, make, look], { few: [0, 2] }),
  ]).toEqual(Array(5).fill(undefined))
})
