// A target has to accept at least one spelling of a value that the document lists: reports when all were refused; judges no single call.
import { type Clause, clausesOfKind } from '../models/language/derive.js'
import type { World } from '../models/language/world.js'
import { deviation } from './judgement.js'
import type { Compared } from './reply.js'
import { received, type Step } from './step.js'

interface Spelled {
  /** The clause that one of them is accepted. */
  readonly clause: Extract<Clause, { readonly kind: 'some' }>
  readonly spelling: string
}

/** The spelling in a call: of a refused one only where nothing else can be the reason, of an accepted one whatever else was open. */
const spelledIn = ({ op, read, expectation: { due, silences } }: Step, isAccepted: boolean): Spelled | undefined => {
  const isSole = due.length === 1 && due[0]?.certain === true && silences.every(({ about }) => about === 'form')
  if (!isAccepted && !isSole) return undefined
  const clause = clausesOfKind(op, 'some').find(({ rule }) =>
    due.some((one) => one.clause.kind === 'silence' && one.clause.rule === rule),
  )
  const spelling = clause?.rule.spellings?.of(read.facts)
  return clause && spelling !== undefined ? { clause, spelling } : undefined
}

/** Notes in the world whether a spelling was accepted. It is a deviation once all spellings were refused. */
export const noteSpelling = (step: Step, world: World, isAccepted: boolean): Compared => {
  const found = spelledIn(step, isAccepted)
  if (!found) return { world, deviations: [], held: [] }
  const { clause, spelling } = found
  const before = world.spellings?.get(clause.id)
  const after = isAccepted || before === false ? false : [...new Set([...(before ?? []), spelling])]
  const all = clause.rule.spellings?.all ?? []
  const isNone = after !== false && all.every((one) => after.includes(one))
  const because = [`refused as well: ${all.filter((one) => one !== spelling).join(', ')}`]
  return {
    world: { ...world, spellings: new Map(world.spellings).set(clause.id, after) },
    deviations: isNone
      ? [deviation(clause, 'refused', `one of ${all.join(', ')} taken`, received(step.reply), because)]
      : [],
    held: after === false ? [clause.id] : [],
  }
}
