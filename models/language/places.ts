// Where things are that a call moves, and the calls that bring them back there; nothing is sent here.

import type { Environment } from './environment.js'
import type { Args } from './plan.js'
import type { Path, WireRecord } from './world.js'

/** A thing by the path of its view, with what told its place before it was moved and tells it now. */
export interface Moved {
  readonly path: Path
  readonly was: WireRecord
  readonly now: WireRecord
}

/** A thing by the path of its view, and where a call puts it. */
export interface Move {
  readonly path: Path
  readonly to: WireRecord
}

export interface Places {
  /** Id of the operation that shows where such a thing is. */
  readonly view: string
  /** Each thing that a call moves, and what it is to show then; the body of the call may be ill-formed. */
  readonly of: (call: { readonly path: Path; readonly body?: unknown }) => readonly Move[]
  /** Members of the record that tell the place. */
  readonly members: readonly string[]
  /** Why a thing that was there must not be moved, if no call brings back all that a move ends. */
  readonly stays?: (was: WireRecord) => string | undefined
  /** The update that sets what a move may reset: settings of the old place, if they name the moved thing by `name`. */
  readonly unsettles?: (thing: Pick<Moved, 'path' | 'was'>) => {
    readonly operation: string
    readonly path: Path
    readonly name: string
  }
  /** Calls that bring back all of them, in order; together, since one may be in the way of another. */
  readonly back: (
    things: readonly Moved[],
    environment: Pick<Environment, 'fixtures'>,
  ) => readonly (readonly [operation: string, args: Args])[]
}
