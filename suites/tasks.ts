// What the tests of a run stand for, and the programs that each of them runs; nothing is sent here.

import type { PlanContext } from '../arbitraries/plan-fixtures.js'
import { type Probe, probeFor } from '../arbitraries/probes.js'
import { bundleKey, mostTogether } from '../driver/bundle.js'
import { runProgram, startProgram } from '../driver/programs.js'
import type { Session } from '../driver/session.js'
import { tellsOf } from '../driver/telling.js'
import type { Job } from '../driver/units.js'
import type { RecordLine } from '../history/record.js'
import { operationById, operations } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import { memoised } from '../models/language/memoised.js'
import { exclusiveNeed, hookNeed, type Need, saying } from '../models/language/needs.js'
import type { Program, Step } from '../models/language/plan.js'
import { isPassive, isProgramSelected } from './filter.js'
import type { RunOptions } from './options.js'
import { claimed, contextAt, freestAt } from './spread.js'

/** Why a test runs nothing; undefined where that goes without saying. */
export interface Skip {
  readonly skip: string | undefined
}

/** What programs are planned for. */
export interface Setting {
  readonly session: Session
  readonly options: Pick<RunOptions, 'filters' | 'fuzz' | 'seed' | 'programs'>
  /** Whether the target is the embedded one. */
  readonly isEmbedded: boolean
  /** How many programs run at a time. */
  readonly width: number
  readonly emit: (line: RecordLine) => void
}

/** What one test stands for. */
export interface Task {
  readonly suite: string
  /** No other of its suite has it. */
  readonly name: string
  /** The clause that it is there to show. */
  readonly clause?: Clause
  /** Planned before anything of its stage is sent. */
  readonly plan: (setting: Setting) => readonly Job[] | Skip
}

export type ClauseTask = Task & { readonly clause: Clause }

/** How many requests a step of a program leads to, by and large. */
const requestsPerStep = 3

/**
 * A job that runs a program; one that runs again is planned anew, so that it gives new names. Alone it takes the fixtures that it takes in
 * turn: not every one shows as much.
 */
export const jobOf = (
  setting: Setting,
  program: Program,
  plan: (isBeside: boolean) => Program,
  tells: number,
  clause?: Clause,
): Job => {
  const { session, width } = setting
  const { name, pause } = program
  const all = allSteps(program)
  const key = clause && bundleKey(clause, program, session.context.nonce)
  let next: Program | undefined = program
  const take = (isBeside: boolean): Program => {
    const one = isBeside || width === 1 ? next : undefined
    if (one) next = undefined
    return one ?? plan(isBeside)
  }
  const cost = all.length * requestsPerStep
  const claim = claimed(setting, all, cost)
  // What has something to itself holds up others, so that it is not made longer by what has not.
  const isAlone = claim.locks.some(({ amount, capacity }) => amount === capacity)
  return {
    name,
    ...claim,
    cost,
    least: all.filter((step) => !('hook' in step)).length,
    tells,
    ...(clause && { about: clause.operation }),
    ...(clause && tellsOfNoEvent(clause) && { isEarly: true as const }),
    run: (own) => runProgram(own, take(own.isBeside), clause),
    ...(clause &&
      key !== undefined && {
        shares: { key: `${isAlone} ${key}`, take: () => ({ clause, program: take(true) }) },
      }),
    ...(pause && { begin: (own) => startProgram(own, take(own.isBeside), clause) }),
  }
}

/** The steps of a program, and those that put fixtures back. */
export const allSteps = <P extends Program | undefined>(
  program: P,
): readonly Step[] | (P extends Program ? never : undefined) =>
  (program && [...program.steps, ...(program.restore ?? [])]) as never

/** Whether its program shows that a refused call emits nothing where an accepted one does. */
const tellsOfNoEvent = ({ kind, operation }: Clause): boolean =>
  kind === 'token' && operationById(operation)?.emits !== undefined

