// What the suite is known not to do yet: faults that no finding tells of, and legal ways with which it finds fault.
import { type Options, PLAIN } from './options.js'

/** Faults that are not caught yet by a finding that gates, as far as they were tried; one that is caught is struck off. */
export const UNMET: readonly string[] = [
  'bucket-objects.page_size.fraction',
  'buckets.create.again-emptied',
  'buckets.create.cors_enabled.text',
  'credentials.delete.services',
  'devices.disabled-allowed',
  'event firewall_create / twice',
  'event obj_access_key_create / twice',
  'event obj_access_key_update / refused',
  'firewall-devices.create.id.text',
  'firewall-devices.list / repeats',
  'firewall-devices.list / skips',
  'firewalls.create.devices.nodes[].text',
  'firewalls.create.one-active / race',
  'firewalls.create.rules.inbound[].description.bytes',
  'firewalls.shows.status',
  'firewalls.update / foreign',
  'firewalls.view / foreign',
  'ips.allocate.node_id.text',
  'ips.list / short-at-25',
  // Told as what a refused update did: a should, after which the sibling is believed to be as it was reset.
  'managed-credentials.update / resets-sibling',
  'tags.view / skips',
  'tags.list / size-ignored',
  'ticket-replies.list / default-25',
  'ticket-replies.list / size-ignored',
  'volumes.attach.persist_across_boots.text',
  'volumes.create.size.fraction',
  'volumes.limit.profile-uncounted',
  'volumes.resize.size.fraction',
]

/** The plain way in place of each in which a conforming target is found fault with; one that is accepted is struck off. */
const ACCEPTED: Partial<Options> = {
  abbreviates: PLAIN.abbreviates,
  atomicMoves: PLAIN.atomicMoves,
  attachesLater: PLAIN.attachesLater,
  bucketNames: PLAIN.bucketNames,
  change: PLAIN.change,
  creation: PLAIN.creation,
  keyAccess: PLAIN.keyAccess,
  revokedLabelsReserved: PLAIN.revokedLabelsReserved,
  sameDevice: PLAIN.sameDevice,
}

export const undisputed = (options: Options): Options => ({ ...options, ...ACCEPTED })
