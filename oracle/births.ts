// Remembers when the things of recorded traffic were made, as one of several replicas may be behind for a moment; judges nothing.

import type { AnyTable } from '../models/language/operation.js'
import { isLatent } from '../models/language/world.js'
import type { Judged } from './judgement.js'
import { doubtfulMs } from './late.js'

/** The most creations that are remembered, the latest: it matters for a second. */
const mostMade = 1024

/** The same for those of a kind that told no id. */
const mostUntold = 64

interface Births {
  /** When the creation of a resource was over, by table and key. */
  readonly madeAt: Map<string, number>
  /** Creations that told no id, by table. */
  readonly untold: Map<string, readonly Judged[]>
}

const nameOf = (table: AnyTable, key: string): string => `${table.name} ${key}`

export const createBirths = ({ madeAt, untold }: Births = { madeAt: new Map(), untold: new Map() }) => ({
  /** Notes a creation. */
  note: (step: Judged): void => {
    const { op, endedAt, judgement } = step
    if (!op.makes || judgement.made === undefined) return
    const { name } = op.makes
    if (isLatent(judgement.made))
      return void untold.set(name, [...(untold.get(name) ?? []).slice(1 - mostUntold), step])
    madeAt.set(nameOf(op.makes, judgement.made), endedAt)
    const [oldest] = madeAt.keys()
    if (madeAt.size > mostMade && oldest !== undefined) madeAt.delete(oldest)
  },
  forget: (table: AnyTable, key: string): void => {
    madeAt.delete(nameOf(table, key))
  },
  /** Whether a look came so soon after the creation of what was shown first at that time that another replica may not have it yet. */
  isNew: (table: AnyTable, key: string, { startedAt }: Judged, firstAt: number): boolean => {
    const isJustNow = (endedAt: number): boolean => startedAt - endedAt <= doubtfulMs
    const isMadeBy = (one: Judged): boolean => one.startedAt <= firstAt && isJustNow(one.endedAt)
    const told = madeAt.get(nameOf(table, key))
    return told === undefined ? (untold.get(table.name) ?? []).some(isMadeBy) : isJustNow(told)
  },
  fork: () => createBirths({ madeAt: new Map(madeAt), untold: new Map(untold) }),
})
