// What the tests of a run stand for, and the programs that each of them runs; nothing is sent here.

import type { PlanContext } from '../arbitraries/plan.js'
import { type Probe, probeFor } from '../arbitraries/probes.js'
import { bundleKey, mostTogether } from '../driver/bundle.js'
import { locksOf } from '../driver/locks.js'
import { runProgram, startProgram } from '../driver/programs.js'
import type { Job } from '../driver/schedule.js'
import type { Session } from '../driver/session.js'
import { tellsOf } from '../driver/telling.js'
import type { RecordLine } from '../history/record.js'
import { operationById, operations } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import type { Program, Step } from '../models/language/plan.js'
import { isPassive, isProgramSelected } from './filter.js'
import type { RunOptions } from './options.js'

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
  const { name, steps, restore = [], pause } = program
  const all: readonly Step[] = [...steps, ...restore]
  const key = clause && bundleKey(clause, program, session.context.nonce)
  let next: Program | undefined = program
  const take = (isBeside: boolean): Program => {
    const one = isBeside || width === 1 ? next : undefined
    if (one) next = undefined
    return one ?? plan(isBeside)
  }
  const locks = locksOf(all, session.context.environment)
  const load = loadsOf(setting)
  for (const { key, amount, capacity } of locks) load.set(key, (load.get(key) ?? 0) + (all.length * amount) / capacity)
  return {
    name,
    locks,
    cost: all.length * requestsPerStep,
    least: all.filter((step) => !('hook' in step)).length,
    tells,
    ...(clause && { about: clause.operation }),
    ...(clause && tellsOfNoEvent(clause) && { isEarly: true as const }),
    run: (own) => runProgram(own, take(own.isBeside), clause),
    ...(clause && key !== undefined && { shares: { key, take: () => ({ clause, program: take(true) }) } }),
    ...(pause && { begin: (own) => startProgram(own, take(own.isBeside), clause) }),
  }
}

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
}

export const lackOf = (probe: Probe, hooks: Readonly<Record<string, unknown>>): Lack | undefined => {
  if (probe.kind === 'none') return { reason: probe.reason }
  if (probe.kind === 'passive') return undefined
  const needs = probe.program.missing.join('; ')
  if (needs !== '') return { reason: `needs ${needs}`, remedy: `Add to the target file: ${needs}.` }
  const hook = probe.program.steps.flatMap((step) => ('hook' in step && !hooks[step.hook] ? [step.hook] : []))[0]
  return hook && { reason: `needs the hook ${hook}`, remedy: `Add hooks.${hook} to the target file.` }
}

/** What programs of a suite are planned in: side by side, those for which any fixture will do take different ones. */
export const contextAt = ({ session: { context }, width }: Setting, at: number): PlanContext =>
  width > 1 ? { ...context, rotation: at } : context

/** How much is asked of what there is, by lock, as far as programs are planned. */
const loads = new WeakMap<Setting, Map<string, number>>()

const loadsOf = (setting: Setting): Map<string, number> => {
  const known = loads.get(setting) ?? new Map<string, number>()
  loads.set(setting, known)
  return known
}

/** What programs that may be run as one are planned in, by what they share, as long as they are not too many. */
const rows = new WeakMap<Setting, Map<string, { readonly context: PlanContext; size: number }>>()

/** Programs that may be run as one take the same fixtures. */
const contextOf = (setting: Setting, clause: Clause, at: number): PlanContext => {
  const first = contextAt(setting, 0)
  if (setting.width === 1) return first
  const plan = (one: PlanContext): Program | undefined => {
    const probe = probeFor(clause, one)
    return probe.kind === 'program' ? probe.program : undefined
  }
  const program = plan(first)
  if (!program) return first
  const key = bundleKey(clause, program, first.nonce)
  if (key === undefined) return freestAt(setting, at, plan)
  const known = rows.get(setting) ?? new Map<string, { readonly context: PlanContext; size: number }>()
  rows.set(setting, known)
  const open = known.get(key)
  const row = open && open.size < mostTogether ? open : { context: freestAt(setting, at, plan), size: 0 }
  known.set(key, row)
  row.size += 1
  return row.context
}

/** So many fixtures are tried for one that others ask less of. */
const mostRotations = 6

/** Where programs go side by side, the context from `at` on in which one has to do with what the others ask least of. */
export const freestAt = (
  setting: Setting,
  at: number,
  plan: (context: PlanContext) => Program | undefined,
): PlanContext => {
  if (setting.width === 1) return contextAt(setting, at)
  const contexts = Array.from({ length: mostRotations }, (_, i) => contextAt(setting, at + i))
  const known = loadsOf(setting)
  const strain = (context: PlanContext): number => {
    const program = plan(context)
    if (!program || program.missing.length > 0) return Number.POSITIVE_INFINITY
    const locks = locksOf([...program.steps, ...(program.restore ?? [])], setting.session.context.environment)
    return Math.max(0, ...locks.map(({ key, amount, capacity }) => (known.get(key) ?? 0) * (amount / capacity)))
  }
  const [best] = contexts
    .map((context) => ({ context, strain: strain(context) }))
    .sort((one, other) => one.strain - other.strain)
  return best?.context ?? contextAt(setting, at)
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
