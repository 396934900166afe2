// Looks at what exists: everything before a run, and lists for an id that a creation did not tell.

import type { Origin } from '../history/entry.js'
import { bodyOf } from '../history/outcomes.js'
import { pagesOf } from '../history/pages.js'
import { listerOf, operations } from '../models/index.js'
import { ownerTokens } from '../models/language/access.js'
import { type AnyTable, isListed, type Operation } from '../models/language/operation.js'
import type { Args } from '../models/language/plan.js'
import type { AnyEntity, Path } from '../models/language/world.js'
import { pathOfList, viewing } from './paths.js'
import type { Sent, Session } from './session.js'

/** Looks through all pages of a list for an id that a creation did not tell. */
export const discover = async (
  session: Session,
  origin: Origin,
  table: AnyTable,
  from: Path,
  isBound: () => boolean,
  as?: string | null,
): Promise<readonly Sent[]> => {
  const lister = listerOf(table)
  const sent: Sent[] = []
  if (!lister) return sent
  const path = pathOfList(lister, from)
  if (isBound()) return sent
  for await (const one of pagesIn(session, origin, lister, { path, as: as ?? session.mainToken })) {
    sent.push(one)
    if (isBound()) break
  }
  return sent
}

/** The pages of a list, one after another. */
const pagesIn = (session: Session, origin: Origin, op: Operation, args: Args): AsyncGenerator<Sent> =>
  pagesOf(
    (query) => session.send(origin, op, { ...args, query }, 'read'),
    ({ judgement, outcome }) => (judgement.accepted === true ? bodyOf(outcome) : undefined),
  )

/** Looks at everything that exists before the run. On an exclusive target the world is closed from then on. */
export const survey = async (session: Session): Promise<readonly Sent[]> => {
  const { environment } = session.options
  const sent: Sent[] = []
  if (!environment.exclusive) return sent
  const origin = { ...session.originOf('survey'), phase: 'survey' } as const
  for (const { account, token } of ownerTokens(environment)) {
    await session.each(operations.filter(isSurveyed), async (op) => {
      for await (const one of pagesIn(session, origin, op, { as: token })) sent.push(one)
    })
    session.surveyed(account)
  }
  return sent
}

const isSurveyed = ({ reply, params, lists }: Operation): boolean =>
  isListed(reply) && reply.table.closable && Object.keys(params).length === 0 && lists === undefined

/** Looks at one resource. */
export const view = async (
  session: Session,
  origin: Origin,
  table: AnyTable,
  entity: AnyEntity,
  from: Path,
): Promise<readonly Sent[]> => {
  const look = viewing(session, table, entity, from)
  return look ? [await session.send(origin, look.op, look.args, 'read')] : []
}
