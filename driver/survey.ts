// Looks at what exists: everything before a run, and lists for an id that a creation did not tell.

import type { Origin } from '../history/entry.js'
import { openWalk } from '../history/pages.js'
import { listerOf, operations, viewerOf } from '../models/index.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { AnyEntity } from '../models/language/world.js'
import { pathTo, tokenFor } from './paths.js'
import type { Sent, Session } from './session.js'

/** Looks through all pages of a list for an id that a creation did not tell. */
export const discover = async (
  session: Session,
  origin: Origin,
  table: AnyTable,
  from: Readonly<Record<string, string>>,
  isBound: () => boolean,
  as?: string | null,
): Promise<readonly Sent[]> => {
  const lister = listerOf(table)
  const sent: Sent[] = []
  if (!lister) return sent
  const path = Object.fromEntries(Object.keys(lister.params).map((name) => [name, from[name] ?? '']))
  const goesOn = openWalk()
  let page: number | undefined
  while (!isBound()) {
    const query = page === undefined ? {} : { query: { page } }
    const one = await session.send(origin, lister, { path, ...query, as: as ?? session.mainToken }, 'read')
    sent.push(one)
    page = one.judgement.accepted === true && 'body' in one.outcome ? goesOn(one.outcome.body) : undefined
    if (page === undefined) break
  }
  return sent
}

/** Looks at everything that exists before the run. On an exclusive target the world is closed from then on. */
export const survey = async (session: Session): Promise<readonly Sent[]> => {
  const { environment } = session.options
  const sent: Sent[] = []
  if (!environment.exclusive) return sent
  const origin = session.originOf('survey')
  for (const account of environment.accounts) {
    const token = environment.tokens.find(
      ({ scopes, user }) =>
        scopes === '*' &&
        environment.users.some((one) => one.name === user && one.account === account.name && !one.restricted),
    )
    if (!token) continue
    for (const op of operations) {
      if (op.reply.kind !== 'page' && op.reply.kind !== 'records') continue
      if (!op.reply.table.closable || Object.keys(op.params).length > 0 || op.lists !== undefined) continue
      sent.push(...(await walk(session, { ...origin, phase: 'survey' }, op, token.name)))
    }
    session.surveyed(account.name)
  }
  return sent
}

/** All pages of a list, its records taken in. */
const walk = async (session: Session, origin: Origin, op: Operation, as: string): Promise<readonly Sent[]> => {
  const sent: Sent[] = []
  const goesOn = openWalk()
  let page: number | undefined
  do {
    const one = await session.send(origin, op, { as, ...(page !== undefined && { query: { page } }) }, 'read')
    sent.push(one)
    page = one.judgement.accepted === true && 'body' in one.outcome ? goesOn(one.outcome.body) : undefined
  } while (page !== undefined)
  return sent
}

/** Looks at one resource. */
export const view = async (
  session: Session,
  origin: Origin,
  table: AnyTable,
  entity: AnyEntity,
  from: Readonly<Record<string, string>>,
): Promise<readonly Sent[]> => {
  const viewer = viewerOf(table)
  if (!viewer) return []
  const args = { path: pathTo(viewer, table, entity, from), as: tokenFor(session, entity.account) }
  return [await session.send(origin, viewer, args, 'read')]
}
