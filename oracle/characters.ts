// Tells whether a target applies a limit of characters to bytes, by the texts that it accepts and refuses; judges no single call.

import { type Clause, clausesOfKind } from '../models/language/derive.js'
import { valuesAt } from '../models/language/schema.js'
import type { Counted, World } from '../models/language/world.js'
import { deviation } from './judgement.js'
import type { Compared } from './reply.js'
import { received, type Step } from './step.js'

/** Printable ASCII that ends in one or more letters of two bytes each. Every way to count takes such a letter as one character. */
const lettered = /^[ -~]*(ж+)$/

/** So many times each answer must have come: were it chance, both would once in 4,096 runs. */
const enough = 3

interface Sent {
  readonly clause: Extract<Clause, { readonly kind: 'characters' }>
  /** Within the limit in characters, beyond it in bytes. */
  readonly isLong: boolean
}

/** The only such text of a call, where nothing else can be a reason to refuse it. */
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

/** Counts which such texts are accepted. It is a deviation if short ones always are and long ones never. */
export const noteCharacters = (step: Step, world: World, isAccepted: boolean): Compared => {
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

/** An accepted long text settles it, and so does a refused short one: then the target may refuse the letters themselves. */
const counted = (
  before: Counted | 'decided' = { taken: 0, refused: 0 },
  isLong: boolean,
  isAccepted: boolean,
): Counted | 'decided' => {
  if (before === 'decided' || isLong === isAccepted) return 'decided'
  return isLong ? { ...before, refused: before.refused + 1 } : { ...before, taken: before.taken + 1 }
}
