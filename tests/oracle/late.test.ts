// What is learnt of how long a target takes to show changes, and what is not.
import { expect, test } from 'vitest'
import { operationById } from '../../models/index.js'
import { ips } from '../../models/ips/record.js'
import { forget, patch, put } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import { close, emptyWorld, find } from '../../models/language/world.js'
import { contacts } from '../../models/managed-contacts/record.js'
import { startWorld } from '../../models/start.js'
import { tags } from '../../models/tags/record.js'
import { volumes } from '../../models/volumes/record.js'
import { judge } from '../../oracle/judge.js'
import type { Deviation, Judgement, Late, Observation } from '../../oracle/judgement.js'
import { lateness, withoutLate } from '../../oracle/late.js'
import { caughtUp, noPast, type Past, remembering, stillLate } from '../../oracle/past.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const world = emptyWorld(embeddedEnvironment())
const op = operationById('tags.list') as Operation

const seenAt = (startedAt: number): Observation => ({
  op,
  call: { operation: op.id, method: 'GET', url: '/tags', as: 'owner', path: {}, query: {} },
  outcome: { status: 200, body: { data: [], page: 1, pages: 1, results: 0 }, contentType: 'application/json' },
  n: startedAt,
  startedAt,
})

/** The same with another reply. */
const shownAt = (startedAt: number): Observation => ({
  ...seenAt(startedAt),
  outcome: { status: 200, body: { data: [{ label: 'a' }], page: 1, pages: 1, results: 1 } },
})

const wrong: Deviation = {
  clause: 'tags.list.only-live',
  operation: op.id,
  level: 'must',
  source: 'Tags',
  requires: 'The list holds nothing that does not belong in it.',
  kind: 'foreign',
  expected: 'no tag of another account',
  received: 'one',
  because: [],
}

const judged = (...deviations: readonly Deviation[]): Judgement => ({
  expects: 'accept',
  accepted: true,
  possible: [],
  verdict: deviations.length > 0 ? 'finding' : 'pass',
  deviations,
  held: [],
  choices: [],
  world,
})

const late = (changedAt: number, ageMs: number): Late => ({ by: 'tags.create', changedAt, ageMs, hidden: [wrong] })

test('what shows at last has taken as long as it was last missing', () => {
  const past = stillLate(noPast, seenAt(200), late(0, 200))
  expect(caughtUp(past, shownAt(300), judged()).longestMs).toBe(200)
})

test('the same reply as before shows nothing at last, though it is right by now', () => {
  const past = stillLate(noPast, seenAt(200), late(0, 200))
  expect(caughtUp(past, seenAt(300), judged()).longestMs).toBe(0)
})

test('a refusal shows nothing at last, though it is right by what was learnt meanwhile, and told in other words', () => {
  const refusedAt = (startedAt: number, reason: string) => ({
    ...seenAt(startedAt),
    outcome: { status: 404, body: { errors: [{ field: '', reason }] } },
  })
  const past = stillLate(noPast, refusedAt(200, 'gone'), late(0, 200))
  expect(caughtUp(past, refusedAt(300, 'not found'), judged()).longestMs).toBe(0)
  expect(stillLate(past, refusedAt(300, 'not found'), late(250, 50)).longestMs).toBe(0)
})

test('what was only guessed to be late tells nothing when it shows', () => {
  const past = stillLate(noPast, seenAt(200), { ...late(0, 200), isGuess: true })
  expect(caughtUp(past, shownAt(300), judged()).longestMs).toBe(0)
})

test('a reply that stays wrong has not been late', () => {
  const past = stillLate(noPast, seenAt(200), late(0, 200))
  const after = caughtUp(past, seenAt(300), judged(wrong))
  expect([after.longestMs, after.open.size]).toEqual([0, 0])
})

test('a reply that is wrong in another way does not show what was late', () => {
  const past = stillLate(noPast, seenAt(200), late(0, 200))
  expect(caughtUp(past, shownAt(300), judged({ ...wrong, kind: 'unknown' })).longestMs).toBe(0)
})

