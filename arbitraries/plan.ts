// The plan builder: drafts and probes call it, a program of plain steps comes out; nothing is sent.

import { makerOf, operationById } from '../models/index.js'
import { type Environment, mostLive } from '../models/language/environment.js'
import { liveNeed, mainTokenNeed, type Need } from '../models/language/needs.js'
import { lackingFor } from '../models/language/operation.js'
import type { Args, CallStep, HookName, Made, Plan, Program, Role, Step } from '../models/language/plan.js'
import { arrangedOnce, arrangedTogether } from './arranged.js'
import { fixturesOf, namesOf, type PlanContext } from './plan-fixtures.js'
import { type Choose, mainToken, tokensOf } from './plan-tokens.js'

/**
 * Runs a probe or draft and returns the program that it wrote. Where a choice of fixtures and tokens leaves something missing,
 * the others are tried; if none will do, the program of the choice that leaves the least missing says what that is.
 */
export const planProgram = (name: string, context: PlanContext, write: (plan: Plan) => void): Program => {
  let choices: Choices = openChoices([])
  let best = writeProgram(name, context, choices, write)
  for (let tries = 1; best.missing.length > 0 && tries < mostTries; tries += 1) {
    const next = nextOf(choices)
    if (!next) break
    choices = openChoices(next)
    const program = writeProgram(name, context, choices, write)
    if (program.missing.length < best.missing.length) best = program
  }
  return best
}

/** The most combinations of fixtures and tokens that are tried. */
const mostTries = 200

/** Which of several alternatives a plan takes each time, in the order in which it asks. */
interface Choices {
  /** Takes one of so many. */
  readonly take: (count: number) => number
  readonly taken: readonly { readonly at: number; readonly count: number }[]
}

const openChoices = (given: readonly number[]): Choices => {
  const taken: { readonly at: number; readonly count: number }[] = []
  const take = (count: number): number => {
    const at = given[taken.length] ?? 0
    taken.push({ at, count })
    return at
  }
  return { take, taken }
}

/** The next choices: the last one with another alternative is changed; undefined if there is none. */
const nextOf = ({ taken }: Choices): readonly number[] | undefined => {
  const last = taken.findLastIndex(({ at, count }) => at + 1 < count)
  return last < 0 ? undefined : taken.slice(0, last + 1).map(({ at }, i) => (i === last ? at + 1 : at))
}

const writeProgram = (name: string, context: PlanContext, choices: Choices, write: (plan: Plan) => void): Program => {
  const main = mainToken(context.environment)?.name ?? null
  const written: Written = { main, steps: [], missing: [], restore: [], pauses: [], alive: new Map(), as: main }
  write(createPlan(context, choices, written))
  const { steps, missing, restore, pauses } = written
  const [pause] = pauses
  const program: Program = {
    name,
    steps,
    ...(pause && { pause }),
    ...(restore.length > 0 && { restore }),
    missing: distinct(missing),
  }
  return arrangedTogether(arrangedOnce(program, context.nonce), context.nonce)
}

/** Each need once; of what is counted while the program goes on, the last count. */
const distinct = (missing: readonly Need[]): readonly Need[] => [
  ...new Map(missing.map((need) => [need.add?.safety?.maxLive ? need.bound?.of : need.what, need])).values(),
]

/** What a plan has written so far. */
interface Written {
  /** The token of calls that name none. */
  readonly main: string | null
  readonly steps: Step[]
  readonly missing: Need[]
  readonly restore: CallStep[]
  readonly pauses: NonNullable<Program['pause']>[]
  /** How many of each kind are alive after the steps. */
  readonly alive: Map<string, number>
  /** The token with which the following steps are sent. */
  as: string | null
}

const createPlan = (context: PlanContext, choices: Choices, written: Written): Plan => {
  const { environment, certificate } = context
  const { main, missing } = written
  if (main === null) missing.push(mainTokenNeed)
  const choose: Choose = (fitting, need) => {
    // Choices after something was missing could not have helped.
    const found = fitting[missing.length > 0 ? 0 : choices.take(fitting.length)]
    if (found === undefined) missing.push(need)
    return found
  }
  const plan: Plan = {
    environment,
    certificate,
    need: (condition, need) => {
      if (!condition) missing.push(need)
    },
    ...namesOf(context),
    ...fixturesOf(context, choose),
    ...tokensOf(environment, choose),
    ...stepsOf(environment, written),
    ...makingOf(environment, written, () => plan),
    attempt: (write, undo) => {
      const putBack = markOf(written)
      const { length } = missing
      const result = write()
      const isPlanned = missing.length === length
      if (!isPlanned || undo !== undefined) putBack()
      return isPlanned ? result : undefined
    },
  }
  return plan
}

