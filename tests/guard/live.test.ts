// What a guard tells while traffic goes on: nothing that calls to come may show to have been late, and the rest as soon as it is clear.
import { expect, test } from 'vitest'
import { createLiveJudge, type LiveBounds } from '../../guard/live.js'
import { type Entry, isTimed } from '../../history/entry.js'
import { type Exchange, harOf, named, recordingsOf, told, volume } from '../oracle/traffic.js'

const as = 'debtor'
const path = { volumeId: 7 }
const create = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
const rename = told('volumes.update', { as, path, body: { label: 'b' } }, 200, named('b'))
const shows = (label: string): Exchange => told('volumes.view', { as, path }, 200, named(label))
const others = Array.from({ length: 4 }, () =>
  told('tags.list', { as }, 200, { data: [], page: 1, pages: 1, results: 0 }),
)

/** What each look tells, after one call more each; the last look is the end. */
const looks = (...calls: readonly Exchange[]): readonly (readonly string[])[] =>
  looksWithin({ window: 5, carried: 2, remembered: 1000 }, ...calls)

const looksWithin = (bounds: LiveBounds, ...calls: readonly Exchange[]): readonly (readonly string[])[] => {
  const [recording] = recordingsOf(harOf(calls))
  if (!recording) throw new Error('no recording')
  const live = createLiveJudge(recording, bounds)
  const events = recording.events.filter(isTimed)
  return events.map((event, i) => {
    live.take(event)
    return live.look([], i === events.length - 1).found.map(({ deviation }) => deviation.clause)
  })
}

const lost = ['volumes.update.takes-effect', 'volumes.view.shows.filesystem_path']

test('a view that a later one shows to have been late is not told while none has', () => {
  expect(looks(create, rename, shows('disk'), shows('b')).flat()).toEqual([])
})

test('a view that nothing shows to have been late is told at the end', () => {
  expect(looks(create, shows('disk'), rename, shows('disk'))).toEqual([[], [], [], lost])
})

test('a view that nothing shows to have been late is not told where no view has shown a change so soon', () => {
  const [first, ...later] = looks(create, { ...shows('disk'), at: 500 }, rename, shows('disk'))
  expect([first, ...later].flat()).toEqual([])
  expect(looks(create, rename, shows('disk')).flat()).toEqual([])
  // That something is not there once it is removed shows nothing: it may not have been there yet.
  const removed = { as, path: { volumeId: 8 } }
  const gone = [
    told('volumes.create', { as, body: { label: 'c', region: 'r1' } }, 200, { ...named('c'), id: 8 }),
    told('volumes.delete', removed, 200, {}),
    told('volumes.view', removed, 404, { errors: [{ field: 'volumeId', reason: 'Not found' }] }),
  ]
  expect(looks(...gone, create, rename, shows('disk')).flat()).toEqual([])
})

test('it is told once no call to come may show it any more, however many calls that are', () => {
  const later = others.map((one) => ({ ...one, at: 62_000 }))
  const seen = looks(create, shows('disk'), ...others, rename, shows('disk'), ...others, ...others, ...later)
  expect(seen.map(({ length }) => length > 0).indexOf(true)).toBe(16)
  expect(seen[16]).toContain('volumes.view.shows.filesystem_path')
})

test('a view of a replica that is behind is none, though what it shows was changed windows ago', () => {
  const renamed = (label: string): Exchange => told('volumes.update', { as, path, body: { label } }, 200, named(label))
  const [other = create] = others
  const before = [create, rename, other, other, shows('b')]
  const quick = (calls: readonly Exchange[]) => calls.map((one, i) => ({ ...one, at: 30 * i }))
  expect(looks(...quick([...before, renamed('c'), shows('disk'), shows('c')])).flat()).toEqual([])
  expect(looks(...quick([...before, renamed('c'), shows('x'), shows('c')])).flat()).not.toEqual([])
})

test('a call that is refused for its token is not told, though nothing before a write showed what that allows', () => {
  const as = 'stranger'
  const allowed = told('tags.list', { as }, 200, { data: [], page: 1, pages: 1, results: 0 })
  const opens = told('tickets.create', { as, body: { summary: 'slow', description: 'disk' } }, 200, { id: 9 })
  const closes = told('tickets.close', { as, path: { ticketId: 9 } }, 200, {})
  const expired = told('tickets.list', { as }, 401, { errors: [{ field: 'token', reason: 'Invalid token' }] })
  expect(looks(allowed, opens, expired, closes, allowed).flat()).toEqual([])
})

