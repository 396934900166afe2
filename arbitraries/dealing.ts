// Deals what random programs draw: no operation, edge or caller comes again before all others have come; plain data.

import { listerOf, makerOf, removerOf, viewerOf } from '../models/index.js'
import { grouped } from '../models/language/grouped.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { referencesOf } from '../models/language/references.js'
import type { StepSeed } from './programs.js'

type Steps = readonly StepSeed[]

/** Takes the random steps of a program, and returns them with what is dealt in place of what was drawn. */
export type Deal = (steps: Steps) => Steps

/** The next number of a deck. */
type Next = (deck: string) => number

/** Decks that begin at a number. */
export const openDecks = (start: number): Next => {
  const decks = new Map<string, number>()
  return (deck) => {
    const n = decks.get(deck) ?? start
    decks.set(deck, n + 1)
    return n
  }
}

/**
 * Deals edges and callers, by operation; whether a step has them stays as it was drawn. What is beyond an edge is sent by the main caller:
 * where two things are wrong, a refusal tells of neither.
 */
export const dealing =
  (next: Next): Deal =>
  (steps) =>
    steps.map((step) => {
      if (step.edge !== null) {
        const n = next(`edge ${step.operation}`)
        const beyond = n % 2 === 1
        return { ...step, edge: Math.floor(n / 2), beyond, caller: beyond ? null : step.caller }
      }
      return step.caller === null ? step : { ...step, caller: next(`caller ${step.operation}`) }
    })

/** Steps of an operation that were drawn without an edge and another caller have one or the other every other time. */
export const livening =
  (next: Next): Deal =>
  (steps) =>
    steps.map((step) => {
      if (step.edge !== null || step.caller !== null) return step
      const turn = next(`plain ${step.operation}`) % 4
      return { ...step, edge: turn === 1 ? 0 : null, caller: turn === 3 ? 0 : null }
    })

/**
 * Deals programs about one resource each, with others beside it: writes on it follow each other until each has come after each, most of
 * them valid. What goes wrong only after an earlier write, or with what stands beside, shows in these.
 */
export const gathering = (operations: readonly Operation[], next: Next): Deal | undefined => {
  const crowds = crowdsOf(operations)
  if (crowds.length === 0) return undefined
  const deal = dealing(next)
  return (dice) => {
    const crowd = crowds[next('crowd') % crowds.length] as Crowd
    const [first] = dice
    if (!first) return dice
    const positions = placeOf(first)
    let before = ''
    const writes = dice.map((die) => {
      const { id } = crowd.writes[next(`after ${before} of ${crowd.name}`) % crowd.writes.length] as Operation
      before = id
      const step = { ...(isOdd(die) ? die : plainly(die)), operation: id, reuses: true, positions }
      return isNarrow(die) ? { ...step, full: true, only: next(`member ${id}`) } : step
    })
    return [...beforehand(crowd, first), ...deal(writes), ...afterwards(crowd, first)]
  }
}

/** The operations about one kind of resource. */
interface Crowd {
  readonly name: string
  readonly maker: Operation | undefined
  readonly viewer: Operation | undefined
  readonly remover: Operation | undefined
  readonly lister: Operation | undefined
  /** What may come again and again. */
  readonly writes: readonly Operation[]
}

/** Each as often as it has writes: more of them can follow each other in more ways. */
const crowdsOf = (operations: readonly Operation[]): readonly Crowd[] => {
  const own = new Set(operations)
  const among = (op: Operation | undefined): Operation | undefined => (op && own.has(op) ? op : undefined)
  const writes = operations.filter(({ method }) => method !== 'GET')
  return [...grouped(writes, crowdOf)].flatMap(([name, some]) => {
    const table = tableOf(some[0] as Operation)
    const maker = among(table && makerOf(table))
    const viewer = among(table && viewerOf(table))
    const remover = among(table && removerOf(table))
    const lister = among(table && listerOf(table))
    const others = some.filter((op) => op !== maker && op !== remover)
    const crowd = { name, maker, viewer, remover, lister, writes: others.length > 0 ? others : some }
    return crowd.writes.map(() => crowd)
  })
}

const crowdOf = (op: Operation): string => tableOf(op)?.name ?? op.area

/** The kind of what a call is about: the first in its path that calls can make, or what it makes. */
const tableOf = (op: Operation): AnyTable | undefined => {
  const tables = referencesOf(op).map(([, { table }]) => table)
  return tables.find((table) => makerOf(table)) ?? op.makes ?? tables[0]
}

/** Which of the two a program is about. */
const placeOf = ({ positions }: StepSeed): readonly number[] => [(positions[0] ?? 0) % 2]

/** One time in four. */
const isOdd = ({ positions }: StepSeed): boolean => (positions[1] ?? 0) % 4 === 0

/** Every other time. */
const isNarrow = ({ positions }: StepSeed): boolean => (positions[3] ?? 0) % 2 === 0

const plainly = (die: StepSeed): StepSeed => ({ ...die, edge: null, caller: null, stale: false, borrowed: null })

/** By position among callers, somebody of another account. */
const stranger = 1

/** Two of the kind with all that they can have, and every other time one of another account. */
const beforehand = ({ maker }: Crowd, die: StepSeed): Steps => {
  if (!maker) return []
  const one = { ...plainly(die), operation: maker.id, full: true }
  return [one, one, ...(isBesideStranger(die) ? [{ ...one, full: false, caller: stranger }] : [])]
}

const isBesideStranger = ({ positions }: StepSeed): boolean => (positions[2] ?? 0) % 2 === 0

/** Both are looked at, and every other time one is then removed. Where one of another account stands beside them, that account lists its own. */
const afterwards = ({ viewer, remover, lister }: Crowd, die: StepSeed): Steps => {
  const plain = { ...plainly(die), reuses: true, positions: placeOf(die) }
  return [
    ...(viewer ? [0, 1].map((place) => ({ ...plain, operation: viewer.id, positions: [place] })) : []),
    ...(remover && die.full ? [{ ...plain, operation: remover.id }] : []),
    ...(lister && isBesideStranger(die) ? [{ ...plain, operation: lister.id, caller: stranger }] : []),
  ]
}
