// A program for every clause that can be shown on purpose: hand-written probes as they stand, derived ones from the schema.

import isEqual from 'fast-deep-equal'
import { makerOf, operationById, removerOf } from '../models/index.js'
import { principal } from '../models/language/access.js'
import { type Clause, isOpen, slugOf } from '../models/language/derive.js'
import type { Environment, NodeFixture } from '../models/language/environment.js'
import { aForeignFixture, exclusiveNeed, profiled } from '../models/language/needs.js'
import type { Operation, ParamRef } from '../models/language/operation.js'
import { type Args, isRef, type Plan, type Program } from '../models/language/plan.js'
import type { Constraint } from '../models/language/schema.js'
import { schemeProbe, scopeProbe, tokenProbe, unrestrictedProbe } from './access-probes.js'
import { baseFor, bodyProbe, charactersProbe, jsonProbe, queryProbe, type Write, withBodyValue } from './body-probes.js'
import { neverNamed, nowhere } from './deviations.js'
import { plainUse } from './plain-use.js'
import { planProgram } from './plan.js'
import type { PlanContext } from './plan-fixtures.js'
import { strangerToken } from './plan-tokens.js'
import { turnedOn } from './turns.js'

export type Probe =
  | { readonly kind: 'program'; readonly program: Program }
  /** Judged wherever the operation is used; no program of its own. */
  | { readonly kind: 'passive' }
  | { readonly kind: 'none'; readonly reason: string }

/** Whether a path value is no well-formed name, and so surely names nothing. */
const isNoName = (reference: ParamRef, param: string, value: string): boolean =>
  reference.key !== undefined && reference.key({ [param]: value }, undefined) === undefined

const existsProbe =
  (op: Operation, param: string): Write =>
  (plan) => {
    const reference = op.params[param]
    if (typeof reference !== 'object') return
    const missing = planMissing(plan, reference, param)
    // Drafted after the removal, so that both may need the same scarce room.
    const args = plan.draft(op.id)
    plan.probe(op.id, { ...args, path: { ...args.path, ...missing } })
    // A part of one thing is not found in another thing of the kind.
    const own = reference.within && { [param]: args.path?.[param] ?? nowhere }
    if (own) plan.check(op.id, { ...args, path: { ...op.draft(plan).path, ...own } })
    const elsewhere = reference.elsewhere?.(plan, args.path ?? {})
    if (elsewhere) plan.check(op.id, { ...args, path: { ...args.path, ...elsewhere } })
    // A check, as another account may lack more than what is named. Two removals refused in a row show that they emit nothing.
    const stranger = strangerToken(plan.environment)
    if (stranger && (op.owned === undefined || op.method === 'DELETE'))
      plan.check(op.id, { ...args, as: stranger.name })
    plan.twin(op.id, args)
  }

/** A path that surely names nothing of the caller's: what was deleted, else what is another account's, else what never was. */
const planMissing = (plan: Plan, reference: ParamRef, param: string): Args['path'] => {
  const never = neverNamed(reference)
  const maker = makerOf(reference.table)
  const remover = removerOf(reference.table)
  if (maker && remover?.removes !== undefined && !remover.guarded && !maker.guarded) {
    const draft = plan.draft(remover.id)
    plan.call(remover.id, draft)
    // A removed part is looked for in the thing that it belonged to.
    return { ...(reference.within && draft.path), [param]: draft.path?.[remover.removes] ?? never }
  }
  if (maker && !reference.table.closable && !isNoName(reference, param, String(never))) {
    // Nothing removes it and the target may make some by itself: what surely is not the caller's is another account's.
    const foreign = plan.token({ foreign: true, has: maker.scopes ?? [] })
    return { [param]: plan.call(maker.id, { ...plan.draft(maker.id), as: foreign }).id }
  }
  return { [param]: never }
}

