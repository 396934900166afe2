// Whose event it is: told call by call at first, and together once calls of programs side by side may overlap.
import { describe, expect, test } from 'vitest'
import type { CallEntry } from '../../history/entry.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { createEventJudge } from '../../oracle/events.js'
import { open } from '../../oracle/fold.js'
import type { Judged } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const event = 'firewall_create'
const op = operationById('firewalls.create') as Operation

const created = (more: Partial<Judged> = {}): Judged =>
  ({ op, call: { as: 'owner', path: {}, query: {} }, judgement: { accepted: true, emits: [event] }, ...more }) as Judged

/** What is told of each of so many calls, after each of which so many events are there; and whether they were to go one by one. */
const heard = (calls: number, further: (n: number) => number, more: Partial<Judged>, waitedMs = 0) => {
  const judge = createEventJudge(embeddedEnvironment())
  return Array.from({ length: calls }, (_, i) => {
    const judged = created(more)
    judge.note(judged)
    const isSingle = judge.isCountedSingly(event)
    const { deviations, assumed = [] } = judge.hear(judged, {
      kind: 'events',
      n: i,
      further: { [event]: further(i + 1) },
      withinMs: 0,
      waitedMs,
    })
    return { isSingle, assumed, told: deviations.map(({ clause, kind }) => `${clause} ${kind}`) }
  })
}

const told = (all: ReturnType<typeof heard>): readonly number[] =>
  all.flatMap((one, i) => (one.told.length > 0 ? [i + 1] : []))

test('Of programs side by side an event too many is told for as long as calls go one by one, and not by one call more', () => {
  const all = heard(60, () => 2, { beside: true })
  const single = all.flatMap(({ isSingle }, i) => (isSingle ? [i + 1] : []))
  expect(single).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  expect(told(all)).toEqual(single)
  expect(told(heard(60, () => 2, {}))).toHaveLength(60)
})

test('An update that emits twice may have been sent twice on the way, but not again and again, nor where that is not assumed', () => {
  const update = operationById('firewalls.update') as Operation
  const toldOf = (explanations: Record<string, boolean>): readonly number[] => {
    const judge = createEventJudge({ ...embeddedEnvironment(), explanations })
    const emitted = update.emits?.[0]?.event ?? ''
    return [1, 2, 3].filter((n) => {
      const judged = created({ op: update, judgement: { accepted: true, emits: [emitted] } as never })
      judge.note(judged)
      return judge.hear(judged, { kind: 'events', n, further: { [emitted]: 2 }, withinMs: 0 }).deviations.length > 0
    })
  }
  expect(toldOf({})).toEqual([2, 3])
  expect(toldOf({ resent: false })).toEqual([1, 2, 3])
})

