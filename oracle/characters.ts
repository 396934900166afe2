// Whether a limit of characters counts characters: texts within it are taken however many bytes they have, where the same letters are; judges no single call.
import { type Clause, clausesOfKind } from '../models/language/derive.js'
import type { Counted, World } from '../models/language/world.js'
import { deviation } from './judgement.js'
import type { Noted } from './spellings.js'
import { received, type Step } from './step.js'
import { valuesAt } from './validate.js'

/** A text of printable ASCII that ends in a letter of two bytes, one or more of it: one character each by every way to count. */
const lettered = /^[ -~]*(ж+)$/

/** So many times each answer must have come: were it chance, both would once in 4,096 runs. */
const enough = 3

interface Sent {
  readonly clause: Extract<Clause, { readonly kind: 'characters' }>
  /** Within the limit in characters, beyond it in bytes. */
  readonly isLong: boolean
}

/** The one such text of a call that can be refused for nothing else than what is open about its letters. */
const sentIn = ({ op, call, expectation: { due, silences } }: Step): Sent | undefined => {
  if (silences.length > 0 || due.some(({ clause }) => clause.kind !== 'silence')) return undefined
  const [only, ...others] = clausesOfKind(op, 'characters').flatMap((clause) =>
    valuesAt(call.body, clause.constraint.path).flatMap((text) => {
      const tail = typeof text === 'string' ? lettered.exec(text)?.[1] : undefined
      return tail === undefined
        ? []
        : [{ clause, length: String(text).length, bytes: String(text).length + tail.length }]
    }),
  )
  if (!only || others.length > 0) return undefined
  const most = Number(only.clause.constraint.value)
  return only.length > most ? undefined : { clause: only.clause, isLong: only.bytes > most }
}

/** Notes what becomes of such a text; a deviation once short ones were always taken and long ones always refused. */
export const noteCharacters = (step: Step, world: World, isAccepted: boolean): Noted => {
  const sent = sentIn(step)
  if (!sent) return { world, deviations: [], held: [] }
  const { clause, isLong } = sent
  const after = counted(world.characters?.get(clause.id), isLong, isAccepted)
  const isBroken = after !== 'decided' && isLong && after.taken >= enough && after.refused >= enough
  return {
    world: { ...world, characters: new Map(world.characters).set(clause.id, after) },
    deviations: isBroken
      ? [
          deviation(clause, 'refused', 'a 2xx status', received(step.reply), [
            `of the same letters, ${after.taken} of ${after.taken} shorter texts were taken, and ${after.refused} of ${after.refused} as long as this one refused`,
          ]),
        ]
      : [],
    held: isLong && isAccepted ? [clause.id] : [],
  }
}

/** A long text that is taken decides it, and a short one that is not: then the letters themselves may be refused. */
const counted = (
  before: Counted | 'decided' = { taken: 0, refused: 0 },
  isLong: boolean,
  isAccepted: boolean,
): Counted | 'decided' => {
  if (before === 'decided' || isLong === isAccepted) return 'decided'
  return isLong ? { ...before, refused: before.refused + 1 } : { ...before, taken: before.taken + 1 }
}