type Steps = Pick<Plan, 'as' | 'call' | 'probe' | 'twin' | 'check' | 'restore' | 'later' | 'hook'>

const stepsOf = (environment: Environment, written: Written): Steps => {
  const { steps, restore, pauses } = written
  const push =
    (role: Role) =>
    (operation: string, args?: Args): Made =>
      pushCall(environment, written, role, operation, args)
  return {
    as: (token) => {
      written.as = token
    },
    call: push('arrange'),
    probe: push('probe'),
    twin: push('twin'),
    check: push('check'),
    restore: (operation, args) =>
      void restore.unshift({ role: 'check', operation, ...args, as: args.as ?? written.main }),
    later: (ms) => void pauses.push({ before: steps.length, ms }),
    hook: (name: HookName, ...args) => void steps.push({ role: 'arrange', hook: name, args }),
  }
}

const pushCall = (environment: Environment, written: Written, role: Role, operation: string, args: Args = {}): Made => {
  const { steps, missing } = written
  const as = args.as !== undefined ? args.as : written.as
  const op = operationById(operation)
  if (op) missing.push(...lackingFor(op, environment))
  steps.push({ role, operation, ...args, as } satisfies CallStep)
  countLive(environment, written, operation)
  return made(steps.length - 1)
}

/** Notes that a program makes more of a kind than the target file allows. */
const countLive = (environment: Environment, { alive, missing }: Written, operation: string): void => {
  const op = operationById(operation)
  const reference = op?.removes === undefined ? undefined : op.params[op.removes]
  if (typeof reference === 'object') alive.set(reference.table.name, (alive.get(reference.table.name) ?? 0) - 1)
  if (!op?.makes || op.remakes) return
  const { name } = op.makes
  const count = (alive.get(name) ?? 0) + 1
  alive.set(name, count)
  if (count > mostLive(environment, name)) missing.push(liveNeed(name, count))
}

const makingOf = (
  environment: Environment,
  written: Written,
  planOf: () => Plan,
): Pick<Plan, 'make' | 'richly' | 'draft'> => {
  const { missing } = written
  let isRich = false
  return {
    make: (table, body = {}, args = {}) => {
      const maker = makerOf(table)
      if (!maker) {
        missing.push({ what: `an operation that makes ${table.name}` })
        return made(0)
      }
      // Its own needs are met by plain drafts.
      const wasRich = isRich
      isRich = false
      const draft = (wasRich && maker.full?.(planOf())) || planOf().draft(maker.id)
      isRich = wasRich
      return pushCall(environment, written, 'arrange', maker.id, merge(draft, body, args))
    },
    richly: (write) => {
      isRich = true
      const result = planOf().attempt(write)
      isRich = false
      return result
    },
    draft: (operation) => {
      const op = operationById(operation)
      if (!op) missing.push({ what: `an operation ${operation}` })
      return op?.draft(planOf()) ?? {}
    },
  }
}

/** Marks the state of a plan; the returned function goes back to it. */
const markOf = ({ steps, missing, restore, pauses, alive }: Written): (() => void) => {
  const [stepsBefore, missingBefore, restoreBefore, pausesBefore] = [
    steps.length,
    missing.length,
    restore.length,
    pauses.length,
  ]
  const aliveBefore = [...alive]
  return () => {
    steps.length = stepsBefore
    missing.length = missingBefore
    pauses.length = pausesBefore
    restore.splice(0, restore.length - restoreBefore)
    alive.clear()
    for (const [name, count] of aliveBefore) alive.set(name, count)
  }
}

export const made = (step: number): Made => ({
  step,
  id: { $step: step },
  field: (name) => ({ $step: step, field: name }),
})

const merge = (draft: Args, body: Readonly<Record<string, unknown>>, args: Omit<Args, 'body'>): Args => {
  const merged = Object.fromEntries(
    Object.entries({ ...draft.body, ...body }).filter(([, value]) => value !== undefined),
  )
  return { ...draft, ...args, ...(Object.keys(merged).length > 0 && { body: merged }) }
}
