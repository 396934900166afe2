// Judges one call and its reply in one world: total, immutable, without clock or randomness.

import type { WireCall } from '../history/wire.js'
import { operationById } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import { reportedErrors } from '../models/language/error-envelope.js'
import type { Operation } from '../models/language/operation.js'
import type { World } from '../models/language/world.js'
import { judgeAccepted } from './accepted.js'
import { noteCharacters } from './characters.js'
import { clauseNamed, clauseOf, type Due, isOneOf, surelyClauseOf } from './clauses.js'
import { decisiveDue, type Expectation, expect, leaningOf, soleDue, sureDue } from './due.js'
import { judgeEnvelope, judgeForm } from './envelope.js'
import { traceOf } from './explanations/explanation.js'
import { gateway, isFromGateway, pageOf } from './explanations/gateway.js'
import { notingRemains } from './explanations/remains.js'
import { readCall, readSurely } from './facts.js'
import { type Deviation, deviation, type Judgement } from './judgement.js'
import { judgeMediaType } from './media-type.js'
import { pinFault, silenceChoices } from './pins.js'
import { noteSpelling } from './spellings.js'
import { speakOfRefusal } from './statements.js'
import { circumstances, finish, type Reply, received, type Step } from './step.js'

const blamesOther = (deviations: readonly Deviation[]): boolean =>
  deviations.some(({ clause }) => isOneOf(clause, 'refusal.field'))

type Class = 'accepted' | 'refused' | 'unavailable' | 'broken' | 'other'

const classOf = (step: Step): Class => {
  const { reply, world } = step
  const { status, body } = reply
  if (isFromGateway(reply, world.environment, isForbidden(step))) return 'unavailable'
  if (status >= 500) return 'broken'
  if (status >= 400) return 'refused'
  // An error envelope counts as a refusal whatever its status: the document gives no codes for errors.
  if (status >= 200 && status < 300) return reportedErrors(body) ? 'refused' : 'accepted'
  return 'other'
}

/** Whether the target itself may have answered so: it has to refuse the call, and no filter has answered another call with this page. */
const isForbidden = ({ reply, world: { pages }, expectation }: Step): boolean =>
  expectation.due.some(isBarred) && pages?.has(pageOf(reply) ?? '') !== true

/** The world that remembers with which pages filters answer. */
const withPage = (world: World, reply: Reply): World => {
  const page = pageOf(reply)
  return page === undefined || world.pages?.has(page) ? world : { ...world, pages: new Set(world.pages).add(page) }
}

/** Whether a call has to be refused for more than the form of what it says. */
const isBarred = ({ clause, certain }: Due): boolean =>
  certain && !['constraint', 'characters', 'names', 'json'].includes(clause.kind)

const judgeRefused = (step: Step): Judgement => {
  const { op, reply, expectation } = step
  const status =
    reply.status >= 400
      ? []
      : [deviation(surelyClauseOf(op, 'refusal.status'), 'status', 'a 4xx status', received(reply))]
  const { choices, pinned } = silenceChoices(step, false)
  const only = decisiveDue(expectation)
  const sure = only ? undefined : sureDue(expectation)
  const cause = only && { id: `refusals.${causeOf(only.clause)}`, value: String(reply.status) }
  const mispinned = cause ? pinFault(step, cause.id, cause.value) : []
  const leaning = leaningOf(expectation)
  const unmet = leaning ? [deviation(leaning, 'refused', 'a 2xx status', received(reply), circumstances(step))] : []
  const spelled = noteSpelling(step, afterRefusal(step), false)
  const counted = noteCharacters(step, spelled.world, false)
  const deviations = [
    ...status,
    ...wronglyRemoved(step),
    ...judgeEnvelope(step),
    ...judgeMediaType(step),
    ...speakOfRefusal(step),
    ...pinned,
    ...mispinned,
    ...unmet,
    ...spelled.deviations,
    ...counted.deviations,
  ]
  if (expectation.kind === 'accept')
    return finish(step, {
      accepted: false,
      world: afterRefusal(step),
      // A creation of something that exists already adds nothing, so it cannot exceed a quota.
      suspect: op.makes !== undefined && op.remakes?.(step.read.facts) !== true,
      deviations: [
        deviation(surelyClauseOf(op, 'accepts'), 'refused', 'a 2xx status', received(reply), circumstances(step)),
        ...deviations,
      ],
    })
  return finish(step, {
    accepted: false,
    world: notingRemains({ ...step, world: counted.world }, false),
    // It blames another member, or none, or refuses the last spelling: then a quota may have been checked first.
    ...(op.makes && (spelled.deviations.length > 0 || blamesOther(deviations)) && { suspect: true }),
    deviations,
    ...(only && { decisive: only.clause.id }),
    ...(sure && { sure: sure.clause.id }),
    choices: [...choices, ...(cause ? [cause] : [])],
    held: [
      surelyClauseOf(op, 'refusal.envelope').id,
      ...((soleDue(expectation)?.fields.length ?? 0) > 0 ? [surelyClauseOf(op, 'refusal.field').id] : []),
      surelyClauseOf(op, 'refusal.field-present').id,
      surelyClauseOf(op, 'refusal.status').id,
    ]
      .filter((id) => deviations.every((entry) => entry.clause !== id))
      .concat(only ? removalShown(step) : []),
  })
}

