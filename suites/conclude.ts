// Reports the clauses of a resource that nothing decided, and why, once its tasks are done.
import { probeFor } from '../arbitraries/probes.js'
import type { Session } from '../driver/session.js'
import { operations } from '../models/index.js'
import { type Clause, clausesOf, slugIn } from '../models/language/derive.js'
import type { Environment } from '../models/language/environment.js'
import { lackingFor, type Operation } from '../models/language/operation.js'
import { showsToo } from './filter.js'
import { type Lack, lackOf, needing, resourceOf, withoutExclusive, withoutHook } from './tasks.js'
import type { Worker } from './worker.js'

/** Why the program that would show a clause in passing is not to be had here. */
const whyUnshown = ({ options, context }: Session, op: Operation, clause: Clause): Lack | undefined => {
  const shower = clausesOf(op).find((one) => showsToo(one, clause))
  return shower && lackOf(probeFor(shower, context), options.hooks)
}

/** Why an operation is not called here. */
const uncalled = (op: Operation, environment: Environment): Lack | undefined => {
  const lacking = lackingFor(op, environment)
  return lacking.length === 0 ? undefined : needing(lacking)
}

/** Why nothing is made here of what an operation shows. */
const unmade = ({ reply }: Operation, environment: Environment): Lack | undefined => {
  if (!('table' in reply)) return undefined
  const lacks = operations.filter(({ makes }) => makes === reply.table).map((maker) => uncalled(maker, environment))
  return lacks.every((lack) => lack !== undefined) ? lacks[0] : undefined
}

/** Why this target gives no occasion to judge a clause that is judged in passing. */
const whyNot = (session: Session, op: Operation, clause: Clause): Lack | undefined => {
  const { environment, hooks } = session.options
  const { id, kind } = clause
  const lack = uncalled(op, environment) ?? (kind === 'shows' ? unmade(op, environment) : undefined)
  if (lack) return lack
  const reason =
    op.undecided?.[slugIn(op, id)] ??
    (kind === 'shows' && op.shows === 'made'
      ? 'the target chooses the value, and this reply is the first to show it'
      : undefined)
  if (reason !== undefined) return { reason }
  const unshown = whyUnshown(session, op, clause)
  if (unshown || clause.kind !== 'emits') return unshown
  if (!hooks.readEvents) return withoutHook('readEvents')
  const isForOneAlone = slugIn(op, id) === `emits.${clause.event}.alone` && !environment.exclusive
  return isForOneAlone ? withoutExclusive('an event may be of the doing of others') : undefined
}

/** Records, when the tasks of a resource are done, which clauses that are judged in passing this target gave no occasion to judge. */
export const conclude = ({ session, emit, flush }: Worker, resource: string): void => {
  for (const op of operations.filter((one) => resourceOf(one) === resource))
    for (const clause of clausesOf(op).filter(({ id }) => !session.isHeld(id))) {
      const why = whyNot(session, op, clause)
      if (why) emit({ type: 'untestable', clause: clause.id, ...why })
    }
  flush()
}
