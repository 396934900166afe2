// What an accepted call names, makes and changes, as far as its reply tells; nothing is judged here.

import { doubt, loosen, put } from '../models/language/changes.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable } from '../models/language/operation.js'
import { find, keyIn, latentKey, type World } from '../models/language/world.js'
import type { Due } from './clauses.js'
import { latentsMeant, readSurely } from './facts.js'
import type { Step } from './step.js'

/** The key of what a call made: the one that its reply tells, or a latent one. */
export const keyOfMade = (step: Step): string | undefined => {
  const { op, reply, call } = step
  const { facts } = step.read
  if (!op.makes) return undefined
  const told = isObject(reply.body) ? op.makes.identify(reply.body, call.path, facts.account) : undefined
  const key = told === undefined ? undefined : keyIn(step.world, op.makes, told, facts.account)
  return op.keys?.(facts) ?? key ?? latentKey(step.world.step)
}

/** Adds the entities that the path names and that were unknown, now that the target has accepted a call on them. */
export const adopt = (step: Step): World =>
  step.read.named.reduce(
    (world, { reference: { table }, resolution }) =>
      world.adopting && resolution.kind === 'unknown' && !find(world, table, resolution.entity.key)
        ? put(world, table, resolution.entity)
        : world,
    step.world,
  )

/** Whether the body has members, or the operation takes none. */
export const hasMembers = ({ op, call }: Step): boolean => !op.body || call.body === undefined || isObject(call.body)

/** The world after the effect of a call, where the call can be read. */
export const applied = (step: Step, world: World, made: string | undefined): World => {
  const effect = step.op.apply ?? step.op.notes
  if (!effect || !step.read.resolved || !hasMembers(step)) return world
  const chosen = isObject(step.reply.body) ? step.reply.body : {}
  const { refs } = readSurely(step.op, step.call, step.read).facts
  const after: World = effect({ ...step.read.facts, refs, world, made: made ?? '', chosen })
  if (step.op.method === 'GET') return after
  // It is not known which of them the call was about, if any.
  return latentsMeant(step.world, step.read).reduce((before, { table, key }) => doubt(before, table, key), after)
}

/**
 * The world after an accepted call, with what it set against these clauses left in doubt: it is not said what a target makes of a value
 * that it should have refused. It may store a number as a text, or a text that is too long in part.
 */
export const unsettled = (
  world: World,
  dues: readonly Due[],
  changed: readonly { readonly table: AnyTable; readonly key: string }[],
  body: unknown,
): World => {
  // The names lead into a member, which is set with all that it holds, or are of members side by side.
  const isNested = ([first = '', second]: readonly string[]): boolean =>
    second !== undefined && isObject(body) && typeof body[first] === 'object'
  const names = new Set(dues.flatMap(({ fields }) => (isNested(fields) ? fields.slice(0, -1) : fields)))
  return changed.reduce((before, { table, key }) => {
    const since = find(before, table, key)?.since ?? {}
    const set = Object.keys(since).filter((field) => names.has(field) && since[field]?.step === before.step)
    return loosen(before, table, key, set)
  }, world)
}
