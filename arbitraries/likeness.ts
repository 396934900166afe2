// Finds equal parts of programs, and what a program needs to arrange only once; nothing is planned here.

import { operationById } from '../models/index.js'
import { type CallStep, isRef, type Program, type Ref, type Step } from '../models/language/plan.js'

/** Separates a name from the plain words behind it, which do not matter where calls are compared. */
export const proseMark = ': '

export const refsIn = (value: unknown): readonly Ref[] =>
  isRef(value) ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(refsIn) : []

/** A name with more letters than this after the nonce was made as long as possible. */
const longestName = 4

/** Steps or values without their names and texts, so that equal ones can be found. A long text differs from a plain one. */
export const likeness = (value: unknown, nonce: string): string =>
  JSON.stringify(value).replaceAll(
    new RegExp(`${nonce}-(?:tag-)?([0-9a-z]+)(?:${proseMark}(?:[^"\\\\]|\\\\.)*)?`, 'g'),
    (_, name: string) => (name.length > longestName ? `~${name.length}` : '~'),
  )

/**
 * The program without every resource that equals an earlier one which only refused calls have named. They leave it as it was made, so
 * the next refused call may name it as well.
 */
export const arrangedOnce = (program: Program, nonce: string): Program => {
  let shorter = program
  for (let pair = repeated(shorter, nonce); pair; pair = repeated(shorter, nonce)) shorter = without(shorter, pair)
  return shorter
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

/** Whether only refused calls name what the first step makes, all of them before the other step. */
const isAsMade = (steps: readonly Step[], restore: readonly Step[], first: number, at: number): boolean =>
  refsIn(restore).every(({ $step }) => $step !== first) &&
  steps.every((step, i) => (step.role === 'probe' && i < at) || refsIn(step).every(({ $step }) => $step !== first))

/** Whether a name that one of the steps gives comes up in others. */
const isNamed = (steps: readonly Step[], given: readonly number[], nonce: string): boolean => {
  const pattern = new RegExp(`${nonce}-[0-9a-z-]+`, 'g')
  const names = given.flatMap((i) => JSON.stringify(steps[i]).match(pattern) ?? [])
  const others = new Set(
    steps.flatMap((step, i) => (given.includes(i) ? [] : (JSON.stringify(step).match(pattern) ?? []))),
  )
  return names.some((name) => others.has(name))
}

const without = ({ steps, restore, ...program }: Program, { at, first }: Repeated): Program => {
  const moved = (step: number): number => (step === at ? first : step > at ? step - 1 : step)
  const move = (value: unknown): unknown => {
    if (isRef(value)) return { ...value, $step: moved(value.$step) }
    if (Array.isArray(value)) return value.map(move)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, move(item)]))
    return value
  }
  const moveStep = <S extends Step>(step: S): S => ({
    ...(move(step) as S),
    ...('unless' in step && step.unless !== undefined && { unless: moved(step.unless) }),
    ...('provided' in step && step.provided !== undefined && { provided: moved(step.provided) }),
  })
  return {
    ...program,
    steps: steps.filter((_, i) => i !== at).map(moveStep),
    ...(restore && { restore: restore.map(moveStep) }),
  }
}
