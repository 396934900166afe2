// Which replies of a recording stand for others: one body in place of those of many resources, as sanitisers put it there.

import { getOrInsert } from '../models/language/get-or-insert.js'
import { textsIn } from '../models/language/objects.js'
import type { CallEntry } from './entry.js'
import { hasForm } from './har-content.js'
import type { Replaced } from './har-replaced.js'
import { bodyOf, isAccepted } from './outcomes.js'

/** No target gives one text in place of the records of so many resources. */
const fewestResources = 3

const resourceOf = ({ op }: CallEntry): string => op.id.slice(0, op.id.lastIndexOf('.'))

/** The body of an accepted reply, as JSON, where it surely has another form than the interface gives, and holds a text. */
const oddBody = ({ op, outcome }: CallEntry): string | undefined => {
  const body = bodyOf(outcome)
  const isOdd = isAccepted(outcome) && hasForm(op, outcome) === false && textsIn(body).length > 0
  return isOdd ? JSON.stringify(body) : undefined
}

export const replacedByOne = (calls: readonly CallEntry[]): Pick<Replaced, 'inReply'> => {
  const resources = new Map<string, Set<string>>()
  for (const one of calls) {
    const body = oddBody(one)
    if (body !== undefined) getOrInsert(resources, body, () => new Set()).add(resourceOf(one))
  }
  const replaced = new Set([...resources].flatMap(([body, some]) => (some.size >= fewestResources ? [body] : [])))
  return { inReply: ({ outcome }) => replaced.size > 0 && replaced.has(JSON.stringify(bodyOf(outcome))) }
}
