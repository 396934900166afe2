// Replies that two calls swap are the doing of what stands between; a target that answers wrongly by itself is not excused by it.

import { expect, test } from 'vitest'
import type { Sent } from '../../driver/session.js'
import { createSwaps } from '../../driver/swaps.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import type { Judged } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const { session } = inProcess({ environment: embeddedEnvironment() })
const origin = session.originOf('swaps')
const ask = (id: string, args: Args = {}): Promise<Sent> =>
  session.send(origin, operationById(id) as Operation, { as: session.mainToken, ...args }, 'read')

const made = await ask('volumes.create', { body: { label: 'ts-t-swapped', size: 20, region: 'r1' } })
const { id } = ('body' in made.outcome ? made.outcome.body : {}) as { readonly id: number }
const answers = [
  made,
  await ask('tags.list'),
  await ask('volumes.view', { path: { volumeId: String(id) } }),
  await ask('volumes.list'),
  await ask('volumes.list', { as: null }),
  await ask('tags.list', { as: null }),
  await ask('managed-contacts.list'),
  await ask('managed-contacts.list', { as: null }),
]

/** A call that may be made, with one of the same operation that nobody may make. */
const inverted = [
  [3, 4],
  [1, 5],
  [6, 7],
] as const
const pairs = [
  [0, 1],
  [1, 2],
  [2, 3],
] as const

/** What is told after calls of these pairs were each given the reply of the other, with so much time between the two of a pair. */
const toldOf = (given: readonly (readonly [number, number])[], apartMs = 0): string | undefined => {
  const { hear } = createSwaps()
  const said = given.flatMap(([i, j], k) => {
    const [one, other] = [answers[i], answers[j]] as [Sent, Sent]
    const heard = (sent: Sent, by: Sent, startedAt: number): string | undefined =>
      hear(
        {
          ...sent,
          outcome: by.outcome,
          startedAt,
          endedAt: startedAt + 10,
          judgement: { ...sent.judgement, verdict: 'finding' },
        } as Judged,
        session.world(),
      )
    return [heard(one, other, 1000 * k), heard(other, one, 1000 * k + apartMs)]
  })
  return said.find((one) => one !== undefined)
}

test('three pairs of calls under way at once that have the replies of each other tell of no target', () => {
  expect(answers.filter(({ judgement }) => judgement.verdict !== 'pass')).toEqual([])
  expect(toldOf(pairs)).toMatch(
    /^answers calls that are under way at once with each other's replies \(.*; .*; .*\): see/,
  )
})

test.each([
  ['two of them do not', pairs.slice(1), 0],
  ['calls one after the other do not', pairs, 11],
  [
    'calls that are refused in place of others do not, for the target may ask its question the wrong way round',
    inverted,
    0,
  ],
  [
    'the same two operations time after time do not, for the target may take one for the other',
    Array(9).fill(pairs[0]),
    0,
  ],
] as const)('%s', (_, given, apartMs) => {
  expect(toldOf(given, apartMs)).toBeUndefined()
})
