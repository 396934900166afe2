// What is told of a resource once its tasks are done: the clauses that nothing decided, and why.
import { barredBy } from '../arbitraries/probes.js'
import type { Session } from '../driver/session.js'
import { operations } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import type { Operation } from '../models/language/operation.js'
import { resourceOf } from './tasks.js'
import type { Worker } from './worker.js'

interface Why {
  readonly reason: string
  readonly remedy?: string
}

/** Why this target gives no occasion to judge a clause that is judged in passing. */
const whyNot = ({ options }: Session, op: Operation, { id, kind }: Clause): Why | undefined => {
  const { environment, hooks } = options
  const reason =
    barredBy(op, environment) ??
    op.undecided?.[id.slice(op.id.length + 1)] ??
    (kind === 'shows' && op.shows === 'made'
      ? 'the target chooses the value, and this reply is the first to show it'
      : undefined)
  if (reason !== undefined) return { reason }
  if (kind !== 'emits') return undefined
  if (!hooks.readEvents)
    return { reason: 'needs the hook readEvents', remedy: 'Add hooks.readEvents to the target file.' }
  const isForOneAlone = id.endsWith('.alone') && !environment.exclusive
  return isForOneAlone ? { reason: 'others use the target, and an event may be of their doing' } : undefined
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
