// Programs side by side come to what they come to in turn.
import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { locksOf } from '../../driver/locks.js'
import { runProgram } from '../../driver/programs.js'
import { type Job, runJobs } from '../../driver/schedule.js'
import { survey } from '../../driver/upkeep.js'
import { operations } from '../../models/index.js'
import { type Clause, clausesOf } from '../../models/language/derive.js'
import type { Program } from '../../models/language/plan.js'
import { createAfar } from '../../reference/afar.js'
import type { EmbeddedOptions } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { type Mutant, mutantsOf } from '../../reference/mutants.js'
import { shownAgain, shownIn } from '../../reference/rejudging.js'
import { type VariationName, variations } from '../../reference/variations.js'
import { firstLine } from '../oracle/traffic.js'

/** Clauses of some operations, one in so many. */
const clausesFrom = (prefix: string, oneIn: number): readonly Clause[] =>
  operations
    .filter(({ id }) => id.startsWith(prefix))
    .flatMap(clausesOf)
    .filter((_, i) => i % oneIn === 0)

/** Delays of up to 100 ms, the same in each run. */
const delays = (): (() => number) => {
  let state = 1
  return () => {
    state = (state * 48271) % 2147483647
    return state % 100
  }
}

/** What a run of the probes of these clauses finds and shows, so many of them at a time. */
const outcome = async (options: Partial<EmbeddedOptions>, clauses: readonly Clause[], width: number) => {
  const afar = createAfar(delays())
  const environment = embeddedEnvironment()
  const { session, lines } = inProcess({ environment, ...options }, 'ts-t', afar.adapt)
  await survey(session)
  const jobs = clauses.flatMap((clause): readonly Job[] => {
    const plan = (): Program | undefined => {
      const probe = probeFor(clause, session.context)
      return probe.kind === 'program' && probe.program.missing.length === 0 ? probe.program : undefined
    }
    const program = plan()
    if (!program) return []
    const steps = [...program.steps, ...(program.restore ?? [])]
    const run: Job['run'] = (own) => runProgram(own, plan() ?? program, clause)
    return [{ name: clause.id, locks: locksOf(steps, environment), cost: steps.length, run }]
  })
  const untested: string[] = []
  const ended: string[] = []
  const onEnd = ({ name }: Job, { untested: reason }: { readonly untested?: string }): void => {
    ended.push(name)
    if (reason !== undefined) untested.push(name)
  }
  if (width > 1) await runJobs(session, jobs, { width, isOver: () => false, onEnd })
  else for (const job of jobs) onEnd(job, await job.run(session))
  expect(ended.sort()).toEqual(jobs.map(({ name }) => name).sort())
  const record = [firstLine(), ...lines]
  expect(shownAgain(record, 'ts-t')).toEqual(shownIn(record))
  const findings = lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : []))
  return {
    findings: findings.map(({ id }) => id).sort(),
    gating: findings.filter(({ level }) => level !== 'should').map(({ id }) => id),
    held: clauses.filter(({ id }) => session.isHeld(id)).map(({ id }) => id),
    untested: untested.sort(),
    left: lines.filter(({ type }) => type === 'left').length,
    troubles: lines.filter(({ type }) => type === 'trouble'),
    ms: afar.now(),
  }
}

/** What it comes to in turn and side by side, but for how long it takes. */
const both = async (options: () => Partial<EmbeddedOptions>, clauses: readonly Clause[]) => {
  const { ms: longer, ...inTurn } = await outcome(options(), clauses, 1)
  const { ms: shorter, ...beside } = await outcome(options(), clauses, 16)
  return { longer, shorter, inTurn, beside }
}

describe('programs side by side', () => {
  test.each(['volumes', 'tags', 'firewall', 'ip', 'managed-', 'object-keys', 'bucket', 'ticket'])(
    'show and find what they show and find in turn, in less time, and their record the same: %s',
    async (prefix) => {
      const { longer, shorter, inTurn, beside } = await both(() => ({}), clausesFrom(prefix, 9))
      expect(beside).toEqual(inTurn)
      expect(beside.findings).toEqual([])
      expect(beside.held.length).toBeGreaterThan(1)
      expect(shorter).toBeLessThan(longer)
    },
  )

  test.each(Object.keys(variations) as VariationName[])('find nothing on a target that is %s', async (name) => {
    const { gating, held, troubles } = await outcome(variations[name], clausesFrom('', 149), 16)
    expect(gating).toEqual([])
    expect(troubles).toEqual([])
    expect(held.length).toBeGreaterThan(5)
  })
})

/** Refuses to create more contacts than so many, removed ones included. */
const upTo = (most: number): Fault => {
  let turn = 0
  const isFull = (): boolean => turn++ >= most
  const rule = { id: 'managed-contacts.create.quota', source: 'none', text: 'No more.', unprobed: '', when: isFull }
  return {
    operation: (op) => (op.id === 'managed-contacts.create' ? { ...op, refusals: [...(op.refusals ?? []), rule] } : op),
  }
}

test('programs side by side fill a quota that counts what was ever made', async () => {
  const { findings, held } = await outcome({ fault: upTo(8) }, clausesFrom('managed-contacts.create', 1), 16)
  expect(findings).toEqual([])
  expect(held).toContain('managed-contacts.create.accepts')
})

/** One mutant of a few operations in so many. */
const sample: readonly Mutant[] = ['volumes.resize', 'tags.create', 'firewalls.update', 'managed-contacts.update']
  .flatMap((id) => operations.filter((op) => op.id === id))
  .flatMap(mutantsOf)
  .filter((_, i) => i % 23 === 5)

describe('programs side by side on a target that breaks one sentence', () => {
  test.each(sample.map((mutant) => [mutant.id, mutant] as const))(
    'find what they find in turn: %s',
    async (_, mutant) => {
      const own = clausesFrom(mutant.operation, 1)
      const near = clausesFrom(mutant.operation.slice(0, mutant.operation.lastIndexOf('.')), 9)
      const clauses = [...new Set([...own, ...near])]
      const { inTurn, beside } = await both(() => ({ fault: mutant.arm().fault }), clauses)
      expect(beside.findings).toEqual(inTurn.findings)
    },
  )
})
