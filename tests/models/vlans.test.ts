import { describe, expect, test } from 'vitest'
import { embeddedEnvironment } from '../../reference/environment.js'
import { pageOf, refusal, told } from './stories.js'

const all = (embeddedEnvironment().fixtures.vlans ?? []).filter(({ account }) => account === undefined)
const list = (...records: readonly object[]) => told([['vlans.list', {}, 200, pageOf(...records)]]).deviations
const one = { label: 'lan-1', region: 'r1' }
const two = { label: 'lan-2', region: 'r1' }

describe('a target is left its freedom', () => {
  test('records may tell neither label nor region', () => expect(list(...all.map((_, id) => ({ id })))).toEqual([]))
  test('some records may tell less than others', () =>
    expect(list(one, ...all.slice(1).map((_, id) => ({ id })))).toEqual([]))
  test('there may be VLANs that the target file does not list', () =>
    expect(list(...all, { label: 'lan-elsewhere', region: 'r1' })).toEqual([]))
})

describe('a parameter that is given several times', () => {
  const twice = { query: { page: [1, 2], page_size: [25, 500] } }
  const answered = (page: number, pages: number) =>
    told([['vlans.list', twice, 200, { data: all, page, pages, results: all.length }]]).deviations
  test('may count as the first or as the last', () => {
    expect([answered(1, 1), answered(2, 2)]).toEqual([[], []])
  })
  test('may be refused', () => expect(told([['vlans.list', twice, 400, refusal('page')]]).deviations).toEqual([]))
  test('is an error of the client all the same', () =>
    expect(told([['vlans.list', twice, 500, refusal()]]).deviations).toEqual(['should vlans.list.refusal.status']))
})

describe('a fault is found', () => {
  test('a VLAN that is missing', () => expect(list(one)).toContain('must vlans.list.complete'))
  test('a VLAN that is listed twice', () => expect(list(one, two, two)).toContain('must vlans.list.no-duplicates'))
  test('a VLAN of another account', () =>
    expect(list(one, two, { label: 'lan-9', region: 'r1' })).toContain('should vlans.list.own'))
  test('a page of fewer records than it counts', () =>
    expect(told([['vlans.list', {}, 200, { data: [one, two], page: 1, pages: 1, results: 3 }]]).deviations).toContain(
      'must vlans.list.page-size',
    ))
})
