// A target that gives no reply, or before which something else answers, is asked until it answers again.
import { describe, expect, test } from 'vitest'
import { createAnswers } from '../../driver/answers.js'
import { makingOf, pastCaches } from '../../driver/stored.js'
import type { Outcome } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'

const list = operationById('tags.list') as Operation
const create = operationById('volumes.create') as Operation

const view = operationById('volumes.list') as Operation
const one = operationById('volumes.view') as Operation

/** A target that gave no reply to two calls which took so long; it answers the time given. How often it is asked, and what then is known. */
const askedAfter = async (outcome: Outcome, answersAt: number, { losses = 2, tookMs = 0, answering = [list] } = {}) => {
  let now = 0
  const sleep = async (ms: number): Promise<void> => {
    now += ms
  }
  const answers = createAnswers({ clock: () => now, sleep })
  for (const op of answering) answers.count({ op, args: {} }, { status: 200 }, 0)
  const asked: string[] = []
  const see = () =>
    answers.see(create, async ({ op }) => {
      asked.push(op.id)
      const at = now
      now += tookMs
      answers.count({ op, args: {} }, asked.length < answersAt ? outcome : { status: 200 }, at)
    })
  for (let time = 0; time < losses; time += 1) {
    const at = now
    now += tookMs
    answers.count({ op: create, args: {} }, outcome, at)
    await see()
  }
  return { asked, gone: answers.gone(), now, see }
}

test.each<readonly [string, Outcome]>([
  ['no reply', { lost: 'reset' }],
  ['status 503', { status: 503 }],
  ['status 502', { status: 502, text: '<h1>502</h1>' }],
])('%s is waited out', async (_, outcome) => {
  const { asked, gone, now } = await askedAfter(outcome, 4)
  expect([asked.length, gone]).toEqual([4, undefined])
  expect(now).toBeGreaterThan(1000)
})

test('a proxy that wants credentials in the middle of a run is waited out, and told as that when it goes on', async () => {
  expect((await askedAfter({ status: 407, text: 'auth' }, 4)).gone).toBeUndefined()
  const { gone } = await askedAfter({ status: 407, text: 'auth' }, 99)
  expect(gone).toMatch(
    /no answer any more \(the last: status 407\): a proxy on the way wants credentials: put .*NO_PROXY/,
  )
})

test('a target that answers 407 with errors of its own has answered', async () => {
  const own = { status: 407, body: { errors: [{ reason: 'Not so' }] } }
  expect((await askedAfter(own, 1)).asked).toEqual([])
})

test.each([200, 404, 429, 500])('status %i is an answer', async (status) => {
  expect((await askedAfter({ status }, 1)).asked).toEqual([])
})

test('a target that lets three calls of ten seconds go by is given up after the third', async () => {
  const { asked, gone, now } = await askedAfter({ lost: 'timeout' }, 99, {
    losses: 1,
    tookMs: 9997,
    answering: [list, view],
  })
  expect([asked, gone, now]).toEqual([
    ['tags.list', 'volumes.list'],
    'gave no answer any more (the last: timeout): see that it is up, and what stands before it',
    3 * 9997,
  ])
})

test('a target that does not answer again is given up after half a minute, with the last reason, and is not asked again', async () => {
  const { asked, gone, now, see } = await askedAfter({ status: 503 }, 99)
  expect(gone).toBe('gave no answer any more (the last: status 503): see that it is up, and what stands before it')
  expect([now > 25_000, now < 35_000]).toEqual([true, true])
  const { length } = asked
  await see()
  expect(asked).toHaveLength(length)
})

test('the half minute counts from the first call without a reply, however long calls take', async () => {
  const { gone, now } = await askedAfter({ lost: 'timeout' }, 99, { losses: 1, tookMs: 10_000 })
  expect([gone, now > 30_000, now < 45_000]).toEqual([expect.stringContaining('timeout'), true, true])
})

test('one call without a reply is no reason to ask, unless it took long', async () => {
  expect((await askedAfter({ lost: 'reset' }, 99, { losses: 1 })).asked).toEqual([])
})

