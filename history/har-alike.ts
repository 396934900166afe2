// Which replies of a recording stand for others: one body in place of those of many resources, as sanitisers put it there.

import { getOrInsert } from '../models/language/get-or-insert.js'
import type { CallEntry } from './entry.js'
import { hasForm } from './har-content.js'
import type { Replaced } from './har-replaced.js'
import { bodyOf, isAccepted } from './outcomes.js'

/** No target gives one body for so many resources, unless it answers nothing at all. */
const fewestResources = 3

const resourceOf = ({ op }: CallEntry): string => op.id.slice(0, op.id.lastIndexOf('.'))

/** The body of an accepted reply, as a text, where it is not one that the interface gives; an empty one may be. */
const oddBody = ({ op, outcome }: CallEntry): string | undefined => {
  const text = JSON.stringify(bodyOf(outcome))
  return isAccepted(outcome) && text !== undefined && text !== '{}' && hasForm(op, outcome) !== true ? text : undefined
}

export const replacedByOne = (calls: readonly CallEntry[]): Pick<Replaced, 'inReply'> => {
  const resources = new Map<string, Set<string>>()
  for (const one of calls) {
    const body = oddBody(one)
    if (body !== undefined) getOrInsert(resources, body, () => new Set()).add(resourceOf(one))
  }
  return { inReply: ({ outcome }) => (resources.get(JSON.stringify(bodyOf(outcome)))?.size ?? 0) >= fewestResources }
}
