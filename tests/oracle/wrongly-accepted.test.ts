// What is believed once a target has accepted a call that it should have refused.
import { describe, expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import type { World } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { judge } from '../../oracle/judge.js'
import type { Reply } from '../../oracle/step.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { pageOf, refusal, type Told, told } from '../models/stories.js'
import { volume } from './traffic.js'

const label = 'ts-n1-a'
const rule = {
  action: 'DROP',
  protocol: 'TCP',
  addresses: { ipv4: ['198.51.100.0/24'] },
  label: 'web',
  description: 'none',
}
const rules = { inbound: [rule], outbound: [], inbound_policy: 'ACCEPT', outbound_policy: 'ACCEPT' }
const numbered = (member: object) => ({ ...rules, inbound: [{ ...rule, ...member }] })

interface Creation {
  readonly resource: string
  /** With a number where a text is due. */
  readonly sent: object
  readonly right: object
  /** How the list shows what was made. */
  readonly shown: object
}

const creations: readonly (readonly [string, Creation])[] = [
  [
    'the username of a credential',
    {
      resource: 'managed-credentials',
      sent: { label, password: 'p', username: 12345678 },
      right: { label, password: 'p' },
      shown: { id: 4, label, username: '12345678' },
    },
  ],
  [
    'the label of a rule',
    {
      resource: 'firewalls',
      sent: { label, rules: numbered({ label: 12345678 }) },
      right: { label, rules },
      shown: { id: 4, label, status: 'enabled', rules: numbered({ label: '12345678' }), tags: [] },
    },
  ],
  [
    'a tag of a firewall',
    {
      resource: 'firewalls',
      sent: { label, rules, tags: [12345678] },
      right: { label, rules },
      shown: { id: 4, label, status: 'enabled', rules, tags: ['12345678'] },
    },
  ],
]

describe.each([
  ['the record alone in a list', (shown: object): unknown => [shown]],
  ['the record within another object', (shown: object): unknown => ({ result: shown })],
  ['an id', ({ id }: { readonly id?: number }): unknown => ({ id })],
  ['nothing', (): unknown => ({})],
])('A creation is answered with %s', (_, replyOf) => {
  test.each(creations)('a number taken as %s has made the thing, and its label is in use', (_, one) => {
    const { resource, sent, right, shown } = one
    const options = { closed: [resource], nonce: 'ts-n1' }
    const made: Told = [`${resource}.create`, { body: sent } as Args, 200, replyOf(shown)]
    const listed: Told = [`${resource}.list`, {}, 200, pageOf(shown)]
    const again: Told = [`${resource}.create`, { body: right } as Args, 400, refusal('label')]
    const isMust = (deviation: string) => deviation.startsWith('must')
    expect(told([made], options).deviations.filter(isMust)).toEqual([])
    expect(told([made, listed], options).deviations).toEqual([])
    expect(told([made, listed, again], options).deviations).toEqual([])
    expect(told([made, again], options).deviations).toEqual([])
  })
})

test('a number taken as a name may be shown as a text, where the reply to the update shows nothing', () => {
  const path = { contactId: 4 }
  const options = { closed: ['managed-contacts'], nonce: 'ts-n1' }
  const steps: readonly Told[] = [
    ['managed-contacts.create', { body: { name: label, email: 'a@example.org' } }, 200, { id: 4, name: label }],
    ['managed-contacts.update', { path, body: { name: 12345678 } } as Args, 200, {}],
  ]
  const viewed = (name: string): Told => ['managed-contacts.view', { path }, 200, { id: 4, name }]
  expect(told([...steps, viewed('12345678')], options).deviations).toEqual([])
  // Once shown, it stays.
  expect(told([...steps, viewed('12345678'), viewed('87654321')], options).deviations).not.toEqual([])
})

test('members side by side that a wrong call has set are all in doubt', () => {
  const path = { volumeId: 7 }
  const steps: readonly (readonly [string, Args, number, object])[] = [
    ['volumes.create', { body: { label: 'disk', region: 'r1' } }, 200, volume()],
    ['volumes.attach', { path, body: { node_id: 101, config_id: 999_999 } }, 200, {}],
    ['volumes.view', { path }, 200, volume()],
  ]
  let world: World = startWorld(embeddedEnvironment(), {})
  const found = steps.map(([id, args, status, body], i) => {
    const op = operationById(id) as Operation
    const judged = judge(world, op, buildCall(op, { as: 'owner', ...args }), { status, body } as Reply, i + 1)
    world = judged.world
    return judged.deviations.map(({ clause }) => clause)
  })
  expect(found).toEqual([[], ['volumes.attach.config-of-node'], []])
})
