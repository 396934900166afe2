// Which parts of a call decide about a refusal that is only possibly due: calls that agree in these parts are refused for it alike.

import type { WireCall } from '../history/wire.js'
import { isOpen } from '../models/language/derive.js'
import type { Facts } from '../models/language/operation.js'
import { valuesAt } from '../models/language/schema.js'
import type { Due } from './clauses.js'
import type { Expectation } from './due.js'
import type { Read } from './facts.js'

/** The refusals that are only possibly due, each with the parts of the call that decide about it. */
export const doubtsIn = (
  { due }: Expectation,
  read: Read,
  call: WireCall,
): Readonly<Record<string, readonly string[]>> | undefined => {
  const doubts = due.filter(({ certain, clause }) => !certain && !isOpen(clause))
  return doubts.length === 0
    ? undefined
    : Object.fromEntries(doubts.map((one) => [one.clause.id, groundsOf(one, read, call)]))
}

const groundsOf = ({ clause }: Due, { facts }: Read, call: WireCall): readonly string[] => {
  const { account, path, body } = facts
  if (clause.kind === 'refusal') {
    const { parts, when } = clause.rule
    if (!parts) return [readBy(when, facts, call)]
    return parts(facts).flatMap(({ part, isDue }) => (isDue === undefined ? [JSON.stringify([account, part])] : []))
  }
  if (clause.kind === 'names') return [JSON.stringify([account, valuesAt(body, clause.constraint.path)])]
  if (clause.kind === 'exists') return [JSON.stringify([account, path[clause.param]])]
  return [JSON.stringify(call.as)]
}

/** The values of a call that a rule reads. What it reads of the world is the same for all calls. */
const readBy = (when: (facts: Facts) => unknown, facts: Facts, call: WireCall): string => {
  const reads = new Map<string, unknown>()
  const noting = <T extends object>(place: string, value: T, inner = (_: string, one: unknown): unknown => one): T =>
    new Proxy(value, {
      get: (target, name) => {
        const one: unknown = Reflect.get(target, name)
        if (typeof name === 'symbol') return one
        const where = `${place}.${name}`
        const within = inner(where, one)
        // Whether a flag brings a rule into play shows in that it may be due at all.
        if (within === one && typeof one !== 'boolean' && one !== undefined) reads.set(where, one)
        return within
      },
      ownKeys: (target) => {
        reads.set(place, target)
        return Reflect.ownKeys(target)
      },
    })
  const entity = (place: string, one: unknown): unknown =>
    typeof one === 'object' && one !== null ? noting(place, one) : one
  const watched = {
    world: facts.world,
    get caller() {
      reads.set('as', call.as)
      return facts.caller
    },
    get account() {
      reads.set('account', facts.account)
      return facts.account
    },
    get file() {
      reads.set('file', facts.file)
      return facts.file
    },
    path: noting('path', facts.path),
    query: noting('query', facts.query),
    body: noting('body', facts.body),
    refs: noting('refs', facts.refs, entity),
  } as unknown as Facts
  try {
    when(watched)
  } catch {
    // The rule cannot read an ill-formed call. Only the same call agrees with it then.
    reads.set('call', [call.url, call.as, call.body])
  }
  return JSON.stringify([...reads].sort(([a], [b]) => (a < b ? -1 : 1)))
}
