// Lets a view by its id show what was made without telling its id; nothing is judged here.

import { rekey, rename } from '../models/language/changes.js'
import { isObject } from '../models/language/objects.js'
import { find } from '../models/language/world.js'
import { latentsMeant, subjectOf } from './facts.js'
import { isSurely } from './lists.js'
import type { Step } from './step.js'

/**
 * The step in a world in which what a view shows is what was made, where it agrees with that one thing alone. Otherwise it would be
 * believed to be something more, and what was made would be missed once that is removed.
 */
export const recognising = (step: Step): Step => {
  const { op, read, reply, world } = step
  const subject = op.method === 'GET' ? subjectOf(op, read, undefined) : undefined
  const { body: record } = reply
  if (!subject || !world.adopting || !isObject(record) || find(world, subject.table, subject.key)) return step
  const { table, key } = subject
  const [alike, ...others] = latentsMeant(world, read).filter((latent) => {
    const entity = latent.table === table && find(world, table, latent.key)
    return entity && isSurely({ world, op, table }, entity, record)
  })
  if (!alike || others.length > 0) return step
  return { ...step, world: rename(rekey(world, table, alike.key, key, {}), alike.key, key) }
}
