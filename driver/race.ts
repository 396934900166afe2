// Sends calls at the same time on one resource, and asks whether some order of them explains every reply and every later read.

import { planProgram } from '../arbitraries/plan.js'
import type { PlanContext } from '../arbitraries/plan-fixtures.js'
import { idValue } from '../history/calls.js'
import { allTables, listerOf, makerOf, operationById, operations } from '../models/index.js'
import { saying } from '../models/language/needs.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import {
  type Args,
  type Body,
  type CallStep,
  type Made,
  type Plan,
  type Step,
  withRefs,
} from '../models/language/plan.js'
import { lastTableOf, referencesOf, soleReferenceOf } from '../models/language/references.js'
import { type AnyEntity, find, isLatent } from '../models/language/world.js'
import { finish, type ProgramOutcome } from './conduct.js'
import { pathTo, tokenFor, viewing } from './paths.js'
import { settle } from './rest.js'
import { begin, concrete, type Running, type Subject } from './running.js'
import type { Planned, Session } from './session.js'
import { makeReady, perform } from './step.js'

/** Which of the operations on the resource each lane calls, by position. */
export type Lanes = readonly (readonly number[])[]

/** Operations that need only the one resource: they are raced against each other. */
export const racers = (context: PlanContext, table: AnyTable): readonly Operation[] =>
  operations.filter((op) => {
    const isOwn = referencesOf(op).some(([, reference]) => reference.table === table)
    if (!isOwn || op.guarded !== undefined || op.makes !== undefined) return false
    return draftOf(context, op) !== undefined
  })

/** The call of an operation whose draft arranges only the one resource. */
const draftOf = (context: PlanContext, op: Operation): CallStep | undefined => {
  const program = planProgram(op.id, context, (plan) => void plan.check(op.id, (op.full ?? op.draft)(plan)))
  const [first, last] = program.steps
  if (program.missing.length > 0 || program.steps.length !== 2 || !first || !last || 'hook' in first || 'hook' in last)
    return undefined
  return first.role === 'arrange' ? last : undefined
}

const bind = (body: Body, key: string, entity: AnyEntity): Body =>
  withRefs(body, ({ field }) => (field === undefined ? idValue(key) : entity[field]))

/** The steps from which races on a resource are made; undefined if fewer than two operations need only it. */
export const raceSteps = (context: PlanContext, table: AnyTable): readonly Step[] | undefined => {
  const drafts = racers(context, table).flatMap((op) => draftOf(context, op) ?? [])
  if (drafts.length < 2) return undefined
  return [...planProgram(table.name, context, (plan) => void plan.make(table)).steps, ...drafts]
}

/** Makes a resource, races the lanes on it, and reads it afterwards. */
export const race = async (session: Session, table: AnyTable, lanes: Lanes): Promise<ProgramOutcome> => {
  const running = begin(session, `race on ${table.name}`)
  const maker = makerOf(table)
  const candidates = racers(session.context, table)
  if (!maker || candidates.length === 0) return finish(running, `nothing to race on ${table.name}`)
  for (const step of planProgram(running.name, session.context, (plan) => void plan.make(table)).steps)
    if ((await perform(running, step)) !== undefined) return finish(running, `${maker.id} was not accepted`)
  const subject = running.subjects.at(-1)
  if (!subject || isLatent(subject.key()))
    return finish(running, `the id of what was made (${table.name}) could not be obtained`)
  running.sent.push(...(await settle(session, running.origin, table, subject.key(), subject.path)))
  const entity = find(session.world(), table, subject.key())
  if (!entity) return finish(running, `${table.name} ${subject.key()} is not known`)
  const calls = lanes.map((lane) =>
    lane.flatMap((i) => callOf(session, candidates[i % candidates.length] as Operation, subject, entity)),
  )
  running.sent.push(...(await session.sendTogether(running.origin, calls)))
  await readAfter(running, table, subject, entity)
  return finish(running)
}

/** Two calls at one time that ask for the same: a name, a place, the last one left. */
export interface Contest {
  readonly name: string
  readonly op: Operation
  /** How often a program holds it. */
  readonly rounds: number
  readonly write: (plan: Plan) => void
}

/** So often that a target which looks first and writes later is caught by its delay, not by luck; what stays for good, once each way. */
export const roundsFor = ({ guarded }: Operation): number => (guarded === undefined ? 4 : 2)

/** The contests: for every kind of resource two equal creations and two updates to one name, and those that an operation declares. */
export const contests = (): readonly Contest[] => [
  ...allTables().flatMap((table) => [...contestsOver(table)]),
  ...forLastPlaces(),
]

