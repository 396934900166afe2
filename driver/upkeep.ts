// What a session does around programs: waits for rest, looks for ids, surveys what is there and removes what it made.

import { buildCall, recorded } from '../history/calls.js'
import type { Origin } from '../history/entry.js'
import { listedIn, openWalk } from '../history/pages.js'
import type { WireCall } from '../history/record.js'
import { listerOf, operationById, operations, removerOf, viewerOf } from '../models/index.js'
import { principal } from '../models/language/access.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args } from '../models/language/plan.js'
import { type AnyEntity, find, gone, idIn, isTrailing, type World } from '../models/language/world.js'
import { observe } from '../oracle/belief.js'
import { recover } from './lost.js'
import type { Creation, Sent, Session } from './session.js'

/** The path of an operation on a resource: from its key, its fields, and the path of the call that made it. */
export const pathTo = (
  op: Operation,
  table: AnyTable,
  entity: AnyEntity,
  from: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(op.params).map(([name, reference]) => {
      if (typeof reference === 'object' && reference.table === table)
        return [name, String((reference.field && entity[reference.field]) ?? idIn(entity.key))]
      const parent = entity[name]
      return [name, from[name] ?? (typeof parent === 'string' || typeof parent === 'number' ? String(parent) : '')]
    }),
  )

/** What is known of a resource, live or gone. */
export const entityOf = (world: World, table: AnyTable, key: string): AnyEntity | undefined =>
  (find(world, table, key) as AnyEntity | undefined) ?? gone(world, table, key)?.entity

/** Where one resource of a kind did not come to rest in time, others are not waited for as long. */
const impatientMs = 100

/** The longest pause between two looks, and how many are sent with none. */
const longestPauseMs = 2000
const atOnce = 4

/** Waits until a resource has come to rest, by looking at it when others did; gives up after `settleMs`. */
export const settle = async (
  session: Session,
  origin: Origin,
  table: AnyTable,
  key: string,
  from: Readonly<Record<string, string>>,
): Promise<readonly Sent[]> => {
  const sent: Sent[] = []
  if (!table.settled) return sent
  const { clock, settleMs, sleep } = session.options
  const startedAt = clock()
  const longestMs = session.restless.has(table.name) ? impatientMs : settleMs
  for (;;) {
    const entity = find(session.world(), table, key) as AnyEntity | undefined
    const passedMs = clock() - startedAt
    if (!entity || !isAwaited(session, table, entity, passedMs, longestMs, sent.length)) return sent
    if (sent.length >= atOnce) await sleep(Math.min(pauseAfter(passedMs, session.rests.get(table.name)), longestMs))
    const [read] = await view(session, origin, table, entity, from)
    if (!read) return sent
    sent.push(read)
    // A reply that is wrong tells nothing, however often it is asked for.
    if (read.judgement.accepted === false || read.judgement.deviations.length > 0) return sent
  }
}

/** Whether a resource is waited for, after so many looks; keeps how long its kind takes to rest, or that it does not. */
const isAwaited = (
  { rests, restless, isOver }: Session,
  { name, settled }: AnyTable,
  entity: AnyEntity,
  passedMs: number,
  longestMs: number,
  looks: number,
): boolean => {
  if (entity.key.startsWith('?')) return false
  const isSettled =
    settled?.(entity as never) !== false && !Object.keys(entity.since ?? {}).some((field) => isTrailing(entity, field))
  if (isSettled && looks > atOnce) rests.set(name, passedMs)
  if (isSettled || isOver()) return false
  if (passedMs > longestMs) restless.add(name)
  return passedMs <= longestMs
}

/** Until about as much time has passed as it took the last one, then a share of what has passed. */
const pauseAfter = (passedMs: number, usualMs = 0): number =>
  Math.max(5, usualMs - passedMs, Math.min(passedMs / 4, longestPauseMs))

/** Asks, unjudged and unrecorded, until nothing speaks against the reply; gives up after `settleMs`. */
export const bide = async ({ options, fold, isOver }: Session, op: Operation, args: Args): Promise<void> => {
  const call = buildCall(op, args)
  const deadline = options.clock() + options.settleMs
  for (let pause = 5; ; pause = Math.min(pause * 2, 2000)) {
    const outcome = await options.transport.send(call, 0)
    const { judgement } = observe(fold.belief(), { op, call: recorded(call), outcome, n: 0 }, operationById)
    if (judgement.deviations.length === 0 || options.clock() > deadline || isOver()) return
    await options.sleep(pause)
  }
}

/** Looks for the id of something whose creation did not tell it, through all pages of its list. */
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

/** Looks at everything that is there before the run; on an exclusive target the world is closed from then on. */
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

/** Removes what the run has made since `from`, latest first; what stays is noted. */
export const clean = async (session: Session, origin: Origin, from: number): Promise<readonly Sent[]> => {
  const sent: Sent[] = [...(await recover(session, origin))]
  const tidy = async (creation: Creation): Promise<readonly Sent[]> => {
    const isKnown = (): boolean => !creation.key().startsWith('?')
    const looked = isKnown() ? [] : await discover(session, origin, creation.table, creation.path, isKnown)
    return [...looked, ...(await remove(session, origin, creation))]
  }
  const made = session.creations.slice(from).reverse()
  for (const alike of alikeInARow(onceEach(made))) sent.push(...(await session.each(alike, tidy)).flat())
  session.creations.splice(from, made.length)
  return sent
}

