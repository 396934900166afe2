// How far a call reaches: what it may depend on and change, as each operation declares; nothing is judged here.

/** Parts of the interface. A change in one does not show in another, except where `telling` says so; nothing changes `given`. */
export type Partition = 'tagged' | 'addresses' | 'object-storage' | 'services' | 'support' | 'given'

/** Partitions that show another one: a ticket is about an entity of another partition, and may show that it is gone. */
export const telling: ReadonlySet<Partition> = new Set(['support', 'tagged'])

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

export interface Reach {
  /** The partition to whose resources it is confined. */
  readonly in: Partition | 'anything'
  /** Whether it reads and changes only the resource that the path names first, or the one that it makes. */
  readonly alone: boolean
  /** Whether its programs act on nodes, volumes and objects that the target file lends, and if so, what about those a call changes. */
  readonly lent: false | 'looks' | Holding
  /** For calls that may concern another partition: whether one with this body does not. */
  readonly isConfined?: (body: unknown) => boolean
}
