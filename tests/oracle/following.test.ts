// After a violation that took effect the world follows the target: it is told once, and nothing that follows from it.
import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import type { WireCall } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { pageOf, refusal, type Told, told } from '../models/stories.js'

/** Tokens of other accounts. */
const strangers = new Set<string | null>(['other', 'debtor'])

/** What all probes of an operation show where another account's calls of it that are to be refused are done as the owner's; or only answered so. */
const probedOn = async (id: string, isEffective: boolean) => {
  const { session, embedded, lines } = inProcess({ environment: embeddedEnvironment() })
  const { handle } = embedded
  const asOwner = (call: WireCall) =>
    isEffective ? handle({ ...call, as: 'owner' }) : { status: 200, body: {}, contentType: 'application/json' }
  Object.assign(embedded, {
    handle: (call: WireCall) => {
      const outcome = handle(call)
      return call.operation === id && strangers.has(call.as) && 'status' in outcome && outcome.status >= 400
        ? asOwner(call)
        : outcome
    },
  })
  await survey(session)
  for (const clause of clausesOf(operationById(id) as Operation)) {
    const probe = probeFor(clause, session.context)
    if (probe.kind === 'program' && probe.program.missing.length === 0) await runProgram(session, probe.program, clause)
  }
  return {
    findings: lines.flatMap((line) => (line.type === 'finding' ? [`${line.finding.level} ${line.finding.id}`] : [])),
    left: lines.filter(({ type }) => type === 'left'),
  }
}

describe.each([
  'volumes.delete.path.volumeId.owned',
  'firewall-devices.delete.path.firewallId.owned',
  'managed-contacts.delete.path.contactId.owned',
  'object-keys.delete.path.keyId.owned',
])('a deletion by another account, against %s', (rule) => {
  const operation = rule.split('.path')[0] as string

  test('is a should where it is answered as done, and nothing else is told', async () => {
    expect(await probedOn(operation, false)).toEqual({ findings: [`should ${rule}:accepted`], left: [] })
  })

  test('is a must where it is done, and nothing else is told', async () => {
    const findings = [`should ${rule}:accepted`, `must ${rule}:done`]
    expect(await probedOn(operation, true)).toEqual({ findings, left: [] })
  })
})

test('what a user of the same account removed without a grant is no must of its owner', () => {
  const record = {
    label: 'web',
    status: 'active',
    size: 20,
    region: 'r1',
    hardware_type: 'hdd',
    node_id: null,
    tags: [],
  }
  const times = { created: '2026-01-01T00:00:00', updated: '2026-01-01T00:00:00' }
  const path = '/dev/disk/by-id/scsi-0Node_Volume_web'
  const shown = { id: 7, ...record, ...times, node_label: null, filesystem_path: path }
  const at = { path: { volumeId: 7 } }
  const made: Told = ['volumes.create', { body: { label: 'web', region: 'r1' } }, 200, shown]
  const removed: Told = ['volumes.delete', { ...at, as: 'limited' }, 200, {}]
  expect(told([made, removed]).deviations).toEqual(['should volumes.delete.volume-grant'])
  expect(told([made, removed, ['volumes.view', at, 404, refusal()]]).deviations).toEqual([])
})

