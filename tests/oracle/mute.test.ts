// An operation that gives no reply is told from a target that gives none, and from one that loses replies now and then.
import { expect, it } from 'vitest'
import type { Outcome } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Judged } from '../../oracle/judgement.js'
import { createMutes } from '../../oracle/mute.js'

const answered: Outcome = { status: 200 }
const late: Outcome = { lost: 'timeout', detail: 'no reply within 10 ms' }

const call = (id: string, outcome: Outcome, role: Judged['role'] = 'read', startedAt = 0): Judged =>
  ({ op: operationById(id) as Operation, call: {}, outcome, role, startedAt, endedAt: startedAt + 10 }) as Judged

const sentFor = (clause: string, outcome: Outcome, body?: unknown): Judged =>
  ({ ...call('tickets.create', outcome, 'check'), clause, ...(body !== undefined && { call: { body } }) }) as Judged

/** What is told of calls to `volumes.list`, each with this outcome and with so many answered calls of another before it. */
const told = (outcomes: readonly Outcome[], others: number, role?: Judged['role']) => {
  const mutes = createMutes()
  const deviations = outcomes.flatMap((outcome) => {
    for (let i = 0; i < others; i += 1) mutes.hear(call('tags.list', answered))
    return mutes.hear(call('volumes.list', outcome, role)) ?? []
  })
  return { deviations, reason: mutes.of('volumes.list') }
}

it('a row of lost calls, with others answered meanwhile, is one finding, and a reason not to call it again', () => {
  const { deviations, reason } = told(Array(9).fill(late), 10)
  expect(deviations.map(({ clause, kind }) => `${clause}:${kind}`)).toEqual(['volumes.list.accepts:no-reply'])
  expect(reason).toMatch(/^volumes\.list gave no reply to \d calls in a row, .*no reply within 10 ms/)
})

it('calls at the same time that are dropped together count as one', () => {
  const reset: Outcome = { lost: 'reset' }
  const from = (sentAt: (i: number) => number) => {
    const mutes = createMutes()
    for (let i = 0; i < 90; i += 1) mutes.hear(call('tags.list', answered))
    for (let i = 0; i < 9; i += 1) {
      mutes.hear(call('volumes.delete', reset, 'clean', sentAt(i)))
      mutes.hear(call('tags.list', answered))
    }
    return mutes.of('volumes.delete')
  }
  expect([from(() => 5), from((i) => 20 * i)]).toEqual([undefined, expect.stringContaining('no reply to 4 calls')])
})

it('pages of HTML in place of every reply of an operation break the clause on JSON', () => {
  const page: Outcome = { lost: 'foreign', detail: 'a page of HTML with status 200' }
  const { deviations } = told(Array(9).fill(page), 10)
  expect(deviations.map(({ clause, kind }) => `${clause}:${kind}`)).toEqual(['volumes.list.json:no-reply'])
})

it.each([
  ['nothing else was answered', Array(50).fill(late), 0, 'read'],
  ['a reply comes now and then', [late, late, late, answered, late, late, late, answered, late], 10, 'read'],
  ['nothing was sent', Array(50).fill({ lost: 'refused' }), 10, 'read'],
  ['only calls that are to be refused are lost', Array(50).fill(late), 10, 'probe'],
] as const)('nothing is told where %s', (_, outcomes, others, role) => {
  expect(told(outcomes, others, role)).toEqual({ deviations: [], reason: undefined })
})

it.each([
  [0, undefined],
  [1, expect.stringContaining('volumes.list gave no reply')],
])(
  'calls lost in the end, sent %i ms after those that were answered at once, are a row or not',
  (startedAt, reason) => {
    const mutes = createMutes()
    for (let i = 0; i < 50; i += 1)
      for (const id of ['volumes.list', 'tags.list']) mutes.hear(call(id, answered, 'read', 1))
    for (let i = 0; i < 9; i += 1) {
      mutes.hear({ ...call('volumes.list', late, 'read', startedAt), program: `program ${i}` })
      mutes.hear(call('tags.list', answered, 'read', 1))
    }
    expect(mutes.of('volumes.list')).toEqual(reason)
  },
)

it('where others are lost as well in that time, it takes more in a row, however reliable the target was before', () => {
  const mutes = createMutes()
  for (let i = 0; i < 200; i += 1) mutes.hear(call('tags.list', answered))
  const lose = (times: number) => {
    for (let i = 0; i < times; i += 1) {
      mutes.hear(call('volumes.list', late))
      for (const outcome of [answered, late]) mutes.hear(call('tags.list', outcome))
    }
    return mutes.of('volumes.list')
  }
  expect([lose(8), lose(30)]).toEqual([undefined, expect.stringContaining('volumes.list gave no reply')])
})

it('where more than a quarter of all calls are lost, an operation that is met each time is not called again, and is no finding', () => {
  const toldAt = (oneIn: number) => {
    const mutes = createMutes()
    const deviations: unknown[] = []
    for (let i = 0; i < 200 && mutes.of('volumes.list') === undefined; i += 1) {
      for (let k = 0; k < oneIn; k += 1) mutes.hear(call('tags.list', k === 0 ? late : answered))
      deviations.push(...[mutes.hear(call('volumes.list', late)) ?? []].flat())
    }
    return [mutes.of('volumes.list') !== undefined, deviations.length]
  }
  expect([toldAt(2), toldAt(8)]).toEqual([
    [true, 0],
    [true, 1],
  ])
})

