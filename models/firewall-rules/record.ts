// The firewall rule of the document's table "Firewall rule", and when shown rules are the ones that were sent; not its limits.

import type { Ternary } from '../language/clause.js'
import { sameAddresses } from '../language/networks.js'
import { isObject } from '../language/objects.js'
import { agrees, asText } from '../language/same.js'
import { array, nullable, object, oneOf, optional, type Static, text, without } from '../language/schema.js'
import { allPorts, canonicalPorts } from './ports.js'

const network = (example: string) => text({ example })

export const rule = object({
  action: without(oneOf('ACCEPT', 'DROP'), 'accept', 'REJECT'),
  protocol: without(oneOf('TCP', 'UDP', 'ICMP', 'IPENCAP'), 'tcp', 'ALL'),
  addresses: object({
    ipv4: optional(array(network('192.0.2.0/24'), { min: 1 })),
    ipv6: optional(array(network('2001:db8::/32'), { min: 1 })),
  }),
  ports: optional(nullable(text({ example: '443' }))),
  label: optional(text({ min: 3, max: 32 })),
  description: optional(text({ min: 1, max: 100 })),
})

export const policy = without(oneOf('ACCEPT', 'DROP'), 'REJECT')

export type Rule = Static<typeof rule>
export type Policy = Static<typeof policy>

type Members = Readonly<Record<string, unknown>>

// A rule that is known may be one that a faulty target has shown, so nothing is taken for granted of it either.

/** Whether what a rule shows of a member may be what was sent; a member that is not shown is free. */
const sameMember: Readonly<Record<keyof Rule, (known: Members, seen: unknown) => boolean>> = {
  action: ({ action }, seen) => action === undefined || agrees(action, seen),
  protocol: ({ protocol }, seen) => protocol === undefined || agrees(protocol, seen),
  addresses: ({ addresses }, seen) =>
    isObject(addresses)
      ? isObject(seen) && families.every((one) => sameNetworks(addresses[one], inAddresses(seen, one)))
      : agrees(addresses, seen),
  ports: ({ ports }, seen) => agrees(spellPorts(ports), spellPorts(seen)),
  label: ({ label }, seen) => sameText(label, seen),
  description: ({ description }, seen) => sameText(description, seen),
}

const sameText = (known: unknown, seen: unknown): boolean =>
  typeof known === 'string' ? asText(known, seen) !== false : known === undefined || agrees(known, seen)

const families = ['ipv4', 'ipv6'] as const

/** The networks of a family as they are shown; none of it beside those of the other, and undefined where none at all are told. */
const inAddresses = (seen: Members, family: (typeof families)[number]): unknown =>
  seen[family] === undefined && families.some((one) => Array.isArray(seen[one])) ? [] : seen[family]

const spellNetwork = (item: unknown): string => (typeof item === 'string' ? item : JSON.stringify(item))

const sameNetworks = (known: unknown, seen: unknown): boolean => {
  if (seen === undefined) return true
  const sent = known ?? []
  // A null may stand for none.
  if (seen === null) return Array.isArray(sent) && sent.length === 0
  return Array.isArray(sent) && Array.isArray(seen)
    ? sameAddresses(sent.map(spellNetwork), seen.map(spellNetwork))
    : agrees(known, seen)
}

/** Unset, empty and "all of them" come to the same. */
const spellPorts = (ports: unknown): unknown =>
  ports === undefined || ports === null || ports === ''
    ? allPorts
    : typeof ports === 'string'
      ? (canonicalPorts(ports) ?? ports)
      : ports

/** Whether a shown rule may be the one that was sent. */
const sameRule = (known: unknown, seen: unknown): boolean =>
  !isObject(known)
    ? agrees(known, seen)
    : isObject(seen) &&
      Object.entries(sameMember).every(([name, same]) => isOpen(name, seen) || same(known, seen[name]))

/** Whether a rule leaves open what it has of a member that it does not show: but where all that it must have is shown, it has no ports. */
const isOpen = (name: string, seen: Members): boolean =>
  seen[name] === undefined &&
  !(name === 'ports' && ['action', 'protocol', 'addresses'].every((member) => seen[member] !== undefined))

/** The rules that the member named after a direction shows: it may be a list of them, or an object that has its policy as well. */
export const rulesIn = (shown: unknown): readonly unknown[] | undefined =>
  isObject(shown) ? Object.values(shown).find(Array.isArray) : Array.isArray(shown) ? shown : undefined

/** Whether shown rules are the ones that were sent, in their order; undefined where no rules are shown. */
export const sameRules = (known: readonly Rule[], shown: unknown): Ternary => {
  const seen = rulesIn(shown)
  return seen && Array.isArray(known)
    ? seen.length === known.length && known.every((one, i) => sameRule(one, seen[i]))
    : undefined
}

const membersIn = (value: unknown): readonly (readonly [name: string, value: unknown])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [[name, inner] as const, ...membersIn(inner)])
    : []

/** Whether a reply shows rules of a direction, wherever in it: under its name, or each as an object of its own. */
export const showsRules = (direction: string, known: readonly Rule[], reply: unknown): boolean => {
  const members = membersIn(reply)
  return (
    members.some(([name, value]) => name.toLowerCase().includes(direction) && typeof value === 'object' && value) ||
    known.every((one) => members.some(([, value]) => isObject(value) && 'action' in value && sameRule(one, value)))
  )
}

/** Whether they are the ones that were sent, but in another order. */
export const isReordered = (known: readonly Rule[], shown: unknown): boolean => {
  const seen = rulesIn(shown)
  if (!Array.isArray(known) || seen?.length !== known.length || sameRules(known, seen) !== false) return false
  const rest = [...seen]
  return known.every((one) => {
    const at = rest.findIndex((item) => sameRule(one, item))
    if (at >= 0) rest.splice(at, 1)
    return at >= 0
  })
}

/** Whether a shown rule has a label or a description that it was not given, but that its predecessor was. */
export const isLeftOver = (known: readonly Rule[], before: unknown, seen: unknown): boolean =>
  Array.isArray(known) &&
  Array.isArray(before) &&
  Array.isArray(seen) &&
  known.some((one: unknown, i) =>
    (['label', 'description'] as const).some(
      (name) =>
        isObject(one) &&
        isObject(before[i]) &&
        isObject(seen[i]) &&
        one[name] === undefined &&
        typeof before[i][name] === 'string' &&
        seen[i][name] === before[i][name],
    ),
  )
