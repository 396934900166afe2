import { describe, expect, test } from 'vitest'
import { embeddedEnvironment } from '../../reference/environment.js'
import { pageOf, told } from './stories.js'

const start = 1_700_000_000
const series = (unit = 1000, hours = 24) =>
  Array.from({ length: hours }, (_, i) => ({ x: (start + i * 3600) * unit, y: i }))
const stats = (reply: unknown) => told([['managed-stats.view', {}, 200, reply]]).deviations
const five = { cpu: series(), disk: series(), swap: series(), in: series(), out: series() }

describe('statistics', () => {
  test.each([
    ['in an object', { data: five }],
    ['in a list', Object.entries(five).map(([name, data]) => ({ name, data }))],
    ['nested', { cpu: series(), disk: series(), swap: series(), network: { in: series(), out: series() } }],
    ['in seconds', { ...five, cpu: series(1) }],
    ['with dates', { ...five, cpu: [{ x: '2026-01-01T00:00:00Z', y: 1 }] }],
    ['in microseconds', { ...five, cpu: series(1e6, 48) }],
    ['in tenths of a second', { ...five, cpu: series(10, 48) }],
    [
      'by the hour of the day',
      {
        ...five,
        cpu: [
          { x: '1', y: 1 },
          { x: '23', y: 1 },
        ],
      },
    ],
    ['without points of one kind', { ...five, swap: [] }],
    ['without any points', { data: { cpu: [], disk: [], swap: [], in: [], out: [] } }],
    ['as pairs', { cpu: [[1, 2]], disk: [[1, 2]] }],
    ['in points that they share', { data: [{ x: start, y: { cpu: 1, disk: 2, swap: 3, in: 4, out: 5 } }] }],
    ['in one array with their names', ['cpu', 'disk', 'swap', 'in', 'out'].map((name) => ({ name, x: start, y: 1 }))],
  ])('five series %s are taken', (_, reply) => expect(stats(reply)).toEqual([]))
  test('four series are one too few', () =>
    expect(stats({ ...five, swap: undefined })).toEqual(['must managed-stats.view.five-series']))
  test.each([
    ['one', [...series(), { x: 5 }]],
    ['each', series().map(({ x }) => ({ x }))],
  ])('%s point has its y', (_, cpu) => expect(stats({ ...five, cpu })).toEqual(['must managed-stats.view.points']))
  test('each point has its x', () =>
    expect(stats({ ...five, cpu: [{ y: 1 }, { y: 2 }] })).toEqual(['must managed-stats.view.points']))
  test('two days are too long', () =>
    expect(stats({ ...five, cpu: series(1000, 48) })).toEqual(['must managed-stats.view.last-day']))
  test('two days are too long in dates as well', () =>
    expect(
      stats({
        ...five,
        cpu: [
          { x: '2026-01-01T00:00:00Z', y: 1 },
          { x: '2026-01-03T00:00:00Z', y: 1 },
        ],
      }),
    ).toEqual(['must managed-stats.view.last-day']))
  test('nothing at all is a doubt', () => expect(stats({})).toEqual(['should managed-stats.view.data']))
})

const issues = embeddedEnvironment().fixtures.managedIssues ?? []

describe('issues', () => {
  test('an issue that goes on is listed', () =>
    expect(told([['managed-issues.list', {}, 200, pageOf({ id: 950 })]]).deviations).toEqual([
      'must managed-issues.list.known',
    ]))
  test('an issue that is known may be over, and no longer recent', () => {
    const environment = { ...embeddedEnvironment(), fixtures: { managedIssues: [{ id: 901 }] } }
    const last = told([['managed-issues.list', {}, 200, pageOf()]], { environment })
    expect(last.deviations).toEqual([])
    expect(last.choices).toContainEqual({ id: 'managed-issues.list.recent', value: 'false' })
  })
  test('issues whose records tell no id may be those that are known', () =>
    expect(
      told([['managed-issues.list', {}, 200, pageOf(...issues.map((_, i) => ({ services: [i] })))]]).deviations,
    ).toEqual([]))
  test('an issue is shown by its id', () =>
    expect(told([['managed-issues.view', { path: { issueId: 901 } }, 200, { id: 902 }]]).deviations).toEqual([
      'must managed-issues.view.shows.id',
    ]))
  test('a restricted user sees none', () =>
    expect(told([['managed-issues.list', { as: 'limited' }, 200, pageOf()]]).deviations).toEqual([
      'must managed-issues.list.unrestricted',
    ]))
})
