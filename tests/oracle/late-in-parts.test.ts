// A list that shows at once what is made, and only later that something is removed, or the other way round.
import { describe, expect, test } from 'vitest'
import { pageOf, refusal } from '../models/stories.js'
import { type Live, live } from './live.js'

const contact = (id: number) => ({ id, name: `name-${id}`, email: `n${id}@example.org` })
const creates = (id: number): Live => ['managed-contacts.create', { body: { name: `name-${id}` } }, contact(id)]
const removes = (id: number): Live => ['managed-contacts.delete', { path: { contactId: id } }, {}]
const lists = (...ids: readonly number[]): Live => ['managed-contacts.list', {}, pageOf(...ids.map(contact))]
const overdue = ([operation, args, body]: Live): Live => [operation, args, body, true]

const told = (...steps: readonly Live[]) =>
  live(steps)
    .slice(-1)
    .map(({ verdict, deviations }) => [verdict, ...deviations.map(({ clause }) => clause)])
    .at(0)

describe('where one is removed, another is made, and that one is removed', () => {
  const changes = [lists(), creates(1), removes(1), creates(2), removes(2), creates(3)]

  test('a list may show the two removed ones for a while', () =>
    expect(told(...changes, lists(1, 2, 3))).toEqual(['inconclusive']))

  test('it does not show them for good', () =>
    expect(told(...changes, overdue(lists(1, 2, 3)))).toEqual(['finding', 'managed-contacts.list.only-live']))
})

test('a list may lack a while what was made before something was removed', () => {
  const changes = [lists(), creates(1), creates(2), removes(1), creates(3)]
  expect(told(...changes, lists(2))).toEqual(['inconclusive'])
  expect(told(...changes, overdue(lists(2)))).toEqual(['finding', 'managed-contacts.list.complete'])
})

describe('a list may count its records later than it shows them', () => {
  const counted = (results: number, pages: number, ...ids: readonly number[]): Live => [
    'managed-contacts.list',
    {},
    { ...pageOf(...ids.map(contact)), results, pages },
  ]

  test.each([
    ['the one that was made', [lists(), creates(1)], counted(0, 0, 1)],
    ['the one that was removed', [lists(), creates(1), creates(2), removes(1)], counted(2, 1, 2)],
  ])('without regard to %s', (_, changes, list) => {
    expect(told(...changes, list)).toEqual(['inconclusive'])
    expect(told(...changes, overdue(list))).toEqual(['finding', 'managed-contacts.list.page-size'])
  })

  test('its pages are never more than so few records need', () =>
    expect(told(lists(), creates(1), counted(1, 2, 1))).toEqual(['finding', 'managed-contacts.list.pages']))

  test('it counts them right where nothing has changed', () =>
    expect(told(lists(), counted(3, 1))).toEqual(['finding', 'managed-contacts.list.page-size']))
})

describe('a bucket that is being removed may be neither there nor gone', () => {
  const creates = (reply: object): Live => ['buckets.create', { body: { cluster: 'c1', label: 'ts-t-1' } }, reply]
  const removes: Live = ['buckets.delete', { path: { clusterId: 'c1', bucket: 'ts-t-1' } }, {}]
  const again = creates(refusal('label'))

  test('so that its label is not free for a while', () => {
    expect(told(creates({}), removes, again)).toEqual(['inconclusive'])
    expect(told(creates({}), removes, overdue(again))).toEqual(['finding', 'buckets.create.accepts'])
  })

  test('while it is there, a creation of the same is accepted', () =>
    expect(told(creates({}), again)).toEqual(['finding', 'buckets.create.accepts']))
})
