// What an accepted call names, makes and changes, as far as its reply tells; nothing is judged here.

import { isObject } from '../models/language/objects.js'
import type { AnyTable } from '../models/language/operation.js'
import { doubt, find, keyIn, latentKey, put, type World } from '../models/language/world.js'
import { leavesOf } from '../models/tags/carriers.js'
import { latentsMeant } from './facts.js'
import type { Step } from './step.js'

/** The key of what a call made: the one that its reply tells, or a latent one. */
export const keyOfMade = (step: Step): string | undefined => {
  const { op, reply, call } = step
  const { facts } = step.read
  if (!op.makes) return undefined
  const isTold = isObject(reply.body) && speaksOf(step, op.makes)
  const told = isTold ? op.makes.identify(reply.body, call.path, facts.account) : undefined
  const key = told === undefined ? undefined : keyIn(step.world, op.makes, told, facts.account)
  return op.keys?.(facts) ?? key ?? latentKey(step.world.step)
}

/** Whether a reply is about the entity that was asked for. Where the document shows no record, it may be about something else, such as a job. */
export const speaksOf = ({ op, call, read, reply: { body } }: Step, table: AnyTable): boolean => {
  if (isObject(body) && op.answersElse?.(read.facts, body) === true) return false
  if (table.record || op.method === 'GET' || !isObject(body) || !('id' in body)) return true
  const names = Object.keys(isObject(call.body) ? call.body : {}).filter((name) => name !== 'id')
  if (Object.keys(body).length === 1 || names.some((name) => name in body)) return true
  // The path of a creation names the parent, which the record of a job may hold as well.
  const asked = leavesOf(op.makes === table ? [call.body] : [call.path, call.body])
  const told = new Set(leavesOf(body))
  return asked.length === 0 || asked.some((value) => told.has(value))
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
  const after: World = effect({ ...step.read.facts, world, made: made ?? '', chosen })
  if (step.op.method === 'GET') return after
  // It is not known which of them the call was about, if any.
  return latentsMeant(step.world, step.read).reduce((before, { table, key }) => doubt(before, table, key), after)
}
