// Tells a missing check from drift: the forbidden call is accepted time after time, while twins left alone hold the state longer.

import type { Finding } from '../history/record.js'
import { operationById, viewerOf } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import type { AnyTable } from '../models/language/operation.js'
import type { CallStep, Program } from '../models/language/plan.js'
import { type AnyEntity, find } from '../models/language/world.js'
import { type Deviation, deviation } from '../oracle/judgement.js'
import { begin, finish, perform, type Running } from './conduct.js'
import { findingOf } from './findings.js'
import type { Sent, Session } from './session.js'
import { pathTo, tokenFor } from './upkeep.js'

/** Were it drift, each pair would come out like this at most one time in four, so five pairs one time in a thousand. */
const pairs = 5

/**
 * A clause about a passing state (only active volumes are resized) can be broken although a single acceptance proves nothing.
 * Each pair arranges the state twice: once the forbidden call follows at once, once the state is looked at after more calls and
 * more time than that. A finding only where every call was accepted and every look still saw the state.
 */
export const confirm = async (session: Session, program: Program, clause: Clause): Promise<Finding | undefined> => {
  let last: { readonly sent: readonly Sent[]; readonly probe: Sent } | undefined
  for (let pair = 0; pair < pairs; pair += 1) {
    const tried = await attempt(session, program, clause)
    if (!tried) return undefined
    if (!(await holds(session, program, clause, tried.elapsedMs))) return undefined
    last = tried
  }
  if (!last || session.found.has(`${clause.id}:accepted`)) return undefined
  session.found.add(`${clause.id}:accepted`)
  const finding = findingOf(session, breach(clause, last.probe), last.sent, last.sent.length, true)
  session.options.emit({ type: 'finding', finding })
  return finding
}

const breach = (clause: Clause, probe: Sent): Deviation =>
  deviation(
    clause,
    'accepted',
    '4xx with the error envelope',
    JSON.stringify('status' in probe.outcome ? [probe.outcome.status, probe.outcome.body] : probe.outcome),
    [
      `it was accepted ${pairs} times out of ${pairs}, each time right after the state that forbids it was seen`,
      `${pairs} times out of ${pairs} the same state was left alone and was still seen later than that`,
    ],
  )

const probeOf = (program: Program): number => program.steps.findIndex((step) => step.role === 'probe')

const arrangeUpTo = async (running: Running, program: Program, end: number): Promise<boolean> => {
  for (const step of program.steps.slice(0, end)) if ((await perform(running, step)) !== undefined) return false
  return true
}

/** The forbidden call right after the arrangement; undefined where it was not accepted. */
const attempt = async (session: Session, program: Program, clause: Clause) => {
  const running = begin(session, `${clause.id}, insisting`)
  const at = probeOf(program)
  const isArranged = await arrangeUpTo(running, program, at)
  const from = session.options.clock()
  const before = running.sent.length
  if (isArranged) await perform(running, program.steps[at] as CallStep)
  const probe = running.sent.slice(before).find(({ role }) => role === 'probe')
  await finish(running)
  return probe?.judgement.accepted === true
    ? { sent: running.sent.slice(0, before + 1), probe, elapsedMs: probe.endedAt - from }
    : undefined
}

/** Whether the state, left alone, is still there after as many calls and a longer time. */
const holds = async (session: Session, program: Program, clause: Clause, elapsedMs: number): Promise<boolean> => {
  const running = begin(session, `${clause.id}, left alone`)
  const isArranged = await arrangeUpTo(running, program, probeOf(program))
  const seen = isArranged ? await watch(running, clause, elapsedMs) : false
  await finish(running)
  return seen
}

const watch = async (running: Running, clause: Clause, elapsedMs: number): Promise<boolean> => {
  const { session } = running
  const reference = Object.values(operationById(clause.operation)?.params ?? {}).find((one) => typeof one === 'object')
  const table: AnyTable | undefined = typeof reference === 'object' ? reference.table : undefined
  const subject = running.subjects.findLast((one) => one?.table === table)
  const viewer = table && viewerOf(table)
  if (!table || !subject || !viewer) return false
  const from = session.options.clock()
  for (let looks = 0; looks < 2 || session.options.clock() - from <= elapsedMs; looks += 1) {
    const entity = find(session.world(), table, subject.key()) as AnyEntity | undefined
    if (!entity || table.settled?.(entity as never) !== false) return false
    running.sent.push(
      await session.send(
        running.name,
        viewer,
        { path: pathTo(viewer, table, entity, subject.path), as: tokenFor(session, entity.account) },
        'read',
      ),
    )
  }
  const entity = find(session.world(), table, subject.key()) as AnyEntity | undefined
  return entity !== undefined && table.settled?.(entity as never) === false
}