test('a reply that is right once something has contradicted the change tells nothing of how late that was', () => {
  const contradicting = { ...wrong, facts: [{ step: 5, by: 'tags.create' }] } as unknown as Deviation
  const other = { ...seenAt(250), call: { ...seenAt(250).call, url: '/tags/a' } }
  const shownAfter = (told: Judgement): number => {
    const past = stillLate(noPast, seenAt(200), { ...late(0, 200), step: 5 })
    return caughtUp(caughtUp(past, other, told), shownAt(300), judged()).longestMs
  }
  expect([judged(), judged(wrong), judged(contradicting)].map(shownAfter)).toEqual([200, 200, 0])
})

test('a later change that is late shows that the one before it has been seen, unless it is a guess, or the reply is the same', () => {
  const past = stillLate(noPast, seenAt(200), late(0, 200))
  expect(stillLate(past, shownAt(300), late(250, 50)).longestMs).toBe(200)
  expect(stillLate(past, shownAt(300), { ...late(250, 50), isGuess: true }).longestMs).toBe(0)
  expect(stillLate(past, seenAt(300), late(250, 50)).longestMs).toBe(0)
})

test('what no earlier world explains is a guess amid many changes, and no more when they are over', () => {
  const changed = (past: Past, endedAt: number): Past => remembering(past, { world, name: 'tags.create', endedAt })
  const crowded = Array.from({ length: 1100 }, (_, i) => i / 20).reduce(changed, noPast)
  const seen = (startedAt: number) =>
    lateness(crowded, seenAt(startedAt), { status: 200, body: { data: 1 } } as never, judged(wrong))?.late.isGuess
  expect([seen(100), seen(5000)]).toEqual([true, undefined])
})

const views = operationById('managed-contacts.view') as Operation
const creates = operationById('managed-contacts.create') as Operation
const gone = { status: 404, body: { errors: [{ reason: 'Not found' }] }, contentType: 'application/json' } as const

const viewedAt = (startedAt: number): Observation => ({
  op: views,
  call: {
    operation: views.id,
    method: 'GET',
    url: '/managed/contacts/7',
    as: 'owner',
    path: { contactId: '7' },
    query: {},
  },
  outcome: gone,
  n: startedAt,
  startedAt,
})

const ruleOf = (operation: Operation, slug: string, kind: string): Deviation => ({
  ...wrong,
  clause: `${operation.id}.${slug}`,
  operation: operation.id,
  kind,
})

test('an error without a field is no sign of lateness, however much changes', () => {
  const changes = Array.from({ length: 1100 }, (_, i) => ({ world, name: creates.id, endedAt: i / 20 }))
  const crowded = changes.reduce(remembering, noPast)
  const judgedAs = (...deviations: readonly Deviation[]) =>
    lateness(crowded, viewedAt(100), gone, judged(...deviations))
  expect(judgedAs(ruleOf(views, 'refusal.field-present', 'absent'))).toBeUndefined()
  expect(judgedAs(ruleOf(views, 'accepts', 'refused'))).toBeDefined()
})

test('a call that is let in without a token is no sign of lateness, on a target that is late at times and amid many changes', () => {
  const changes = Array.from({ length: 1100 }, (_, i) => ({ world, name: creates.id, endedAt: i / 20 }))
  const crowded = { ...changes.reduce(remembering, noPast), longestMs: 300 }
  const letIn = (slug: string) =>
    lateness(crowded, seenAt(100), { status: 200, body: {} } as never, judged(ruleOf(op, slug, 'accepted')))
  expect(['token', 'token.scheme', 'scope.account-read_only', 'unrestricted'].map(letIn)).toEqual(
    Array(4).fill(undefined),
  )
  expect(letIn('only-live')).toBeDefined()
})

test.each([
  ['three times in vain', 0, 3],
  ['twelve times in vain, where others have been late', 300, 12],
])('what was waited for %s is not late the next time, until it is once', (_, longestMs, most) => {
  const empty = close(startWorld(embeddedEnvironment()), { name: 'managed-contacts' }, 'main')
  const first = remembering({ ...noPast, longestMs }, { world: empty, name: creates.id, endedAt: 0 })
  const refused = judged(ruleOf(views, 'accepts', 'refused'))
  const lateIn = (past: Past) => lateness(past, viewedAt(10), gone, refused)?.late
  const waitedIn = (past: Past, told: Judgement): Past =>
    caughtUp(stillLate(past, viewedAt(10), lateIn(past) as Late), viewedAt(20), told)
  let past = first
  for (let time = 1; time < most; time += 1) past = waitedIn(past, refused)
  const shown = waitedIn(past, judged())
  past = waitedIn(past, refused)
  expect([lateIn(past), lateIn(shown)]).toEqual([undefined, lateIn(first)])
  expect(lateIn(waitedIn(shown, refused))).toBeDefined()
})

