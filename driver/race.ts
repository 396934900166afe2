// Sends calls at the same time on one resource, and asks whether some order of them explains every reply and every later read.
import { planProgram } from '../arbitraries/plan.js'
import { idValue } from '../history/calls.js'
import { listerOf, makerOf, operations, viewerOf } from '../models/index.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type Args, type CallStep, isRef } from '../models/language/plan.js'
import { type AnyEntity, find } from '../models/language/world.js'
import { finish, type ProgramOutcome, perform } from './conduct.js'
import { begin, type Running, type Subject } from './running.js'
import type { Session } from './session.js'
import { pathTo, settle, tokenFor } from './upkeep.js'

/** Which of the operations on the resource each lane calls, by position. */
export type Lanes = readonly (readonly number[])[]

/** Operations that need nothing but the one resource: its own are raced against each other. */
export const racers = (session: Session, table: AnyTable): readonly Operation[] =>
  operations.filter((op) => {
    const own = Object.values(op.params).filter(
      (reference) => typeof reference === 'object' && reference.table === table,
    )
    if (own.length === 0 || op.guarded !== undefined || op.makes !== undefined) return false
    return draftOf(session, op) !== undefined
  })

/** The call of an operation whose draft arranges the one resource and nothing else. */
const draftOf = (session: Session, op: Operation): CallStep | undefined => {
  const program = planProgram(op.id, session.context, (plan) => void plan.check(op.id, (op.full ?? op.draft)(plan)))
  const [first, last] = program.steps
  if (program.missing.length > 0 || program.steps.length !== 2 || !first || !last || 'hook' in first || 'hook' in last)
    return undefined
  return first.role === 'arrange' ? last : undefined
}

const bind = (value: unknown, key: string, entity: AnyEntity): unknown => {
  if (isRef(value)) return value.field === undefined ? idValue(key) : entity[value.field]
  if (Array.isArray(value)) return value.map((item) => bind(item, key, entity))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, bind(item, key, entity)]))
  return value
}

/** Makes a resource, races the lanes on it, and reads it afterwards. */
export const race = async (session: Session, table: AnyTable, lanes: Lanes): Promise<ProgramOutcome> => {
  const running = begin(session, `race on ${table.name}`)
  const maker = makerOf(table)
  const candidates = racers(session, table)
  if (!maker || candidates.length === 0) return finish(running, `nothing to race on ${table.name}`)
  for (const step of planProgram(running.name, session.context, (plan) => void plan.make(table)).steps)
    if ((await perform(running, step)) !== undefined) return finish(running, `${maker.id} was not accepted`)
  const subject = running.subjects.at(-1)
  if (!subject || subject.key().startsWith('?'))
    return finish(running, `the id of what was made (${table.name}) could not be obtained`)
  running.sent.push(...(await settle(session, running.origin, table, subject.key(), subject.path)))
  const entity = find(session.world(), table, subject.key()) as AnyEntity | undefined
  if (!entity) return finish(running, `${table.name} ${subject.key()} is not known`)
  const calls = lanes.map((lane) =>
    lane.flatMap((i) => callOf(session, candidates[i % candidates.length] as Operation, subject, entity)),
  )
  running.sent.push(...(await session.sendTogether(running.origin, calls)))
  await readAfter(running, table, subject, entity)
  return finish(running)
}

const callOf = (
  session: Session,
  op: Operation,
  subject: Subject,
  entity: AnyEntity,
): readonly { readonly op: Operation; readonly args: Args }[] => {
  const draft = draftOf(session, op)
  if (!draft) return []
  const { role: _, operation: __, ...args } = draft
  return [
    {
      op,
      args: {
        ...args,
        path: pathTo(op, subject.table, entity, subject.path),
        ...(args.body && { body: bind(args.body, subject.key(), entity) as never }),
      },
    },
  ]
}

const readAfter = async (running: Running, table: AnyTable, subject: Subject, entity: AnyEntity): Promise<void> => {
  const { session } = running
  const as = tokenFor(session, entity.account)
  const viewer = viewerOf(table)
  const lister = listerOf(table)
  const reads = [
    ...(viewer ? [{ op: viewer, path: pathTo(viewer, table, entity, subject.path) }] : []),
    ...(lister && Object.keys(lister.params).length === 0 ? [{ op: lister, path: {} }] : []),
  ]
  const origin = { ...running.origin, phase: 'look' } as const
  for (const { op, path } of reads) running.sent.push(await session.send(origin, op, { path, as }, 'check'))
}