/** What was made twice under one key is removed once. */
const onceEach = (creations: readonly Creation[]): readonly Creation[] =>
  creations.filter(({ table, key }, i) => {
    const first = creations.findIndex((other) => other.table === table && other.key() === key())
    return first === i || key().startsWith('?')
  })

/** Creations of one kind that follow each other: none of them is part of another. */
const alikeInARow = (creations: readonly Creation[]): readonly (readonly Creation[])[] => {
  const rows: Creation[][] = []
  for (const creation of creations)
    if (rows.at(-1)?.[0]?.table === creation.table) rows.at(-1)?.push(creation)
    else rows.push([creation])
  return rows
}

/** What is left on the target so far, by session. */
const left = new WeakMap<Session['fold'], readonly { readonly table: AnyTable; readonly key: string }[]>()

/** Tells of what could not be removed that it is gone after all, such as with everything else of its kind. */
export const tellGone = (session: Session): void => {
  const world = session.world()
  const isThere = ({ table, key }: { readonly table: AnyTable; readonly key: string }): boolean =>
    find(world, table, key) !== undefined
  const before = left.get(session.fold) ?? []
  for (const { table, key } of before.filter((one) => !isThere(one)))
    session.options.emit({ type: 'left', kind: table.name, key, reason: 'it went with others', gone: true })
  left.set(session.fold, before.filter(isThere))
}

const remove = async (
  session: Session,
  origin: Origin,
  { table, key: keyNow, path, entity: shown }: Creation,
): Promise<readonly Sent[]> => {
  const key = keyNow()
  const entity = (find(session.world(), table, key) as AnyEntity | undefined) ?? shown
  const remover = removerOf(table)
  const leave = (reason: string): readonly Sent[] => {
    session.options.emit({ type: 'left', kind: table.name, key, reason })
    if (find(session.world(), table, key)) left.set(session.fold, [...(left.get(session.fold) ?? []), { table, key }])
    session.options.ledger({ event: 'left', step: 0, kind: table.name, operation: remover?.id ?? '', key })
    return []
  }
  if (!entity || (!remover && table.permanent)) return []
  if (!remover) return leave('the interface has no operation that removes it')
  if (key.startsWith('?')) return leave('its id could not be obtained')
  const sent: Sent[] = []
  const owner = tokenFor(session, entity.account)
  const attempt = async (): Promise<Sent> => {
    for (const id of table.release?.(entity as never) ?? []) {
      const op = operationById(id)
      if (op) sent.push(await session.send(origin, op, { path: pathTo(op, table, entity, path), as: owner }, 'clean'))
    }
    const last = await session.send(origin, remover, { path: pathTo(remover, table, entity, path), as: owner }, 'clean')
    sent.push(last)
    return last
  }
  const isGone = (): boolean => !shown && !find(session.world(), table, key)
  let last = await attempt()
  if (last.judgement.accepted !== true && table.settled?.(entity as never) === false) {
    sent.push(...(await settle(session, origin, table, key, path)))
    last = await attempt()
  }
  if (last.judgement.accepted === undefined) {
    // It may have taken effect all the same.
    sent.push(...(await view(session, origin, table, entity, path)))
    if (isGone()) return sent
    last = await attempt()
  }
  if (last.judgement.accepted === true || isGone()) return sent
  // Where nothing tells that it was ever made, or is there still, its list does.
  const listed = await discover(session, origin, table, path, () => false, owner)
  sent.push(...listed)
  return isIn(listed, table, key, entity.account) ? [...sent, ...leave(`removing it was ${answerOf(last)}`)] : sent
}

const view = async (
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

/** Whether something is on a list, as far as its pages were shown. */
const isIn = (pages: readonly Sent[], table: AnyTable, key: string, account: string | undefined): boolean =>
  pages.length === 0 ||
  pages.some(
    ({ outcome, call, judgement }) =>
      judgement.accepted !== true ||
      !('body' in outcome) ||
      listedIn(outcome.body).some((record) => (table.identify(record, call.path, account) ?? key) === key),
  )

const answerOf = ({ outcome }: Sent): string => {
  if ('status' in outcome) return `answered ${outcome.status}`
  return outcome.detail?.startsWith('not sent: ') ? outcome.detail : `answered ${outcome.lost}`
}

/** The account that a call is sent for. */
export const accountOf = ({ options }: Session, { as }: Pick<WireCall, 'as'>): string | undefined =>
  principal(options.environment, as).account?.name

/** The token that sees an account's resources: the unrestricted one with all scopes. */
export const tokenFor = (session: Session, account: string | undefined): string | null => {
  const { environment } = session.options
  const isOwner = (user: string): boolean =>
    environment.users.some((one) => one.name === user && one.account === account && !one.restricted)
  const token =
    account === undefined ? undefined : environment.tokens.find(({ scopes, user }) => scopes === '*' && isOwner(user))
  return token?.name ?? session.mainToken
}