test('Where events come late, fewer calls go one by one: they are waited for ten seconds in all', () => {
  const all = heard(60, () => 2, { beside: true }, 1000)
  expect(all.map(({ isSingle }) => isSingle).lastIndexOf(true)).toBe(9)
  expect(told(all)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('An event that never comes is told however many calls there were; one that came with another call is not missed', () => {
  expect(told(heard(60, (n) => (n === 50 ? 0 : 1), { beside: true }))).toEqual([50])
  expect(told(heard(60, (n) => (n === 50 ? 2 : n === 51 ? 0 : 1), { beside: true }))).toEqual([])
})

test('After an event that did not come the next is waited for once others have come again, up to three times', () => {
  const judge = createEventJudge(embeddedEnvironment())
  const waits = [1, 0, 1, 0, 1, 0, 1].map((more, n) => {
    const judged = created()
    judge.note(judged)
    const [awaited] = judge.awaited(judged)
    judge.hear(judged, { kind: 'events', n, further: { [event]: more }, withinMs: 0 })
    return awaited?.atLeast
  })
  expect(waits).toEqual([1, 1, 0, 1, 0, 1, 0])
})

test('Refused calls are listened to where they tell something, however many went together before', () => {
  const judge = createEventJudge(embeddedEnvironment())
  const refused = (more: Partial<Judged>, further: number): number => {
    const judged = created({ judgement: { accepted: false } as never, ...more })
    judge.note(judged)
    if (judge.awaited(judged).length === 0) return 0
    return judge.hear(judged, { kind: 'events', n: 1, further: { [event]: further }, withinMs: 0 }).deviations.length
  }
  for (let n = 0; n < 60; n += 1) refused({ beside: true }, 0)
  expect([refused({}, 1), refused({}, 1), refused({}, 0), refused({}, 1)]).toEqual([1, 1, 0, 1])
})

describe('an event of a call that emits none is told', () => {
  /** How many deviations each of some calls has: refused by a clause, or accepted where there is none. */
  const toldOf = (
    calls: readonly (readonly [clause: string | undefined, further: number, more?: Partial<Judged>])[],
  ) => {
    const judge = createEventJudge(embeddedEnvironment())
    return calls.map(([decisive, further, more]) => {
      const judged = created({ ...(decisive && { judgement: { accepted: false, decisive } as never }), ...more })
      judge.note(judged)
      if (judge.awaited(judged).length === 0) return -1
      return judge.hear(judged, { kind: 'events', n: 1, further: { [event]: further }, withinMs: 0 }).deviations.length
    })
  }
  const times = <T>(n: number, one: T): T[] => Array.from({ length: n }, () => one)

  test('for each reason, however many others were listened to', () => {
    const all = toldOf([...times(50, ['a', 0] as const), ['b', 1], ['b', 1], ['a', 1]])
    expect(all.slice(-3)).toEqual([1, 1, -1])
  })

  test('of programs side by side, where no other call could have emitted it', () => {
    const beside = { beside: true } as const
    const many = times(60, ['a', 0, beside] as const)
    expect(toldOf([...many, ['b', 1, beside]]).at(-1)).toBe(-1)
    expect(toldOf([...many, ['b', 0, { ...beside, singly: true }], ['b', 1, { ...beside, singly: true }]]).at(-1)).toBe(
      1,
    )
  })

  test('whatever others may have emitted, once the log has shown none', () => {
    const race = { group: 1, judgement: { accepted: true, emits: [event] } as never }
    const all = toldOf([
      [undefined, 0, race],
      [undefined, 0, race],
      ['a', 0],
      ['b', 1],
    ])
    expect(all.at(-1)).toBe(1)
    const still = toldOf([['a', 0], [undefined, 0, race], [undefined, 0, race], ...times(4, ['b', 1] as const)])
    expect(still.slice(-4)).toEqual([0, 0, 0, 1])
  })

  test('at once after one that was due, where three have come alone before', () => {
    const told = (...due: readonly number[]) => toldOf([...due.map((n) => [undefined, n] as const), ['a', 1]]).at(-1)
    expect([told(1, 1), told(1, 1, 1), told(1, 1, 1, 2), told(1, 1, 1, 0)]).toEqual([0, 1, 0, 0])
  })
})

test('Where events were seen to come twice, one more after a call that emits none may be the second, and two are not', () => {
  const levelOf = (...after: readonly number[]) => {
    const judge = createEventJudge(embeddedEnvironment())
    const levels = after.map((further, n) => {
      const isDue = n < after.length - 2
      const judged = created(isDue ? {} : { judgement: { accepted: false, decisive: 'a' } as never })
      judge.note(judged)
      return judge.hear(judged, { kind: 'events', n, further: { [event]: further }, withinMs: 0 }).deviations[0]?.level
    })
    return levels.at(-1)
  }
  expect([levelOf(1, 2, 1, 0, 1), levelOf(1, 2, 1, 0, 2), levelOf(1, 1, 1, 0, 1)]).toEqual(['should', 'must', 'must'])
})

test('What is tried once more is listened to, however often its like was', () => {
  const judge = createEventJudge(embeddedEnvironment())
  const isHeard = (more: Partial<Judged> = {}): boolean => {
    const judged = created({ judgement: { accepted: false, decisive: 'a' } as never, ...more })
    judge.note(judged)
    const isAwaited = judge.awaited(judged).length > 0
    if (isAwaited) judge.hear(judged, { kind: 'events', n: 1, further: { [event]: 0 }, withinMs: 0 })
    return isAwaited
  }
  for (let n = 0; n < 60; n += 1) isHeard()
  expect([isHeard(), isHeard({ phase: 'confirm' })]).toEqual([false, true])
})

test('An event that calls sent at one time did not bring is no finding, and the record says what was assumed', () => {
  const together = heard(3, () => 0, { group: 1 })
  expect(told(together)).toEqual([])
  expect(together.map(({ assumed }) => assumed)).toEqual([
    [`overlap ${event}`],
    [`overlap ${event}`],
    [`overlap ${event}`],
  ])
  expect(told(heard(3, () => 0, {}))).toEqual([1, 2, 3])
})

test('An event that comes late is heard however many calls were sent meanwhile', () => {
  const fold = open(embeddedEnvironment(), { nonce: 'ts-t' })
  const take = (id: string, n: number, body: unknown) =>
    fold.take({
      kind: 'call',
      n,
      op: operationById(id) as Operation,
      call: { as: 'owner', path: {}, query: {} },
      outcome: { status: 200, body, contentType: 'application/json' },
      program: 'p',
      role: 'read',
      startedAt: n,
      endedAt: n,
    } as unknown as CallEntry)
  take('object-keys.create', 1, { id: 1, label: 'ts-t-1', access_key: 'k', secret_key: 's' })
  for (let n = 2; n < 202; n += 1) take('tags.list', n, { data: [], page: 1, pages: 1, results: 0 })
  expect(fold.awaited(1)).toEqual([{ event: 'obj_access_key_create', atLeast: 1 }])
  expect(fold.heard({ kind: 'events', n: 1, further: { obj_access_key_create: 1 }, withinMs: 0 })?.held).toContain(
    'object-keys.create.emits.obj_access_key_create',
  )
})
