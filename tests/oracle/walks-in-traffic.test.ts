// Pages that a client of recorded traffic asked for one after another: what they lose, double or miscount together is told.
import { describe, expect, test } from 'vitest'
import { type Exchange, gating, harOf, judgeHar, told } from './traffic.js'

const as = 'one'
const size = 25
const count = 30

const volume = (id: number) => ({
  id,
  label: `disk-${id}`,
  status: 'active',
  size: 20,
  region: 'r1',
  hardware_type: 'hdd',
  filesystem_path: `/dev/disk/by-id/scsi-0Node_Volume_disk-${id}`,
  node_id: null,
  node_label: null,
  tags: [],
  created: '2026-01-01T00:00:00',
  updated: '2026-01-01T00:00:00',
})
const all = Array.from({ length: count }, (_, i) => i + 1)
const [firstOnes, lastOnes] = [all.slice(0, size), all.slice(size)]
/** In no order. */
const shuffled = [...all].sort((one, other) => ((one * 7) % 31) - ((other * 7) % 31))

/** A page of the list, with the counts that all of its records have. */
const shows = (page: number | undefined, ids: readonly number[], counts: object = {}): Exchange =>
  told('volumes.list', { as, query: { ...(page !== undefined && { page }), page_size: size } }, 200, {
    data: ids.map(volume),
    page: page ?? 1,
    pages: 2,
    results: count,
    ...counts,
  })

/** Exchanges that begin at a moment. */
const at = (start: number, exchanges: readonly Exchange[]): readonly Exchange[] =>
  exchanges.map((one, i) => ({ ...one, at: start + i * 100 }))

/** A walk over both pages. */
const walk = (first: readonly number[], second: readonly number[], counts: object = {}) => [
  shows(undefined, first, counts),
  shows(2, second, counts),
]

const found = (...exchanges: readonly Exchange[]) => gating(judgeHar(harOf(exchanges), false, true))
const missing = 'volumes.list.complete:missing-over-pages'
const doubled = 'volumes.list.no-duplicates:doubled-over-pages'
const results = 'volumes.list.results:results-over-pages'

const makes = (id: number): Exchange =>
  told('volumes.create', { as, body: { label: `disk-${id}`, region: 'r1' } }, 200, volume(id))
const removes = (id: number): Exchange => told('volumes.delete', { as, path: { volumeId: id } }, 200, {})

describe('pages that were asked for one after another', () => {
  test('tell nothing where they share out all records', () => {
    expect(found(...walk(firstOnes, lastOnes), ...walk(shuffled.slice(0, size), shuffled.slice(size)))).toEqual([])
  })
  test('are told where the second repeats the first, with both as the program', () => {
    const { found: told } = judgeHar(harOf([makes(30), ...walk(firstOnes, firstOnes.slice(0, 5))]), false, true)
    expect(told.map(({ id, steps }) => [id, steps.map(({ n }) => n)])).toEqual([
      [missing, [2, 3]],
      [doubled, [2, 3]],
    ])
  })
  test('are told where they hold fewer than they count', () => {
    expect(found(...walk(firstOnes, lastOnes.slice(1)))).toEqual([results])
  })
  test('are told in any order that shows again after a minute, with nothing recorded between', () => {
    const [first, second] = [shuffled.slice(0, size), [...shuffled.slice(size - 1, -1)]]
    const twice = walk(first, second)
    const again = (walked: readonly Exchange[], ...between: readonly Exchange[]) =>
      found(
        makes(shuffled[count - 1] as number),
        ...at(70_000, twice),
        ...at(100_000, [...between, ...twice]),
        ...at(140_000, walked),
      )
    expect(again(twice)).toEqual([missing, doubled])
    expect(again(walk([...first].reverse(), second))).toEqual([])
    expect(again(twice, makes(31))).toEqual([])
    expect(again(twice, removes(31))).toEqual([])
  })
  test('are told where there is a number for the first of them, once it is known to be counted from 1', () => {
    const numbered = [shows(1, firstOnes), shows(2, firstOnes.slice(0, 5))]
    expect(found(...numbered)).toEqual([doubled])
    // The second and third of pages that are counted from 0, in a list of which the bounds are not shown.
    const late = { pages: 3, results: 60 }
    expect(found(shows(1, firstOnes, late), shows(2, firstOnes, late), shows(3, [], late))).toEqual([])
  })
})

