// The operation that shows the statistics of Managed: section "Managed" of the document.

import type { Ternary } from '../language/clause.js'
import { momentOf } from '../language/moments.js'
import { isObject } from '../language/objects.js'
import { anything, operation } from '../language/operation.js'
import { unseen } from '../language/unseen.js'
import type { Dice, WireRecord } from '../language/world.js'
import { endpoints, reading, withoutManagedShown } from './common.js'

const source = `${endpoints}, GET /managed/stats`
const expected = ['cpu', 'disk', 'swap', 'network in', 'network out']
const hours = 24
/** Seconds by which the ends of a series may lie apart beyond a day: points stand for intervals. */
const slack = 2 * 3600

interface Series {
  /** Arrays of points that have an x and a y. */
  readonly points: readonly (readonly WireRecord[])[]
  /** Empty arrays and nulls, which may stand for a series without points. */
  readonly blanks: number
  /** Arrays in which points lack an x or a y. */
  readonly broken: number
}

const none: Series = { points: [], blanks: 0, broken: 0 }

const add = (a: Series, b: Series): Series => ({
  points: [...a.points, ...b.points],
  blanks: a.blanks + b.blanks,
  broken: a.broken + b.broken,
})

/** A point of one series; a y that holds several values, as where all five share their points, makes none. */
const isPoint = (value: unknown): value is WireRecord =>
  isObject(value) &&
  value.x !== undefined &&
  value.x !== null &&
  value.y !== undefined &&
  (value.y === null || typeof value.y !== 'object')

/** What has an x and nothing else, or a y: half of a point. */
const isHalf = (value: unknown): boolean =>
  isObject(value) && Object.keys(value).length === 1 && ('x' in value || 'y' in value)

/** Whether points carry more than x and y, such as the name of a series: an array may then hold several. */
const isMixed = (points: readonly WireRecord[]): boolean =>
  points.some((point) => Object.keys(point).some((name) => name !== 'x' && name !== 'y'))

/** Every series in a reply, wherever it stands: the names of the members are not shown. */
const seriesIn = (value: unknown): Series => {
  if (value === null) return { ...none, blanks: 1 }
  if (Array.isArray(value)) {
    if (value.length === 0) return { ...none, blanks: 1 }
    const points = value.filter(isPoint)
    if (points.length === value.length) return { ...none, points: [points] }
    if (points.length > 0 || value.every(isHalf)) return { ...none, broken: 1 }
  }
  return typeof value === 'object'
    ? Object.values(value as object)
        .map(seriesIn)
        .reduce(add, none)
    : none
}

/** Seconds of a point's x, as far as its unit, which is not said, can be told: a date, or seconds or milliseconds since 1970. */
const secondsOf = ({ x }: WireRecord): number | undefined => {
  if (typeof x === 'string') {
    const parsed = /^\d{4}-\d\d-\d\d/.test(x) ? Date.parse(x) : Number.NaN
    return Number.isNaN(parsed) ? undefined : parsed / 1000
  }
  if (typeof x !== 'number') return undefined
  return isBetween(x, 1e9, 1e10) ? x : isBetween(x, 1e12, 1e13) ? x / 1000 : undefined
}

const isBetween = (x: number, from: number, to: number): boolean => x >= from && x < to

const isWithinADay = (points: readonly WireRecord[]): Ternary => {
  const times = points.map(secondsOf).filter((time) => time !== undefined)
  if (times.length < points.length || times.length === 0) return undefined
  const earliest = times.reduce((a, b) => Math.min(a, b))
  const latest = times.reduce((a, b) => Math.max(a, b))
  return latest - earliest <= hours * 3600 + slack
}

const drawnPoints = (dice: Dice) => {
  const last = Math.floor(momentOf(dice.now()) / 3_600_000) * 3600
  return Array.from({ length: hours }, (_, i) => ({
    x: (last - (hours - 1 - i) * 3600) * 1000,
    y: dice.integer(0, 100),
  }))
}

export const viewStats = operation({
  id: 'managed-stats.view',
  area: 'managed',
  method: 'GET',
  path: '/managed/stats',
  reach: { in: 'given', alone: false, lent: false },
  source: endpoints,
  summary: 'Shows the use of all managed nodes together over the last 24 hours.',
  scopes: reading,
  unrestrictedOnly: true,
  params: {},
  reply: anything,
  draft: () => ({}),
  silences: [withoutManagedShown('managed-stats.view')],
  statements: [
    {
      id: 'managed-stats.view.data',
      level: 'should',
      source,
      text: 'The reply holds something.',
      holds: ({ reply }) => typeof reply === 'object' && reply !== null && Object.keys(reply).length > 0,
      probe: (plan) => void plan.check('managed-stats.view'),
    },
    {
      id: 'managed-stats.view.five-series',
      source,
      text: 'There are points for cpu, disk, swap, network in and network out.',
      holds: ({ reply }) => {
        const { points, blanks, broken } = seriesIn(reply)
        if (points.length === 0 || points.some(isMixed)) return undefined
        const found = points.length + blanks + broken
        return found >= expected.length || `${found} series of points, not ${expected.length}`
      },
      probe: (plan) => void plan.check('managed-stats.view'),
    },
    {
      id: 'managed-stats.view.points',
      source,
      text: 'Every point has an x and a y.',
      holds: ({ reply }) => {
        const { points, broken } = seriesIn(reply)
        return points.length + broken === 0 ? undefined : broken === 0 || 'a point lacks its x or its y'
      },
      probe: (plan) => void plan.check('managed-stats.view'),
    },
    {
      id: 'managed-stats.view.last-day',
      source,
      text: 'The points of a series span no more than 24 hours.',
      holds: ({ reply }) => {
        const within = seriesIn(reply).points.map(isWithinADay)
        return within.includes(false) ? 'points that lie more than a day apart' : within.includes(true) || undefined
      },
      probe: (plan) => void plan.check('managed-stats.view'),
    },
    unseen(
      'managed-stats.view.last-ones',
      source,
      'The 24 hours are the last ones.',
      'a reply is judged without knowing when it came',
    ),
    {
      id: 'managed-stats.view.combined',
      source,
      text: 'The points combine all managed nodes.',
      holds: () => undefined,
      unprobed: 'the use of a single node cannot be seen through the interface',
    },
  ],
  render: (_, dice) => ({
    data: {
      cpu: drawnPoints(dice),
      disk: drawnPoints(dice),
      swap: drawnPoints(dice),
      net_in: drawnPoints(dice),
      net_out: drawnPoints(dice),
    },
  }),
})

export const managedStatsOperations = [viewStats]