/** The world after a refusal. Where the document lets a call act in part, what it may have changed is in doubt. */
const afterRefusal = ({ op, read, world }: Step): World => {
  if (!op.partly) return world
  try {
    return op.partly({ ...read.facts, world })
  } catch {
    // The body is too ill-formed to tell what it asked for.
    return world
  }
}

/** Clauses of removals that this refusal shows: the resource is gone, so its removal took effect. */
const removalShown = ({ read }: Step): readonly string[] =>
  read.named.flatMap(({ resolution }) => {
    const remover = resolution.kind === 'gone' ? operationById(resolution.gone.by) : undefined
    return remover && clauseOf(remover, 'takes-effect') ? [`${remover.id}.takes-effect`] : []
  })

/**
 * What this refusal shows to be gone, though the call that removed it should have been refused. That such a removal was answered as done is
 * a should, for it may have changed nothing; that it was done is a must.
 */
const wronglyRemoved = (step: Step): readonly Deviation[] => {
  const { op, read, reply, expectation } = step
  if (op.method !== 'GET' || !decisiveDue(expectation)) return []
  return read.named.flatMap(({ resolution }) => {
    const clause = resolution.kind === 'gone' ? clauseNamed(resolution.gone.against) : undefined
    if (clause?.kind !== 'owned') return []
    return [deviation({ ...clause, level: 'must' }, 'done', 'a 2xx status', received(reply), circumstances(step))]
  })
}

/** What a refusal is about, for the table of status codes. */
const causes: Readonly<Record<string, string>> = { refusal: 'state', owned: 'exists', scheme: 'token' }

const causeOf = (found: Clause): string =>
  found.kind === 'constraint' ? `${found.place}-${found.constraint.keyword}` : (causes[found.kind] ?? found.kind)

const judgeBroken = (step: Step): Judgement => {
  const { op, reply, expectation } = step
  const slug = expectation.kind === 'accept' ? 'accepts' : 'refusal.status'
  const wanted = expectation.kind === 'accept' ? 'a 2xx status' : 'a 4xx status, or 2xx where that is free'
  const broken = deviation(surelyClauseOf(op, slug), 'server-error', wanted, received(reply), circumstances(step))
  // Whatever its status, an error response carries the envelope.
  return finish(step, { deviations: expectation.kind === 'refuse' ? [broken, ...judgeForm(step)] : [broken] })
}

/** Judges a call and its reply. `world.step` is set to `n` in the world that follows. */
export const judge = (before: World, op: Operation, call: WireCall, reply: Reply, n: number): Judgement => {
  const world = { ...before, step: n, operation: op.id }
  const read = readCall(world, op, call)
  const step: Step = { world, op, call, reply, read, expectation: expectationOf(world, op, call, read) }
  switch (classOf(step)) {
    case 'unavailable':
      return {
        ...finish(step, {
          deviations: [],
          world: withPage(world, reply),
          ...(reply.status === 429 && { accepted: false }),
        }),
        verdict: 'inconclusive',
        assumed: [traceOf(gateway, reply.status)],
      }
    case 'broken':
      return judgeBroken(step)
    case 'refused':
      return judgeRefused(step)
    case 'accepted':
      return judgeAccepted(step)
    case 'other':
      return finish(step, {
        deviations: [
          deviation(surelyClauseOf(op, 'refusal.status'), 'status', 'a 2xx or a 4xx status', received(reply)),
        ],
      })
  }
}

/** Whether the call could be made in this world without breaking a rule: what a program generator asks. */
export const expectationOf = (
  world: World,
  op: Operation,
  call: WireCall,
  read = readCall(world, op, call),
): Expectation => {
  const sure = readSurely(op, call, read)
  return expect(sure.facts.world, op, call, sure)
}
