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

/** The spelling in a call, where nothing else can be a reason to refuse it. */
const spelledIn = ({ op, read, expectation: { due, silences } }: Step): Spelled | undefined => {
  const [only, ...others] = due
  if (only?.clause.kind !== 'silence' || !only.certain || others.length > 0) return undefined
  if (silences.some(({ about }) => about !== 'form')) return undefined
  const { rule } = only.clause
  const clause = clausesOfKind(op, 'some').find((one) => one.rule === rule)
  const spelling = rule.spellings?.of(read.facts)
  return clause && spelling !== undefined ? { clause, spelling } : undefined
}

/** Notes in the world whether a spelling was accepted. It is a deviation once all spellings were refused. */
export const noteSpelling = (step: Step, world: World, isAccepted: boolean): Compared => {
  const found = spelledIn(step)
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
