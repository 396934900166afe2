// The firewall, and its rules as a view of the same entity; the document names their fields but shows no record.

import { type Policy, type Rule, sameRules } from '../firewall-rules/record.js'
import { byId, sameId } from '../language/facts.js'
import type { Entity, Table } from '../language/world.js'
import { sameTags } from '../tags/record.js'

export interface Firewall {
  readonly id: number
  readonly label: string
  readonly status: 'enabled' | 'disabled'
  readonly tags: readonly string[]
  readonly inbound: readonly Rule[]
  readonly inbound_policy: Policy
  readonly outbound: readonly Rule[]
  readonly outbound_policy: Policy
  /** How the firewall's record shows its rules. */
  readonly rules: Partial<Rulesets>
  /** Whether its last update of rules left those of a direction out. */
  readonly rulesGivenInParts: boolean
  /** Whether every device of it is in the table of devices. */
  readonly devicesKnown: boolean
}

export type Rulesets = Pick<Firewall, 'inbound' | 'inbound_policy' | 'outbound' | 'outbound_policy'>

/** Names of what a rules update replaces. */
export const rulesetFields = ['inbound', 'inbound_policy', 'outbound', 'outbound_policy'] as const

const sameRulesets = (known: Partial<Rulesets>, seen: unknown, { loose }: Entity<Firewall>) => {
  if (seen === null) return undefined
  if (typeof seen !== 'object') return false
  const shown = seen as Readonly<Record<string, unknown>>
  return rulesetFields.every((name) => {
    const value = known[name]
    if (value === undefined || loose?.includes(name) || shown[name] === undefined || shown[name] === null) return true
    return typeof value === 'string' ? shown[name] === value : sameRules(value, shown[name]) !== false
  })
}

export const firewalls: Table<Firewall> = {
  name: 'firewalls',
  fields: ['id', 'label', 'status', 'tags'],
  identify: byId,
  mayRepeat: true,
  same: {
    id: sameId,
    tags: sameTags,
    rules: sameRulesets,
  },
  derived: { rules: rulesetFields },
  view: (_world, firewall) => ({
    rules: Object.fromEntries(
      rulesetFields.flatMap((name) => (firewall[name] === undefined ? [] : [[name, firewall[name]]])),
    ),
  }),
  // The record is not shown, so it may keep its status elsewhere.
  tombstone: ({ status }) => (status === undefined ? undefined : status === 'deleted'),
  bare: ({ id, label, status, tags }) => ({ id, label, status, tags }),
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: true,
  mint: (dice) => String(dice.next('firewalls')),
  draw: () => ({ tags: [], inbound: [], outbound: [] }),
}

/** The same entities as `firewalls`, shown by their rules. */
export const firewallRules: Table<Firewall> = {
  name: 'firewalls',
  fields: rulesetFields,
  identify: byId,
  mayRepeat: true,
  same: { inbound: sameRules, outbound: sameRules },
  // The rules of a firewall that is shown as deleted may be shown too; they do not tell its status.
  tombstone: () => true,
  bare: ({ inbound, outbound }) => ({ inbound, outbound }),
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: true,
  draw: () => ({ inbound: [], inbound_policy: 'ACCEPT', outbound: [], outbound_policy: 'ACCEPT' }),
}
