import { describe, expect, test } from 'vitest'
import { readHars, readingsOf } from '../../history/har.js'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import { type Exchange, entryOf, gating, named, route, told, volume } from '../oracle/traffic.js'

const as = 'owner'
const disk = { path: { volumeId: 7 } }
const refusal = { errors: [{ field: '', reason: 'no' }] }
const creates = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
const renames = told('volumes.update', { as, ...disk, body: { label: 'b' } }, 200, named('b'))
const deletes = told('volumes.delete', { as, ...disk }, 200, {})
const resizes = (size: number) =>
  told('volumes.resize', { as, ...disk, body: { size } }, 200, volume({ size, status: 'resizing' }))
const views = (label = 'disk') => told('volumes.view', { as, ...disk }, 200, named(label))
const gone = told('volumes.view', { as, ...disk }, 404, refusal)
const start = Date.UTC(2026, 0, 1)
const none = { data: [], page: 1, pages: 1, results: 0 }

/** A file whose recorder's clock is off by so much. @param exchanges with the true time of each, in milliseconds */
const fileOf = (offMs: number, exchanges: readonly (readonly [number, Exchange])[], isDated = true) => ({
  log: {
    version: '1.2',
    entries: exchanges.map(([at, exchange]) => {
      const entry = entryOf({ ...exchange, at: at + offMs }, 0)
      const headers = isDated ? [{ name: 'Date', value: new Date(start + at + 5).toUTCString() }] : []
      return { ...entry, response: { ...(entry.response as object), headers } }
    }),
  },
})

/** What is found in each reading of a file. */
const readings = (json: object): readonly (readonly string[])[] =>
  readingsOf([{ json, file: 'a.har' }], { route }).map(({ recordings }) =>
    recordings.flatMap((one) => gating(judgeTraffic(one))),
  )

const found = (...files: readonly object[]) => {
  const [recording] = readHars(
    files.map((json, i) => ({ json, file: `${i}.har` })),
    { route },
  )
  return recording ? gating(judgeTraffic(recording)) : ['nothing read']
}

/** So many reads of its own tell a recorder's clock to within some tens of milliseconds. */
const reads = (from: number, label: string) =>
  Array.from({ length: 12 }, (_, i): [number, Exchange] => [
    from + i * 70,
    told('volumes.list', { as: label }, 200, none),
  ])

describe('files of recorders whose clocks differ', () => {
  const first: readonly (readonly [number, Exchange])[] = [
    ...reads(0, 'one'),
    [2000, creates],
    [6000, renames],
    [10_000, deletes],
  ]
  const second = (last: Exchange): readonly (readonly [number, Exchange])[] => [
    ...reads(1000, 'two'),
    [4000, views()],
    [8000, last],
    [12_000, gone],
  ]
  test.each([3000, -3000, 40_000])('by %i ms are one history by the time that the target tells', (offMs) => {
    expect(found(fileOf(0, first), fileOf(offMs, second(views('b'))))).toEqual([])
    expect(found(fileOf(offMs, first), fileOf(0, second(views('b'))))).toEqual([])
  })
  test('show what is amiss all the same', () => {
    expect(found(fileOf(0, first), fileOf(3000, second(views())))).toEqual(['volumes.update.takes-effect:label'])
  })
  test('are taken to agree where the target does not tell the time', () => {
    expect(found(fileOf(0, first, false), fileOf(0, second(views('b')), false))).toEqual([])
  })
  test('keep the order of their own calls, which the doubt about their clocks does not reach', () => {
    const own: readonly (readonly [number, Exchange])[] = [
      [2000, creates],
      [2020, resizes(40)],
      [2040, resizes(30)],
    ]
    expect(found(fileOf(0, own), fileOf(500, [[2030, told('tags.list', { as }, 200, none)]]))).not.toEqual([])
  })
})

