// Which calls have nothing to do with each other, so that it makes no difference which of them comes first; nothing is judged here.

import type { Outcome, WireCall } from '../history/record.js'
import type { Operation } from '../models/language/operation.js'

interface Sent {
  readonly op: Operation
  readonly call: WireCall
  readonly outcome: Outcome
}

/** Parts of the interface by how their paths begin: what is done in one does not show in another. */
const parts: readonly (readonly [string, RegExp])[] = [
  ['tags and what carries them', /^\/(?:volumes|tags|networking\/firewalls)\b/],
  ['addresses', /^\/(?:networking\/ip|managed\/linode-settings)/],
  ['object storage', /^\/object-storage\b/],
  // A service names credentials, and a group that contacts are in.
  ['services', /^\/managed\/(?:contacts|credentials|services)\b/],
  ['support', /^\/support\b/],
  // Nothing in the interface changes these.
  ['what is given', /^\/(?:networking\/vlans|managed\/(?:issues|stats))\b/],
]

/** A ticket is about something of another part, and may show that it is gone. */
const tellsOf = new Set(['support', 'tags and what carries them'])

/** Operations that neither look at nor change anything but what the path names first, or what they make. */
const narrow = new Set([
  'volumes.view',
  'volumes.resize',
  'volumes.detach',
  'volumes.delete',
  'firewalls.view',
  'firewalls.delete',
  'firewall-rules.view',
  'firewall-rules.update',
  'firewall-devices.list',
  'firewall-devices.view',
  'object-keys.view',
  'object-keys.delete',
  'buckets.view',
  'bucket-objects.list',
  'object-acl.view',
  'object-urls.create',
  'managed-contacts.create',
  'managed-contacts.view',
  'managed-contacts.update',
  'managed-contacts.delete',
  'managed-credentials.view',
  'managed-services.view',
  'managed-services.enable',
  'managed-services.disable',
  'managed-services.delete',
  'tickets.view',
  'tickets.close',
  'ticket-replies.list',
  'ticket-replies.create',
  'ticket-attachments.create',
])

interface Reach {
  readonly part: string
  /** Undefined where it reaches further than one resource. */
  readonly own: string | undefined
}

const reaches = new WeakMap<object, Reach | undefined>()

const reachOf = (sent: Sent): Reach | undefined => {
  if (!reaches.has(sent)) reaches.set(sent, readReach(sent))
  return reaches.get(sent)
}

/** Undefined where it may reach anything. */
const readReach = (sent: Sent): Reach | undefined => {
  const part = parts.find(([, pattern]) => pattern.test(sent.op.path))?.[0]
  return part === undefined ? undefined : { part, own: ownOf(sent) }
}

/** Whether a ticket is opened about nothing of another part. */
const isPlainTicket = (sent: Sent): boolean => sent.op.id === 'tickets.create' && !isAboutAnother(sent)

/** Whether a ticket is opened about something of another part. */
const isAboutAnother = ({ op, call: { body } }: Sent): boolean =>
  op.id === 'tickets.create' &&
  (typeof body !== 'object' ||
    body === null ||
    Object.keys(body).some((name) => name.endsWith('_id') || name === 'vlan'))

const ownOf = ({ op, call, outcome }: Sent): string | undefined => {
  if (!narrow.has(op.id)) return undefined
  const [first] = op.path.split('/{')
  const { clusterId, bucket, ...ids } = call.path
  const id = bucket === undefined ? (Object.values(ids)[0] ?? madeIn(outcome)) : `${clusterId}/${bucket}`
  return id === undefined ? undefined : `${first}/${id}`
}

/** The id of what a creation surely made. */
const madeIn = (outcome: Outcome): string | undefined => {
  const { status, body } = outcome as { readonly status?: number; readonly body?: unknown }
  const { id, email } = (typeof body === 'object' && body !== null ? body : {}) as { id?: unknown; email?: unknown }
  const isRecord = status !== undefined && status < 300 && typeof email === 'string'
  return isRecord && typeof id === 'number' ? String(id) : undefined
}

/**
 * Calls that overlap, in groups of which each can be judged by itself once those before it are: two calls are in one group
 * where they have to do with each other and none of them surely came first, or where others tie them together so.
 */
export const groupsOf = <T extends Sent>(
  calls: readonly T[],
  precedes: (one: T, other: T) => boolean,
): readonly (readonly T[])[] => {
  const after = calls.map((one) =>
    calls.flatMap((other, j) => (one === other || areIndependent(one, other) || precedes(other, one) ? [] : [j])),
  )
  return strongComponents(after)
    .reverse()
    .map((group) => group.sort((a, b) => a - b).map((i) => calls[i] as T))
}

/** Tarjan's: the strongly connected components of a graph, each after those that it leads to. */
const strongComponents = (edges: readonly (readonly number[])[]): number[][] => {
  const index: number[] = []
  const low: number[] = []
  const stack: number[] = []
  const isOpen: boolean[] = []
  const components: number[][] = []
  let reached = 0
  for (let root = 0; root < edges.length; root += 1) {
    if (index[root] !== undefined) continue
    const path: { readonly node: number; at: number }[] = [{ node: root, at: 0 }]
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { node } = top
      if (top.at === 0) {
        index[node] = reached
        low[node] = reached
        reached += 1
        stack.push(node)
        isOpen[node] = true
      }
      const next = edges[node]?.[top.at]
      top.at += 1
      if (next !== undefined) {
        if (index[next] === undefined) path.push({ node: next, at: 0 })
        else if (isOpen[next]) low[node] = Math.min(low[node] as number, index[next] as number)
        continue
      }
      path.pop()
      const parent = path.at(-1)?.node
      if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[node] as number)
      if (low[node] !== index[node]) continue
      const component = stack.splice(stack.indexOf(node))
      for (const one of component) isOpen[one] = false
      components.push(component)
    }
  }
  return components
}

/** Whether two calls surely have nothing to do with each other. */
export const areIndependent = (one: Sent, other: Sent): boolean => {
  const [a, b] = [reachOf(one), reachOf(other)]
  if (!a || !b) return false
  if (a.part !== b.part)
    return !(tellsOf.has(a.part) && tellsOf.has(b.part)) || isPlainTicket(one) || isPlainTicket(other)
  return a.own !== undefined && b.own !== undefined && a.own !== b.own
}