/** The same call by somebody of another account, who lacks nothing else: a node that it names beside is theirs. */
const ownedProbe =
  (op: Operation): Write =>
  (plan) => {
    const query = { foreign: true, has: op.scopes ?? [], ...(op.area === 'managed' && { managed: true }) }
    const as = plan.attempt(() => plan.token({ ...query, balance: 'positive' })) ?? plan.token(query)
    const node = op.body?.properties.node_id ? nodeOf(plan, as) : undefined
    const near = node && plan.attempt(() => op.draft(inRegionOf(plan, node)))
    // A node of the first account is none of theirs either, which refuses the call as well.
    plan.need(
      near !== undefined || !op.body?.properties.node_id,
      aForeignFixture('nodes', 'a node of another account, in a region with nodes of the first', profiled),
    )
    const args = near ?? plan.draft(op.id)
    plan.probe(op.id, { ...args, ...(near && { body: { ...near.body, node_id: node.id } }), as })
    plan.twin(op.id, args)
  }

/** A node of the account of a token. */
const nodeOf = ({ environment }: Plan, token: string): NodeFixture | undefined => {
  const { account } = principal(environment, token)
  return environment.fixtures.nodes?.find((node) => node.account === account?.name)
}

/** The plan with nodes of that node's region alone. */
const inRegionOf = (plan: Plan, { region }: NodeFixture): Plan => ({
  ...plan,
  node: (where = () => true, need) => plan.node((node) => node.region === region && where(node), need),
})

const malformedPathProbe =
  (op: Operation, param: string): Write =>
  (plan) => {
    const args = plan.draft(op.id)
    const own = args.path?.[param] ?? ''
    // A careless parser takes the number at the beginning of the last one.
    for (const value of ['x-1', isRef(own) ? { ...own, suffix: 'x' } : `${own}x`])
      plan.probe(op.id, { ...args, path: { ...args.path, [param]: value } })
    plan.twin(op.id, args)
  }

const namesProbe =
  (op: Operation, { path, schema }: Constraint, isFree: boolean): Write =>
  (plan) => {
    const base = baseFor(op, plan, path, true)
    const value = schema.type === 'integer' ? nowhere : 'never-existed'
    plan[isFree ? 'check' : 'probe'](op.id, withBodyValue(base, path, value))
    // A thing of another account exists, but not for this caller.
    const theirs = strangersOwn(plan.environment, schema.ref as string)
    // An id under which nothing was ever seen surely names nothing only where everything is known.
    if (!isFree && theirs === undefined) plan.need(plan.environment.exclusive, exclusiveNeed())
    if (theirs !== undefined) {
      const plainest = op.makes && op.full ? baseFor(op, plan, path, false) : base
      plan.check(op.id, withBodyValue(plainest, path, theirs))
    }
    plan.twin(op.id, base)
  }

/** The id of a fixture of another account; undefined where the target file names none of that kind. */
const strangersOwn = ({ fixtures, accounts }: Environment, kind: string): number | undefined => {
  const named: unknown = Object.entries(fixtures).find(([name]) => name === kind)?.[1]
  const all = Array.isArray(named) ? (named as readonly { readonly id?: unknown; readonly account?: string }[]) : []
  const theirs = all.find(({ account }) => account !== undefined && account !== accounts[0]?.name)
  return typeof theirs?.id === 'number' ? theirs.id : undefined
}

/**
 * The probe of a rule or bound, whose first call is sent with other members too, and with its plain choices made otherwise: it may be
 * applied to the plainest calls alone. Where there is nothing to add, the call of a rule is sent once more: it may be applied to the
 * first call alone.
 */
const fullerToo = (op: Operation, write: Write, context: PlanContext, isRule = false): Write => {
  const companions = companionsOf(op, context)
  return (plan) => {
    let isSent = false
    const probe: Plan['probe'] = (id, args = {}) => {
      const made = plan.probe(id, args)
      if (id !== op.id || isSent || (args.body && '$raw' in args.body)) return made
      isSent = true
      if (!sendFuller(plan, op, args, companions, isRule) && isRule && !args.unsettled) plan.probe(id, args)
      return made
    }
    write({ ...plan, probe })
  }
}

