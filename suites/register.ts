// Registers vitest tests for a resource: one for every clause that has a program of its own.
import { afterAll, describe, inject, type TestContext, test } from 'vitest'
import type { Finding } from '../history/record.js'
import { operations } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import { findingText } from '../reports/index.js'
import { gatesAt } from '../reports/verdicts.js'
import { perform } from './agenda.js'
import { tasksOf } from './catalog.js'
import { conclude } from './conclude.js'
import { type ClauseTask, resourceOf, type Task } from './tasks.js'
import { useWorker, type Worker } from './worker.js'

/** The worker of the run that the tests belong to. */
export const runWorker = (): Promise<Worker> => useWorker(() => inject('run'))

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
  const gating = findings.filter(({ level }) => gatesAt(level, context.options.level))
  if (gating.length > 0) throw new Nonconforming(gating, redact)
}

/** The body of a task's test. */
const performIn = async (task: Task, context: TestContext, own?: Known): Promise<void> => {
  const worker = await runWorker()
  const ended = await perform(worker, task)
  if ('skip' in ended) return context.skip(ended.skip)
  assertClean(worker, own ? tellable(worker, task.clause, ended.findings, own) : ended.findings)
  if (!task.clause && ended.untested !== undefined) context.skip(ended.untested)
}

/** What is known of the target in a test run of its user's own. */
export interface Known {
  /** Ids of findings, or of clauses, that are known: the tests of their clauses are expected to fail. */
  readonly expected: readonly string[]
}

/** How the suite of a resource is registered there. */
export interface Registration extends Known {
  readonly isSelected: (clause: Clause) => boolean
}

/** Findings that a test fails for: those of its clause, whenever they showed, and others that are not known. */
const tellable = (
  worker: Worker,
  clause: Clause | undefined,
  findings: readonly Finding[],
  { expected }: Known,
): readonly Finding[] => [
  ...worker.findings().filter((one) => one.clause === clause?.id),
  ...findings.filter(
    (one) => one.clause !== clause?.id && !expected.includes(one.id) && !expected.includes(one.clause),
  ),
]

/** A test, which is to fail where a finding of the clause is known. */
const testOf = ({ id }: Clause, own: Registration | undefined) =>
  own?.expected.some((one) => one === id || one.startsWith(`${id}:`)) ? test.fails : test

/** The suite of one resource. */
export const conformance = (resource: string, own?: Registration): void => {
  const all = operations.filter((op) => resourceOf(op) === resource)
  const tasks = (tasksOf(resource) as readonly ClauseTask[]).filter(({ clause }) => own?.isSelected(clause) ?? true)
  for (const op of all) {
    const some = tasks.filter(({ clause }) => clause.operation === op.id)
    if (some.length === 0) continue
    describe(op.id, () => {
      for (const task of some) testOf(task.clause, own)(task.name, (context) => performIn(task, context, own))
    })
  }
  afterAll(async () => conclude(await runWorker(), resource))
}

/** A suite that is about no single resource. */
export const crossing = (suite: string, own?: Known): void => {
  for (const task of tasksOf(suite)) test(task.name, (context) => performIn(task, context, own))
}