describe('a clock that was set back', () => {
  const lists = (from: number): readonly (readonly [number, Exchange])[] =>
    Array.from({ length: 12 }, (_, i) => [from + i * 570, told('tags.list', { as }, 200, none)])
  /** Calls of one client in turn, by a clock that is set back on the way. */
  const history = (last: Exchange): readonly (readonly [number, Exchange])[] => [
    [0, creates],
    [14, views('disk')],
    [270, views('disk')],
    ...lists(300),
    [7500, views('disk')],
    [8000, renames],
    [9000, last],
    ...lists(9300),
  ]
  const setBackAt = (at: number, byMs: number, last: Exchange, isDated = true): object => {
    const all = history(last)
    const before = fileOf(
      0,
      all.filter(([time]) => time < at),
      isDated,
    )
    const after = fileOf(
      -byMs,
      all.filter(([time]) => time >= at),
      isDated,
    )
    return { log: { version: '1.2', entries: [...before.log.entries, ...after.log.entries] } }
  }
  test('is put forward by the time that the target tells', () => {
    expect(found(setBackAt(8500, 2500, views('b'), false))).not.toEqual([])
    expect(found(setBackAt(8500, 2500, views('b')))).toEqual([])
  })
  test.each([2500, 90_000])('by %i ms hides nothing that is amiss', (byMs) => {
    expect(found(setBackAt(8500, byMs, views()))).toEqual(['volumes.update.takes-effect:label'])
  })
  test('may be why times go back where no reply is dated, and hides nothing that is amiss', () => {
    const amiss = 'volumes.update.takes-effect:label'
    expect(readings(setBackAt(8500, 2500, views('b'), false))).toEqual([[expect.anything(), expect.anything()], []])
    expect(readings(setBackAt(8500, 2500, views(), false))[1]).toEqual([amiss])
    expect(readings(fileOf(0, history(views('b')), false))).toEqual([[]])
  })
  test('is told as what is supposed of the file', () => {
    const [told, back] = readingsOf([{ json: setBackAt(8500, 2500, views('b'), false), file: 'a.har' }], { route })
    expect(told.supposes).toEqual([])
    expect(back?.supposes).toEqual([{ name: 'clock', of: expect.stringMatching(/^\d+ entries$/) }])
  })
  test('by more than some seconds is no reading of a file in which no reply is dated', () => {
    expect(readings(setBackAt(8500, 60_000, views('b'), false))).toHaveLength(1)
  })
  test('now and again is no reading of a file whose entries are in no order', () => {
    const { log } = fileOf(0, history(views('b')), false)
    const entries = log.entries.map((entry, i) => [(i * 11) % log.entries.length, entry] as const)
    const mixed = entries.sort(([a], [b]) => a - b).map(([, entry]) => entry)
    expect(readings({ log: { ...log, entries: mixed } })).toEqual([[]])
  })
  test('is no reading of a file that is out of order, where the dates of its replies go with its times', () => {
    const outOfOrder = (isDated: boolean): object => {
      const { log } = fileOf(0, history(views('b')), isDated)
      const at = history(views('b')).findIndex(([time]) => time === 7500)
      const view = log.entries.slice(at, at + 1)
      const entries = [...log.entries.slice(0, at), ...log.entries.slice(at + 1, at + 3), ...view]
      return { log: { ...log, entries: [...entries, ...log.entries.slice(at + 3)] } }
    }
    expect([outOfOrder(false), outOfOrder(true)].map((json) => readings(json).length)).toEqual([2, 1])
  })
  test('is not seen where servers whose clocks differ answer by turns', () => {
    const { log } = fileOf(0, history(views()))
    const entries = log.entries.map((entry, i) => ({
      ...entry,
      response: {
        ...entry.response,
        headers: [{ name: 'Date', value: new Date(start + i * 1000 + (i % 2) * 4000).toUTCString() }],
      },
    }))
    expect(found({ log: { ...log, entries } })).toEqual(['volumes.update.takes-effect:label'])
  })
})

