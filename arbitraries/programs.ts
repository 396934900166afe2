// Random programs as fast-check values: which operation, on which of the resources that are there, with what deviation.
import fc from 'fast-check'
import { grouped } from '../models/language/grouped.js'
import type { Operation } from '../models/language/operation.js'
import type { Args, Body, Plan, Program } from '../models/language/plan.js'
import { constraintsOf } from '../models/language/schema.js'
import { absent, deviationsFrom, hasContainer, valueAt, withValueAt } from './deviations.js'
import { type PlanContext, planProgram } from './plan.js'

/** One step before it meets the world: positions and dice, no ids. */
export interface StepSeed {
  readonly operation: string
  /** Which of the live resources to use, one position for each resource that the step needs. */
  readonly positions: readonly number[]
  /** Use a live resource where there is one, rather than make another. */
  readonly reuses: boolean
  /** Give every member of the body. */
  readonly full: boolean
  /** Which constraint of the body to go to the edge of, and whether beyond it. */
  readonly edge: number | null
  readonly beyond: boolean
  /** Who calls, by position among the tokens; null for the main one. */
  readonly caller: number | null
  /** What people write is a name, plain words, or words of any script. */
  readonly wording?: number
  /** Name a resource that is gone. */
  readonly stale: boolean
  /** Which member of the body has the value that another resource has, such as a label in use; null for none. */
  readonly borrowed?: number | null
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
    edge: rarely(3, fc.nat(200)),
    beyond: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    caller: rarely(8, fc.nat(50)),
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
    const args = seed.full && op.full ? op.full(plan) : op.draft(plan)
    const as =
      seed.caller === null
        ? undefined
        : context.environment.tokens[seed.caller % context.environment.tokens.length]?.name
    plan.check(op.id, { ...atEdge(op, args, seed, plan), ...(as !== undefined && { as }) })
  })

/** A text that does not matter shrinks to a name. */
const worded = ({ prose, ...context }: PlanContext, { wording = 0 }: StepSeed): PlanContext => ({
  ...context,
  ...(prose && wording > 0 && { prose, isForeign: wording > 1 }),
})

const atEdge = (op: Operation, args: Args, { edge, beyond }: StepSeed, plan: Plan): Args => {
  if (edge === null || !op.body || !args.body) return args
  const constraints = constraintsOf(op.body).filter(({ path }) => hasContainer(args.body, path))
  const constraint = constraints[edge % Math.max(1, constraints.length)]
  if (!constraint) return args
  const { wrong, right } = deviationsFrom(
    constraint,
    valueAt(args.body, constraint.path),
    Number.parseInt(plan.name().split('-').at(-1) ?? '0', 36),
  )
  const values = beyond ? wrong : right
  const value = values[edge % Math.max(1, values.length)]
  const isUnchanged = value === undefined || (value === absent && !beyond)
  return isUnchanged ? args : { ...args, body: withValueAt(args.body, constraint.path, value) as Body }
}
