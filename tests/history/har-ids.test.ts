// What ids tell of the order of calls whose times do not: nobody names what was made before it was made.
import { describe, expect, test } from 'vitest'
import type { CallEntry } from '../../history/entry.js'
import { type Exchange, entryOf, gating, judgeHar, named, recordingsOf, told, volume } from '../oracle/traffic.js'

const as = 'owner'
const disk = { path: { volumeId: 7 } }
const creates = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
const views = (label = 'disk') => told('volumes.view', { as, ...disk }, 200, named(label))
const renames = told('volumes.update', { as, ...disk, body: { label: 'b' } }, 200, named('b'))
const deletes = told('volumes.delete', { as, ...disk }, 200, {})
const lists = told('volumes.list', { as }, 200, { data: [volume()], page: 1, pages: 1, results: 1 })
const missing = told('volumes.view', { as, ...disk }, 404, { errors: [{ field: '', reason: 'no' }] })

/** All in one second, of which no time tells more. */
const inOneSecond = (calls: readonly Exchange[]) => ({
  log: {
    entries: calls.map((call, i) => ({ ...entryOf(call, i), startedDateTime: '2026-01-01T00:00:00Z', time: 20 })),
  },
})
const ordered = (calls: readonly Exchange[]): readonly (readonly [boolean, number])[] =>
  recordingsOf(inOneSecond(calls), true).flatMap(({ events }) =>
    events
      .filter((one): one is CallEntry => one.kind === 'call')
      .map(({ known }): [boolean, number] => [known?.made !== undefined, known?.uses.size ?? 0]),
  )

describe('a call that names or shows what another made', () => {
  test('took effect after that, if it was accepted', () => {
    expect(ordered([lists, views(), missing, creates])).toEqual([
      [false, 1],
      [false, 1],
      [false, 0],
      [true, 0],
    ])
  })
  test('may have come first where the id was given twice, or to another account', () => {
    const again = told('volumes.create', { as, body: { label: 'c', region: 'r1' } }, 200, named('c'))
    expect(ordered([views(), creates, deletes, again]).flat()).not.toContain(true)
    expect(ordered([told('volumes.view', { as: 'other', ...disk }, 200, volume()), creates])[0]).toEqual([false, 0])
  })
  test('may have come first where nothing tells who called, for that may be several accounts', () => {
    const unnamed = [lists, views(), creates].map((one) => ({ ...one, as: undefined }))
    expect(ordered(unnamed).flat()).toEqual([false, 0, false, 0, false, 0])
  })
  test('is judged by it: no order explains a label that was never given', () => {
    expect(gating(judgeHar(inOneSecond([views(), creates, renames, views('b')]), true))).toEqual([])
    expect(gating(judgeHar(inOneSecond([views('c'), creates, renames, views('b')]), true))).not.toEqual([])
  })
  test('may have come first where what is given is given again, as addresses are, though it has an id', () => {
    const address = '203.0.113.9'
    const shown = { id: address, address, type: 'ipv4', public: true, node_id: 101, region: 'r1', rdns: null }
    const looks = told('ips.view', { as, path: { address } }, 200, shown)
    const allocates = told('ips.allocate', { as, body: { node_id: 101, type: 'ipv4', public: true } }, 200, shown)
    expect(ordered([looks, allocates]).flat()).toEqual([false, 0, false, 0])
  })
})
