// What a ledger says that is left.
import { expect, test } from 'vitest'
import { outstanding } from '../../driver/ledger.js'
import type { LedgerLine } from '../../driver/session.js'

const line = (event: LedgerLine['event'], step: number, more: Partial<LedgerLine> = {}): LedgerLine => ({
  event,
  step,
  kind: 'volumes',
  operation: 'volumes.create',
  ...more,
})

const leftOf = (...lines: readonly LedgerLine[]) => outstanding(lines).map(({ event, key }) => `${event} ${key}`)

test('what was removed is gone, by its key or by the path of its removal', () => {
  const bucket = { kind: 'buckets', key: 'c1/photos of me' }
  expect(
    leftOf(
      line('created', 1, { key: '1' }),
      line('created', 2, { key: '2' }),
      line('created', 3, bucket),
      line('removed', 4, { key: '1' }),
      line('removed', 5, { kind: 'buckets', url: '/object-storage/buckets/c1/photos%20of%20me' }),
      line('removed', 6, { kind: 'firewalls', key: '2', url: '/networking/firewalls/2' }),
    ),
  ).toEqual(['created 2'])
})

test('what was made again after it was removed is not gone', () => {
  const own = { key: '1', account: 'main' }
  const lines = [line('created', 1, own), line('removed', 2, own), line('created', 3, own)]
  expect(leftOf(...lines)).toEqual(['created 1'])
  expect(leftOf(...lines, line('removed', 4, own))).toEqual([])
})

test('what is lent is left to be given back though nothing was made, with the run that it belongs to', () => {
  expect(
    leftOf(line('run', 0), line('lent', 1, { key: '101' }), line('run', 0), line('shown', 1, { key: '101' })),
  ).toEqual(['run undefined', 'lent 101'])
})

test('an id of one account is not that of another, and a removal of an earlier run is none of a later one', () => {
  const own = { key: '1', account: 'main' }
  expect(leftOf(line('created', 1, own), line('removed', 2, { key: '1', account: 'other' }))).toEqual(['created 1'])
  expect(leftOf(line('created', 1, own), line('removed', 2, { key: '1' }))).toEqual([])
  expect(leftOf(line('removed', 1, own), line('run', 0), line('created', 1, own))).toEqual([
    'run undefined',
    'created 1',
  ])
})

test('however many things a night has made, each line of its ledger is read a few times', () => {
  let reads = 0
  const counted = (one: LedgerLine): LedgerLine =>
    Object.defineProperty(one, 'key', {
      get: () => {
        reads += 1
        return `${one.step}`
      },
    })
  const made = Array.from({ length: 500 }, (_, i) => counted(line('created', i)))
  const gone = Array.from({ length: 500 }, (_, i) => counted(line('removed', i, { operation: 'volumes.delete' })))
  expect(outstanding([...made, ...gone])).toEqual([])
  expect(reads).toBeLessThan(5 * (made.length + gone.length))
})

test('what was there before a creation is kept until it is known what came of that', () => {
  const begun = [line('creating', 1), line('untold', 1, { known: ['1'] })]
  expect(leftOf(...begun)).toEqual(['creating undefined', 'untold undefined'])
  const other = line('created', 2, { key: '3' })
  expect(leftOf(other, ...begun, line('refused', 1))).toEqual(['created 3'])
  expect(leftOf(other, ...begun, line('created', 1, { key: '2' }))).toEqual(['created 3', 'created 2'])
})
