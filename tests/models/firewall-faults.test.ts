// Firewall targets that are changed in one respect which no derived mutant has: in what the document allows, and in what it does not.
import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { clausesOf } from '../../models/derive.js'
import { operationById } from '../../models/index.js'
import type { Rule } from '../../models/tables/firewall-rules.js'
import { type Firewall, firewalls } from '../../models/tables/firewalls.js'
import { type Entity, find, patch } from '../../models/world.js'
import type { Fault } from '../../target/answer.js'
import { inProcess } from '../../target/in-process.js'
import { embeddedSetting } from '../../target/setting.js'
import { findingsOf, leaves, replies } from './faulty.js'

const allowed: readonly (readonly [string, string, Fault])[] = [
  [
    'answers every assignment with nothing',
    'firewall-devices.create.again',
    replies('firewall-devices.create', () => ({})),
  ],
]

interface Updating {
  readonly refs: { readonly firewallId: Entity<Firewall> }
}

const faults: readonly (readonly [string, string, Fault])[] = [
  [
    'lets a rule keep the description of the one it replaces',
    'firewall-rules.view.replaced',
    leaves(
      'firewall-rules.update',
      (
        after,
        _,
        {
          refs: {
            firewallId: { key, inbound = [] },
          },
        }: Updating,
      ) =>
        patch(after, firewalls, key, {
          inbound: (find(after, firewalls, key)?.inbound ?? []).map((rule, i) => ({
            ...(inbound[i]?.description !== undefined && { description: inbound[i].description }),
            ...rule,
          })),
        }),
    ),
  ],
]

describe('a fault is found', () => {
  for (const [what, id, fault] of faults)
    test(`a target that ${what} breaks a clause in the probe of ${id}`, async () => {
      expect(await findingsOf(id, fault)).not.toEqual([])
      expect(await findingsOf(id, {})).toEqual([])
    })
})

describe('a target may differ', () => {
  for (const [what, id, fault] of allowed)
    test(`a target that ${what} breaks nothing in the probe of ${id}`, async () =>
      expect(await findingsOf(id, fault)).toEqual([]))
})

test('a wrong value is tried in the first of several items and in the last', () => {
  const { session } = inProcess({ setting: embeddedSetting() })
  const op = operationById('firewalls.create')
  const clause = op && clausesOf(op).find(({ id }) => id === 'firewalls.create.body.rules.inbound[].protocol.enum')
  const probe = clause && probeFor(clause, session.context)
  const bodies =
    probe?.kind === 'program' ? probe.program.steps.flatMap((step) => ('body' in step ? [step.body] : [])) : []
  const protocols = bodies.map((body) =>
    (body as { rules: { inbound: Rule[] } }).rules.inbound.map(({ protocol }) => protocol),
  )
  expect(protocols).toEqual(
    expect.arrayContaining([
      ['no-such-value', 'TCP'],
      ['TCP', 'no-such-value'],
      ['tcp', 'TCP'],
    ]),
  )
})
