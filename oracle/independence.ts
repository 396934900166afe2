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
  return part === undefined || sent.op.id === 'tickets.create' ? undefined : { part, own: ownOf(sent) }
}

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

/** Whether two calls surely have nothing to do with each other. */
export const areIndependent = (one: Sent, other: Sent): boolean => {
  const [a, b] = [reachOf(one), reachOf(other)]
  if (!a || !b) return false
  if (a.part !== b.part) return !(tellsOf.has(a.part) && tellsOf.has(b.part))
  return a.own !== undefined && b.own !== undefined && a.own !== b.own
}
