import { expect, test } from 'vitest'
import { pageOf, told } from './stories.js'

const list = (body: object) => told([['ipv6-pools.list', {}, 200, body]]).deviations

test('records of pools are free, and so is their number', () =>
  expect([list(pageOf()), list(pageOf({ range: '2001:db8::/64' }, { region: 'r1' }))]).toEqual([[], []]))

test('a collection that counts wrong is found', () =>
  expect(list({ ...pageOf({}), results: 2 })).toContain('must ipv6-pools.list.page-size'))

test('records that are no objects are found', () =>
  expect(list({ data: ['2001:db8::/64'], page: 1, pages: 1, results: 1 })).toContain('must ipv6-pools.list.envelope'))