function* contestsOver(table: AnyTable): Generator<Contest> {
  const maker = makerOf(table)
  if (!maker) return
  yield twoOf(maker, `two at once of ${maker.id}`, maker.draft)
  if (maker.guarded !== undefined) return
  if (maker.full) yield twoOf(maker, `two at once of ${maker.id}, with everything given`, maker.full)
  if (maker.sole) yield forOnePlace(maker)
  for (const op of operations) if (isRenaming(op, table)) yield renaming(op, table)
  for (const op of operations) {
    if (isInParts(op, table)) yield changesOfOne(op, table)
    yield* changesBeside(op, table)
  }
}

/** Two equal creations. */
const twoOf = (maker: Operation, name: string, draft: Operation['draft']): Contest => ({
  name,
  op: maker,
  rounds: 1,
  write: (plan) => {
    const args = draft(plan)
    for (let n = 0; n < 2; n += 1) plan.check(maker.id, args)
  },
})

/** Whether an operation changes one resource of the table, and may be given any of several members alone. */
const isInParts = (op: Operation, table: AnyTable): boolean => {
  const { method, body, guarded } = op
  const isOwn = soleReferenceOf(op)?.[1].table === table
  const isOptional = (body?.required ?? []).length === 0 && Object.keys(body?.properties ?? {}).length > 1
  return method === 'PUT' && isOwn && isOptional && guarded === undefined
}

/** Writes all rounds about one resource, which no round uses up. */
const roundsOn =
  (table: AnyTable, op: Operation, round: (plan: Plan) => void): Contest['write'] =>
  (plan) => {
    let one: Made | undefined
    const make: Plan['make'] = (other, body, args) => {
      if ((other as AnyTable) !== table) return plan.make(other, body, args)
      one ??= plan.make(other, body, args)
      return one
    }
    for (let n = 0; n < roundsFor(op); n += 1) round({ ...plan, make })
  }

/** Two changes of different members of one resource, neither of which may be lost. */
const changesOfOne = (op: Operation, table: AnyTable): Contest => ({
  name: `two changes of one by ${op.id}`,
  op,
  rounds: roundsFor(op),
  write: roundsOn(table, op, (plan) => {
    const args = (op.full ?? op.draft)(plan)
    const [first, ...others] = Object.entries(args.body ?? {})
    for (const members of [first ? [first] : [], others])
      plan.check(op.id, { ...args, body: Object.fromEntries(members) })
  }),
})

/** A change of all members of a resource beside another change of it: neither may take back what the other sets. */
function* changesBeside(op: Operation, table: AnyTable): Generator<Contest> {
  if (op.method !== 'PUT' || !isOnOne(op, table)) return
  for (const [i, other] of operations.entries()) {
    if (!isChange(other) || !isOnOne(other, table) || other.reach.lent !== op.reach.lent) continue
    // Each pair once, in the order of the registry.
    if (other.method === 'PUT' && i <= operations.indexOf(op)) continue
    const write = (plan: Plan): void => {
      const args = other.draft(plan)
      const { body } = plan.attempt(() => op.draft(plan), 'undo') ?? {}
      plan.check(op.id, { ...args, ...(body && { body }) })
      plan.check(other.id, args)
    }
    const isLasting = other.method === 'PUT'
    yield {
      name: `${other.id} beside ${op.id}`,
      op,
      rounds: isLasting ? roundsFor(op) : 1,
      write: isLasting ? roundsOn(table, op, write) : write,
    }
  }
}

const isChange = ({ method, makes, removes, apply }: Operation): boolean =>
  method !== 'GET' && makes === undefined && removes === undefined && apply !== undefined

/** Whether an operation is about one resource of the table and no part of it. */
const isOnOne = (op: Operation, table: AnyTable): boolean => {
  const [own, ...others] = referencesOf(op)
  return own?.[1].table === table && others.length === 0 && op.guarded === undefined
}

/** Two calls for different names that both ask for something only one can have. */
const forOnePlace = (maker: Operation): Contest => ({
  name: `one place for two by ${maker.id}`,
  op: maker,
  rounds: 1,
  write: (plan) => {
    const write = maker.full ?? maker.draft
    for (const args of [write(plan), write(plan)]) plan.check(maker.id, args)
  },
})

const forLastPlaces = (): readonly Contest[] =>
  operations.flatMap((op) => {
    const { id, contest } = op
    if (!contest) return []
    const write = (plan: Plan): void => {
      const { rivals, again } = contest(plan)
      for (const args of rivals) plan.check(id, args)
      for (const [operation, args] of again?.() ?? []) plan.check(operation, args)
    }
    return [{ name: `the last place for two by ${id}`, op, rounds: 1, write }]
  })

