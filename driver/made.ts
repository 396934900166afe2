// What a run has made on the target and has to remove: creations, those whose reply was lost, and what could not be removed.

import type { WireCall } from '../history/wire.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { AnyEntity, Path } from '../models/language/world.js'

/** What this run made, and how to find it again. */
export interface Creation {
  readonly table: AnyTable
  /** Changes when the target tells the id at last. */
  readonly key: () => string
  readonly path: Path
  readonly as: string | null
  /** What a list showed of it, where the belief does not know it. */
  readonly entity?: AnyEntity
}

/** Something that stays on the target. */
export interface Left {
  readonly table: AnyTable
  readonly key: string
  /** How to remove it, where the interface can. */
  readonly creation?: Creation
}

/** A creation with an unknown result. */
export interface LostCreation {
  readonly op: Operation
  readonly table: AnyTable
  readonly call: WireCall
  readonly step: number
  /** When its reply was given up, and when it was last looked for. */
  readonly at: number
  readonly soughtAt?: number
}