/** Sends the call with further members, and with its choices made otherwise. Returns whether there was anything to send. */
const sendFuller = (
  plan: Plan,
  op: Operation,
  args: Args,
  companions: readonly Readonly<Record<string, unknown>>[],
  isRule: boolean,
): boolean => {
  const { body = {} } = args
  const turned = choicesOf(op, body)
  const fullest = companions
    .map((members) => Object.entries(members).filter(([name]) => !(name in body)))
    .map((further) => Object.fromEntries([...further, ...turned]))
    .filter((fuller) => !isEqual(fuller, {}))
  for (const [at, fuller] of fullest.entries())
    plan.probe(op.id, { ...args, fuller, ...(isRule && at === 0 && { anyway: true }) })
  // A choice of which less is known leaves no doubt that the call is refused.
  const listed = Object.fromEntries(choicesOf(op, { ...companions[0], ...body }, 'listed'))
  if (!isEqual({ ...listed, ...Object.fromEntries(turned) }, Object.fromEntries(turned)))
    plan.check(op.id, { ...args, fuller: listed })
  return fullest.length > 0
}

/** The plain choices of a body, made otherwise. */
const choicesOf = (op: Operation, body: object, of?: 'listed'): readonly (readonly [string, unknown])[] =>
  Object.entries(body).flatMap(([name, value]) => {
    const other = turnedOn(op.body?.properties[name], value, 1, of)
    return isEqual(other, value) ? [] : [[name, other] as const]
  })

/** Sets of members beside which any rule holds as well: those that a draft or a full call gives, and those that each exclude the others. */
const companionsOf = (op: Operation, context: PlanContext): readonly Readonly<Record<string, unknown>>[] => {
  if (!op.body) return []
  const others: Readonly<Record<string, unknown>>[] = []
  const { steps } = planProgram('members', context, (plan) => {
    for (const write of [op.draft, op.full]) if (write) plan.attempt(() => plan.check(op.id, write(plan)))
    if (others.length === 0) others.push(...(plan.attempt(() => op.companions?.(plan) ?? []) ?? []))
  })
  const bodies = steps.map((step) => ('hook' in step || step.operation !== op.id ? {} : step.body))
  const members = Object.entries(Object.assign({}, ...bodies) as object)
  // False is mostly what leaving it out means.
  const given = members.filter(([, value]) => !holdsRef(value)).map(([name, value]) => [name, value === false || value])
  return [Object.fromEntries(given), ...others]
}

const holdsRef = (value: unknown): boolean =>
  isRef(value) || (typeof value === 'object' && value !== null && Object.values(value).some(holdsRef))

const writeOf = (clause: Clause, op: Operation, context: PlanContext): Write | string | undefined => {
  switch (clause.kind) {
    case 'token':
      return tokenProbe(op)
    case 'scheme':
      return schemeProbe(op)
    case 'scope':
      return scopeProbe(op, clause.scope)
    case 'unrestricted':
      return unrestrictedProbe(op)
    case 'exists':
      return existsProbe(op, clause.param)
    case 'owned':
      return ownedProbe(op)
    case 'constraint':
      if (clause.place === 'path') return malformedPathProbe(op, clause.constraint.path[0] as string)
      return clause.place === 'query'
        ? queryProbe(op, clause.constraint, isOpen(clause))
        : fullerToo(op, bodyProbe(op, clause.constraint), context)
    case 'characters':
      return charactersProbe(op, clause.constraint)
    case 'json':
      return jsonProbe(op)
    case 'names':
      return namesProbe(op, clause.constraint, isOpen(clause))
    case 'refusal':
      return clause.rule.probe
        ? fullerToo(op, clause.rule.probe, context, true)
        : (clause.rule.unprobed ?? 'it has no probe')
    case 'silence':
    case 'statement':
    case 'effect':
      return clause.rule.probe ?? clause.rule.unprobed ?? (clause.kind === 'silence' ? undefined : 'it has no probe')
    case 'general':
      return clause.id === `${op.id}.accepts` ? plainUse(op) : undecided(clause, op)
    default:
      return undecided(clause, op)
  }
}

const undecided = (clause: Clause, op: Operation): string | undefined => op.undecided?.[slugOf(clause)]

/** The program that exercises a clause. */
export const probeFor = (clause: Clause, context: PlanContext): Probe => {
  const op = operationById(clause.operation)
  if (!op) return { kind: 'none', reason: `no operation ${clause.operation}` }
  const write = writeOf(clause, op, context)
  if (write === undefined) return { kind: 'passive' }
  if (typeof write === 'string') return { kind: 'none', reason: write }
  return { kind: 'program', program: planProgram(clause.id, context, write) }
}