test('two operations are asked by turns, for one of them may be silent as well', async () => {
  const { asked } = await askedAfter({ lost: 'timeout' }, 2, { answering: [list, view] })
  expect(asked).toEqual(['tags.list', 'volumes.list'])
})

test('an area that has fallen silent as a whole is told from the target by a read of another one', async () => {
  const { asked, gone } = await askedAfter({ lost: 'timeout' }, 1, { answering: [list, one, view] })
  expect([asked, gone]).toEqual([['tags.list'], undefined])
})

test('one that has answered nothing yet is gone after five calls, and after half a minute at the earliest', async () => {
  const after = async (outcome: Outcome, losses: number, tookMs: number) =>
    (await askedAfter(outcome, 99, { losses, tookMs, answering: [] })).gone
  expect([await after({ lost: 'timeout' }, 4, 10_000), await after({ lost: 'timeout' }, 5, 10_000)]).toEqual([
    undefined,
    expect.stringContaining('timeout'),
  ])
  expect([await after({ status: 503 }, 8, 0), await after({ status: 503 }, 20, 0)]).toEqual([
    undefined,
    expect.stringContaining('status 503'),
  ])
})

test('while one has answered nothing yet, its next calls wait as well', async () => {
  const { now } = await askedAfter({ status: 503 }, 99, { losses: 6, answering: [] })
  expect(now).toBeGreaterThan(5000)
})

test('one that gives no reply to every second call is given up after half a minute, and one in eight is borne', () => {
  const after = (oneIn: number): readonly [string | undefined, number] => {
    let now = 0
    const answers = createAnswers({ clock: () => now, sleep: async () => undefined })
    for (let n = 1; now < 60_000 && answers.gone() === undefined; n += 1) {
      now += 10
      answers.count({ op: list, args: {} }, n % oneIn === 0 ? { status: 503 } : { status: 200 }, now)
    }
    return [answers.gone(), now]
  }
  const [gone, now] = after(2)
  expect(gone).toBe(
    'gave no answer to 50 of 100 calls for half a minute (the last: status 503): see that it is up, and what stands before it',
  )
  expect([now > 25_000, now < 35_000]).toEqual([true, true])
  expect(after(8)[0]).toBe(undefined)
})

test('one of which an area alone falls silent is asked on', () => {
  let now = 0
  const answers = createAnswers({ clock: () => now, sleep: async () => undefined })
  const silent = operationById('managed-contacts.list') as Operation
  answers.count({ op: silent, args: {} }, { status: 200 }, now)
  for (let n = 1; now < 60_000; n += 1) {
    now += 10
    const isSilent = n % 2 === 0
    answers.count({ op: isSilent ? silent : list, args: {} }, isSilent ? { lost: 'timeout' } : { status: 200 }, now)
  }
  expect(answers.gone()).toBe(undefined)
})

describe('a target that answers that nothing has changed, though nobody said since when,', () => {
  const calls = ['tags.list', 'volumes.list', 'volumes.view', 'tags.view'].map((id) => operationById(id) as Operation)
  const afterSome = async (count: number) => {
    const answers = createAnswers({ clock: () => 0, sleep: async () => undefined })
    const send = pastCaches(async () => ({ status: 304, making: makingOf({}) }), new Map([['one', 'one']]))
    const outcome = (await send({ method: 'GET', path: '/', headers: [] })) as Outcome
    for (const op of calls.slice(0, count)) answers.count({ op, args: {} }, outcome, 0)
    for (const op of calls.slice(0, count)) answers.count({ op, args: {} }, { status: 200 }, 0)
    return answers.gone()
  }

  test('is asked no more once three operations do so, whatever others answer', async () => {
    expect(await afterSome(2)).toBeUndefined()
    expect(await afterSome(3)).toMatch(
      /^answers GET \/tags, GET \/volumes, GET \/volumes\/\{volumeId\} with status 304, /,
    )
  })
})
