// Which refused calls, taken when they were sent again, can no longer be late.
import { expect, test } from 'vitest'
import { operationById } from '../../models/index.js'
import { put } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import { startWorld } from '../../models/start.js'
import { volumes } from '../../models/volumes/record.js'
import { type Judgement, undecided } from '../../oracle/judgement.js'
import { lateness } from '../../oracle/late.js'
import { noPast } from '../../oracle/past.js'
import { forgotten, isRefusedOnce, noRetries, noted, notedRefusal, type Retries } from '../../oracle/retried.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const resizes = operationById('volumes.resize') as Operation
const updates = operationById('volumes.update') as Operation
const views = operationById('volumes.view') as Operation

const worldWith = (id: number, status: 'active' | 'creating') =>
  put(startWorld(embeddedEnvironment()), volumes, {
    key: String(id),
    account: 'main',
    id,
    status,
    size: 20,
    region: 'r1',
    node_id: null,
    migrating: false,
  } as never)

const sent = (op: Operation, id: number, startedAt: number) => {
  const call = { operation: op.id, method: op.method, url: `/volumes/${id}/resize`, as: 'owner', query: {} } as const
  const outcome = { status: 200, body: {}, contentType: 'application/json' }
  return {
    op,
    call: { ...call, path: { volumeId: String(id) }, body: { size: 21 } },
    outcome,
    n: startedAt,
    startedAt,
    endedAt: startedAt + 2,
  }
}

const told = (id: number, accepted: boolean): Judgement => ({ ...undecided(worldWith(id, 'active')), accepted })

type Trial = readonly [ageMs: number, tries: number]

/** Resizes of a volume each, refused so many ms after it was seen to rest, and taken 10 ms after each refusal. */
const resized = (trials: readonly Trial[], change = (retries: Retries, _id: number, _at: number) => retries): Retries =>
  trials.reduce((retries, [ageMs, tries], i) => {
    const id = 7000 + i
    const at = 100_000 * (i + 1)
    let after = noted(retries, sent(views, id, at - 2), worldWith(id, 'creating'), told(id, true))
    for (let time = 0; time < tries; time += 1)
      after = notedRefusal(after, sent(resizes, id, at + ageMs + 10 * time), worldWith(id, 'active'))
    after = change(after, id, at + ageMs + 5)
    return noted(after, sent(resizes, id, at + ageMs + 10 * tries), worldWith(id, 'active'), told(id, true))
  }, noRetries)

const once = (...ages: readonly number[]): readonly Trial[] => ages.map((age) => [age, 1])

test.each([
  ['at five ages with nothing in common, are refused for being the first', once(1, 20, 90, 400, 1200), true],
  ['at four such ages, may be late', once(1, 20, 90, 400), false],
  ['at about the same age, may be late however many they are', once(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), false],
  [
    'at five ages, may be late where one was taken only the third time',
    [...once(1, 20, 90, 400), [1200, 2] as const],
    false,
  ],
  ['at five ages, may be late where one was taken at once', [...once(1, 20, 90, 400, 1200), [30, 0] as const], false],
])('calls refused once, %s', (_, trials, isTold) => {
  expect(isRefusedOnce(resized(trials), resizes.id)).toBe(isTold)
})

test('a change between a refusal and the repetition that is taken may be why', () => {
  const ages = once(1, 20, 90, 400, 1200, 3000)
  const changed = resized(ages, (retries, id, at) =>
    noted(retries, sent(updates, id, at), worldWith(id, 'active'), told(id, true)),
  )
  expect(isRefusedOnce(changed, resizes.id)).toBe(false)
  expect(isRefusedOnce(resized(ages, forgotten), resizes.id)).toBe(false)
})

test('a refusal of what is refused once and then taken is not late, while that of another operation may be', () => {
  const busy = { status: 409, body: { errors: [{ field: '', reason: 'is busy' }] }, contentType: 'application/json' }
  const clause = `${resizes.id}.accepts`
  const plain: Judgement = {
    ...told(7000, false),
    verdict: 'finding',
    deviations: [
      {
        clause,
        operation: resizes.id,
        level: 'must',
        source: '',
        requires: '',
        kind: 'refused',
        expected: '',
        received: '',
        because: [],
      },
    ],
  }
  const past = { ...noPast, retries: resized(once(1, 20, 90, 400, 1200)) }
  const seen = { ...sent(resizes, 601, 1_000_000), call: { ...sent(resizes, 601, 0).call, body: { size: 30 } } }
  const resting = { ...plain, world: worldWith(601, 'active') }
  expect(lateness({ ...noPast, retries: noRetries }, seen, busy, resting)?.late.by).toBe(resizes.id)
  expect(lateness(past, seen, busy, resting)).toBeUndefined()
})

test('a call whose body is too ill-formed to be read names what its path names', () => {
  const world = startWorld(embeddedEnvironment())
  const tagging = {
    ...sent(operationById('tags.create') as Operation, 601, 10),
    call: { ...sent(resizes, 601, 10).call },
  }
  const odd = { ...tagging, call: { ...tagging.call, path: {}, body: { label: 'a', volumes: 'x' } } } as never
  expect(noted(noRetries, odd, world, { ...undecided(world), accepted: true })).toEqual(noRetries)
})
