// The tasks of a run: a program for each clause that has one, journeys, walks through lists, races and random programs.

import fc from 'fast-check'
import { journeys, nodeDeletion } from '../arbitraries/journeys.js'
import { planProgram } from '../arbitraries/plan.js'
import { probeFor } from '../arbitraries/probes.js'
import { arrange, programSeed, type StepSeed } from '../arbitraries/programs.js'
import { type Lock, locksOf, summed } from '../driver/locks.js'
import { runProgram } from '../driver/programs.js'
import { race, racers } from '../driver/race.js'
import { randomWalk } from '../driver/random-walk.js'
import type { Job } from '../driver/schedule.js'
import type { Session } from '../driver/session.js'
import { type Walk, walkable, walkList } from '../driver/walk.js'
import { allClauses, allTables, makerOf, operationById, operations } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import type { AnyTable, Area, Operation } from '../models/language/operation.js'
import type { Program, Step } from '../models/language/plan.js'
import type { Setting, Suites, Task } from './agenda.js'
import { isLentTo, isOperationSelected, isSelected } from './filter.js'

/** `volumes` of `volumes.resize`. */
export const resourceOf = ({ id }: { readonly id: string }): string => id.slice(0, id.lastIndexOf('.'))

/** How many requests a step of a program leads to, by and large. */
const requestsPerStep = 3

const jobOf = (session: Session, program: Program, clause?: Clause): Job => {
  const steps: readonly Step[] = [...program.steps, ...(program.restore ?? [])]
  return {
    name: program.name,
    locks: locksOf(steps, session.context.environment),
    cost: steps.length * requestsPerStep,
    ...(program.pause && { isSlow: true }),
    run: (own) => runProgram(own, program, clause),
  }
}

const isActive = (clause: Clause): boolean =>
  clause.kind !== 'shape' &&
  clause.kind !== 'shows' &&
  clause.kind !== 'choice' &&
  clause.kind !== 'emits' &&
  (clause.kind !== 'general' || clause.id.endsWith('.accepts'))

/** Plans the program of a clause, or says why there is none to run here. */
const clauseTask = (clause: Clause, at: number): Task => ({
  name: clause.id,
  clause: clause.id,
  plan: ({ session, context, emit }) => {
    const { filters, fuzz } = context.options
    if (fuzz || !isSelected(filters, clause)) return { skip: undefined }
    // Side by side, programs for which any node will do take different ones.
    const rotation = (session.options.concurrency ?? 1) > 1 ? at : 0
    const probe = probeFor(clause, { ...session.context, rotation })
    if (probe.kind === 'passive') return []
    const untestable = (reason: string, remedy?: string) => {
      emit({ type: 'untestable', clause: clause.id, reason, ...(remedy !== undefined && { remedy }) })
      return { skip: reason }
    }
    if (probe.kind === 'none') return untestable(probe.reason)
    const needs = probe.program.missing.join('; ')
    if (needs !== '') return untestable(`needs ${needs}`, `Add to the target file: ${needs}.`)
    const hook = hookLacking(session, probe.program)
    if (hook !== undefined) return untestable(`needs the hook ${hook}`, `Add hooks.${hook} to the target file.`)
    return [jobOf(session, probe.program, clause)]
  },
})

const hookLacking = ({ options: { hooks } }: Session, { steps }: Program): string | undefined =>
  steps.flatMap((step) => ('hook' in step && !hooks[step.hook] ? [step.hook] : []))[0]

/** The tasks of a resource, by operation. */
export const tasksOf = (op: Operation): readonly Task[] => clausesOf(op).filter(isActive).map(clauseTask)

/** Whether anything narrower than everything is asked for. */
const isNarrow = ({ areas, operations: some, clauses }: Setting['context']['options']['filters']): boolean =>
  areas.length + some.length + clauses.length > 0

export const journeyTasks: readonly Task[] = journeys.map(({ name, write }) => ({
  name,
  plan: ({ session, context: { options } }) => {
    if (options.fuzz || isNarrow(options.filters) || !isLentTo(options.filters)) return { skip: undefined }
    const program = planProgram(`journey: ${name}`, session.context, write)
    return program.missing.length > 0 ? { skip: `needs ${program.missing.join('; ')}` } : [jobOf(session, program)]
  },
}))

const deletionClause = allClauses().find(({ id }) => id === nodeDeletion.clause)

export const nodeDeletionTask: Task = {
  name: `${nodeDeletion.clause}, when a node is deleted`,
  clause: nodeDeletion.clause,
  plan: ({ session, context }) => {
    const { fuzz, filters } = context.options
    if (!deletionClause || fuzz || !isSelected(filters, deletionClause)) return { skip: undefined }
    const { hooks, environment } = session.options
    const isRestored =
      environment.exclusive &&
      filters.part === undefined &&
      (hooks.reset !== undefined || context.embedded !== undefined)
    if (!hooks.deleteNode || !isRestored) return { skip: 'needs the hooks deleteNode and reset' }
    const program = planProgram(nodeDeletion.clause, session.context, nodeDeletion.write)
    return program.missing.length > 0
      ? { skip: `needs ${program.missing.join('; ')}` }
      : [jobOf(session, program, deletionClause)]
  },
}

/** Enough for two pages of the smallest size, and of the default one. */
const walks: readonly Omit<Walk, 'op'>[] = [
  { records: 27, pageSize: 25 },
  { records: 102, pageSize: undefined },
]