const isRenaming = (op: Operation, table: AnyTable): boolean =>
  op.method === 'PUT' &&
  soleReferenceOf(op)?.[1].table === table &&
  op.guarded === undefined &&
  op.body?.properties.label !== undefined

const renaming = (op: Operation, table: AnyTable): Contest => ({
  name: `one name for two by ${op.id}`,
  op,
  rounds: roundsFor(op),
  write: (plan) => {
    const [param = ''] = Object.keys(op.params)
    const both = [plan.make(table), plan.make(table)]
    for (let n = 0; n < roundsFor(op); n += 1) {
      const label = plan.name()
      for (const { id } of both) plan.check(op.id, { path: { [param]: id }, body: { label } })
    }
  },
})

/** Arranges a contest and holds it, and looks at the list after each round; every second time the second of the two goes out first. */
export const contend = async (
  session: Session,
  { name, op, rounds, write }: Contest,
  bout = 0,
): Promise<ProgramOutcome> => {
  const running = begin(session, name)
  const { steps, missing, restore } = planProgram(name, session.context, write)
  if (missing.length > 0) return finish(running, `needs ${saying(missing)}`)
  const rivals: Rival[] = []
  let path: Args['path']
  let held = 0
  for (const step of steps) {
    const called = rivalIn(step)
    if (called) rivals.push(called)
    const stopped = called ? undefined : await perform(running, step)
    if (stopped !== undefined) return finish(running, stopped, restore)
    if (rivals.length < 2) continue
    const round = await holdRound(running, rivals.splice(0), (rounds > 1 ? held : bout) % 2 === 1)
    if (typeof round === 'string') return finish(running, round, restore)
    path ??= round
    held += 1
    await lookAtList(running, op, path)
  }
  return finish(running, undefined, restore)
}

/** Sends two calls at once. What they were about, by the path of the first; or why they could not be sent. */
const holdRound = async (
  running: Running,
  rivals: readonly Rival[],
  isTurned: boolean,
): Promise<Args['path'] | string> => {
  const { session, origin, sent } = running
  for (const { called, step } of rivals) {
    const stopped = await makeReady(running, called, step)
    if (stopped !== undefined) return stopped
  }
  const calls = rivals.map(({ called, step }) => ({ op: called, args: concrete(running, step) }))
  if (isTurned) calls.reverse()
  const lanes = calls.map((call) => [call])
  sent.push(...(await session.sendTogether(origin, lanes)))
  // Steps are named by their number.
  for (const _ of rivals) running.subjects.push(undefined)
  return calls[0]?.args.path ?? {}
}

/** Looks at the list that shows what a contest was about. */
const lookAtList = async (running: Running, op: Operation, path: Args['path']): Promise<void> => {
  const table = op.makes ?? lastTableOf(op)
  const lister = table && listerOf(table)
  const isOwn = Object.keys(lister?.params ?? {}).every((param) => path && param in path)
  if (lister && isOwn) await lookAt(running, lister, Object.keys(lister.params).length > 0 ? path : {})
}

interface Rival {
  readonly called: Operation
  readonly step: CallStep
}

/** One of the calls of a contest that go out two at a time, with the operation that it calls; the other steps arrange them. */
const rivalIn = (step: Step): Rival | undefined => {
  const called = 'hook' in step || step.role !== 'check' ? undefined : operationById(step.operation)
  return called && !('hook' in step) ? { called, step } : undefined
}

const callOf = (session: Session, op: Operation, subject: Subject, entity: AnyEntity): readonly Planned[] => {
  const draft = draftOf(session.context, op)
  if (!draft) return []
  const { role: _, operation: __, ...args } = draft
  const path = pathTo(op, subject.table, entity, subject.path)
  return [{ op, args: { ...args, path, ...(args.body && { body: bind(args.body, subject.key(), entity) }) } }]
}

const readAfter = async (running: Running, table: AnyTable, subject: Subject, entity: AnyEntity): Promise<void> => {
  const as = tokenFor(running.session, entity.account)
  const look = viewing(running.session, table, entity, subject.path)
  if (look) await lookAt(running, look.op, look.args.path, as)
  const lister = listerOf(table)
  if (lister && Object.keys(lister.params).length === 0) await lookAt(running, lister, {}, as)
}

const lookAt = async (
  { session, origin, sent }: Running,
  op: Operation,
  path: Args['path'] = {},
  as: string | null = session.mainToken,
): Promise<void> => void sent.push(await session.send({ ...origin, phase: 'look' }, op, { path, as }, 'check'))
