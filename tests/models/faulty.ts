// A probe run against an embedded target that is changed by hand: what it finds, and the ways to change one. No tests.
import { probeFor } from '../../arbitraries/probes.js'
import type { ProgramOutcome } from '../../driver/conduct.js'
import { undisturbed } from '../../driver/disturbed.js'
import { reportRest } from '../../driver/findings.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import type { WireCall } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import type { World } from '../../models/language/world.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'

/** What running the clause's probe on such a target leads to; it runs again where a run would run it again. `before` came before the run. */
export const outcomeOf = async (
  id: string,
  fault: Fault,
  environment = embeddedEnvironment(),
  before: readonly WireCall[] = [],
): Promise<ProgramOutcome> => {
  const { session, embedded } = inProcess({ environment, fault })
  for (const call of before) embedded.handle(call)
  await survey(session)
  const op = operationById(id.split('.').slice(0, 2).join('.'))
  const clause = op && clausesOf(op).find((one) => one.id === id)
  const probe = clause && probeFor(clause, session.context)
  if (!clause || probe?.kind !== 'program') throw new Error(`no program for ${id}`)
  const outcome = await undisturbed(() => runProgram(session, probe.program, clause))
  return { ...outcome, findings: [...outcome.findings, ...(await reportRest(session))] }
}

/** Ids of the must-level findings that the clause's probe leads to on such a target. */
export const findingsOf = async (
  id: string,
  fault: Fault,
  environment = embeddedEnvironment(),
): Promise<readonly string[]> =>
  (await outcomeOf(id, fault, environment)).findings.filter(({ level }) => level === 'must').map((one) => one.clause)

export const instead = (id: string, change: (op: Operation) => Partial<Operation>): Fault => ({
  operation: (op) => (op.id === id ? ({ ...op, ...change(op) } as Operation) : op),
})

/** Judges a rule of an operation by other facts than the call's. */
export const misjudges = <F>(
  id: string,
  rule: string,
  when: (facts: F, rule: (facts: F) => unknown) => unknown,
): Fault =>
  instead(id, (op) => ({
    refusals: (op.refusals ?? []).map((one) =>
      one.id === `${id}.${rule}`
        ? { ...one, when: ((facts: never) => when(facts as F, one.when as never)) as never }
        : one,
    ),
  }))

/** Does not refuse by a rule where the call is such. */
export const spares = <F>(id: string, rule: string, when: (facts: F) => boolean): Fault =>
  misjudges(id, rule, (facts: F, judged) => !when(facts) && judged(facts))

/** Does not refuse by a rule, nor by a schema clause that it stands in for. */
export const omits = (rule: string): Fault => ({ due: (due) => due.filter(({ clause }) => clause.id !== rule) })

/** Does not refuse by a rule a second time. */
export const sparesAgain = (rule: string): Fault => {
  let times = 0
  return {
    due: (due) => {
      if (!due.some(({ clause }) => clause.id === rule)) return due
      times += 1
      return times > 1 ? due.filter(({ clause }) => clause.id !== rule) : due
    },
  }
}

export const refuses = <F>(id: string, when: (facts: F) => boolean): Fault =>
  instead(id, (op) => ({
    refusals: [...(op.refusals ?? []), { id: `${id}.fault`, source: '', text: 'no', when: when as never }],
  }))

/** Has an accepted call leave another world. */
export const leaves = <F>(id: string, change: (after: World, before: World, facts: F) => World): Fault =>
  instead(id, (op) => ({
    apply: ((facts: { world: World }) =>
      change((op.apply?.(facts as never) ?? facts.world) as World, facts.world, facts as F)) as never,
  }))

/** Answers accepted calls of an operation otherwise. */
export const replies = (id: string, change: (body: Record<string, unknown>, before: World) => unknown): Fault => ({
  body: (body, op, before) =>
    op.id === id && !(body as { errors?: unknown }).errors ? change(body as Record<string, unknown>, before) : body,
})

export const both = (...faults: readonly Fault[]): Fault => ({
  operation: (op) => faults.reduce((one, { operation }) => operation?.(one) ?? one, op),
  body: (body, ...rest) => faults.reduce((one, fault) => (fault.body ? fault.body(one, ...rest) : one), body),
})
