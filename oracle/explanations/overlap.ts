// Calls sent at the same time may collide: the document says nothing about them, so a write among them may be refused.

import { viewerOf } from '../../models/index.js'
import { accountOf } from '../../models/language/access.js'
import { isObject, pick } from '../../models/language/objects.js'
import { find } from '../../models/language/world.js'
import { type Belief, type Observe, worldOf } from '../belief.js'
import type { Deviation, Judgement, Observation } from '../judgement.js'
import { type Explanation, excusing, isAllowed, traceOf } from './explanation.js'

export const overlap: Explanation = {
  name: 'overlap',
  refutes: 'nothing does: nobody else sees what was under way',
  bound:
    'writes beside which another call was sent: their refusal, what only follows by inference of them, and a reply that a view after all of these calls may give',
}

/**
 * How calls are taken in that are sent at the same time. Reads are judged as ever: no moment at which one may have been answered
 * excuses what it shows.
 */
export const overlapping =
  (look: Observe): Observe =>
  (before, observation) => {
    const observed = look(before, observation)
    const { judgement } = observed
    if (observation.op.method === 'GET' || !isAllowed(judgement.world.environment, overlap)) return observed
    const isExcused = (one: Deviation): boolean => mayCollide(one, judgement)
    return { ...observed, judgement: excusing(judgement, isExcused, traceOf(overlap, observation.op.id), 'pass') }
  }

/** A member of a reply to a write that is not as it was given. */
const isShown = ({ op }: Pick<Observation, 'op'>, { clause }: Deviation): boolean =>
  clause.startsWith(`${op.id}.shows.`)

/**
 * A target may read the record for the reply to a write once another call beside it has had its effect as well. The write as if its
 * record had been read before that: with the values that stood before these calls, where it shows others.
 */
export const asReadEarlier = <T extends Observation>(
  before: Belief,
  one: T,
  { accepted, deviations }: Judgement,
): T => {
  const { op, call, outcome } = one
  const world = worldOf(before)
  if (op.method === 'GET' || accepted !== true || !isAllowed(world.environment, overlap)) return one
  const body = 'body' in outcome ? outcome.body : undefined
  if (!('table' in op.reply) || !isObject(body)) return one
  const key = op.reply.table.identify(body, call.path, accountOf(world.environment, call.as))
  const known = key === undefined ? undefined : find(world, op.reply.table, key)
  const members = deviations.filter((deviation) => isShown(one, deviation)).map(({ kind }) => kind)
  if (!known || members.length === 0) return one
  const { view, drifting = [] } = op.reply.table
  // What it set itself it has set by then, what follows from other members follows from those of then, and times are of then.
  const entity = { ...known, ...(isObject(call.body) && pick(call.body, members)) }
  const early = { ...entity, ...view?.(world, entity) }
  return { ...one, outcome: { ...outcome, body: { ...body, ...pick(early, [...members, ...drifting]) } } }
}

/** Whether a view after all of the calls would be answered like that. */
export const mayBeReadAfter = (look: Observe, after: Belief, one: Observation): boolean => {
  const viewer = 'table' in one.op.reply ? viewerOf(one.op.reply.table) : undefined
  if (!viewer) return false
  const call = { ...one.call, operation: viewer.id, method: viewer.method }
  return look(after, { ...one, op: viewer, call }).judgement.deviations.length === 0
}

/** The document does not say whether a write beside another call is taken, and an inference is about a call by itself. */
const mayCollide = (one: Deviation, { accepted }: Judgement): boolean =>
  (one.kind === 'refused' && accepted === false) || (one.level === 'should' && !isOfReply(one))

/** Whether a reply shows it by itself, whatever was sent beside it. */
const isOfReply = ({ clause, kind }: Deviation): boolean =>
  kind === 'content-type' || kind === 'server-error' || clause.endsWith('.object')
