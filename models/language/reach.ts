// How far a call reaches: what it may depend on and change, as each operation declares; nothing is judged here.

import { isObject } from './objects.js'

/** Parts of the interface. A change in one does not show in another, except where `related` says so; nothing changes `given`. */
export type Partition =
  | 'volumes'
  | 'firewalls'
  | 'tags'
  | 'addresses'
  | 'object-storage'
  | 'services'
  | 'support'
  | 'given'

/** Of each partition those that may show it: a tag shows what carries it, and a ticket that what it is about is gone. */
export const related: Readonly<Record<Partition, readonly Partition[]>> = {
  volumes: ['tags', 'support'],
  firewalls: ['tags', 'support'],
  tags: ['volumes', 'firewalls'],
  addresses: [],
  'object-storage': [],
  services: [],
  support: ['volumes', 'firewalls'],
  given: [],
}

/**
 * What about a node, a service or a bucket a call changes, so that no program beside it may rely on that meanwhile: one of the
 * few places that a node has for volumes, its firewalls, where its addresses are, what is shared with it, its settings, how
 * many addresses it was given, what its addresses are called, its ranges; or the objects of a bucket.
 */
export type Holding =
  | 'volumes'
  | 'firewalls'
  | 'addresses'
  | 'shares'
  | 'settings'
  | 'allocations'
  | 'names'
  | 'ranges'
  | 'objects'

/** What a call that changes one of these keeps to itself, so that no other program may use it meanwhile. */
interface Taking {
  /** One of the places of the node; all that there is of it; that of a bucket; or the range of the account in a region. */
  readonly takes: 'a place' | 'all' | 'all of the bucket' | 'the range of the region'
  /** Whether the addresses of the node have to stay where they are meanwhile. */
  readonly reliesOnAddresses: boolean
  /** Whether it has nothing to do with anything else about the same node. */
  readonly isApart: boolean
}

export const holdings: Readonly<Record<Holding, Taking>> = {
  volumes: { takes: 'a place', reliesOnAddresses: false, isApart: true },
  firewalls: { takes: 'all', reliesOnAddresses: false, isApart: true },
  addresses: { takes: 'all', reliesOnAddresses: false, isApart: false },
  shares: { takes: 'all', reliesOnAddresses: true, isApart: false },
  settings: { takes: 'all', reliesOnAddresses: true, isApart: false },
  allocations: { takes: 'all', reliesOnAddresses: true, isApart: false },
  names: { takes: 'all', reliesOnAddresses: true, isApart: false },
  ranges: { takes: 'the range of the region', reliesOnAddresses: true, isApart: false },
  objects: { takes: 'all of the bucket', reliesOnAddresses: false, isApart: false },
}

export interface Reach {
  /** The partition to whose resources it is confined. */
  readonly in: Partition | 'anything'
  /** Whether it reads and changes only the resource that the path names first, or the one that it makes. */
  readonly alone: boolean
  /** Whether its programs act on nodes, volumes and objects that the target file lends, and if so, what about those a call changes. */
  readonly lent: false | 'looks' | Holding
  /** Other partitions that a call with this body may read or change; all that are related to its own where this is left out. */
  readonly concerns?: (body: unknown) => readonly Partition[]
}

/** For a call that concerns no other partition than its own. */
export const itself = (): readonly Partition[] => []

/** For a call that may be shown by a tag, and by no ticket. */
export const withTags = (): readonly Partition[] => ['tags']

/** For a creation, which a tag shows only if it is given one. */
export const withItsTags = (body: unknown): readonly Partition[] => (isObject(body) && !body.tags ? [] : ['tags'])
