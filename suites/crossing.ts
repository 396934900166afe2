// The tasks that are about no single resource: journeys, sequences, walks, races, random programs, and the deletion of a node.

import fc from 'fast-check'
import { journeys, nodeDeletion } from '../arbitraries/journeys.js'
import { planProgram } from '../arbitraries/plan.js'
import type { PlanContext } from '../arbitraries/plan-fixtures.js'
import { arrange, inARow, programSeed } from '../arbitraries/programs.js'
import { sequences } from '../arbitraries/sequences.js'
import { isSole } from '../arbitraries/subjects.js'
import { type Lock, liveOf, locksOf, summed } from '../driver/locks.js'
import { contend, contests, race, raceSteps, roundsFor } from '../driver/race.js'
import { randomWalk } from '../driver/random-walk.js'
import type { Job } from '../driver/units.js'
import { fullRecord, standing, type Walk, walkAsItIs, walkable, walkList } from '../driver/walk.js'
import { allClauses, allTables, makerOf, operationById, operations } from '../models/index.js'
import { type Environment, mostLive } from '../models/language/environment.js'
import { exclusiveNeed, hookNeed, saying } from '../models/language/needs.js'
import type { AnyTable, Area, Operation } from '../models/language/operation.js'
import type { Plan, Program, Step } from '../models/language/plan.js'
import { isCrossed, isLentTo, isOperationSelected, isSelected } from './filter.js'
import { claimed, contextAt, freestAt } from './spread.js'
import { allSteps, jobOf, resourceOf, type Setting, type Skip, type Task } from './tasks.js'

const nothing: Skip = { skip: undefined }

/** The job of a program that is no clause's. */
const programJob = (
  setting: Setting,
  name: string,
  at: number,
  tells: number,
  write: (plan: Plan) => void,
): readonly Job[] | Skip => {
  const context = freestAt(setting, at, (one) => stepsOf(planProgram(name, one, write)))
  const plan = (isBeside: boolean): Program => planProgram(name, isBeside ? context : setting.session.context, write)
  const program = plan(true)
  return program.missing.length > 0
    ? { skip: `needs ${saying(program.missing)}` }
    : [jobOf(setting, program, plan, tells)]
}

/** All that a program does, where it lacks nothing. */
const stepsOf = (program: Program): readonly Step[] | undefined =>
  program.missing.length === 0 ? allSteps(program) : undefined

/** What programs that show no clause are worth, measured by those that do: about as many faults show in them alone. */
const worth = { journey: 4, call: 2, walk: 4, page: 1, race: 0.2, random: 0.02 }

const journeyTasks = (): readonly Task[] =>
  journeys.map(({ name, write }, at) => ({
    suite: 'journeys',
    name,
    plan: (setting) => {
      const { fuzz, filters } = setting.options
      const isWanted = !fuzz && isLentTo(filters) && isCrossed(filters, calledBy(setting, name, write))
      return isWanted ? programJob(setting, `journey: ${name}`, at, worth.journey, write) : nothing
    },
  }))

/** The operations that a program calls. Nothing is sent, so that it needs no certificate. */
const calledBy = (setting: Setting, name: string, write: (plan: Plan) => void): readonly Operation[] => {
  const certificate = () => ({ certificate: '', private_key: '' })
  const { steps } = planProgram(name, { ...contextAt(setting, 0), certificate }, write)
  return steps.flatMap((step) => ('operation' in step ? (operationById(step.operation) ?? []) : []))
}

const sequenceTasks = (): readonly Task[] =>
  sequences().map(({ name, operations: own, write }, at) => ({
    suite: 'sequences',
    name,
    plan: (setting) => {
      const { fuzz, filters } = setting.options
      const isAsked = !fuzz && filters.clauses.length === 0 && own.some((op) => isOperationSelected(filters, op))
      return isAsked ? programJob(setting, name, at, worth.call * own.length, write) : nothing
    },
  }))

/** Whether what crosses the clauses of an operation is asked for. */
const isAsked = ({ options: { fuzz, filters } }: Setting, op: Operation): boolean =>
  !fuzz && filters.clauses.length === 0 && isOperationSelected(filters, op)

/** Enough for two pages of the default size and several of the smallest; for two of the smallest where that is too many, or its size is not shown. */
const lengths = {
  both: { records: 102, pageSizes: [undefined, 25] },
  smallestFirst: { records: 27, pageSizes: [25], orElse: 102 },
  smallest: { records: 27, pageSizes: [25] },
} as const satisfies Readonly<Record<string, Omit<Walk, 'op'>>>

