// What is believed once a target has accepted a call that it should have refused.
import { describe, expect, test } from 'vitest'
import type { Args } from '../../models/language/plan.js'
import { pageOf, refusal, type Told, told } from '../models/stories.js'

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
