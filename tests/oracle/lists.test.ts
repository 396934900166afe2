// What the envelope of a list says of itself.
import { expect, test } from 'vitest'
import { pageOf } from '../models/stories.js'
import { type Live, live } from './live.js'
import { volume } from './traffic.js'

const holding = (counts: object, ...labels: readonly string[]): Live => [
  'tags.list',
  { query: { page: '1' } },
  { ...pageOf(...labels.map((label) => ({ label }))), ...counts },
]
const tags = (pages: number, ...labels: readonly string[]): Live => holding({ pages }, ...labels)
const found = (list: Live) => live([list]).flatMap(({ deviations }) => deviations.map(({ clause }) => clause))

test('a page that holds all results is the only one, also where pages may be counted from 0', () => {
  expect(found(tags(1, 'one', 'two'))).toEqual([])
  expect(found(tags(2, 'one', 'two'))).toEqual(['tags.list.pages'])
})

test('the only page holds all results, or none where it was asked for another one', () => {
  expect(found(holding({ results: 3 }, 'one', 'two'))).toEqual(['tags.list.pages'])
  expect(found(holding({ results: 3 }))).toEqual([])
})

test('what is expected of the number of pages is told with what the page holds', () => {
  const expected = (list: Live) => live([list]).flatMap(({ deviations }) => deviations.map((one) => one.expected))
  expect(expected(tags(2, 'one'))).toEqual(['pages 1, since the page holds 1 of 1 result'])
  expect(expected(holding({ results: 3 }, 'one', 'two'))).toEqual(['pages 2, since the page holds 2 of 3 results'])
  expect(expected(['tags.list', {}, { ...pageOf(), pages: 2 }])).toEqual(['pages 0 or 1 for no results'])
  expect(expected(['tags.list', {}, { ...pageOf(), results: 1 }])).toContain('some of the 1 result that it tells')
})

test('a list that was asked for with a parameter that the document does not have need not hold everything', () => {
  const creates: Live = ['tags.create', { body: { label: 'one' } }, { label: 'one' }]
  const lists = (query: Readonly<Record<string, string>>): Live => ['tags.list', { query }, pageOf(), true]
  const found = (list: Live) =>
    live([creates, list]).flatMap(({ deviations }) => deviations.map(({ clause }) => clause))
  expect(found(lists({ label: 'two' }))).toEqual([])
  expect(found(lists({}))).toEqual(['tags.list.complete'])
})

test.each([
  ['no id', undefined, 'volumes.list.reply.id.required'],
  ['nothing as its id', null, 'volumes.list.reply.id.type'],
])('a record with %s is held to the form of a record all the same', (_, id, clause) => {
  const disk = { ...volume(), id }
  expect(found(['volumes.list', {}, pageOf(JSON.parse(JSON.stringify(disk)))])).toContain(clause)
})

const rules = (inbound_policy: string) => ({ inbound: [], inbound_policy, outbound: [], outbound_policy: 'ACCEPT' })
const creates = (label: string, body: object): Live => [
  'firewalls.create',
  { body: { label, rules: rules('ACCEPT') } },
  body,
]

test('a firewall that has the id of a deleted one may have been changed under it before the target tells so', () => {
  const firewallId = '1500'
  const steps: readonly Live[] = [
    creates('one', { id: 1500 }),
    ['firewalls.delete', { path: { firewallId } }, {}],
    creates('two', {}),
    ['firewall-rules.update', { path: { firewallId }, body: rules('DROP') }, {}],
    ['firewalls.list', {}, pageOf({ id: 1500, label: 'two', status: 'enabled', rules: rules('DROP') }), true],
  ]
  expect(live(steps).flatMap(({ deviations }) => deviations)).toEqual([])
})

test('a ticket whose id no reply told is in the list, though that cuts its texts', () => {
  const body = {
    summary: 'ts-t-1: the disk of the node is very slow',
    description: 'ts-t-2: since yesterday, at least',
  }
  const shown = { id: 5, summary: 'ts-t-1: the disk of the…', description: 'ts-t-2: since yester…', status: 'new' }
  const steps: readonly Live[] = [
    ['tickets.create', { body }, [{ id: 5, ...body }]],
    ['tickets.list', {}, pageOf(shown), true],
    ['tickets.view', { path: { ticketId: '5' } }, { id: 5, ...body, description: 'another' }, true],
  ]
  expect(live(steps).flatMap(({ deviations }) => deviations.map(({ clause }) => clause))).toEqual([
    'tickets.view.shows.description',
  ])
})