const walkTask = (op: Operation, walk: Omit<Walk, 'op'>): Task => ({
  name: `${op.id}, ${walk.pageSize === undefined ? 'pages of the default size' : `pages of ${walk.pageSize}`}`,
  plan: ({ session, context: { options } }) => {
    const { safety, exclusive } = session.options.environment
    const most = safety.maxLive[op.id.slice(0, op.id.indexOf('.'))] ?? safety.maxLive.default ?? 20
    const table = op.reply.kind === 'page' ? op.reply.table : undefined
    if (!table || options.fuzz || options.filters.clauses.length > 0 || !isOperationSelected(options.filters, op))
      return { skip: undefined }
    if (most < walk.records || (table.permanent === true && (walk.records > 30 || !exclusive)))
      return { skip: `needs safety.maxLive of ${walk.records} or more` }
    const locks = makingOf(session, table).map((lock) =>
      lock.key === `live ${table.name}` ? { ...lock, amount: Math.min(lock.capacity, walk.records + 2) } : lock,
    )
    const run: Job['run'] = (own) => walkList(own, { op, ...walk })
    return [{ name: `${op.id}, walked`, locks, cost: walk.records * 2, run }]
  },
})

export const walkTasks: readonly Task[] = walks.flatMap((walk) =>
  operations.filter(walkable).map((op) => walkTask(op, walk)),
)

/** The locks of making one of a kind. */
const makingOf = ({ context }: Session, table: AnyTable): readonly Lock[] =>
  locksOf(planProgram('to lock', context, (plan) => void plan.make(table)).steps, context.environment)

/** Two or three lanes of up to two calls: more orders than that say no more and cost much. */
const lanes = fc.array(fc.array(fc.nat(20), { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 })
const races = 7

const raceTask = (table: AnyTable): Task => ({
  name: `races on ${table.name}`,
  plan: ({ session, context: { options } }) => {
    const { fuzz, filters, seed } = options
    const maker = makerOf(table)
    if (fuzz || filters.clauses.length > 0 || !maker || !isOperationSelected(filters, maker)) return { skip: undefined }
    if (racers(session, table).length < 2) return { skip: 'fewer than two operations need this resource alone' }
    // One at a time, so that the record tells which calls were raced with which.
    const locks = [...makingOf(session, table), { key: `race on ${table.name}`, amount: 1, capacity: 1 }]
    return fc.sample(lanes, { seed, numRuns: races }).map((one) => ({
      name: `race on ${table.name}`,
      locks,
      cost: 10,
      run: (own) => race(own, table, one),
    }))
  },
})

export const raceTasks: readonly Task[] = allTables()
  .filter((one) => makerOf(one) && makerOf(one)?.guarded === undefined)
  .map(raceTask)

const longest = 25

/** The locks of a random program: of each of its steps as it is planned before it meets the world. */
const randomLocks = ({ context }: Session, seeds: readonly StepSeed[]): readonly Lock[] =>
  summed(
    seeds.flatMap((seed) => {
      const op = operationById(seed.operation)
      if (!op) return []
      const { steps, restore = [] } = arrange(op, seed, context)
      return locksOf([...steps, ...restore], context.environment)
    }),
  )

/** Random programs over some operations, from the `from`th of the seed on. */
export const randomSeeds = (
  { options: { seed, filters } }: Setting['context'],
  some: readonly Operation[],
  from: number,
  count: number,
): readonly (readonly StepSeed[])[] =>
  fc.sample(programSeed(some, longest), { seed: seed + filters.shard[0] * 1_000_003 + from, numRuns: count })

const areas: readonly Area[] = ['volumes', 'object-storage', 'managed', 'networking', 'support', 'tags']

export const randomTasks: readonly Task[] = areas.map((area) => ({
  name: `random programs over ${area}`,
  plan: ({ session, context }) => {
    const { fuzz, filters, programs } = context.options
    const selected = operations.filter((op) => op.area === area && isOperationSelected(filters, op))
    if (fuzz || programs === 0 || selected.length === 0 || filters.clauses.length > 0) return { skip: undefined }
    return randomSeeds(context, selected, 0, programs).map((seeds, i) => ({
      name: `${area}, random program ${i + 1}`,
      locks: randomLocks(session, seeds),
      cost: seeds.length * requestsPerStep,
      run: (own) => randomWalk(own, `${area}, random program ${i + 1}`, seeds),
    }))
  },
}))

const resources = [...new Set(operations.map(resourceOf))]

/** Everything that a run does, by suite. */
export const suites: Suites = new Map<string, readonly Task[]>(
  [
    ...resources.map((name) => [name, operations.filter((op) => resourceOf(op) === name).flatMap(tasksOf)] as const),
    ['journeys', journeyTasks] as const,
    ['pagination', walkTasks] as const,
    ['races', raceTasks] as const,
    ['random', randomTasks] as const,
    ['node-deletion', [nodeDeletionTask]] as const,
  ].sort(([one], [other]) => (one < other ? -1 : 1)),
)

/** What cannot be brought back comes at the very end. */
const last = ['object-storage', 'node-deletion']

/** Suites in their order, those apart that begin only when all before them have ended. */
export const stagesOf = (names: readonly string[]): readonly (readonly string[])[] => [
  names.filter((name) => !last.includes(name)).sort(),
  ...last.map((name) => names.filter((one) => one === name)),
]
