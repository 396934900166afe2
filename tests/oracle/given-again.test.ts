// Ids that others on a shared account are given once something of the run's own is gone.
import { expect, test } from 'vitest'
import { ranges } from '../../models/ipv6-ranges/record.js'
import { live as there } from '../../models/language/world.js'
import { pageOf } from '../models/stories.js'
import { type Live, live, taken } from './live.js'
import { named, page } from './traffic.js'

const path = { volumeId: 7 }
const madeAndRemoved: readonly Live[] = [
  ['volumes.create', { body: { label: 'ts-t-1', region: 'r1' } }, named('ts-t-1')],
  ['volumes.delete', { path }, {}],
]
const listed = (label: string): Live => ['volumes.list', {}, page(named(label)), true]
const viewed = (label: string): Live => ['volumes.view', { path }, named(label), true]

test.each<[string, boolean, Live, readonly string[]]>([
  ['a list shows something else by the id, which others have made', false, listed('theirs'), []],
  ['a view shows something else by the id, which others have made', false, viewed('theirs'), []],
  ['a list shows what was removed', false, listed('ts-t-1'), ['volumes.list.only-live']],
  ['a view shows what was removed', false, viewed('ts-t-1'), ['volumes.delete.takes-effect']],
  ['a view shows it by another name of the run', false, viewed('ts-t-2'), ['volumes.delete.takes-effect']],
  ['a list shows something else, and nobody else uses the account', true, listed('theirs'), ['volumes.list.only-live']],
])('%s', (_, exclusive, step, clauses) => {
  const broken = live([...madeAndRemoved, step], exclusive)
    .at(-1)
    ?.deviations.map(({ clause }) => clause)
  // What else the account holds, these lists do not show.
  expect(broken?.filter((id) => id !== 'volumes.list.complete')).toEqual(clauses)
})

test.each([
  ['is not yet known by what was removed, which a late list may still show', ['a'], '?made by call 6'],
  ['is known once the list shows something new', ['a', 'b'], '2001:db8:b::'],
])('what was made without an id %s', (_, shown, key) => {
  const range = (name: string) => ({ range: `2001:db8:${name}::`, region: 'r1' })
  const lists = (...names: readonly string[]): Live => ['ipv6-ranges.list', {}, pageOf(...names.map(range))]
  const creates = (reply: object): Live => ['ipv6-ranges.create', { body: { prefix_length: 64, node_id: 101 } }, reply]
  const removes: Live = ['ipv6-ranges.delete', { path: { range: range('a').range } }, {}]
  // The list has been late before.
  const late = [lists(), creates(range('a')), lists(), lists('a'), removes]
  const { world } = taken([...late, creates({}), ...shown.map((name) => lists(name))])
  expect(there(world, ranges).map((one) => one.key)).toEqual([key])
})

test.each([
  ['that a list shows by its id alone may be new, though its reply told nothing asked for', {}, []],
  [
    'is not taken for new where the list shows the name of what was removed',
    { label: 'ts-t-1' },
    ['object-keys.list.only-live'],
  ],
])('what was made under an id given again %s', (_, shown, clauses) => {
  const key = { id: 7, access_key: 'AK7' }
  const broken = live(
    [
      ['object-keys.create', { body: { label: 'ts-t-1' } }, { ...key, label: 'ts-t-1' }],
      ['object-keys.delete', { path: { keyId: 7 } }, {}],
      ['object-keys.create', { body: {} }, key],
      ['object-keys.list', {}, pageOf({ ...key, ...shown }), true],
    ],
    true,
  ).at(-1)
  expect(broken?.deviations.map(({ clause }) => clause)).toEqual(clauses)
})
