import { describe, expect, test } from 'vitest'
import { type Exchange, entryOf, gating, judgeHar, named, recordingsOf, told, volume } from '../oracle/traffic.js'

const as = 'owner'
const path = { volumeId: 7 }
const create = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
const rename = (label: string) => told('volumes.update', { as, path, body: { label } }, 200, named(label))
const view = (label: string) => told('volumes.view', { as, path }, 200, named(label))

const har = (calls: readonly (readonly [Exchange, number, number, object?])[]) => ({
  log: { entries: calls.map(([exchange, at, ms, more], i) => ({ ...entryOf({ ...exchange, at, ms }, i), ...more })) },
})

/** A client that sends each call as soon as the one before has been answered. */
const inTurn = (ms: number, calls: readonly Exchange[]) => calls.map((call, i) => [call, i * ms, ms] as const)
const read = view('disk')
const lateRead = [create, read, read, read, read, rename('b'), view('disk')]

describe('calls of a client', () => {
  test('that are sent without a pause are taken in turn, though times are rounded to milliseconds', () => {
    for (const ms of [5, 30])
      expect(gating(judgeHar(har(inTurn(ms, lateRead)), true))).toContain('volumes.update.takes-effect:label')
  })

  test('are taken in turn where the latest stands first in the file', () => {
    const { log } = har(inTurn(6, lateRead))
    const backwards = { log: { entries: [...log.entries].reverse() } }
    expect(gating(judgeHar(backwards, true))).toContain('volumes.update.takes-effect:label')
  })

  test('that are so short that their overlapping would not show leave open which came first', () => {
    expect(gating(judgeHar(har(inTurn(2, lateRead)), true))).toEqual([])
  })

  test('that are few leave open which came first', () => {
    expect(gating(judgeHar(har(inTurn(9, [create, rename('b'), view('disk')])), true))).toEqual([])
  })

  test('that overlap anywhere leave open which came first everywhere', () => {
    const calls = har([...inTurn(30, lateRead), [view('b'), 1000, 50], [view('b'), 1020, 50]])
    expect(gating(judgeHar(calls, true))).toEqual([])
  })

  test('some of which are sent at once and waited for come in turn as well', () => {
    const calls = har([...inTurn(30, lateRead), [read, 1000, 50], [read, 1002, 50], [read, 1052, 20]])
    expect(gating(judgeHar(calls, true))).toContain('volumes.update.takes-effect:label')
    const turns = recordingsOf(calls, true)[0]?.events.map((event) => ('turn' in event ? event.turn?.at : undefined))
    expect(turns?.slice(-3)).toEqual([7, 7, 8])
  })

  test('that are told to have begun at the same time leave open which came first, unless one takes too long to be that', () => {
    const before = inTurn(30, [create, read, read, read, read, read])
    const write = [rename('b'), 180, 0] as const
    const sorted = (ms: number) => har([...before, [view('b'), 180, ms], write, [view('b'), 220, 30]])
    expect(gating(judgeHar(sorted(0), true))).toEqual([])
    expect(gating(judgeHar(har([...before, write, [read, 180, 30], [read, 220, 30]]), true))).not.toEqual([])
  })

  test('on a connection that carries one at a time come in turn, whatever goes on beside it', () => {
    const on = (connection: string) => ({ connection })
    const calls = har([
      ...inTurn(30, lateRead).map(([call, at, ms]) => [call, at, ms, on('1')] as const),
      [read, 1000, 50, on('1')],
      [read, 1020, 50, on('2')],
    ])
    const { log } = calls
    const overHttp1 = {
      log: {
        entries: log.entries.map((entry) => ({
          ...entry,
          response: { ...(entry as { response: object }).response, httpVersion: 'HTTP/1.1' },
        })),
      },
    }
    expect(gating(judgeHar(overHttp1, true))).toContain('volumes.update.takes-effect:label')
  })
})

describe('calls on a connection that carries one at a time, of which times tell little', () => {
  const coarse = (connection: string, apartMs: number) => {
    const { log } = har(lateRead.map((call, i) => [call, i * apartMs, 0] as const))
    return {
      log: {
        entries: log.entries.map((entry) => ({
          ...entry,
          startedDateTime: `${String((entry as { startedDateTime: string }).startedDateTime).slice(0, 19)}Z`,
          connection,
          response: { ...(entry as { response: object }).response, httpVersion: 'HTTP/1.1' },
        })),
      },
    }
  }
  const found = 'volumes.update.takes-effect:label'

  test('come in the order of the file, though several were sent in one second and no duration is told', () => {
    expect(gating(judgeHar(coarse('1', 700), true))).toContain(found)
  })

  test('come in that order where the latest stands first', () => {
    const { log } = coarse('1', 700)
    expect(gating(judgeHar({ log: { entries: [...log.entries].reverse() } }, true))).toContain(found)
  })

  test('leave open which of one second came first where the latest stands first, as such a file may be turned round or sorted', () => {
    const { log } = coarse('1', 700)
    const backwards = [...log.entries].sort((a, b) =>
      String((b as { startedDateTime: string }).startedDateTime).localeCompare(
        String((a as { startedDateTime: string }).startedDateTime),
      ),
    )
    const turns = recordingsOf({ log: { entries: backwards } }, true)[0]?.events.map((event) =>
      'turn' in event ? event.turn?.at : undefined,
    )
    // Two of the reads are told alike, and taken once.
    expect(turns).toEqual([0, 0, 1, 2, 3, 4])
  })

  test.each<[string, ReturnType<typeof coarse>]>([
    ['where all were sent in one second, so that the file may go either way', coarse('1', 100)],
    ['where the connection is told by the port, which all of them have', coarse('443', 700)],
  ])('leave open which came first %s', (_, calls) => {
    expect(gating(judgeHar(calls, true))).toEqual([])
  })

  test('leave open which came first where the file goes against their times', () => {
    const { log } = coarse('1', 1700)
    const [first, ...rest] = log.entries
    const mixed = { log: { entries: [...rest.slice(0, -1), first, ...rest.slice(-1)] } }
    const turns = recordingsOf(mixed, true)[0]?.events.filter((event) => 'turn' in event && event.turn)
    expect(turns).toEqual([])
  })
})

test('Times of which a few have less digits have left zeros out', () => {
  const { log } = har(inTurn(30, lateRead))
  const entries = log.entries.map((entry) => ({
    ...entry,
    startedDateTime: String((entry as { startedDateTime: string }).startedDateTime).replace(/0Z$/, 'Z'),
  }))
  const mixed = entries.map((entry, i) => (i === 3 ? entry : log.entries[i]))
  expect(gating(judgeHar({ log: { entries: mixed } }, true))).toContain('volumes.update.takes-effect:label')
})
