// Judges one reply in several worlds, one earlier than the other, and a list only where it may come to something else than in the one before; pure.

import { bodyOf } from '../history/outcomes.js'
import { isObject } from '../models/language/objects.js'
import { type AnyTable, isListed } from '../models/language/operation.js'
import { find, gone, idIn, isCountedAnew, isLatent, type WireRecord, type World } from '../models/language/world.js'
import { judge } from './judge.js'
import type { Deviation, Judgement, Observation } from './judgement.js'
import { listingOf } from './listing.js'
import type { Reply } from './step.js'

export interface Earlier {
  readonly judgedIn: (world: World) => Judgement
  /** Whether the reply surely deviates in a world in this way, or in any: what it lacks or should not hold is there the same as in one that was judged. */
  readonly isSurely: (world: World, one?: Deviation) => boolean
}

/** Each removed entity that is still listed has a deviation of its own; all that are missing have one together. */
export const isSame = (one: Deviation, other: Deviation): boolean =>
  one.clause === other.clause && one.kind === other.kind && (one.kind === 'missing' || one.expected === other.expected)

export const inEarlier = (by: Observation, reply: Reply): Earlier => {
  const table = tableThatTells(by)
  const judged = new Map<World, Judgement>()
  let latest: { readonly world: World; readonly deviations: readonly Deviation[] } | undefined
  return {
    judgedIn: (world) => {
      const judgement = judged.get(world) ?? judge(world, by.op, by.call, reply, by.n)
      judged.set(world, judgement)
      latest = { world, deviations: judgement.deviations }
      return judgement
    },
    isSurely: (world, wanted) => {
      if (!table || !latest) return false
      const { world: known, deviations } = latest
      return deviations.some(
        (one) => (wanted === undefined || isSame(one, wanted)) && isUnchanged(table, one, known, world),
      )
    },
  }
}

/** The table of a list that tells by itself what it shows, and holds all that is there. */
const tableThatTells = ({ op, call, outcome }: Observation): AnyTable | undefined => {
  const { reply, lists } = op
  if (!isListed(reply) || lists || reply.table.isNamed) return undefined
  const { table } = reply
  const records = listingOf(op, bodyOf(outcome))?.records.filter(isObject)
  const isTold = (record: WireRecord): boolean => table.identify(record, call.path, undefined) !== undefined
  return records?.every(isTold) === true ? table : undefined
}

/** Whether what a list should hold is there the same in both worlds, or what it should not hold is removed the same. */
const isUnchanged = (
  table: AnyTable,
  { kind, missing = [], facts }: Deviation,
  known: World,
  world: World,
): boolean => {
  if (kind === 'missing')
    return missing.some((key) => {
      const entity = find(known, table, key)
      return entity !== undefined && find(world, table, key) === entity && isPlain(world, table, key)
    })
  const key = facts?.[0]?.key
  if (kind !== 'deleted' || key === undefined || find(world, table, key) || !isPlain(world, table, key)) return false
  const buried = gone(known, table, key)
  return buried !== undefined && gone(world, table, key) === buried && !hasLatent(world, table)
}

/** Whether an id by itself is the key: where two accounts have the same id, the world tells whose a record is. */
const isPlain = (world: World, table: AnyTable, key: string): boolean =>
  !table.mayRepeat || (idIn(key) === key && !isCountedAnew(world, table))

/** Whether something is there whose id was not told yet: a list may show it under any. */
const hasLatent = ({ tables }: World, { name }: AnyTable): boolean =>
  [...(tables.get(name)?.live.keys() ?? [])].some(isLatent)
