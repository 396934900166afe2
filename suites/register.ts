// Registers vitest tests for a resource: one for every clause that has a program of its own.
import { afterAll, describe, type TestContext, test } from 'vitest'
import { type Started, startProgram } from '../driver/programs.js'
import type { Finding } from '../history/record.js'
import { operations } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import type { Operation } from '../models/language/operation.js'
import { findingText } from '../reports/index.js'
import { type ClauseTask, clauseTask, openAgenda, programOf, type Task } from './agenda.js'
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

/** A test body for each task of a suite. */
export const performer = (tasks: readonly Task[]) => {
  const perform = openAgenda(tasks)
  return async (task: Task, context: TestContext, own?: Registration): Promise<void> => {
    const worker = await useWorker()
    const ended = await perform(worker, task)
    if ('skip' in ended) return context.skip(ended.skip)
    assertClean(worker, own && task.clause ? tellable(worker, task.clause, ended.findings, own) : ended.findings)
    if (!task.clause && ended.untested !== undefined) context.skip(ended.untested)
  }
}

/** How the suite of a resource is registered in a test run of its user's own. */
export interface Registration {
  readonly isSelected: (clause: Clause) => boolean
  /** Ids of findings, or of clauses, that are known: the tests of their clauses are expected to fail. */
  readonly expected: readonly string[]
}

const isSlow = (clause: Clause): boolean => 'rule' in clause && 'slow' in clause.rule && clause.rule.slow === true

/** Clauses whose programs have a pause: begun before all others of their suite, and ended after them. */
const checkSlowly = (
  tasks: readonly ClauseTask[],
  perform: ReturnType<typeof performer>,
  others: () => void,
  own?: Registration,
): void => {
  const started = new Map<Clause, Started>()
  for (const { clause } of tasks)
    test(`${clause.id} (begun)`, async (context) => {
      const worker = await useWorker()
      // Side by side, it is begun with all others.
      if (worker.width > 1) return
      const over = worker.over()
      const program = over === undefined ? programOf(worker, clause) : { skip: over }
      if (program === 'passive') return
      if ('skip' in program) return context.skip(program.skip)
      started.set(clause, await startProgram(worker.session, program, clause))
    })
  others()
  for (const task of tasks)
    testOf(task.clause, own)(task.clause.id, async (context) => {
      const worker = await useWorker()
      const begun = started.get(task.clause)
      if (!begun) return perform(task, context, own)
      const { findings, untested } = await begun.end()
      if (untested !== undefined) worker.emit({ type: 'untested', clause: task.clause.id, reason: untested })
      worker.flush()
      assertClean(worker, own ? tellable(worker, task.clause, findings, own) : findings)
    })
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
  const tasks = all
    .flatMap(clausesOf)
    .filter((clause) => (isActive(clause) || isSlow(clause)) && (own?.isSelected(clause) ?? true))
    .map(clauseTask)
  const perform = performer(tasks)
  checkSlowly(
    tasks.filter(({ clause }) => isSlow(clause)),
    perform,
    () => {
      for (const op of all) {
        const others = tasks.filter(({ clause }) => clause.operation === op.id && !isSlow(clause))
        if (others.length === 0) continue
        describe(op.id, () => {
          for (const task of others) testOf(task.clause, own)(task.clause.id, (context) => perform(task, context, own))
        })
      }
    },
    own,
  )
  afterAll(() => conclude(all))
}
