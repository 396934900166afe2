// Runs the conformance run against mutants, in process, until each is caught or everything has been tried.
import fc from 'fast-check'
import { journeys } from '../../arbitraries/journeys.js'
import { planProgram } from '../../arbitraries/plan.js'
import { probeFor } from '../../arbitraries/probes.js'
import { programSeed } from '../../arbitraries/programs.js'
import { sequences } from '../../arbitraries/sequences.js'
import { undisturbed } from '../../driver/disturbed.js'
import { reportRest } from '../../driver/findings.js'
import { runProgram } from '../../driver/programs.js'
import { randomWalk } from '../../driver/random-walk.js'
import type { Session } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import { walkable, walkList } from '../../driver/walk.js'
import type { Finding, Level, RecordLine } from '../../history/record.js'
import { operationById, operations } from '../../models/index.js'
import { type Clause, clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { tablesOf } from '../../models/language/references.js'
import { embeddedEnvironment } from '../environment.js'
import type { Fault } from '../handler.js'
import { inProcess } from '../in-process.js'
import type { Mutant } from './mutants.js'

export interface MutantResult {
  readonly mutant: Mutant
  readonly verdict: 'caught' | 'caught as should' | 'survived' | 'never activated'
  /** Findings that it led to, the gating ones first. */
  readonly findings: readonly string[]
  readonly reports: readonly Finding[]
  /** What the run recorded. */
  readonly lines: readonly RecordLine[]
  readonly activations: number
}

const found = (lines: readonly RecordLine[]): readonly Finding[] =>
  lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : []))

const idsAt = (findings: readonly Finding[], level: Level): readonly string[] =>
  findings.filter((one) => one.level === level).map(({ id }) => id)

/** The clauses whose probes are likeliest to notice: the one that is broken, the operation's own, those of its neighbours. */
const inOrder = (op: Operation, mutant: Mutant): readonly Clause[] => {
  const own = clausesOf(op)
  const neighbours = operations.filter((other) => other !== op && isNear(op, other)).flatMap(clausesOf)
  const first = own.filter(({ id }) => id === mutant.clause)
  return [...new Set([...first, ...own, ...neighbours])]
}

/** What is probed of an operation that is wrong in what follows from it: all of its own, and what is stated of its neighbours. */
const stated = (op: Operation): readonly Clause[] => [
  ...clausesOf(op),
  ...operations
    .filter((other) => other !== op && isNear(op, other))
    .flatMap(clausesOf)
    .filter(({ kind }) => kind === 'statement'),
]

const isNear = (op: Operation, other: Operation): boolean => {
  const tables = new Set(tablesOf(op))
  return tablesOf(other).some((table) => tables.has(table))
}

/** Runs one mutant until it is caught by a finding that gates; one of the second order by what is meant to find it alone. */
export const tryMutant = async (
  mutant: Mutant,
  { programs = 10, order = 1 }: { readonly programs?: number; readonly order?: 1 | 2 } = {},
): Promise<MutantResult> => {
  const op = operationById(mutant.operation) as Operation
  const { fault, activations } = mutant.arm()
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), fault })
  await survey(session)
  const isCaught = (): boolean => idsAt(found(lines), 'must').length > 0
  const trials =
    order === 1
      ? [probesOf(session, inOrder(op, mutant)), sequencesOf(session, op), walksOf(session, nearTo(op), programs)]
      : [sequencesOf(session, op), journeysOf(session, op), pagesOf(session, op), probesOf(session, stated(op))]
  for (const runs of trials) {
    if (isCaught()) break
    await untilCaught(runs, isCaught)
    await reportRest(session)
  }
  const reports = found(lines)
  const must = idsAt(reports, 'must')
  const should = idsAt(reports, 'should')
  const verdict =
    must.length > 0
      ? 'caught'
      : should.length > 0
        ? 'caught as should'
        : activations() === 0
          ? 'never activated'
          : 'survived'
  return { mutant, verdict, findings: [...must, ...should], reports, lines, activations: activations() }
}

export interface Examined {
  readonly findings: readonly Finding[]
  /** Clauses that held. */
  readonly passed: ReadonlySet<string>
}

/** Everything that a fault leads to: no program is left out once it is caught. */
export const examine = async (
  fault: Fault,
  ops: readonly Operation[] = operations,
  programs = 3,
): Promise<Examined> => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), fault })
  await survey(session)
  await untilCaught(probesOf(session, ops.flatMap(clausesOf)), () => false)
  for (const run of walksOf(session, ops, programs)) await run()
  await reportRest(session)
  const findings = found(lines)
  const broken = new Set(findings.map(({ clause }) => clause))
  const held = lines.flatMap((line) => (line.type === 'exercised' && !broken.has(line.clause) ? [line.clause] : []))
  return { findings, passed: new Set(held) }
}

/** An operation and those about the same resources. */
export const nearTo = (op: Operation): readonly Operation[] =>
  operations.filter((other) => other === op || isNear(op, other))

type Run = () => ReturnType<typeof runProgram>

/** Does one after another, until the mutant is caught. */
const untilCaught = async (runs: Iterable<Run>, isCaught: () => boolean): Promise<void> => {
  for (const run of runs) {
    await undisturbed(run)
    if (isCaught()) return
  }
}

function* probesOf(session: Session, clauses: readonly Clause[]): Generator<Run> {
  for (const clause of clauses) {
    const probe = probeFor(clause, session.context)
    if (probe.kind === 'program' && probe.program.missing.length === 0)
      yield () => runProgram(session, probe.program, clause)
  }
}

/** The journeys that call the operation. */
function* journeysOf(session: Session, op: Operation): Generator<Run> {
  for (const { name, write } of journeys) {
    const program = planProgram(name, session.context, write)
    const isCalled = program.steps.some((step) => 'operation' in step && step.operation === op.id)
    if (isCalled && program.missing.length === 0) yield () => runProgram(session, program)
  }
}

/** Sequences of what the operation is near to. */
function* sequencesOf(session: Session, op: Operation): Generator<Run> {
  for (const { name, operations: own, write } of sequences()) {
    const program = own.some((other) => isNear(op, other)) ? planProgram(name, session.context, write) : undefined
    if (program?.missing.length === 0) yield () => runProgram(session, program)
  }
}

/** Pages of the list of what the operation is about, as a run walks them: of the standard size where it is shown, if all can be removed again. */
function* pagesOf(session: Session, op: Operation): Generator<Run> {
  if (!walkable(op) || op.reply.kind !== 'page') return
  const isLong = op.reply.bounds === 'standard' && !op.fill && op.reply.table.permanent !== true
  const walk = isLong ? { records: 102, pageSizes: [undefined, 25] } : { records: 27, pageSizes: [25] }
  yield () => walkList(session, { op, ...walk })
}

function* walksOf(session: Session, ops: readonly Operation[], programs: number): Generator<Run> {
  for (const seeds of fc.sample(programSeed(ops, 20), { seed: 1, numRuns: programs }))
    yield () => randomWalk(session, 'random', seeds)
}
