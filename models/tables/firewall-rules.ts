// The firewall rule of the document's table "Firewall rule", and when shown rules are the ones that were sent; not its limits.
import type { Ternary } from '../clause.js'
import { canonicalNetwork } from '../networks.js'
import { allPorts, canonicalPorts } from '../ports.js'
import { asSet } from '../same.js'
import { array, nullable, object, oneOf, optional, type Static, text } from '../schema.js'

const network = (example: string) => text({ example })

export const rule = object({
  action: oneOf('ACCEPT', 'DROP'),
  protocol: oneOf('TCP', 'UDP', 'ICMP', 'IPENCAP'),
  addresses: object({
    ipv4: optional(array(network('192.0.2.0/24'), { min: 1 })),
    ipv6: optional(array(network('2001:db8::/32'), { min: 1 })),
  }),
  ports: optional(nullable(text({ example: '443' }))),
  label: optional(text({ min: 3, max: 32 })),
  description: optional(text({ min: 1, max: 100 })),
})

export const policy = oneOf('ACCEPT', 'DROP')

export type Rule = Static<typeof rule>
export type Policy = Static<typeof policy>

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether what a rule shows of a member may be what was sent; a member that is not shown is free. */
const sameMember: Readonly<Record<keyof Rule, (known: Rule, seen: unknown) => boolean>> = {
  action: ({ action }, seen) => seen === action,
  protocol: ({ protocol }, seen) => seen === protocol,
  addresses: ({ addresses }, seen) =>
    isObject(seen) && sameNetworks(addresses.ipv4, seen.ipv4) && sameNetworks(addresses.ipv6, seen.ipv6),
  ports: ({ ports }, seen) => spellPorts(seen) === spellPorts(ports),
  label: ({ label }, seen) => label === undefined || seen === label,
  description: ({ description }, seen) => description === undefined || seen === description,
}

const sameNetworks = (known: readonly string[] | undefined, seen: unknown): boolean => {
  if (seen === undefined || seen === null) return true
  if (!Array.isArray(seen)) return false
  return asSet(
    (known ?? []).map(canonicalNetwork),
    seen.map((item) => (typeof item === 'string' ? canonicalNetwork(item) : item)),
  )
}

/** Unset, empty and "all of them" come to the same. */
const spellPorts = (ports: unknown): unknown =>
  ports === undefined || ports === null || ports === ''
    ? allPorts
    : typeof ports === 'string'
      ? (canonicalPorts(ports) ?? ports)
      : ports

/** Whether a shown rule may be the one that was sent. */
export const sameRule = (known: Rule, seen: unknown): boolean =>
  isObject(seen) &&
  Object.entries(sameMember).every(
    ([name, same]) => seen[name] === undefined || (seen[name] === null && name !== 'action') || same(known, seen[name]),
  )

/** Whether shown rules are the ones that were sent, in their order; undefined where no rules are shown. */
export const sameRules = (known: readonly Rule[], seen: unknown): Ternary =>
  seen === undefined || seen === null
    ? undefined
    : Array.isArray(seen) && seen.length === known.length && known.every((one, i) => sameRule(one, seen[i]))

/** Whether they are the ones that were sent, but in another order. */
export const isReordered = (known: readonly Rule[], seen: unknown): boolean => {
  if (!Array.isArray(seen) || seen.length !== known.length || sameRules(known, seen) !== false) return false
  const rest = [...seen]
  return known.every((one) => {
    const at = rest.findIndex((item) => sameRule(one, item))
    if (at >= 0) rest.splice(at, 1)
    return at >= 0
  })
}