it.each([
  ['a network that ends each connection after as much', 'reset', [2000, 2000], undefined],
  ['a network that lets through as much in the time', 'timeout', [400, 2000], undefined],
  ['nothing that is known: what is short ends as well', 'reset', [400, 2000], 'volumes.list.accepts'],
  ['nothing that is known: as much came whole elsewhere', 'timeout', [400, 500], 'volumes.list.accepts'],
] as const)('replies that end in their middle are explained by %s, or are a finding', (_, lost, came, clause) => {
  const mutes = createMutes()
  // Of a text that is packed, fewer bytes come than it has characters.
  const whole: Outcome = { status: 200, body: 'x'.repeat(100_000) }
  const deviations = Array.from({ length: 9 }, (_, i) => {
    for (let k = 0; k < 10; k += 1) mutes.hear(call('tags.list', whole))
    const cut: Outcome = { lost, bytes: came[i % 2] as number, longestWhole: 1000 }
    return mutes.hear(call('volumes.list', cut, 'read', 20 * i)) ?? []
  })
  expect(deviations.flat().map((one) => one.clause)).toEqual(clause === undefined ? [] : [clause])
  expect(mutes.of('volumes.list')).toMatch(/^volumes\.list gave no reply/)
  expect(mutes.unjudged('volumes.list')).toEqual(clause === undefined ? mutes.of('volumes.list') : undefined)
})

it('calls that are lost one after another while nothing is answered count as one', () => {
  const reasonAfter = (stalls: number, lostInEach: number) => {
    const mutes = createMutes()
    for (let stall = 0; stall < stalls; stall += 1) {
      for (let i = 0; i < 60; i += 1) mutes.hear(call('tags.list', answered))
      for (let i = 0; i < lostInEach; i += 1)
        for (const id of ['volumes.list', 'firewalls.list', 'tickets.list']) mutes.hear(call(id, late))
    }
    return mutes.of('volumes.list')
  }
  expect([reasonAfter(3, 4), reasonAfter(12, 1)]).toEqual([undefined, expect.stringContaining('gave no reply')])
})

it('where half of all calls are lost it takes many more in a row', () => {
  const mutes = createMutes()
  let lost = 0
  for (; mutes.of('volumes.list') === undefined && lost < 100; lost += 1) {
    mutes.hear(call('tags.list', lost % 2 === 0 ? answered : late))
    mutes.hear(call('volumes.list', late))
  }
  expect(lost).toBeGreaterThan(15)
  expect(lost).toBeLessThan(100)
})

it('an operation that gives no reply to what one clause sends, or to longer bodies alone, is not silent, unless it never gave any', () => {
  const reason = (isAnswered: boolean, clauses: readonly string[], body?: string) => {
    const mutes = createMutes()
    if (isAnswered) mutes.hear(sentFor('a', answered, 'short'))
    for (let i = 0; i < 60; i += 1) {
      for (let k = 0; k < 3; k += 1) mutes.hear(call('tags.list', answered))
      mutes.hear({ ...sentFor(clauses[i % clauses.length] ?? '', late, body), startedAt: 1 })
    }
    return mutes.of('tickets.create')
  }
  expect([
    reason(true, ['a']),
    reason(true, ['a', 'b'], 'longer'),
    reason(true, ['a', 'b']),
    reason(false, ['a']),
  ]).toEqual([undefined, undefined, expect.stringContaining('no reply to'), expect.stringContaining('no reply to')])
})

it('replies that are only too long are no finding, but nothing more is asked', () => {
  const { deviations, reason } = told(Array(9).fill({ lost: 'too-large' }), 10)
  expect([deviations, reason]).toEqual([[], expect.stringContaining('volumes.list gave no reply')])
})

it.each<readonly [string, readonly string[], readonly string[]]>([
  ['all writes are lost, and reads are not', ['tags.create', 'volumes.create'], []],
  ['another write is answered', ['tags.create', 'volumes.create', 'tags.delete'], ['tags.create', 'volumes.create']],
  ['nothing tells of other writes', ['tags.create'], ['tags.create']],
])('writes that give no reply are found where each is a fault of its own: %s', (_, writes, found) => {
  const mutes = createMutes()
  const told = Array.from({ length: 30 }, (_, i) => 40 * i).flatMap((at) => {
    for (let i = 0; i < 10; i += 1) mutes.hear(call('tags.list', answered, 'read', at))
    return writes.flatMap((id, k) => {
      const outcome = id === 'tags.delete' ? answered : ({ lost: 'reset' } as const)
      return mutes.hear({ ...call(id, outcome, 'check', at + 12 * k), clause: `${id}.${at}` }) ?? []
    })
  })
  expect(told.map(({ clause }) => clause)).toEqual(found.map((id) => `${id}.accepts`))
})
