// Shortens what programs arrange: what they make only once, and what they make together; nothing is planned here.

import { operationById } from '../models/index.js'
import { type CallStep, isRef, type Program, type Step, withRefs } from '../models/language/plan.js'
import { likeness, refsIn } from './likeness.js'

/**
 * The program without every resource that equals an earlier one which only refused calls have named. They leave it as it was made, so
 * the next call may name it as well; so may an update after others.
 */
export const arrangedOnce = (program: Program, nonce: string): Program => {
  let shorter = program
  for (let pair = repeated(shorter, nonce); pair; pair = repeated(shorter, nonce)) shorter = without(shorter, pair)
  return shorter
}

/**
 * The program that makes its resources which take time to come to rest before it first waits for one, or uses a fixture that others
 * may wait for. So they come to rest together. What a step is to meet before it has come to rest is made where it was.
 */
export const arrangedTogether = (program: Program, nonce: string): Program => {
  const { steps, pause } = program
  if (pause) return program
  const to = steps.findIndex((step) => refsIn(step).some(({ $step }) => doesRest(steps[$step])) || takesPlace(step))
  const all = steps.map((_, at) => at)
  const early = to < 0 ? [] : all.filter((at) => at > to && mayBeEarly(program, at, to, nonce))
  if (early.length === 0) return program
  const others = all.filter((at) => !early.includes(at))
  const order = [...others.slice(0, to), ...early, ...others.slice(to)]
  return renumbered(program, order, (step) => order.indexOf(step))
}

/** Whether a step makes something that takes time to come to rest. */
export const doesRest = (step: Step | undefined): boolean =>
  step !== undefined && 'operation' in step && operationById(step.operation)?.makes?.settled !== undefined

/** How many times a program waits for what it made or changed: what was before a wait has come to rest with it. */
export const restsOf = (steps: readonly Step[]): number => {
  let rests = 0
  const restless = new Set<number>()
  for (const [at, step] of steps.entries()) {
    if ('hook' in step) continue
    const named = refsIn([step.path, step.query, step.body]).map(({ $step }) => $step)
    if (!step.unsettled && named.some((one) => restless.has(one))) {
      rests += 1
      restless.clear()
    }
    const stirred = mayStir(step) ? named : []
    for (const one of [at, ...stirred]) if (doesRest(steps[one])) restless.add(one)
  }
  return rests
}

/** Whether a step may change what shows only after a while. */
const mayStir = ({ role, operation }: CallStep): boolean =>
  role !== 'probe' && operationById(operation)?.trails !== undefined

/** Whether a step makes such a thing with the use of a fixture, which others may wait for. */
const takesPlace = (step: Step): boolean => 'operation' in step && doesRest(step) && !isPlainlyMade(step)

/**
 * Whether a step can be done before step `to`: it names nothing that is made later or rests, and no step between shares a name with it, or
 * is to meet what it makes before that has come to rest.
 */
const mayBeEarly = ({ steps }: Program, at: number, to: number, nonce: string): boolean => {
  const step = steps[at]
  if (step === undefined || 'hook' in step || !doesRest(step) || !isPlainlyMade(step)) return false
  if (refsIn(step).some(({ $step }) => $step >= to || doesRest(steps[$step]))) return false
  const isMet = steps.some((one) => 'unsettled' in one && refsIn(one).some(({ $step }) => $step === at))
  const between = steps.slice(to, at).filter((one) => 'hook' in one || !isPlainlyMade(one))
  return !isMet && !isNamed([step, ...between], [0], nonce)
}

/** A creation, and an equal earlier one that can take its place. */
interface Repeated {
  readonly at: number
  readonly first: number
}

const repeated = ({ steps, restore = [], pause }: Program, nonce: string): Repeated | undefined => {
  if (pause || !steps.some(({ role }) => role === 'probe')) return undefined
  const firsts = new Map<string, number>()
  for (const [at, step] of steps.entries()) {
    if ('hook' in step || !isPlainlyMade(step)) continue
    const own = { operation: step.operation, as: step.as, path: step.path, body: step.body }
    const key = likeness(own, nonce)
    const first = firsts.get(key)
    if (first !== undefined && isAsMade(steps, restore, first, at) && !isNamed(steps, [first, at], nonce))
      return { at, first }
    firsts.set(key, at)
  }
  return undefined
}

/** Whether a step makes something without using any fixture. */
const isPlainlyMade = ({ role, operation, body, unless, provided, file }: CallStep): boolean => {
  const op = operationById(operation)
  const isPlain =
    op?.makes !== undefined && !op.remakes && op.guarded === undefined && !op.sole?.some((name) => name in { ...body })
  const isSurelySent = unless === undefined && provided === undefined
  return role === 'arrange' && isPlain && isSurelySent && file === undefined && !namesOthers(body)
}

/** Whether values name something else by its id. */
const namesOthers = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([name, item]) => /_ids?$/.test(name) || isRef(item) || namesOthers(item))

/** Whether only refused calls name what the first step makes, all of them before the other step, or updates before those that name the other. */
const isAsMade = (steps: readonly Step[], restore: readonly Step[], first: number, at: number): boolean => {
  const naming = (one: number): readonly Step[] =>
    steps.filter((step) => refsIn(step).some(({ $step }) => $step === one))
  const before = naming(first)
  const isLeft =
    before.every(({ role }) => role === 'probe') || (before.every(isRefusedOrUpdate) && naming(at).every(isUpdate))
  return (
    isLeft && before.every((step) => steps.indexOf(step) < at) && refsIn(restore).every(({ $step }) => $step !== first)
  )
}

/** Whether a step is accepted whatever such steps have set before. */
const isUpdate = (step: Step): boolean => step.role === 'twin' && operationById(step.operation)?.method === 'PUT'

const isRefusedOrUpdate = (step: Step): boolean => step.role === 'probe' || isUpdate(step)

/** Whether a name that one of the steps gives comes up in others. */
const isNamed = (steps: readonly Step[], given: readonly number[], nonce: string): boolean => {
  const pattern = new RegExp(`${nonce}-[0-9a-z-]+`, 'g')
  const names = given.flatMap((i) => JSON.stringify(steps[i]).match(pattern) ?? [])
  const others = new Set(
    steps.flatMap((step, i) => (given.includes(i) ? [] : (JSON.stringify(step).match(pattern) ?? []))),
  )
  return names.some((name) => others.has(name))
}

const without = (program: Program, { at, first }: Repeated): Program =>
  renumbered(
    program,
    program.steps.flatMap((_, i) => (i === at ? [] : [i])),
    (step) => (step === at ? first : step > at ? step - 1 : step),
  )

/** The program with some of its steps in that order, and what names a step by its new number. */
const renumbered = (
  { steps, restore, ...program }: Program,
  order: readonly number[],
  moved: (step: number) => number,
): Program => {
  const moveStep = <S extends Step>(step: S): S => ({
    ...withRefs(step, (ref) => ({ ...ref, $step: moved(ref.$step) })),
    ...('unless' in step && step.unless !== undefined && { unless: moved(step.unless) }),
    ...('provided' in step && step.provided !== undefined && { provided: moved(step.provided) }),
  })
  return {
    ...program,
    steps: order.map((i) => moveStep(steps[i] as Step)),
    ...(restore && { restore: restore.map(moveStep) }),
  }
}