describe('a file that was put together of those of several recorders', () => {
  const merged = (offMs: number, last: Exchange): object => {
    const writes = fileOf(0, [...reads(0, 'one'), [2000, creates], [6000, renames], [10_000, deletes]])
    const looks = fileOf(offMs, [...reads(1000, 'two'), [4000, views()], [8000, last], [12_000, gone]])
    const entries = [...writes.log.entries, ...looks.log.entries]
    const timeOf = (entry: object) => ('startedDateTime' in entry ? Date.parse(String(entry.startedDateTime)) : 0)
    return { log: { version: '1.2', entries: entries.sort((a, b) => timeOf(a) - timeOf(b)) } }
  }
  test.each([-3_600_000, -9000, 9000, 3_600_000])('%i ms apart may be read by the dates of the replies', (offMs) => {
    const [told, dated, ...more] = readingsOf([{ json: merged(offMs, views('b')), file: 'a.har' }], { route }).map(
      ({ recordings }) =>
        recordings.flatMap(({ events }) => events.flatMap((one) => (one.kind === 'call' ? [one.op.id] : []))).slice(-6),
    )
    const view = 'volumes.view'
    expect(dated).toEqual(['volumes.create', view, 'volumes.update', view, 'volumes.delete', view])
    expect(told).not.toEqual(dated)
    expect(more).toEqual([])
  })
  test('hides nothing that is amiss', () => {
    expect(readings(merged(3_600_000, views()))[1]).toEqual(['volumes.update.takes-effect:label'])
  })
  test('is read by the dates of its replies where enough of them tell of each clock, of which there are four at most', () => {
    const of = (count: number, replies = 12): object => {
      const files = Array.from({ length: count }, (_, i) =>
        fileOf(i * 9000, reads(i * 1000, `reader ${i}`).slice(0, replies)),
      )
      return { log: { version: '1.2', entries: files.flatMap(({ log }) => log.entries) } }
    }
    expect([of(4), of(5), of(2), of(2, 4)].map((json) => readings(json).length)).toEqual([2, 1, 2, 1])
  })
  test('is told as what is supposed of it', () => {
    const [, dated] = readingsOf([{ json: merged(9000, views('b')), file: 'a.har' }], { route })
    expect(dated?.supposes).toEqual([{ name: 'clock', of: '30 entries' }])
  })
})

describe('files of recorders whose clocks nothing compares', () => {
  const writes = (isDated: boolean) =>
    fileOf(
      0,
      [
        [0, creates],
        [1000, renames],
        [3000, deletes],
      ],
      isDated,
    )
  const looks = (offMs: number, isDated: boolean, between = views('b')) =>
    fileOf(
      offMs,
      [
        [-600, views()],
        [2200, views('b')],
        [2400, between],
        [2600, views('b')],
      ],
      isDated,
    )
  const all = (...files: readonly object[]) =>
    readingsOf(
      files.map((json, i) => ({ json, file: `${i}.har` })),
      { route },
    )
  const foundIn = (reading: ReturnType<typeof all>[number] | undefined) =>
    reading?.recordings.flatMap((one) => gating(judgeTraffic(one)))
  test('may as well be histories of their own, and are told as that', () => {
    const [whole, apart, ...more] = all(writes(false), looks(700, false))
    expect(foundIn(whole)).not.toEqual([])
    expect(foundIn(apart)).toEqual([])
    expect(more).toEqual([])
    expect(whole.supposes).toEqual([])
    expect(apart?.supposes).toEqual([{ name: 'clocks', of: '2 files' }])
  })
  test('hide nothing that is amiss within one of them', () => {
    const [, apart] = all(
      writes(false),
      looks(700, false, told('volumes.view', { as, ...disk }, 200, volume({ size: 'big' }))),
    )
    expect(foundIn(apart)).toEqual(['volumes.view.reply.size.type:shape'])
  })
  test('are one history where replies are dated, or the recorders were at work in turn', () => {
    expect(all(writes(true), looks(700, true))).toHaveLength(1)
    expect(all(writes(false), looks(9000, false))).toHaveLength(1)
  })
})
