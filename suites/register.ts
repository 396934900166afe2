// Registers vitest tests for a resource: one for every clause that has a program of its own.
import { afterAll, describe, type TestContext, test } from 'vitest'
import { probeFor } from '../arbitraries/probes.js'
import type { ProgramOutcome } from '../driver/conduct.js'
import { runProgram, type Started, startProgram } from '../driver/programs.js'
import type { Finding } from '../history/record.js'
import { operations } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import type { Operation } from '../models/language/operation.js'
import type { Program } from '../models/language/plan.js'
import { findingText } from '../reports/index.js'
import { isSelected } from './filter.js'
import { useWorker, type Worker } from './worker.js'

/** `volumes` of `volumes.resize`. */
export const resourceOf = ({ id }: { readonly id: string }): string => id.slice(0, id.lastIndexOf('.'))

/** A finding as a test failure: its text alone, for the stack would point into the suite. */
export class Nonconforming extends Error {
  constructor(findings: readonly Finding[], redact: (text: string) => string) {
    super(redact(findings.map((finding) => findingText(finding)).join('\n\n')))
    this.name = 'Nonconforming'
    this.stack = ''
  }
}

/** @throws Nonconforming where a finding gates at the level of the run. */
export const assertClean = ({ context, redact }: Worker, findings: readonly Finding[]): void => {
  const levels = context.options.level === 'should' ? ['must', 'pinned', 'should'] : ['must', 'pinned']
  const gating = findings.filter(({ level }) => levels.includes(level))
  if (gating.length > 0) throw new Nonconforming(gating, redact)
}

/** The program of a clause; undefined where there is none to run here, which the test is then told. */
const programFor = (worker: Worker, clause: Clause, test: TestContext): Program | undefined => {
  const { session, emit } = worker
  const { filters, fuzz } = worker.context.options
  if (fuzz || !isSelected(filters, clause)) return test.skip()
  const over = worker.over()
  if (over !== undefined) return test.skip(over)
  const probe = probeFor(clause, session.context)
  if (probe.kind === 'passive') return undefined
  if (probe.kind === 'none') {
    emit({ type: 'untestable', clause: clause.id, reason: probe.reason })
    return test.skip(probe.reason)
  }
  const needs = probe.program.missing.join('; ')
  if (needs !== '') {
    emit({
      type: 'untestable',
      clause: clause.id,
      reason: `needs ${needs}`,
      remedy: `Add to the target file: ${needs}.`,
    })
    return test.skip(`needs ${needs}`)
  }
  const hooks = probe.program.steps.flatMap((step) =>
    'hook' in step && !session.options.hooks[step.hook] ? [step.hook] : [],
  )
  if (hooks[0] === undefined) return probe.program
  emit({
    type: 'untestable',
    clause: clause.id,
    reason: `needs the hook ${hooks[0]}`,
    remedy: `Add hooks.${hooks[0]} to the target file.`,
  })
  return test.skip(`needs the hook ${hooks[0]}`)
}

/** How the suite of a resource is registered in a test run of its user's own. */
export interface Registration {
  readonly isSelected: (clause: Clause) => boolean
  /** Ids of findings, or of clauses, that are known: the tests of their clauses are expected to fail. */
  readonly expected: readonly string[]
}

const checkClause = async (clause: Clause, test: TestContext, own?: Registration): Promise<void> => {
  const worker = await useWorker()
  const program = programFor(worker, clause, test)
  if (program) weigh(worker, clause, await runProgram(worker.session, program, clause), own)
}

const isSlow = (clause: Clause): boolean => 'rule' in clause && 'slow' in clause.rule && clause.rule.slow === true

/** Clauses whose programs have a pause: begun before all others of their suite, and ended after them. */
const checkSlowly = (clauses: readonly Clause[], others: () => void, own?: Registration): void => {
  const started = new Map<Clause, Started>()
  for (const clause of clauses)
    test(`${clause.id} (begun)`, async (context) => {
      const worker = await useWorker()
      const program = programFor(worker, clause, context)
      if (program) started.set(clause, await startProgram(worker.session, program, clause))
    })
  others()
  for (const clause of clauses)
    testOf(clause, own)(clause.id, async (context) => {
      const begun = started.get(clause)
      if (!begun) return context.skip()
      weigh(await useWorker(), clause, await begun.end(), own)
    })
}

const weigh = (
  worker: Worker,
  clause: Clause,
  { findings, untested }: ProgramOutcome,
  own: Registration | undefined,
): void => {
  if (untested !== undefined) worker.emit({ type: 'untested', clause: clause.id, reason: untested })
  worker.flush()
  assertClean(worker, own ? tellable(worker, clause, findings, own) : findings)
}

/** Findings that the test of a clause fails for: those of the clause, whenever they showed, and others that are not known. */
const tellable = (
  worker: Worker,
  clause: Clause,
  findings: readonly Finding[],
  { expected }: Registration,
): readonly Finding[] => [
  ...worker.findings().filter((one) => one.clause === clause.id),
  ...findings.filter((one) => one.clause !== clause.id && !expected.includes(one.id) && !expected.includes(one.clause)),
]

/** A test, which is to fail where a finding of the clause is known. */
const testOf = ({ id }: Clause, own: Registration | undefined) =>
  own?.expected.some((one) => one === id || one.startsWith(`${id}:`)) ? test.fails : test

const isActive = (clause: Clause): boolean =>
  clause.kind !== 'shape' &&
  clause.kind !== 'shows' &&
  clause.kind !== 'choice' &&
  clause.kind !== 'emits' &&
  (clause.kind !== 'general' || clause.id.endsWith('.accepts'))

/** Clauses that are judged in passing, and that this target gave no occasion to judge. */
const conclude = async (own: readonly Operation[]): Promise<void> => {
  const { session, emit, flush } = await useWorker()
  for (const op of own)
    for (const clause of clausesOf(op).filter(({ id }) => !session.isHeld(id))) {
      if (clause.kind === 'shows' && op.shows === 'made')
        emit({
          type: 'untestable',
          clause: clause.id,
          reason: 'the target chooses the value, and this reply is the first to show it',
        })
      const reason = op.undecided?.[clause.id.slice(op.id.length + 1)]
      if (reason !== undefined) emit({ type: 'untestable', clause: clause.id, reason })
      if (clause.kind === 'emits' && !session.options.hooks.readEvents)
        emit({
          type: 'untestable',
          clause: clause.id,
          reason: 'needs the hook readEvents',
          remedy: 'Add hooks.readEvents to the target file.',
        })
    }
  flush()
}

/** The suite of one resource. */
export const conformance = (resource: string, own?: Registration): void => {
  const all = operations.filter((op) => resourceOf(op) === resource)
  const isOurs = (clause: Clause): boolean => isActive(clause) && (own?.isSelected(clause) ?? true)
  const slow = all.flatMap(clausesOf).filter((clause) => isSlow(clause) && (own?.isSelected(clause) ?? true))
  checkSlowly(
    slow,
    () => {
      for (const op of all) {
        const clauses = clausesOf(op).filter((one) => isOurs(one) && !isSlow(one))
        if (clauses.length === 0) continue
        describe(op.id, () => {
          for (const clause of clauses) testOf(clause, own)(clause.id, (context) => checkClause(clause, context, own))
        })
      }
    },
    own,
  )
  afterAll(() => conclude(all))
}