/** How long a list is made that there is room for; undefined where it would come as one page. */
const lengthOf = (op: Operation, most: number): Omit<Walk, 'op'> | undefined => {
  // What is not filled by its own creations is walked at the smallest size alone.
  if (op.fill || most < lengths.both.records) return most < lengths.smallest.records ? undefined : lengths.smallest
  return op.reply.kind === 'page' && op.reply.bounds === 'not-shown' ? lengths.smallestFirst : lengths.both
}

/** Requests that a record of a walk leads to: it is made and removed. */
const costOfRecord = 2

/** Records that cannot be removed are made in moderation. */
const mostPermanent = 30

const walkTasks = (): readonly Task[] =>
  operations.filter(walkable).map((op) => ({
    suite: 'pagination',
    name: op.id,
    plan: (setting) => {
      const { environment } = setting.session.options
      const table = op.reply.kind === 'page' ? op.reply.table : undefined
      if (!table || !isAsked(setting, op)) return nothing
      if (!op.fill && isAlone(setting, table)) return walksAsItIs(op)
      const length = lengthOf(op, mostRecords(environment, op, table))
      if (!length) return { skip: `needs safety.maxLive of ${lengths.smallest.records} or more` }
      const { steps } = planProgram('records of a list', setting.session.context, (plan) => {
        if (op.fill) return void op.fill(plan, length.records)
        plan.make(table)
        const maker = makerOf(table)
        if (maker) fullRecord(plan, maker)
      })
      const locks = [...locksOf(steps, environment), ...room(environment, table, length.orElse ?? length.records)]
      const cost = length.records * costOfRecord
      return [
        {
          name: op.id,
          ...claimed(setting, steps, cost, summed(locks)),
          cost,
          least: length.records,
          tells: worth.walk,
          run: (own) => walkList(own, { op, ...length }),
        },
      ]
    },
  }))

/** Whether only one of a kind is sure to have room. */
const isAlone = ({ session }: Setting, table: AnyTable): boolean => {
  let isSoleOne = false
  planProgram('records of a list', session.context, (plan) => {
    const maker = makerOf(table)
    isSoleOne = maker !== undefined && isSole(plan, maker)
  })
  return isSoleOne
}

/** How many records a walk may make of what an operation lists. */
const mostRecords = (environment: Environment, op: Operation, table: AnyTable): number => {
  const room = mostLive(environment, resourceOf(op))
  if (table.permanent !== true) return room
  return environment.exclusive ? Math.min(room, mostPermanent) : 0
}

/** The room that so many records take. */
const room = (environment: Environment, { name }: AnyTable, records: number): readonly Lock[] => {
  const capacity = mostLive(environment, name)
  return [{ key: liveOf(name), amount: Math.min(records, capacity), capacity }]
}

const standingTasks = (): readonly Task[] =>
  operations.filter(standing).map((op) => ({
    suite: 'pagination',
    name: `${op.id}, as it is`,
    plan: (setting) => {
      const table = op.reply.kind === 'page' ? op.reply.table : undefined
      if (!table || !isAsked(setting, op)) return nothing
      return walksAsItIs(op)
    },
  }))

const walksAsItIs = (op: Operation): readonly Job[] =>
  [25, 26].map((pageSize) => ({
    name: op.id,
    locks: [],
    waits: 0,
    cost: 4,
    least: 1,
    tells: worth.page,
    run: (own) => walkAsItIs(own, op, pageSize),
  }))

