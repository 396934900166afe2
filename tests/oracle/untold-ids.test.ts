// What is due for a call that may name what was made without its id being told.
import { expect, test } from 'vitest'
import { type Told, told } from '../models/stories.js'

const label = 'ts-n1-a'
const rules = { inbound: [], outbound: [], inbound_policy: 'ACCEPT', outbound_policy: 'ACCEPT' }
const made: Told = ['firewalls.create', { body: { label, rules } }, 200, {}]
const renamed = (status: number, body: unknown): Told => [
  'firewalls.update',
  { path: { firewallId: 38 }, body: { label } },
  status,
  body,
]
const adopting = { adopting: true, nonce: 'ts-n1' }

test('a firewall of an unknown id may keep its label where it may be the one made under it, or lack that label', () => {
  expect(told([made, renamed(200, {})], adopting).deviations).toEqual([])
  expect(told([made, renamed(400, { errors: [{ field: 'label', reason: 'no' }] })], adopting).deviations).toEqual([])
})

test('a firewall of another id than the one made must not take its label', () => {
  const known: Told = ['firewalls.create', { body: { label, rules } }, 200, { id: 37, label, status: 'enabled' }]
  expect(told([known, renamed(200, {})], adopting).deviations).toEqual(['must firewalls.update.label-unique'])
})