test('a reply that shows what was there before a hundred changes of the last second is late', () => {
  const closed = close(world, { name: 'tags' }, 'main')
  const by = seenAt(900)
  const outcome = { status: 200, body: { data: [{ label: 'a' }], page: 1, pages: 1, results: 1 } }
  const past = Array.from({ length: 100 }, (_, n) => ({
    world: n === 0 ? world : closed,
    name: 'tags.create',
    endedAt: 8 * n,
  })).reduce(remembering, noPast)
  const told = judge(closed, op, by.call, outcome, 900)
  expect(told.deviations.length).toBeGreaterThan(0)
  const { changedAt, isGuess } = lateness(past, { ...by, outcome }, outcome, told)?.late ?? {}
  expect([changedAt, isGuess]).toEqual([0, undefined])
})

test('a long list is looked for before fewer changes than a short one, and before more only for a second', () => {
  const closed = close(world, { name: 'tags' }, 'main')
  const changes = Array.from({ length: 60 }, (_, n) => ({
    world: n === 0 ? world : closed,
    name: 'tags.create',
    endedAt: n,
  }))
  const isLate = (length: number, startedAt: number): boolean => {
    const data = Array.from({ length }, (_, n) => ({ label: `tag-${n}` }))
    const outcome = { status: 200, body: { data, page: 1, pages: 1, results: length }, contentType: 'application/json' }
    const by = { ...seenAt(startedAt), outcome }
    const told = judge(closed, op, by.call, outcome, startedAt)
    expect(told.deviations.length).toBeGreaterThan(0)
    return lateness(changes.reduce(remembering, noPast), by, outcome, told) !== undefined
  }
  expect([isLate(3, 2000), isLate(100, 2000), isLate(100, 70)]).toEqual([true, false, true])
})

test('a refusal from before a change shows that it is late, although its error has no field', () => {
  const empty = close(startWorld(embeddedEnvironment()), { name: 'managed-contacts' }, 'main')
  const past = remembering(noPast, { world: empty, name: creates.id, endedAt: 0 })
  const late = lateness(past, viewedAt(10), gone, judged(ruleOf(views, 'accepts', 'refused')))?.late
  expect([late?.by, late?.isGuess]).toEqual([creates.id, undefined])
})

test.each([
  ['its own program, is waited for', 7, false],
  ["another program's, is not, as long as it has taken no longer than others", 8, true],
])('a change by a hook that does not show yet, %s', (_, instance, isOthers) => {
  const empty = close(startWorld(embeddedEnvironment()), { name: 'managed-contacts' }, 'main')
  const past = remembering(
    { ...noPast, longestMs: 300 },
    { world: empty, name: 'hook deleteNode', endedAt: 0, instance },
  )
  const by = { ...viewedAt(10), instance: 7 }
  expect(lateness(past, by, gone, judged(ruleOf(views, 'accepts', 'refused')))?.isOthers).toBe(isOthers)
})

test.each([
  ['what was before, of a target that is late at times', 'www.before', 60, 50, undefined],
  ['what was before, of one that never has been', 'www.before', 0, 50, 'www.before'],
  ['what was before, long after', 'www.before', 60, 5000, 'www.before'],
  ['something else', 'www.after', 60, 50, 'www.after'],
])('a read of a field that a change has left open shows %s', (_, shown, longestMs, at, learned) => {
  const key = '203.0.113.11'
  const named = patch(startWorld(embeddedEnvironment()), ips, key, { rdns: 'www.before' })
  const open = forget(named, ips, key, ['rdns'])
  const past: Past = {
    ...remembering(noPast, { world: named, name: 'ips.update', endedAt: 0 }),
    longestMs,
  }
  const op = operationById('ips.view') as Operation
  const call = { ...seenAt(at).call, operation: op.id, url: `/networking/ips/${key}`, path: { address: key } }
  const after = withoutLate(past, { ...seenAt(at), op, call }, open, patch(open, ips, key, { rdns: shown }))
  expect(find(after, ips, key)?.rdns).toBe(learned)
})

