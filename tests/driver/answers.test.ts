// A target that gives no reply, or before which something else answers, is asked until it answers again.
import { expect, test } from 'vitest'
import { createAnswers } from '../../driver/answers.js'
import type { Outcome } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'

const list = operationById('tags.list') as Operation
const create = operationById('volumes.create') as Operation

/** How often a target is asked, and how long that takes, after two such outcomes and until it answers the time given. */
const askedAfter = async (outcome: Outcome, answersAt: number) => {
  let now = 0
  const sleep = async (ms: number): Promise<void> => {
    now += ms
  }
  const answers = createAnswers({ clock: () => now, sleep })
  answers.count({ op: list, args: {} }, { status: 200 }, 0)
  for (let at = 0; at < 2; at += 1) answers.count({ op: create, args: {} }, outcome, now)
  let asked = 0
  await answers.see(create, async (planned) => {
    asked += 1
    answers.count(planned, asked < answersAt ? outcome : { status: 200 }, now)
  })
  return { asked, unanswered: answers.unanswered(), lastLoss: answers.lastLoss(), now, answers }
}

test.each<readonly [string, Outcome]>([
  ['no reply', { lost: 'reset' }],
  ['status 503', { status: 503 }],
  ['status 502', { status: 502, text: '<h1>502</h1>' }],
])('%s is waited out', async (_, outcome) => {
  const { asked, unanswered, now } = await askedAfter(outcome, 4)
  expect([asked, unanswered]).toEqual([4, 0])
  expect(now).toBeGreaterThan(1000)
})

test.each([200, 404, 429, 500])('status %i is an answer', async (status) => {
  expect((await askedAfter({ status }, 1)).asked).toBe(0)
})

test('a target that does not answer again is given up after half a minute, with the last reason', async () => {
  const { unanswered, lastLoss, now } = await askedAfter({ status: 503 }, 99)
  expect(unanswered).toBeGreaterThan(4)
  expect(lastLoss).toBe('status 503')
  expect([now > 25_000, now < 35_000]).toEqual([true, true])
})

test('one that was asked in vain is not asked again, and is gone after a few calls more, unless one is answered', async () => {
  const { answers, now } = await askedAfter({ lost: 'timeout' }, 99)
  let asked = 0
  const see = () =>
    answers.see(create, async () => {
      asked += 1
    })
  const gone = [answers.isGone()]
  for (let time = 0; time < 3; time += 1) {
    answers.count({ op: create, args: {} }, { lost: 'timeout' }, now)
    await see()
    gone.push(answers.isGone())
  }
  answers.count({ op: create, args: {} }, { status: 200 }, now)
  expect([asked, ...gone, answers.isGone()]).toEqual([0, false, false, false, true, false])
})