test('a view may be as late as the target was in windows before', () => {
  const renamed = (label: string): Exchange => told('volumes.update', { as, path, body: { label } }, 200, named(label))
  const before = [create, rename, shows('disk'), shows('b'), ...others, ...others]
  expect(looks(...before, renamed('c'), shows('b')).flat()).toEqual([])
  expect(looks(create, rename, shows('b'), ...others, ...others, renamed('c'), shows('b')).flat()).not.toEqual([])
})

test('a write without an answer is known to what comes after missed calls, however many calls ago it was', () => {
  const unanswered = told('volumes.update', { as, path, body: { label: 'b' } }, 0, {})
  const [recording] = recordingsOf(harOf([create, unanswered, ...others, ...others, ...others]))
  if (!recording) throw new Error('no recording')
  for (const remembered of [4, 1000]) {
    const live = createLiveJudge(recording, { window: 5, carried: 2, remembered })
    for (const event of recording.events.filter(isTimed)) {
      live.take(event)
      live.look([])
    }
    expect(live.forget(1000)).toHaveLength(1)
  }
})

test('it is told as well where all else is forgotten in between', () => {
  const later = others.map((one) => ({ ...one, at: 62_000 }))
  const calls = [create, shows('disk'), ...others, rename, shows('disk'), ...others, ...others, ...later]
  const seen = looksWithin({ window: 5, carried: 2, remembered: 6 }, ...calls)
  expect(seen.flat()).toContain('volumes.view.shows.filesystem_path')
})

test('a call is told to have taken too long to be judged where all of before its end is forgotten', () => {
  const slow = { ...shows('disk'), at: 1, ms: 2000 }
  const [recording] = recordingsOf(harOf([create, slow, ...others, ...others, ...others, ...others]))
  if (!recording) throw new Error('no recording')
  const live = createLiveJudge(recording, { window: 5, carried: 2, remembered: 6 })
  const [first, long, ...rest] = recording.events.filter(isTimed) as [Entry, Entry, ...Entry[]]
  const seen = [first, ...rest].map((event) => {
    live.take(event)
    return live.settle([])
  })
  live.take(long)
  const all = [...seen, live.look([], true)]
  expect(all.map(({ cut }) => cut).reduce((a, b) => a + b)).toBe(1)
  expect(all.flatMap(({ steps }) => steps)).toHaveLength(rest.length + 1)
})

test('what is settled is judged once and for good, and what calls to come may meet is left', () => {
  const wrong = told('volumes.view', { as, path }, 200, { ...named('disk'), size: 'big' })
  const [recording] = recordingsOf(harOf([create, ...others.slice(2), wrong, ...others]))
  if (!recording) throw new Error('no recording')
  const live = createLiveJudge(recording, { window: 5, carried: 2, remembered: 1000 })
  const seen = recording.events.filter(isTimed).map((event) => {
    live.take(event)
    const { steps, found } = live.settle([])
    return [steps.map(({ n }) => n), found.length]
  })
  const none = [[], 0]
  expect(seen).toEqual([none, none, none, none, [[1, 2, 3], 0], none, none, [[4, 5, 6], 1]])
  expect(live.look([], true).steps.map(({ n }) => n)).toEqual([7, 8])
})

test('pages that a replica may count late are not told, though the change is forgotten that is the reason', () => {
  const counted = (page: number, ids: readonly number[]): Exchange =>
    told('volumes.list', { as, query: { page } }, 200, {
      data: ids.map((id) => ({ ...named(`disk-${id}`), id })),
      page,
      pages: 2,
      results: 4,
    })
  const removes = told('volumes.delete', { as, path }, 200, {})
  const walk = [counted(1, [1, 2, 3]), counted(2, [4, 5])]
  const bounds = { window: 5, carried: 2, remembered: 6 }
  const results = 'volumes.list.results'
  expect(looksWithin(bounds, create, removes, ...others, ...others, ...walk).flat()).not.toContain(results)
  const later = walk.map((one) => ({ ...one, at: 90_000 }))
  expect(looksWithin(bounds, create, removes, ...others, ...others, ...later).flat()).toContain(results)
})
