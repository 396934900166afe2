// Random programs as fast-check values: which operation, on which of the resources that are there, with what deviation.

import fc from 'fast-check'
import { damagedToken, damages, schemes, wrongToken } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { grouped } from '../models/language/grouped.js'
import type { Operation } from '../models/language/operation.js'
import { type Args, type Plan, type Program, type Step, withRefs } from '../models/language/plan.js'
import { numberOf } from './deviations.js'
import { edgesOf } from './edges.js'
import { planProgram } from './plan.js'
import type { PlanContext } from './plan-fixtures.js'
import { mainToken, strangerToken } from './plan-tokens.js'
import { varied, withOneOptional } from './turns.js'

/** One step before it meets the world: positions and dice, no ids. */
export interface StepSeed {
  readonly operation: string
  /** Which of the live resources to use, one position for each resource that the step needs. */
  readonly positions: readonly number[]
  /** Use a live resource where there is one, rather than make another. */
  readonly reuses: boolean
  /** Give every member of the body. */
  readonly full: boolean
  /** Which edge of the call to go to, and whether beyond it. */
  readonly edge: number | null
  readonly beyond: boolean
  /** Who calls, by position among nobody, strangers and all tokens; null for the main one. */
  readonly caller: number | null
  /** What people write is a name, plain words, or words of any script. */
  readonly wording?: number
  /** Name a resource that is gone. */
  readonly stale: boolean
  /** Which member of the body has the value that another resource has, such as a label in use; null for none. */
  readonly borrowed?: number | null
  /** Which of the members that may be left out is given alone; all of the draft where it is left out. */
  readonly only?: number
}

/** Null but for one time in so many. */
const rarely = (times: number, value: fc.Arbitrary<number>): fc.Arbitrary<number | null> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: times - 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: value },
  )

/** A step over these operations; reads come up often, so that effects are looked at. */
export const stepSeed = (operations: readonly Operation[]): fc.Arbitrary<StepSeed> =>
  fc.record({
    operation: fc.constantFrom(...operations.map(({ id }) => id)),
    positions: fc.array(fc.nat(7), { minLength: 4, maxLength: 4 }),
    reuses: fc.integer({ min: 0, max: 9 }).map((n) => n > 1),
    full: fc.boolean(),
    edge: rarely(3, fc.nat(9_999)),
    beyond: fc.boolean(),
    caller: rarely(8, fc.nat(199)),
    wording: fc.nat(2),
    stale: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
    borrowed: rarely(3, fc.nat(50)),
  })

/** A program over some of these operations: few that meet on the same resources show more than all of them (swarm testing). */
export const programSeed = (operations: readonly Operation[], maxLength: number): fc.Arbitrary<readonly StepSeed[]> => {
  const ofAreas = [...grouped(operations, ({ area }) => area).values()]
  return fc
    .constantFrom(operations, ...ofAreas)
    .chain((some) => fc.subarray([...some], { minLength: Math.min(some.length, fewestOperations) }))
    .chain((some) => fc.array(stepSeed(some), { minLength: 2, maxLength, size: 'max' }))
}

const fewestOperations = 4

/** The operation's draft with its arrangement, pushed to the edge that the seed names; its last step is the call itself. */
export const arrange = (op: Operation, seed: StepSeed, context: PlanContext): Program =>
  planProgram(op.id, worded(context, seed), (plan) => {
    const drafted = varied(op, seed.full && op.full ? op.full(plan) : op.draft(plan), turnsAt(context))
    const args = seed.only === undefined ? drafted : withOneOptional(op, drafted, seed.only)
    const as = seed.caller === null ? undefined : callerAt(context.environment, seed.caller)
    plan.check(op.id, { ...atEdge(op, args, seed, plan), ...(as !== undefined && { as }) })
  })

/** Every other member changes half as often, so that now all are set anew and now some are. */
const turnsAt =
  ({ turn = 0 }: PlanContext) =>
  (place: number): number =>
    place % 2 === 0 ? turn : Math.floor(turn / 2)

/** By turns nobody, somebody of another account, and any other; undefined for the main caller. */
const callerAt = (environment: Environment, n: number): string | null | undefined => {
  const at = Math.floor(n / 4)
  const main = mainToken(environment)?.name ?? 'none'
  const nobodies = [null, wrongToken, ...[...damages, ...schemes].map((how) => damagedToken(how, main))]
  if (n % 4 === 0) return nobodies[at % nobodies.length]
  if (n % 4 === 1) return strangerToken(environment)?.name
  return environment.tokens[at % environment.tokens.length]?.name
}

/** A text that does not matter shrinks to a name. */
const worded = ({ prose, ...context }: PlanContext, { wording = 0 }: StepSeed): PlanContext => ({
  ...context,
  ...(prose && wording > 0 && { prose, isForeign: wording > 1 }),
})

const atEdge = (op: Operation, args: Args, { edge, beyond }: StepSeed, plan: Plan): Args => {
  if (edge === null) return args
  const edges = edgesOf(op, args, numberOf(plan.name()))
  const one = edges[edge % edges.length]?.()
  const calls = (beyond ? one?.beyond : one?.within) ?? []
  return calls[Math.floor(edge / edges.length) % calls.length] ?? args
}

/** The steps of programs as those of one. */
export const inARow = (programs: readonly (readonly Step[])[]): readonly Step[] => {
  const row: Step[] = []
  for (const steps of programs) {
    const { length } = row
    row.push(...steps.map((step) => withRefs(step, (ref) => ({ ...ref, $step: ref.$step + length }))))
  }
  return row
}