test.each([
  ['has shown changes late at times', 60, 50, true],
  ['never has', 0, 50, undefined],
  ['has shown them late, long ago', 60, 5000, undefined],
])(
  'what may have gone is not sure to be there because a list of a target that %s shows it',
  (_, longestMs, at, stub) => {
    const key = 'main/a'
    const doubted = put(world, tags, { key, account: 'main', label: 'a', stub: true } as never)
    const removes = operationById('volumes.delete') as Operation
    const by = {
      ...seenAt(0),
      op: removes,
      call: { ...seenAt(0).call, operation: removes.id, path: { volumeId: '7' } },
    }
    const past: Past = { ...remembering(noPast, { world, name: removes.id, endedAt: 0, by }), longestMs }
    const shown = put(world, tags, { key, account: 'main', label: 'a' } as never)
    for (const before of [doubted, world])
      expect(find(withoutLate(past, seenAt(at), before, shown), tags, key)?.stub).toBe(stub)
  },
)

test.each([
  ['may be busy by itself and be waited for from now on', 'active', 24, 'volumes.resize'],
  ['may not, where it would be no smaller than it is', 'active', 20, undefined],
  ['is taken to be busy, where it was last seen so', 'resizing', 24, undefined],
])('long after its last change a volume that refuses to be resized %s', (_, status, size, by) => {
  const known = {
    key: '601',
    account: 'main',
    id: 601,
    status,
    size: 20,
    region: 'r1',
    node_id: null,
    migrating: false,
  }
  const resting = put(startWorld(embeddedEnvironment()), volumes, known as never)
  const resizes = operationById('volumes.resize') as Operation
  const call = {
    ...seenAt(0).call,
    operation: resizes.id,
    method: 'POST',
    url: '/volumes/601/resize',
    path: { volumeId: '601' },
    body: { size },
  } as const
  const busy = { status: 409, body: { errors: [{ field: '', reason: 'is busy' }] }, contentType: 'application/json' }
  const reply = judge(resting, resizes, call, busy, 1)
  const before = { world: put(resting, volumes, { ...known, status: 'creating' } as never), name: 'volumes.create' }
  const past = remembering(noPast, { ...before, endedAt: 0 })
  const seen = { ...seenAt(60_000), op: resizes, call, outcome: busy }
  const late = reply.deviations.length === 0 ? undefined : lateness(past, seen, busy, reply)?.late
  expect([late?.by, late?.changedAt]).toEqual([by, by && 60_000])
  expect(lateness(past, { ...seen, overdue: true }, busy, reply)).toBeUndefined()
})

test('what a write of the last seconds has sent may be shown, though another one beside it was taken for the later', () => {
  const updates = operationById('managed-contacts.update') as Operation
  const key = '7'
  const named = (name: string) =>
    put(startWorld(embeddedEnvironment()), contacts, { key, account: 'main', id: 7, name })
  const path = { contactId: key }
  const call = { url: '/managed/contacts/7', as: 'owner', path, query: {} }
  const sends = (name: string, endedAt: number) => ({
    world: named('a'),
    by: {
      ...seenAt(endedAt),
      op: updates,
      call: { ...call, operation: updates.id, method: 'PUT' as const, body: { name } },
    },
    name: updates.id,
    endedAt,
  })
  const past = [sends('b', 10), sends('c', 12)].reduce(remembering, noPast)
  const lateWith = (name: string) => {
    const outcome = { status: 200, body: { id: 7, name } }
    const by = { ...viewedAt(100), outcome }
    const told = judge(named('c'), views, by.call, outcome, 100)
    const plain = { ...told, deviations: told.deviations.filter(({ kind }) => kind === 'name') }
    expect(plain.deviations).toHaveLength(1)
    return lateness(past, by, outcome, plain)?.late.isGuess
  }
  expect([lateWith('b'), lateWith('x')]).toEqual([true, undefined])
})
