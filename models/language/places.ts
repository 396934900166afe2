// Where things are that a call moves, and the calls that bring them back there; nothing is sent here.

import type { Args } from './plan.js'
import type { Path, WireRecord } from './world.js'

/** A thing by the path of its view, with what told its place before it was moved and tells it now. */
export interface Moved {
  readonly path: Path
  readonly was: WireRecord
  readonly now: WireRecord
}

export interface Places {
  /** Id of the operation that shows where such a thing is. */
  readonly view: string
  /** The path of that view for each thing that a call moves; its body may be ill-formed. */
  readonly of: (call: { readonly path: Path; readonly body?: unknown }) => readonly Path[]
  /** Members of the record that tell the place. */
  readonly members: readonly string[]
  /** Calls that bring back all of them, in order; together, since one may be in the way of another. */
  readonly back: (things: readonly Moved[]) => readonly (readonly [operation: string, args: Args])[]
}
