import { expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import { put } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { close } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { type Volume, volumes } from '../../models/volumes/record.js'
import { expect as expectation, soleDue } from '../../oracle/due.js'
import { readCall } from '../../oracle/facts.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const worldWith = (fields: Partial<Volume>) =>
  put(startWorld(embeddedEnvironment()), volumes, {
    key: '7',
    account: 'main',
    size: 20,
    node_id: null,
    migrating: false,
    ...fields,
  })

const sole = (id: string, fields: Partial<Volume>, args: Args): string | undefined => {
  const op = operationById(id) as Operation
  const call = recorded(buildCall(op, { path: { volumeId: 7 }, as: 'owner', ...args }))
  const world = worldWith(fields)
  return soleDue(expectation(world, op, call, readCall(world, op, call)))?.clause.id
}

test.each([
  ['a volume at rest', 'volumes.clone', { status: 'active' }, {}, 'volumes.clone.body.label.minLength'],
  ['a volume that is not active', 'volumes.clone', { status: 'creating' }, {}, undefined],
  ['a migrating volume', 'volumes.clone', { status: 'active', migrating: true }, {}, undefined],
  ['a caller who may lack a grant', 'volumes.clone', { status: 'active' }, { as: 'limited' }, undefined],
  ['an update at rest', 'volumes.update', { status: 'active' }, {}, 'volumes.update.body.label.minLength'],
] as const)('of an ill-formed call the member is the only one to blame, or not: %s', (_, id, fields, args, clause) => {
  expect(sole(id, fields as Partial<Volume>, { ...args, body: { label: '' } })).toBe(clause)
})

const blameable = (id: string, as: string, body: Readonly<Record<string, unknown>>): readonly string[] | undefined => {
  const op = operationById(id) as Operation
  const call = recorded(buildCall(op, { as, body }))
  const world = ['main', 'debtor'].reduce(
    (before, account) => close(before, { name: 'managed-credentials' }, account),
    worldWith({}),
  )
  return soleDue(expectation(world, op, call, readCall(world, op, call)))?.fields
}

test.each([
  ['a member alone', 'ipv6-ranges.create', 'owner', { prefix_length: [], node_id: 101 }, ['prefix_length']],
  ['any, where one of two is required', 'ipv6-ranges.create', 'owner', { prefix_length: 64, route_target: [] }, []],
  [
    'any, where two exclude each other',
    'ipv6-ranges.create',
    'owner',
    { prefix_length: 64, node_id: 101, route_target: [] },
    [],
  ],
  ['what names nothing of the caller', 'ips.share', 'other', { node_id: 101 }, ['node_id', 'ips']],
  [
    'any, where nothing is in the region of a call that names none',
    'ips.assign',
    'owner',
    { assignments: [{ address: '203.0.113.101', node_id: 102 }] },
    [],
  ],
  [
    'what is missing where the member counts as not given',
    'volumes.create',
    'owner',
    { label: 'ts-t', node_id: {} },
    ['region', 'node_id'],
  ],
  ['a rule on another member', 'firewalls.create', 'owner', { label: 'a--b' }, ['label', 'rules']],
  ['a text that is too short, of which no character is a usual one', 'tags.create', 'owner', { label: '' }, ['label']],
  [
    'an address that is too short, which is no usual one',
    'managed-services.create',
    'owner',
    { label: 'ts-t', service_type: 'url', address: 'ab', timeout: 30 },
    ['address', 'region'],
  ],
  [
    'a telephone number that is none, in whatever part',
    'managed-contacts.create',
    'owner',
    { email: 'a@example.org', group: 'ops', name: 'ann', phone: { primary: 'nobody', secondary: null } },
    ['phone', 'primary', 'secondary'],
  ],
  ['the one of two texts that is too short', 'tickets.create', 'owner', { summary: '', description: 'd' }, ['summary']],
  [
    'the member of a rule that what is not known may break as well',
    'firewalls.create',
    'owner',
    { label: 'a--b', rules: { inbound_policy: 'DROP', outbound_policy: 'DROP' } },
    ['label'],
  ],
  [
    'the members of two rules, of which what is not known may break one',
    'volumes.create',
    'owner',
    { label: 'ts-t' },
    ['label', 'region', 'node_id'],
  ],
  [
    'beside it another text that may be refused for its characters',
    'tickets.create',
    'owner',
    { summary: '', description: ' ' },
    ['summary', 'description'],
  ],
] as const)('of a call that is ill-formed may be blamed: %s', (_, id, as, body, fields) => {
  expect(blameable(id, as, body)).toEqual(fields)
})

test('a service with unknown credentials may be refused, whatever the refusal blames', () => {
  const body = { label: 'ts-t', service_type: 'url', address: 'https://example.org/', timeout: 30, credentials: [4040] }
  for (const as of ['owner', 'debtor']) expect(blameable('managed-services.create', as, body) ?? []).toEqual([])
})
