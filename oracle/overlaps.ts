// Judges calls that overlap in time, of which a write may be answered with a record that was read later; sends nothing.

import { viewerOf } from '../models/index.js'
import { accountOf } from '../models/language/access.js'
import { isObject, pick } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { find } from '../models/language/world.js'
import { type Belief, type Observe, type Observed, worldOf } from './belief.js'
import { isOfMember } from './clauses.js'
import { isAllowed, traceOf } from './explanations/explanation.js'
import { overlap } from './explanations/overlap.js'
import { areIndependent } from './independence.js'
import { assuming, type Judgement, type Observation } from './judgement.js'
import { defaultStates, isFaulty, type Linearized, type LinearizeOptions, linearize } from './linearize.js'
import { observe } from './observe.js'
import type { TimedCall } from './precedence.js'

/**
 * Judges a set of overlapping calls. Where no order explains every reply, the record in the reply to a write may have been read later
 * than the write had its effect, after calls beside it: each such write is then followed as two calls, the write and a view.
 */
export const judgeOverlaps = (
  belief: Belief,
  calls: readonly TimedCall[],
  options: LinearizeOptions = {},
): Linearized => {
  const inOrder = linearize(belief, calls, options)
  if (inOrder.verdict !== 'nonlinearizable') return inOrder
  const parts = partsOf(belief, calls, inOrder.judgements)
  if (parts.length === calls.length) return inOrder
  const look = options.observe ?? observe
  const writes = new Set(parts.flatMap(({ part, call }) => (part === 'write' ? [call.observation] : [])))
  const apart = linearize(
    belief,
    parts.map(({ call }) => call),
    {
      observe: (before, one) => (writes.has(one) ? lookAtWrite(look, before, one) : look(before, one)),
      mostStates: times * (options.mostStates ?? defaultStates),
    },
  )
  if (apart.verdict === 'nonlinearizable') return inOrder
  // Where it can't be told whether some order explains them, they are no finding.
  return apart.verdict === 'linearizable' ? joined(apart, parts) : apart
}

/** So many times as many sets of calls are followed where writes are followed apart from their records. */
const times = 4

/** Takes in a write as if its record had been read at once, in each world that is believed. */
const lookAtWrite = (look: Observe, before: Belief, one: Observation): Observed => {
  const each = before.hypotheses.map((hypothesis) => {
    const alone = { ...before, hypotheses: [hypothesis] }
    return look(alone, asReadAtOnce(alone, one))
  })
  const fewest = Math.min(...each.map(({ judgement }) => judgement.deviations.length))
  const best = each.filter(({ judgement }) => judgement.deviations.length === fewest)
  const [first] = best as [Observed]
  return { ...first, belief: { ...first.belief, hypotheses: best.flatMap(({ belief }) => belief.hypotheses) } }
}

/** A call, or one of the two that a write is followed as: what it does, and how its record was read. */
interface Part {
  readonly i: number
  readonly part: 'whole' | 'write' | 'read'
  readonly call: TimedCall
}

/** The calls, with the writes apart from their records that may have to do with a deviation. */
const partsOf = (belief: Belief, calls: readonly TimedCall[], judgements: readonly Judgement[]): readonly Part[] => {
  const wrong = calls.filter((_, i) => isFaulty(judgements[i] as Judgement)).map(({ observation }) => observation)
  return calls.flatMap((call, i): readonly Part[] => {
    const { observation, known } = call
    const op = readBackBy(belief, observation, judgements[i] as Judgement)
    if (!op || wrong.every((one) => areIndependent(one, observation))) return [{ i, part: 'whole', call }]
    const { made = `record of ${i}`, uses = new Set<string>() } = known ?? {}
    const viewed = { ...observation.call, operation: op.id, method: op.method }
    const read = {
      ...call,
      observation: { ...observation, op, call: viewed },
      known: { uses: new Set([...uses, made]) },
    }
    return [
      { i, part: 'write', call: { ...call, observation: { ...observation }, known: { uses, made } } },
      { i, part: 'read', call: read },
    ]
  })
}

/** What was told of the parts, by the calls. What a record that was read later showed is no evidence of the write. */
const joined = (apart: Linearized, parts: readonly Part[]): Linearized => {
  const judgements = parts.flatMap(({ part, call }, at) => {
    const judgement = apart.judgements[at] as Judgement
    if (part !== 'write') return part === 'whole' ? [judgement] : []
    const { id } = call.observation.op
    const held = judgement.held.filter((clause) => !isOfMember(clause))
    return [assuming({ ...judgement, held }, traceOf(overlap, id))]
  })
  const order = apart.order.flatMap((at) => {
    const { i, part } = parts[at] as Part
    return part === 'read' ? [] : [i]
  })
  return { ...apart, judgements, order }
}

/** The operation that shows the record alone, where an accepted write on what is known was answered with one. */
const readBackBy = (before: Belief, one: Observation, { accepted }: Judgement): Operation | undefined => {
  const isAsked = one.op.method !== 'GET' && accepted === true && isAllowed(worldOf(before).environment, overlap)
  return isAsked && shownBefore(before, one) && 'table' in one.op.reply ? viewerOf(one.op.reply.table) : undefined
}

/** The write as if its record had been read at once: with what stood before it, but for what it set itself. */
const asReadAtOnce = <T extends Observation>(before: Belief, one: T): T => {
  const shown = shownBefore(before, one)
  return shown ? { ...one, outcome: { ...one.outcome, body: shown } } : one
}

const shownBefore = (before: Belief, { op, call, outcome }: Observation): object | undefined => {
  const body = 'body' in outcome ? outcome.body : undefined
  if (!('table' in op.reply) || !isObject(body)) return undefined
  const { table } = op.reply
  const world = worldOf(before)
  const key = table.identify(body, call.path, accountOf(world.environment, call.as))
  const known = key === undefined ? undefined : find(world, table, key)
  if (!known) return undefined
  const members = Object.keys(body)
  const entity = { ...known, ...(isObject(call.body) && pick(call.body, members)) }
  return { ...body, ...pick({ ...entity, ...table.view?.(world, entity) }, members) }
}
