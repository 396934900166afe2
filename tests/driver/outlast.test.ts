// What shows by turns once all that may be late is over is told of as many operations as do so.
import { expect, test } from 'vitest'
import { outlast } from '../../driver/outlast.js'
import type { Relapses } from '../../driver/relapses.js'
import type { Sent } from '../../driver/session.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'

const [volumes, tags] = ['volumes.list', 'tags.list'].map((id) => operationById(id)) as [Operation, Operation]

/** The operations of which it is told, where each look shows what comes next of these pages, and then the first again. */
const toldOf = async (
  pages: readonly (readonly object[])[],
  statuses: readonly number[] = [200],
  verdicts: readonly string[] = ['pass'],
  { isStrict = false, writes = [] as readonly number[], during = [] as readonly number[] } = {},
) => {
  const told: Operation[] = []
  const worse: Operation[] = []
  const forgotten: Operation[] = []
  let looks = 0
  let now = 0
  let sentAt: number | undefined
  const latest = { at: 0 }
  const look = ({ op }: Sent): Promise<Sent> => {
    sentAt ??= now
    const data = pages[(isStrict ? looks : Math.floor(looks / 2)) % pages.length]
    const status = statuses[Math.floor(looks / 2) % statuses.length]
    const verdict = verdicts[Math.floor(looks / 2) % verdicts.length]
    looks += 1
    if (during.includes(looks)) latest.at = now
    const outcome = status === 200 ? { status, body: { data } } : { status }
    return Promise.resolve({ op, outcome, judgement: { verdict } } as unknown as Sent)
  }
  const [first, other] = [volumes, tags].map((op) => ({ op }) as Sent) as [Sent, Sent]
  const outlived: Relapses['outlived'] = (op, isAmiss) => {
    told.push(op)
    if (isAmiss) worse.push(op)
  }
  const relapses = { beside: () => [other], outlived } as unknown as Relapses
  const options = {
    clock: () => now,
    sleep: async (ms: number) => {
      now += ms
      latest.at = Math.max(0, ...writes.filter((at) => at <= now))
    },
    latest,
    settleMs: 100,
    isOver: () => false,
    relapses,
    lags: { forget: (op: Operation) => void forgotten.push(op) },
  }
  await outlast(options, first, () => look(first), look)
  return { told, looks, worse, forgotten, sentAt }
}

const [one, two] = [{ label: 'a' }, { label: 'b' }]

test('two lists that come back are told, and asked no more', async () => {
  const { told, looks } = await toldOf([[one, two], [one]])
  expect([told, looks]).toEqual([[volumes, tags], 6])
})

test('two targets that answer strictly by turns do not each get the same reads', async () => {
  const { told } = await toldOf([[one, two], [one]], [200], ['pass'], { isStrict: true })
  expect(told).toEqual([volumes, tags])
})

test.each([
  [[], 100],
  [[40, 90], 190],
  [[40, 130], 230],
])('nothing is asked before what was changed at %j has had its time, though it was under way', async (writes, at) => {
  const { sentAt } = await toldOf([[one]], [200], ['pass'], { writes })
  expect(sentAt).toBe(at)
})

test.each([
  [[3], 12],
  [[3, 9], 18],
])('what is asked while a write ends, at looks %j, does not count', async (during, all) => {
  const { told, looks } = await toldOf([[one, two], [one]], [200], ['pass'], { during })
  expect([told, looks]).toEqual([[volumes, tags], all])
})

test('nothing is told where writes never stop', async () => {
  const during = Array.from({ length: 400 }, (_, i) => i + 1)
  expect((await toldOf([[one, two], [one]], [200], ['pass'], { during })).told).toEqual([])
})

test.each([
  [
    ['pass', 'finding'],
    [volumes, tags],
  ],
  [['pass', 'inconclusive'], []],
  [['finding'], []],
])(
  'waiting for reads that come back, judged as %j, is in vain where they are wrong after they were right',
  async (verdicts, worse) => {
    const told = await toldOf([[one, two], [one], [one, two]], [200], verdicts)
    expect([told.worse, told.forgotten]).toEqual([worse, worse])
  },
)

test.each([
  [
    'in another order',
    [
      [one, two],
      [two, one],
    ],
  ],
  ['with its members and tags in another order', [[{ id: 7, tags: ['a', 'b'] }], [{ tags: ['b', 'a'], id: 7 }]]],
  ['as it was', [[one, two]]],
])('a list that goes on to show the same, %s, does not come back', async (_, pages) => {
  const { told, looks } = await toldOf(pages)
  expect([told, looks]).toEqual([[], 80])
})

test('what tells who answered, or moves on by itself, is no other state', async () => {
  const pages = [[{ ...one, status: 'active', served_by: 'a' }], [{ ...one, status: 'resizing', served_by: 'b' }]]
  expect((await toldOf(pages)).told).toEqual([])
})

test('an error between replies that come back proves no wait to be in vain', async () => {
  const { told, worse } = await toldOf(
    [[one], [], [one, two], [one]],
    [200, 500, 200, 200],
    ['pass', 'finding', 'pass', 'pass'],
  )
  expect([told, worse]).toEqual([[volumes, tags], []])
})

test.each([401, 429, 500, 502])('an error that comes and goes, %i, is no other state', async (status) => {
  expect((await toldOf([[one, two]], [200, status])).told).toEqual([])
})
