// Repeats a forbidden call, and watches twins of its resource that are left alone, to tell a missing check from drift.

import type { Finding } from '../history/record.js'
import { operationById } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import type { CallStep, Program } from '../models/language/plan.js'
import { referencesOf } from '../models/language/references.js'
import { type AnyEntity, find } from '../models/language/world.js'
import { fewestLooks, pairs } from '../oracle/confirmation.js'
import { finish } from './conduct.js'
import { viewing } from './paths.js'
import { begin, type Running } from './running.js'
import type { Session } from './session.js'
import { perform } from './step.js'

/**
 * A clause about a passing state (only active volumes are resized) can be broken although a single acceptance proves nothing.
 * Each pair arranges the state twice: once the forbidden call follows at once, once the state is looked at after more calls and
 * more time than that. A finding only where every call was accepted and every look still saw the state.
 */
export const confirm = async (session: Session, program: Program, clause: Clause): Promise<readonly Finding[]> => {
  for (let pair = 0; pair < pairs; pair += 1) {
    const elapsedMs = await attempt(session, program, clause)
    if (elapsedMs === undefined) return []
    const held = await hold(session, program, clause, elapsedMs)
    if (!held.isThere || held.findings.length > 0) return held.findings
  }
  return []
}

const probeOf = (program: Program): number => program.steps.findIndex((step) => step.role === 'probe')

const arrangeUpTo = async (running: Running, program: Program, end: number): Promise<boolean> => {
  for (const step of program.steps.slice(0, end)) if ((await perform(running, step)) !== undefined) return false
  return true
}

/** Sends the forbidden call right after the arrangement; how long that took, or undefined if it was not accepted. */
const attempt = async (session: Session, program: Program, clause: Clause): Promise<number | undefined> => {
  const running = begin(session, `${clause.id}, insisting`, { phase: 'insist', clause: clause.id })
  const at = probeOf(program)
  const isArranged = await arrangeUpTo(running, program, at)
  const from = session.options.clock()
  const before = running.sent.length
  if (isArranged) await perform(running, program.steps[at] as CallStep)
  const probe = running.sent.slice(before).find(({ role }) => role === 'probe')
  await finish(running)
  return probe?.judgement.accepted === true ? probe.endedAt - from : undefined
}

interface Held {
  /** Whether the state, left alone, still holds after as many calls and a longer time. */
  readonly isThere: boolean
  readonly findings: readonly Finding[]
}

const hold = async (session: Session, program: Program, clause: Clause, elapsedMs: number): Promise<Held> => {
  const running = begin(session, `${clause.id}, left alone`, { phase: 'watch', clause: clause.id })
  const arranging: Running = { ...running, origin: { program: running.name, instance: running.origin.instance } }
  const isArranged = await arrangeUpTo(arranging, program, probeOf(program))
  const isThere = isArranged ? await watch(running, clause, elapsedMs) : false
  const { findings } = await finish(running)
  return { isThere, findings }
}

const watch = async (running: Running, clause: Clause, elapsedMs: number): Promise<boolean> => {
  const { session } = running
  const op = operationById(clause.operation)
  const table = op && referencesOf(op)[0]?.[1].table
  const subject = running.subjects.findLast((one) => one?.table === table)
  if (!table || !subject) return false
  const entityNow = (): AnyEntity | undefined => find(session.world(), table, subject.key())
  const isUnsettled = (entity: AnyEntity | undefined): entity is AnyEntity =>
    entity !== undefined && table.settled?.(entity) === false
  const from = session.options.clock()
  for (let looks = 0; looks < fewestLooks || session.options.clock() - from <= elapsedMs; looks += 1) {
    const entity = entityNow()
    if (!isUnsettled(entity)) return false
    const look = viewing(session, table, entity, subject.path)
    if (!look) return false
    running.sent.push(await session.send(running.origin, look.op, look.args, 'read'))
  }
  return isUnsettled(entityNow())
}