describe('what is shown after an accepted removal', () => {
  const shown = { id: 900, label: 'ts-t-a', status: 'enabled', tags: [], rules: {} }
  const rules = { inbound_policy: 'DROP', outbound_policy: 'ACCEPT' }
  const makes = (label: string) => ({ body: { label, rules, devices: { nodebalancers: [301] } } })
  const at = { path: { firewallId: '900' } }
  const removed: readonly Told[] = [
    ['firewalls.create', makes('ts-t-a'), 200, shown],
    ['firewalls.delete', at, 200, {}],
  ]
  const refused: Told = ['firewalls.create', makes('ts-t-b'), 400, refusal()]
  const lastOf = (...steps: readonly Told[]) =>
    told([...removed, ...steps], {
      closed: ['firewalls'],
      nonce: 'ts-t',
      broken: ['firewalls.list.only-live', 'firewalls.delete.takes-effect'],
    }).deviations

  test('may hold on to what it held: a refusal for that is not told besides', () => {
    expect(lastOf(refused)).toEqual(['must firewalls.create.accepts'])
    const list: Told = ['firewalls.list', {}, 200, pageOf(shown)]
    const view: Told = ['firewalls.view', at, 200, shown]
    const update: Told = ['firewalls.update', { ...at, body: { tags: [] } }, 200, shown]
    expect([list, view].map((look) => lastOf(look))).toEqual([
      ['must firewalls.list.only-live'],
      ['must firewalls.delete.takes-effect'],
    ])
    expect([list, view, update].map((look) => lastOf(look, refused))).toEqual([[], [], []])
  })

  test('is told again by each that shows it', () => {
    const list: Told = ['firewalls.list', {}, 200, pageOf(shown)]
    expect(lastOf(list, list)).toEqual(['must firewalls.list.only-live'])
  })

  test('may still count', () => {
    const range = { range: '2001:db8:9::', prefix: 64, region: 'r1', route_target: '2001:db8:0:101::1' }
    const makes: Told = ['ipv6-ranges.create', { body: { prefix_length: 64, node_id: 101 } }, 200, range]
    const removes: Told = ['ipv6-ranges.delete', { path: { range: range.range } }, 200, {}]
    const again: Told = [...makes.slice(0, 2), 400, refusal('node_id')] as unknown as Told
    const list: Told = ['ipv6-ranges.list', {}, 200, pageOf(range)]
    const options = { closed: ['ipv6-ranges'], broken: ['ipv6-ranges.list.only-live'] }
    expect(told([makes, removes, again], options).deviations).toEqual(['must ipv6-ranges.create.accepts'])
    expect(told([makes, removes, list, again], options).deviations).toEqual([])
  })
})

describe('a value that replies contradict', () => {
  const times = { created: '2026-01-01T00:00:00', updated: '2026-01-01T00:00:00' }
  const record = {
    status: 'active',
    size: 20,
    region: 'r1',
    hardware_type: 'hdd',
    node_label: null,
    tags: [],
    ...times,
  }
  const volume = (i: number, more: { readonly node_id: number | null; readonly size?: number }) => {
    const label = `ts-t-${i}`
    const own = { id: 900 + i, label, filesystem_path: `/dev/disk/by-id/scsi-0Node_Volume_${label}` }
    return { ...record, ...own, ...more, ...(more.node_id !== null && { node_label: 'web-1' }) }
  }
  const { fixtures, ...rest } = embeddedEnvironment()
  const options = {
    environment: { ...rest, fixtures: { ...fixtures, volumes: [] } },
    closed: ['volumes'],
    nonce: 'ts-t',
    broken: ['node_id', 'node_label', 'size'].map((member) => `volumes.view.shows.${member}`),
  }

  test('is nothing that a rule rests on', () => {
    const full = [1, 2, 3, 4, 5, 6, 7, 8].map((i): Told => {
      const body = { label: `ts-t-${i}`, node_id: 101 }
      return ['volumes.create', { body }, 200, volume(i, { node_id: 101 })]
    })
    const next: Told = ['volumes.create', { body: { label: 'ts-t-9', node_id: 101 } }, 400, refusal()]
    const views = (node_id: number | null) =>
      [5, 6, 7, 8].map((i): Told => ['volumes.view', { path: { volumeId: 900 + i } }, 200, volume(i, { node_id })])
    expect(told([...full, next], options).expects).toBe('refuse')
    expect(told([...full, ...views(null)], options).deviations).toContain('must volumes.view.shows.node_id')
    const { deviations, expects } = told([...full, ...views(null), next], options)
    expect([deviations, expects]).toEqual([[], 'either'])
    expect(told([...full, ...views(null), ...views(101), next], options).expects).toBe('refuse')
  })

  test('is nothing that a copy takes over', () => {
    const at = { path: { volumeId: 901 } }
    const [small, large] = [20, 30].map((size) => volume(1, { node_id: null, size }))
    const makes: Told = ['volumes.create', { body: { label: 'ts-t-1', region: 'r1' } }, 200, small]
    const resizes: Told = ['volumes.resize', { ...at, body: { size: 30 } }, 200, large]
    const view = (shown: object | undefined): Told => ['volumes.view', at, 200, shown]
    const copy = volume(2, { node_id: null, size: 30 })
    const clones: Told = ['volumes.clone', { ...at, body: { label: 'ts-t-2' } }, 200, copy]
    const steps = [makes, resizes, view(large), view(small)]
    expect(told(steps, options).deviations).toEqual(['must volumes.view.shows.size'])
    expect(told([...steps, clones], options).deviations).toEqual([])
    const others: Told = ['volumes.clone', { ...at, body: { label: 'ts-t-2' } }, 200, { ...copy, size: 40 }]
    expect(told([makes, resizes, view(large), others], options).deviations).toEqual(['must volumes.clone.same-size'])
  })
})
