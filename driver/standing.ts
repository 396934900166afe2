// Keeps what the programs of a run have made and must still remove, and whose an id is now: an id that one program has freed may be
// given to what another makes. Sends nothing.

import type { WireCall } from '../history/wire.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { find, gone, type World } from '../models/language/world.js'
import { readCall, wellFormed } from '../oracle/facts.js'
import type { Creation, LostCreation } from './made.js'

/** What a session has made. */
interface Kept {
  readonly creations: Creation[]
  readonly lost: LostCreation[]
}

/** What one session has made, among what all have. */
export interface OwnThings extends Kept {
  /** Notes what the session has made. From then on its id is the session's, whoever had it before. */
  readonly keep: (creation: Creation) => void
  /** Whether what has that key now was made by another session. */
  readonly isOthers: (table: AnyTable, key: string) => boolean
  /** Why a write of the session must not be sent: it names what another has made. Undefined where it does not. */
  readonly bars: (op: Operation, call: WireCall) => string | undefined
}

export const createStanding = (making: ReadonlyMap<number, AnyTable>, world: () => World) => {
  const all: Kept[] = []
  /** In the order in which they were told. */
  let told: readonly { readonly by: Kept; readonly creation: Creation }[] = []

  const lostByOthers = (own: Kept, table: AnyTable): readonly LostCreation[] =>
    all
      .filter((one) => one.lost.length > 0 && one !== own)
      .flatMap(({ lost }) => lost.filter((one) => one.table === table))

  const isOthers = (own: Kept, table: AnyTable, key: string): boolean => {
    const marks = Object.values(find(world(), table, key)?.since ?? {})
    if (lostByOthers(own, table).some((lost) => marks.some(({ step }) => step === lost.step))) return true
    const last = told.findLast(({ creation }) => creation.table === table && creation.key() === key)
    return last !== undefined && last.by !== own
  }

  /** Whether it is gone, and a creation of another session that told no id may have its id by now. */
  const mayBeOthers = (own: Kept, thing: Thing): boolean =>
    isGone(world(), thing) && lostByOthers(own, thing.table).length > 0

  return {
    own: (): OwnThings => {
      const own: Kept = { creations: [], lost: [] }
      all.push(own)
      return {
        ...own,
        keep: (creation) => {
          own.creations.push(creation)
          told = [...told.filter((one) => one.by.creations.includes(one.creation)), { by: own, creation }]
        },
        isOthers: (table, key) => isOthers(own, table, key),
        bars: (op, call) => {
          const other = thingsNamed(world(), op, call).find(
            (thing) => isOthers(own, thing.table, thing.key) || mayBeOthers(own, thing),
          )
          return (
            other &&
            `${other.table.name} ${other.key} may be what another program has made since: ids of removed things may be given again`
          )
        },
      }
    },
    /** The kind of each thing that is made and still to be removed, or may be. */
    standing: (): readonly AnyTable[] => [
      ...making.values(),
      ...all.flatMap(({ creations, lost }) => [...creations, ...lost].map(({ table }) => table)),
    ],
  }
}

/** What a call names. */
interface Thing {
  readonly table: AnyTable
  readonly key: string
}

/** Whether something was removed, as far as is known. */
export const isGone = (world: World, { table, key }: Thing): boolean =>
  find(world, table, key) === undefined && gone(world, table, key) !== undefined

/** What the path and the body of a call name. */
export const thingsNamed = (world: World, op: Operation, call: WireCall): readonly Thing[] => {
  const { facts, named } = readCall(world, op, call)
  return [
    ...named.flatMap(({ reference: { table }, resolution }) => {
      const key = keyOf(resolution)
      return key === undefined ? [] : [{ table, key }]
    }),
    ...wellFormed(() => op.names?.(facts)).map(({ table, key }) => ({ table, key: String(key) })),
  ]
}

type Resolution = ReturnType<typeof readCall>['named'][number]['resolution']

const keyOf = (resolution: Resolution): string | undefined => {
  if ('entity' in resolution) return resolution.entity.key
  return resolution.kind === 'gone' ? resolution.gone.entity.key : undefined
}