/** Two or three lanes of up to two calls: more orders than that say no more and cost much. */
const lanes = fc.array(fc.array(fc.nat(20), { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 })
const racesEach = 7
const costOfRace = 10

const raceTasks = (): readonly Task[] =>
  allTables().flatMap((table) => {
    const maker = makerOf(table)
    if (!maker || maker.guarded !== undefined) return []
    const plan: Task['plan'] = (setting) => {
      const { session, options } = setting
      if (!isAsked(setting, maker)) return nothing
      if (!raceSteps(session.context, table)) return { skip: 'fewer than two operations need this resource alone' }
      return fc.sample(lanes, { seed: options.seed, numRuns: racesEach }).map((one, i) => {
        const context = freestAt(setting, i, (at) => raceSteps(at, table))
        return {
          name: `race on ${table.name}`,
          ...claimed(setting, raceSteps(context, table) ?? [], costOfRace),
          cost: costOfRace,
          least: 3,
          tells: worth.race,
          run: (own) => race(own.isBeside ? { ...own, context } : own, table, one),
        }
      })
    }
    return [{ suite: 'races', name: `races on ${table.name}`, plan }]
  })

/** What is looked at and removed after it. */
const requestsAfterBout = 5

const contestTasks = (): readonly Task[] =>
  contests().map((contest, at) => ({
    suite: 'races',
    name: contest.name,
    plan: (setting) => {
      if (!isAsked(setting, contest.op)) return nothing
      const bouts = Array.from({ length: roundsFor(contest.op) / contest.rounds }, (_, i): Job | Skip => {
        const plan = (one: PlanContext): Program => planProgram(contest.name, one, contest.write)
        const context = freestAt(setting, at + i, (one) => stepsOf(plan(one)))
        const { steps, missing } = plan(context)
        if (missing.length > 0) return { skip: `needs ${saying(missing)}` }
        const cost = steps.length + requestsAfterBout
        return {
          name: contest.name,
          ...claimed(setting, steps, cost),
          cost,
          least: steps.length,
          tells: worth.race,
          run: (own) => contend(own.isBeside ? { ...own, context } : own, contest, i),
        }
      })
      const jobs = bouts.filter((one): one is Job => !('skip' in one))
      const [skip] = bouts.filter((one): one is Skip => 'skip' in one)
      return skip ?? jobs
    },
  }))

const areas: readonly Area[] = ['volumes', 'object-storage', 'managed', 'networking', 'support', 'tags']
const longest = 12
/** Requests that a step of a random program leads to, with what it needs and what is looked at. */
const callsPerStep = 4

const randomTasks = (): readonly Task[] =>
  areas.map((area) => ({
    suite: 'random',
    name: `random programs over ${area}`,
    plan: (setting) => {
      const { seed: first, programs, fuzz, filters } = setting.options
      const own = operations.filter((op) => op.area === area && isOperationSelected(filters, op))
      if (fuzz || programs === 0 || own.length === 0 || filters.clauses.length > 0) return nothing
      const seed = first + filters.shard[0] * 1_000_003
      return fc.sample(programSeed(own, longest), { seed, numRuns: programs }).map((steps, n): Job => {
        const name = `${area}, random program ${n + 1}`
        const plan = (context: PlanContext): readonly (readonly Step[])[] =>
          steps.map((step) => {
            const op = operationById(step.operation)
            return op ? allSteps(arrange(op, step, context)) : []
          })
        const context = freestAt(setting, n, (one) => plan(one).flat())
        const planned = plan(context)
        const cost = steps.length * callsPerStep
        return {
          name,
          ...claimed(
            setting,
            inARow(planned),
            cost,
            summed(planned.flatMap((one) => locksOf(one, context.environment))),
          ),
          cost,
          least: 1,
          tells: worth.random,
          run: (own) => randomWalk(own.isBeside ? { ...own, context } : own, name, steps),
        }
      })
    },
  }))

const deletionTasks = (): readonly Task[] => {
  const clause = allClauses().find(({ id }) => id === nodeDeletion.clause)
  const plan: Task['plan'] = (setting) => {
    const { options, session, isEmbedded } = setting
    if (!clause || options.fuzz || !isSelected(options.filters, clause)) return nothing
    const { hooks, environment } = session.options
    const lacking = [
      ...(hooks.deleteNode ? [] : [hookNeed('deleteNode')]),
      ...(hooks.reset || isEmbedded ? [] : [hookNeed('reset')]),
      ...(environment.exclusive ? [] : [exclusiveNeed()]),
    ]
    if (lacking.length > 0) return { skip: `needs ${saying(lacking)}` }
    const again = (): Program => planProgram(nodeDeletion.clause, session.context, nodeDeletion.write)
    const program = again()
    if (program.missing.length > 0) return { skip: `needs ${saying(program.missing)}` }
    return [jobOf(setting, program, again, 1, clause)]
  }
  const name = `${nodeDeletion.clause}, when a node is deleted`
  return [{ suite: 'node-deletion', name, ...(clause && { clause }), plan }]
}

/** By suite. */
export const crossingTasks: Readonly<Record<string, () => readonly Task[]>> = {
  journeys: journeyTasks,
  'node-deletion': deletionTasks,
  pagination: () => [...walkTasks(), ...standingTasks()],
  races: () => [...raceTasks(), ...contestTasks()],
  random: randomTasks,
  sequences: sequenceTasks,
}