/** The program of a clause, or why there is none to run here. */
const programOf = (
  { session, options, emit }: Setting,
  clause: Clause,
  context: PlanContext,
): Program | Skip | 'passive' => {
  if (options.fuzz || !isProgramSelected(options.filters, clause)) return { skip: undefined }
  const probe = probeFor(clause, context)
  if (probe.kind === 'passive') return 'passive'
  const lack = lackOf(probe, session.options.hooks)
  if (lack) emit({ type: 'untestable', clause: clause.id, ...lack })
  return lack || probe.kind === 'none' ? { skip: lack?.reason } : probe.program
}

/** Why a program is not to be had on a target, or can't be run there. */
export interface Lack {
  readonly reason: string
  /** What would change that in the target file. */
  readonly remedy?: string
  readonly needs?: readonly Need[]
}

/** A lack of what the target file could give. */
export const needing = (needs: readonly Need[]): Lack => ({
  reason: `needs ${saying(needs)}`,
  remedy: `Add to the target file: ${saying(needs)}.`,
  needs,
})

/** The lack of a target that nobody else changes. */
export const withoutExclusive = (why: string): Lack => ({
  ...needing([exclusiveNeed(`an exclusive target: ${why}`)]),
  remedy: 'Set exclusive to true in the target file, where nobody else changes these accounts during a run.',
})

export const lackOf = (probe: Probe, hooks: Readonly<Record<string, unknown>>): Lack | undefined => {
  if (probe.kind === 'none') return { reason: probe.reason }
  if (probe.kind === 'passive') return undefined
  if (probe.program.missing.length > 0) return needing(probe.program.missing)
  const hook = probe.program.steps.flatMap((step) => ('hook' in step && !hooks[step.hook] ? [step.hook] : []))[0]
  return hook && withoutHook(hook)
}

export const withoutHook = (hook: string): Lack => ({
  reason: `needs the hook ${hook}`,
  remedy: `Add hooks.${hook} to the target file.`,
  needs: [hookNeed(hook)],
})

/** What programs that may be run as one are planned in, by what they share, as long as they are not too many. */
const rowsIn = memoised((_: Setting) => new Map<string, { readonly context: PlanContext; size: number }>())

/** Programs that may be run as one take the same fixtures. */
const contextOf = (setting: Setting, clause: Clause, at: number): PlanContext => {
  const first = contextAt(setting, 0)
  if (setting.width === 1) return first
  const plan = (one: PlanContext): Program | undefined => {
    const probe = probeFor(clause, one)
    return probe.kind === 'program' && probe.program.missing.length === 0 ? probe.program : undefined
  }
  const stepsIn = (one: PlanContext): readonly Step[] | undefined => allSteps(plan(one))
  const program = plan(first)
  if (!program) return first
  const key = bundleKey(clause, program, first.nonce)
  if (key === undefined) return freestAt(setting, at, stepsIn)
  const known = rowsIn(setting)
  const open = known.get(key)
  const row = open && open.size < mostTogether ? open : { context: freestAt(setting, at, stepsIn), size: 0 }
  known.set(key, row)
  row.size += 1
  return row.context
}

/** Shows a clause by its program. Those that may be run as one take the same fixtures. */
const clauseTask = (suite: string, clause: Clause, at: number): ClauseTask => ({
  suite,
  name: clause.id,
  clause,
  plan: (setting) => {
    const context = contextOf(setting, clause, at)
    const program = programOf(setting, clause, context)
    if (program === 'passive') return []
    if ('skip' in program) return program
    const again = (isBeside: boolean): Program => {
      const probe = probeFor(clause, isBeside ? context : setting.session.context)
      return probe.kind === 'program' ? probe.program : program
    }
    return [jobOf(setting, program, again, tellsOf(clause), clause)]
  },
})

/** `volumes` of `volumes.resize`. */
export const resourceOf = ({ id }: { readonly id: string }): string => id.slice(0, id.lastIndexOf('.'))

/** One for every clause of a resource that has a program of its own. */
export const clauseTasks = (resource: string): readonly ClauseTask[] =>
  operations
    .filter((op) => resourceOf(op) === resource)
    .flatMap(clausesOf)
    .filter((clause) => !isPassive(clause))
    .map((clause, at) => clauseTask(resource, clause, at))
