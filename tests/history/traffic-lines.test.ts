import { describe, expect, test } from 'vitest'
import { seenLineOf } from '../../guard/lines.js'
import { shifted } from '../../history/entry.js'
import { readHars } from '../../history/har.js'
import type { RecordLine } from '../../history/record.js'
import type { Recording } from '../../history/recording.js'
import { blankLine, trafficLine } from '../../history/traffic-lines.js'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import { type Exchange, entryOf, firstLine, named, page, route, told, volume } from '../oracle/traffic.js'
import { readingsIn } from './recorded.js'

const as = 'owner'
const disk = { as, path: { volumeId: 7 } }
const start = Date.UTC(2026, 0, 1)

/** A file whose recorder's clock is off by so much, with dated replies. */
const fileOf = (offMs: number, exchanges: readonly Exchange[], more: object = {}) => ({
  log: {
    version: '1.2',
    entries: exchanges.map((one) => {
      const { at = 0 } = one
      const entry = entryOf({ ...one, at: at + offMs }, 0)
      const headers = [{ name: 'Date', value: new Date(start + at + 5).toUTCString() }]
      return {
        ...entry,
        request: { ...(entry.request as object), ...more },
        response: { ...(entry.response as object), headers },
      }
    }),
  },
})

const lists = (from: number): readonly Exchange[] =>
  Array.from({ length: 12 }, (_, i) => told('tags.list', { as }, 200, page(), { at: from + i * 570, ms: 80 }))

const creates = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume(), { at: 0 })
const renames = told('volumes.update', { ...disk, body: { label: 'b' } }, 200, named('b'), { at: 8000 })
const views = told('volumes.view', disk, 200, named('b'), { at: 9000 })

/** What a reader makes of the lines of judged recordings. */
const readAgain = (recordings: readonly Recording[]) => {
  const [first] = recordings
  const begin = { ...firstLine(), setting: first?.environment } as RecordLine
  const lines = recordings.flatMap((one): readonly RecordLine[] => [
    trafficLine(one, [{ name: 'clocks', of: '2 files' }], first?.environment),
    ...judgeTraffic(one).steps.map((step) => seenLineOf(step)),
    ...one.events.flatMap((event) => (event.kind === 'blank' ? [blankLine(event)] : [])),
  ])
  return readingsIn([begin, ...lines])
}

describe('recorded traffic in a record', () => {
  const files = [
    fileOf(0, [creates, ...lists(300), views]),
    fileOf(700, [renames], { postData: undefined, bodySize: 14 }),
  ]
  const [both] = readHars(
    files.map((json, i) => ({ json, file: `${i}.har` })),
    { route },
  ) as readonly [Recording]
  const [alone] = readHars([{ json: fileOf(0, [creates, ...lists(300)]), file: 'a.har' }], { route }) as readonly [
    Recording,
  ]

  test('is read again as it was, with all that tells the order of its calls, and its level', () => {
    const ignored = { 'has values that were replaced in the recording': 3 }
    const [again] = readAgain([{ ...both, ignored }])
    expect(again?.recordings).toEqual([{ ...both, ignored, level: 'must' }])
    const facts = both.events.flatMap((event) => Object.keys(event))
    expect(facts).toEqual(expect.arrayContaining(['surely', 'turn', 'own', 'known']))
    expect(both.events.map(({ kind }) => kind)).toContain('blank')
  })
  test('is one reading for each history, with what was supposed of it', () => {
    const later = { ...alone, events: alone.events.map((event) => shifted(event, both.events.length)) }
    expect(readAgain([both, later])).toEqual(
      [both, alone].map((one) => ({
        recordings: [{ ...one, level: 'must' }],
        supposes: [{ name: 'clocks', of: '2 files' }],
      })),
    )
  })
})
