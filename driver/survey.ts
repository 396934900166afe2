// Looks at what exists: everything before a run, and lists for an id that a creation did not tell.

import type { Origin } from '../history/entry.js'
import { bodyOf } from '../history/outcomes.js'
import { listedIn, pagesOf } from '../history/pages.js'
import { listerOf, operations } from '../models/index.js'
import { ownerTokens } from '../models/language/access.js'
import { type AnyTable, isListed, type Operation } from '../models/language/operation.js'
import type { Args } from '../models/language/plan.js'
import { type AnyEntity, isLatent, type Path } from '../models/language/world.js'
import type { Creation } from './made.js'
import { accountOf, pathOfList, tokenFor, viewing } from './paths.js'
import type { Sent, Session } from './session.js'

/** Looks through all pages of a list for an id that a creation did not tell, in the account of who made it if a token sees all of that. */
export const discover = async (
  session: Session,
  origin: Origin,
  { table, path: from, as: maker }: Pick<Creation, 'table' | 'path' | 'as'>,
  isBound: (sent: readonly Sent[]) => boolean,
): Promise<readonly Sent[]> => {
  const lister = listerOf(table)
  const sent: Sent[] = []
  if (!lister) return sent
  const path = pathOfList(lister, from)
  if (isBound(sent)) return sent
  const as = tokenFor(session, accountOf(session, { as: maker }))
  for await (const one of pagesIn(session, origin, lister, { path, as })) {
    sent.push(one)
    if (isBound(sent)) break
  }
  return sent
}

/** How long after each look a late list is asked again for an id that a creation did not tell. */
const pausesMs = [50, 100, 200, 400, 800]
/** Where so many ids of a kind were looked for in vain, one after another, its list is not waited for. */
const mostInVain = 3

/** Looks for the id of what was made, which its creation did not tell, until the list shows it or is not late any more. */
export const obtain = async (
  session: Session,
  origin: Origin,
  made: Pick<Creation, 'table' | 'path' | 'key' | 'as'>,
): Promise<readonly Sent[]> => {
  const { table, key } = made
  const isTold = (): boolean => !isLatent(key())
  const { soughtInVain } = session.memory
  const look = (): Promise<readonly Sent[]> => discover(session, origin, made, isTold)
  const sent = [...(await look())]
  const times = soughtInVain.get(table) ?? 0
  for (const pauseMs of times < mostInVain ? pausesMs : []) {
    if (isTold() || session.isOver()) break
    await session.options.sleep(pauseMs)
    sent.push(...(await look()))
  }
  soughtInVain.set(table, isTold() ? 0 : times + 1)
  return sent
}

/** Whether something may be on a list: it is, or not all of the list was shown. */
export const mayBeIn = (pages: readonly Sent[], table: AnyTable, key: string, account: string | undefined): boolean =>
  pages.length === 0 ||
  pages.some(
    ({ outcome, call, judgement }) =>
      judgement.accepted !== true ||
      !('body' in outcome) ||
      listedIn(outcome.body).some((record) => (table.identify(record, call.path, account) ?? key) === key),
  )

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
