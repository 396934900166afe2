// How far a call reaches: what it may depend on and change; every operation says so of itself, and nothing is judged by it here.

/** Parts of the interface: what is done in one does not show in another, but where `telling` says so. Nothing changes what is given. */
export type Partition = 'tagged' | 'addresses' | 'object-storage' | 'services' | 'support' | 'given'

/** Partitions that tell of each other: a ticket is about something of another part, and may show that it is gone. */
export const telling: ReadonlySet<Partition> = new Set(['support', 'tagged'])

export interface Reach {
  /** The partition to whose resources it is confined. */
  readonly in: Partition | 'anything'
  /** Whether it neither looks at nor changes anything but the resource that the path names first, or the one that it makes. */
  readonly alone: boolean
  /** Whether its programs act on nodes, volumes and objects that the target file lends: all programs at a time share those. */
  readonly lent: boolean
  /** Where a call may be about something of another partition: whether one with this body is not. */
  readonly isConfined?: (body: unknown) => boolean
}
