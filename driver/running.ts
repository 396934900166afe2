// A program under way: what its steps made, and how the values of a step become those of a call.

import { idValue } from '../history/calls.js'
import type { Origin } from '../history/entry.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type Args, type CallStep, type HookStep, withRefs } from '../models/language/plan.js'
import { referencesOf } from '../models/language/references.js'
import { idIn, type Path } from '../models/language/world.js'
import { keyNamed } from '../oracle/facts.js'
import { accountOf, entityOf } from './paths.js'
import type { ProgramOrigin, Sent, Session } from './session.js'

/** What a step of the running program made or acted on. */
export interface Subject {
  readonly table: AnyTable
  readonly key: () => string
  readonly path: Path
  /** Who made it, or named it. */
  readonly as: string | null
}

/** A program under way. */
export interface Running {
  readonly session: Session
  readonly name: string
  readonly origin: ProgramOrigin
  readonly sent: Sent[]
  readonly subjects: (Subject | undefined)[]
  /** Steps whose calls were accepted. */
  readonly accepted: Set<number>
  /** States that hooks began and have not ended, such as a migration, by hook and resource. */
  readonly unended: Map<string, HookStep>
  /** Creations that existed before the program. */
  readonly from: number
  /** Looks that are not repeated, where one serves for several calls. */
  readonly looked?: Set<string>
}

export const begin = (session: Session, name: string, origin: Partial<Origin> = {}): Running => ({
  session,
  name,
  origin: { ...session.originOf(name), ...origin },
  sent: [],
  subjects: [],
  accepted: new Set(),
  unended: new Map(),
  from: session.creations.length,
})

/** Replaces refs by keys and fields of what was made. */
export const resolve = <T>({ subjects, session }: Running, value: T, asText = false): T =>
  withRefs(value, ({ $step, suffix, field, plus = 0, most = Infinity }) => {
    const subject = subjects[$step]
    if (!subject) return null
    const key = subject.key()
    if (suffix !== undefined) return `${idIn(key)}${suffix}`
    if (field !== undefined) {
      const known = entityOf(session.world(), subject.table, key)?.[field] ?? null
      return typeof known === 'number' ? Math.min(known + plus, most) : known
    }
    return asText ? idIn(key) : idValue(key)
  })

/** The values of a step, those of `fuller` left apart. */
export const concrete = (
  running: Running,
  { role: _, operation: __, unless: ___, provided: ____, fuller: _____, anyway: ______, ...args }: CallStep,
): Args => ({
  ...args,
  ...(args.path && { path: resolve(running, args.path, true) }),
  ...(args.query && { query: resolve(running, args.query, true) }),
  ...(args.body && { body: resolve(running, args.body) }),
})

export const subjectOf = (running: Running, op: Operation, sent: Sent): Subject | undefined => {
  const { session } = running
  const { path, as } = sent.call
  if (op.makes && sent.judgement.made !== undefined) {
    const creation = session.creations.at(-1)
    const made = sent.judgement.made
    return { table: op.makes, key: creation && creation.table === op.makes ? creation.key : () => made, path, as }
  }
  const [name, reference] = referencesOf(op).at(-1) ?? []
  if (name === undefined || !reference) return undefined
  const key = keyNamed(session.world(), accountOf(session, sent.call), reference, name, path)
  return key === undefined ? undefined : { table: reference.table, key: () => key, path, as }
}