describe('pages are not told', () => {
  const twice = walk(firstOnes, firstOnes.slice(0, 5))
  test('where their counts differ, as something was made or removed meanwhile, or one of them is old', () => {
    expect(found(shows(undefined, firstOnes), shows(2, [25, 26, 27, 28], { results: 29 }))).toEqual([])
  })
  test('where something was changed between them, or so shortly before that one of them may not show it yet', () => {
    const [first, second] = twice as [Exchange, Exchange]
    expect(found(first, makes(31), second)).toEqual([])
    expect(found(removes(31), ...twice)).toEqual([])
    expect(found({ ...removes(31), at: 0 }, { ...first, at: 70_000 }, { ...second, at: 70_100 })).toEqual([doubled])
  })
  test('where a change that had no reply may have come between them', () => {
    expect(found({ ...removes(31), status: 0, reply: undefined }, ...twice)).toEqual([])
  })
  test('where others may have made and removed so many that others move on, or a replica may be behind in that', () => {
    // 28 has moved up, where the order is that of labels, of changes, or of what is open; the ids are in order all the same.
    expect(found(...walk(firstOnes, [25, 26, 27, 29, 30]))).toEqual([])
    // The second page is from before 3 was removed and 31 was made.
    expect(found(...walk([1, 2, ...all.slice(3, 26)], all.slice(25)))).toEqual([])
    // The latest first, and a cache repeats both pages.
    const latestFirst = walk(all.slice(5).reverse(), [6, 5, 4, 3, 1])
    expect(found(...latestFirst, ...latestFirst)).toEqual([])
  })
  test('where so much time went by between them that others may have moved on a whole page', () => {
    const [first, second] = twice as [Exchange, Exchange]
    expect(found({ ...first, at: 0 }, { ...second, at: 12_000 })).toEqual([])
  })
  test('where one that was made is counted before it is shown', () => {
    expect(found(makes(31), ...walk(firstOnes, lastOnes, { results: 31 }))).toEqual([])
  })
  test('where nothing tells callers apart, so that two may have walked by turns', () => {
    const stripped = walk(firstOnes, [25, 26, 27, 28, 29]).map((one) => ({ ...one, as: undefined }))
    expect(found(...at(0, stripped), ...at(90_000, stripped))).toEqual([])
    // What one shows and the other does not may be the other's own.
    const broken = [...walk(firstOnes, lastOnes), ...walk(firstOnes, firstOnes.slice(0, 5))]
    expect(found(...broken.map((one) => ({ ...one, as: undefined })))).toEqual([doubled])
  })
  test('where records do not tell what they are, in whatever order they come', () => {
    const tagged = (ids: readonly number[], page: number | undefined): Exchange =>
      told('tags.view', { as, path: { tagLabel: 'blue' }, query: { ...(page && { page }) } }, 200, {
        data: ids.map((id) => ({ type: 'volume', data: { ...volume(id), tags: ['blue'] } })),
        page: page ?? 1,
        pages: 2,
        results: count,
      })
    const makesTag = told('tags.create', { as, body: { label: 'blue' } }, 200, { label: 'blue' })
    const body = { label: 'disk-26', region: 'r1', tags: ['blue'] }
    const carries = told('volumes.create', { as, body }, 200, { ...volume(26), tags: ['blue'] })
    const pages = [tagged(firstOnes, undefined), tagged([25, 27, 28, 29, 30], 2)]
    expect(judgeHar(harOf([makesTag, carries, ...at(130_000, pages)]), false, true).found).toEqual([])
  })
  test('where others may have removed what is on none of them, and counts tell no more than they show', () => {
    const counts = { results: 29 }
    expect(found(makes(30), ...walk(firstOnes, lastOnes.slice(0, 4), counts))).toEqual([])
  })
  test('where records may be counted later than they are shown', () => {
    const counts = { results: 29 }
    expect(found(makes(30), ...walk(firstOnes, lastOnes, counts))).toEqual([])
    expect(found(...walk(firstOnes, lastOnes, counts))).toEqual([results])
  })
  test('where they are of different callers, or of different sizes', () => {
    const [first, second] = twice as [Exchange, Exchange]
    expect(found(first, { ...second, as: 'other' })).toEqual([])
    expect(found(first, { ...second, url: second.url.replace('25', '26') })).toEqual([])
  })
})
