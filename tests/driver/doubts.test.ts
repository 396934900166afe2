// What becomes of creations without a name whose replies were lost: lists tell, and what they cannot tell is told with what it may be.
import { expect, test } from 'vitest'
import type { LedgerLine } from '../../driver/session.js'
import { sweepTarget } from '../../driver/sweep.js'
import type { TargetAccess } from '../../driver/target-access.js'
import type { Outcome } from '../../history/wire.js'
import { embeddedTarget } from '../../reference/target.js'

const refused: Outcome = { status: 404, body: { errors: [{ reason: 'Not found' }] } }
const page = (...data: readonly object[]): Outcome => ({
  status: 200,
  body: { data, page: 1, pages: 1, results: data.length },
})

interface Scene {
  readonly exclusive?: boolean
  readonly dryRun?: boolean
  /** Replies by method and path; every list else is empty. */
  readonly shows: Readonly<Record<string, Outcome>>
}

/** A sweep after these lines: what it says, and what it has removed. */
const sweptAfter = async (ledger: readonly LedgerLine[], { exclusive = true, dryRun = false, shows }: Scene) => {
  const removed: string[] = []
  const access: TargetAccess = {
    call: async ({ method, path: template, id }, { path = {} }) => {
      const url = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(path[name]))
      if (method === 'DELETE') removed.push(url)
      if (method === 'DELETE') return { status: 200, body: {} }
      return shows[url] ?? (id.endsWith('.list') ? page() : refused)
    },
    sleep: async () => undefined,
    clock: () => 0,
    requests: () => 0,
    close: async () => undefined,
  }
  const plain = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const { accounts } = plain.environment
  const environment = { ...plain.environment, exclusive, accounts: accounts.slice(0, 1) }
  const swept = await sweepTarget({ target: { ...plain, environment }, access, ledger, dryRun })
  return { told: swept.map(({ kind, key, result, reason }) => [`${result} ${kind} ${key}`, reason]), removed }
}

const creating = (kind: string, operation: string, url: string, body: object): LedgerLine => ({
  event: 'creating',
  step: 5,
  kind,
  operation,
  account: 'main',
  url,
  body,
})

const key = creating('object-keys', 'object-keys.create', '/object-storage/keys', {})
const knowing = (...known: readonly string[]): LedgerLine => ({ ...key, event: 'untold', known })
const keys = { '/object-storage/keys': page({ id: 1, label: 'a' }, { id: 2, label: 'b' }) }

test('a creation without a name is not told of where its list shows nothing new', async () => {
  expect((await sweptAfter([key], { shows: {} })).told).toEqual([])
  expect((await sweptAfter([key, knowing('1', '2')], { shows: keys, exclusive: false })).told).toEqual([])
})

test('what is new since on an exclusive target is removed, for nobody else can have made it', async () => {
  const { told, removed } = await sweptAfter([key, knowing('1')], { shows: keys })
  expect(told).toEqual([['removed object-keys 2', undefined]])
  expect(removed).toEqual(['/object-storage/keys/2'])
  const dry = await sweptAfter([key, knowing('1')], { shows: keys, dryRun: true })
  expect(dry).toEqual({ told: [['listed object-keys 2', undefined]], removed: [] })
})

test('what is removed as the making of one creation is not told as what another may have made', async () => {
  const later: LedgerLine = { ...key, step: 6 }
  const { told, removed } = await sweptAfter([key, knowing('1'), later], { shows: keys })
  expect(removed).toEqual(['/object-storage/keys/2'])
  expect(told).toEqual([
    ['removed object-keys 2', undefined],
    ['failed object-keys ', expect.stringContaining('it may be 1)')],
  ])
  const { told: all } = await sweptAfter([key, knowing('1'), { ...later, event: 'creating' }], {
    shows: { '/object-storage/keys': page({ id: 2, label: 'b' }) },
  })
  expect(all).toEqual([['removed object-keys 2', undefined]])
})

test('where others make things too, or nobody looked before, what it may be is told and stays', async () => {
  for (const [lines, exclusive, which] of [
    [[key, knowing('1')], false, 'it may be 2'],
    [[key], true, 'it may be 1, 2'],
  ] as const) {
    const { told, removed } = await sweptAfter(lines, { shows: keys, exclusive })
    expect(told).toEqual([['failed object-keys ', expect.stringContaining(which)]])
    expect(removed).toEqual([])
  }
})

test('what a list shows with other values, or of another creation, was not made by it', async () => {
  const volume = creating('volumes', 'volumes.clone', '/volumes/7/clone', { label: 'x'.repeat(33) })
  const other: LedgerLine = { ...volume, event: 'created', step: 4, key: '8', body: {} }
  const shows = {
    '/volumes': page({ id: 8, label: 'x'.repeat(33) }, { id: 9, label: 'theirs' }),
    '/volumes/8': refused,
  }
  expect(await sweptAfter([other, volume], { shows })).toEqual({ told: [], removed: [] })
})

test('a device of a firewall that is gone is gone too, and one of a firewall that is removed goes with it', async () => {
  const device = creating('firewall-devices', 'firewall-devices.create', '/networking/firewalls/5/devices', {
    id: 101,
    type: 'node',
  })
  const shows = { '/networking/firewalls/5/devices': refused }
  expect((await sweptAfter([device], { shows })).told).toEqual([])
  const firewall = { id: 5, label: 'ts-00abc7l-b305' }
  const there = { '/networking/firewalls': page(firewall), '/networking/firewalls/5/devices': page({ id: 9 }) }
  const { told } = await sweptAfter([device], { shows: there, dryRun: true })
  expect(told).toEqual([['listed firewalls 5', undefined]])
})

test('a list that cannot be read leaves a creation in doubt', async () => {
  const shows = { '/networking/ipv6/ranges': { status: 502, body: '' } }
  const range = creating('ipv6-ranges', 'ipv6-ranges.create', '/networking/ipv6/ranges', { prefix_length: 64 })
  const { told } = await sweptAfter([range], { shows })
  expect(told).toContainEqual(['failed ipv6-ranges ', expect.stringContaining('ipv6-ranges.list: 502')])
})
