// Infers the rights of a caller that no target file describes from its accepted calls: scopes, and whether the user is unrestricted.

import type { CallEntry, Entry } from '../history/entry.js'
import { bodyOf, isAccepted } from '../history/outcomes.js'
import type { Environment } from '../models/language/environment.js'
import { errorsIn } from '../models/language/error-envelope.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Operation } from '../models/language/operation.js'
import type { Observe } from './belief.js'

/** The first and the last accepted call that required a right: the caller had it all the time between them. */
interface Span {
  readonly first: number
  readonly last: number
}

/** What is known of a caller at a call. */
export type SettingAt = (n: number, op: Operation) => Environment

/** Learns the rights of one credential. Nothing is inferred for a part of the interface that never answered it. */
export const createInferredCaller = (party: string, environment: Environment, spans = new Map<string, Span>()) => {
  const settings = new Map<string, Environment>()
  const at: SettingAt = (n, op) => {
    const held = [...spans].flatMap(([right, { first, last }]) => (first < n && n < last ? [right] : []))
    if (!held.includes(partOf(op))) return environment
    return getOrInsert(settings, held.join(), () => withRights(party, environment, held))
  }
  return {
    note: (events: readonly Entry[]): void => {
      for (const event of events) {
        if (event.kind !== 'call' || !isTaken(event)) continue
        for (const right of rightsFor(event.op))
          spans.set(right, { first: spans.get(right)?.first ?? event.n, last: event.n })
      }
    },
    at,
    fork: () => createInferredCaller(party, environment, new Map(spans)),
  }
}

/** Takes in calls of a party whose rights become known over time. */
export const withInferredCaller =
  (environmentAt: SettingAt, look: Observe): Observe =>
  (belief, observation) => {
    const environment = environmentAt(observation.n, observation.op)
    const hypotheses = belief.hypotheses.map((one) =>
      one.world.environment === environment ? one : { ...one, world: { ...one.world, environment } },
    )
    return look({ ...belief, hypotheses }, observation)
  }

const isTaken = ({ outcome }: CallEntry): boolean => isAccepted(outcome) && errorsIn(bodyOf(outcome)) === undefined

const unrestricted = 'unrestricted'
const managed = 'managed'

/** The part of the interface that an operation belongs to: `/managed/contacts`. */
const partOf = ({ path }: Operation): string => `/${path.split('/').slice(1, 3).join('/')}`.replace(/\/\{.*/, '')

const rightsFor = (op: Operation): readonly string[] => [
  partOf(op),
  ...(op.scopes ?? []),
  ...(op.unrestrictedOnly ? [unrestricted] : []),
  ...(op.area === 'managed' ? [managed] : []),
]

const withRights = (party: string, environment: Environment, held: readonly string[]): Environment => ({
  ...environment,
  accounts: [{ name: party, ...(held.includes(managed) && { managed: true }) }],
  users: [{ name: party, account: party, restricted: held.includes(unrestricted) ? false : undefined }],
  tokens: [{ name: party, user: party, scopes: held.filter((right) => right.includes(':')), isOpen: true }],
})
