// Removes what a session has made, latest first, and records what stays.

import type { Origin } from '../history/entry.js'
import { whyUnsent } from '../history/unsent.js'
import { operationById, removerOf } from '../models/index.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type AnyEntity, find, idIn, isLatent } from '../models/language/world.js'
import { recover } from './lost.js'
import type { Creation, Left } from './made.js'
import { firstPauseMs } from './memory.js'
import { pathTo, tokenFor } from './paths.js'
import { settle } from './rest.js'
import type { Sent, Session } from './session.js'
import { discover, mayBeIn, obtain, view } from './survey.js'

/** Removes what the run has made since `from`, latest first, and notes what stays. */
export const clean = async (session: Session, origin: Origin, from: number): Promise<readonly Sent[]> => {
  const sent: Sent[] = [...(await recover(session, origin))]
  const tidy = async (creation: Creation): Promise<readonly Sent[]> => {
    const looked = isLatent(creation.key()) ? await obtain(session, origin, creation) : []
    return [...looked, ...(await remove(session, origin, creation))]
  }
  const made = session.creations.slice(from).reverse()
  for (const alike of alikeInARow(onceEach(made))) sent.push(...(await session.each(alike, tidy)).flat())
  session.creations.splice(from, made.length)
  return [...sent, ...(await removeLeft(session, origin))]
}

/** How many requests it takes to remove a thing, where each is answered: to release it and to see it come to rest besides. */
export const requestsToRemove = (table: AnyTable): number =>
  removerOf(table)
    ? 1 + Number(table.release !== undefined) + Number(table.settled !== undefined)
    : Number(table.retire !== undefined)

/** Removes a thing that was made twice under one key once. */
const onceEach = (creations: readonly Creation[]): readonly Creation[] =>
  creations.filter(({ table, key }, i) => {
    const first = creations.findIndex((other) => other.table === table && other.key() === key())
    return first === i || isLatent(key())
  })

/** Groups of successive creations of one kind, none of which is a part of another. */
const alikeInARow = (creations: readonly Creation[]): readonly (readonly Creation[])[] => {
  const rows: Creation[][] = []
  for (const creation of creations)
    if (rows.at(-1)?.[0]?.table === creation.table) rows.at(-1)?.push(creation)
    else rows.push([creation])
  return rows
}

/** How long what could not be removed is left alone before that is tried again, in the end. */
const longestPauseMs = 16_000
/** Where so much is left, programs wait until it can be removed, so long in all: a target may take no writes for a while. */
const muchLeft = 3
const patienceMs = 30_000

/** Notes things that could not be removed and are gone after all, for example with their parent. */
export const tellGone = (session: Session): void => {
  const world = session.world()
  const { leftovers } = session.memory
  const isThere = ({ table, key }: Left): boolean => find(world, table, key) !== undefined
  for (const { table, key } of leftovers.all.filter((one) => !isThere(one)))
    session.options.emit({ type: 'left', kind: table.name, key, reason: 'it went with others', gone: true })
  leftovers.all = leftovers.all.filter(isThere)
}

/** Tries again to remove what is left: now and then, and where that is much, until it is removed or too long was waited. */
const removeLeft = async (session: Session, origin: Origin): Promise<readonly Sent[]> => {
  const { leftovers } = session.memory
  if (leftovers.trying) {
    await leftovers.trying
    return []
  }
  const trying = tryAgain(session, origin).finally(() => {
    leftovers.trying = undefined
  })
  leftovers.trying = trying
  return trying
}

const tryAgain = async (session: Session, origin: Origin): Promise<readonly Sent[]> => {
  const { clock, sleep } = session.options
  const { leftovers } = session.memory
  const sent: Sent[] = []
  const isOver = (): boolean => session.isOver() || session.barred() !== undefined
  const mayGo = (): readonly unknown[] => stuckIn(leftovers.all).filter(({ one }) => !isToldStuck(session, one.table))
  while (mayGo().length >= muchLeft && leftovers.waitedMs < patienceMs && !isOver()) {
    leftovers.waitedMs += leftovers.pauseMs
    await sleep(leftovers.pauseMs)
    sent.push(...(await removeFirst(session, origin)))
  }
  const stuck = stuckIn(leftovers.all).length
  if (stuck >= muchLeft && leftovers.waitedMs >= patienceMs) tellStuck(session, stuck)
  if (clock() - leftovers.triedAt >= leftovers.pauseMs) sent.push(...(await removeFirst(session, origin)))
  return sent
}

/** Whether it is a finding of the run that removing things of a kind is refused: waiting does not help then. */
const isToldStuck = ({ found, memory: { unconfirmed } }: Session, table: AnyTable): boolean => {
  const id = `${removerOf(table)?.id}.accepts:refused`
  return found.has(id) && !unconfirmed.has(id)
}

const tellStuck = ({ said, options }: Session, count: number): void => {
  const id = 'what could not be removed'
  if (said.has(id)) return
  said.add(id)
  const text = `${count} things that the run has made could not be removed, though that was tried for ${patienceMs / 1000} s, so that little more is made: see why, and remove what is left by touchstone sweep, or by hand`
  options.emit({ type: 'trouble', kind: 'inconclusive', text })
}

const stuckIn = (all: readonly Left[]) =>
  all.flatMap((one) => (one.creation === undefined ? [] : [{ one, creation: one.creation }]))

/** Tries to remove the first of what is left, and the others where that is removed. */
const removeFirst = async (session: Session, origin: Origin): Promise<readonly Sent[]> => {
  const { leftovers } = session.memory
  const sent: Sent[] = []
  for (let first = stuckIn(leftovers.all)[0]; first; first = stuckIn(leftovers.all)[0]) {
    const { one, creation } = first
    leftovers.all = leftovers.all.filter((other) => other !== one)
    sent.push(...(await remove(session, origin, creation)))
    leftovers.triedAt = session.options.clock()
    if (find(session.world(), one.table, one.key)) {
      leftovers.pauseMs = Math.min(2 * leftovers.pauseMs, longestPauseMs)
      break
    }
    leftovers.pauseMs = firstPauseMs
    const reason = 'it was removed later'
    session.options.emit({ type: 'left', kind: one.table.name, key: one.key, reason, gone: true })
  }
  return sent
}

/** Notes something that stays. */
const leaveIt = (session: Session, { table, key, creation }: Left, reason: string): readonly Sent[] => {
  session.options.emit({ type: 'left', kind: table.name, key, reason })
  const { leftovers } = session.memory
  if (leftovers.all.length === 0) leftovers.triedAt = session.options.clock()
  const entity = find(session.world(), table, key)
  if (entity) leftovers.all.push({ table, key, ...(creation && { creation }) })
  session.options.ledger({
    event: 'left',
    step: 0,
    kind: table.name,
    operation: removerOf(table)?.id ?? '',
    key: idIn(key),
    ...(entity?.account !== undefined && { account: entity.account }),
    ...(creation && { isStuck: true }),
  })
  return []
}

/** Puts to rest what no operation removes; whoever made it may do so. A refusal is told, and counts for nothing. */
const retire = async (
  session: Session,
  { program, instance }: Origin,
  { table, path, as }: Creation,
  entity: AnyEntity,
): Promise<readonly Sent[]> => {
  const { by, isDone } = table.retire ?? {}
  const op = operationById(by ?? '')
  if (!op || isLatent(entity.key) || isDone?.(entity)) return []
  const origin: Origin = { program, ...(instance !== undefined && { instance }), phase: 'retire' }
  const args = { path: pathTo(op, table, entity, path), as: as ?? tokenFor(session, entity.account) }
  const last = await session.send(origin, op, args, 'clean')
  if (last.judgement.accepted === false) leaveIt(session, { table, key: entity.key }, `${op.id} was ${answerOf(last)}`)
  return [last]
}

/** What a session made, as long as it is there: its id may have been given to what another has made. */
const thereIs = (session: Session, { table, key, entity }: Creation): AnyEntity | undefined =>
  session.isOthers(table, key()) ? undefined : (find(session.world(), table, key()) ?? entity)

const remove = async (session: Session, origin: Origin, creation: Creation): Promise<readonly Sent[]> => {
  const { table, path } = creation
  const key = creation.key()
  const entity = thereIs(session, creation)
  const remover = removerOf(table)
  if (!entity) return []
  if (!remover && table.permanent) return retire(session, origin, creation, entity)
  const leave = (reason: string): readonly Sent[] => leaveIt(session, { table, key }, reason)
  if (!remover) return leave('the interface has no operation that removes it')
  if (isLatent(key)) return leave('its id could not be obtained')
  const sent: Sent[] = []
  const owner = tokenFor(session, entity.account)
  const call = async (op: Operation): Promise<Sent> => {
    const last = await session.send(origin, op, { path: pathTo(op, table, entity, path), as: owner }, 'clean')
    sent.push(last)
    return last
  }
  const attempt = async (): Promise<Sent> => {
    const releases = table.release?.(entity) ?? []
    const { releasedFirst } = session.memory
    if (releases.length > 0 && !releasedFirst.has(table)) {
      const last = await call(remover)
      if (last.judgement.accepted !== false) return last
      releasedFirst.add(table)
    }
    for (const id of releases) await call(operationById(id) as Operation)
    return call(remover)
  }
  const isGone = (): boolean => thereIs(session, creation) === undefined
  let last = await attempt()
  if (last.judgement.accepted !== true && table.settled?.(entity) === false) {
    sent.push(...(await settle(session, origin, table, key, path)))
    last = await attempt()
  }
  if (last.judgement.accepted === undefined) {
    // The removal may have taken effect all the same.
    sent.push(...(await view(session, origin, table, entity, path)))
    if (isGone()) return sent
    last = await attempt()
  }
  if (last.judgement.accepted === true) return [...sent, ...(await lookOnce(session, origin, last, creation, entity))]
  if (isGone()) return sent
  // If nothing shows that it was made or still exists, its list decides.
  const listed = await discover(session, origin, { table, path, as: owner }, () => false)
  sent.push(...listed)
  if (!mayBeIn(listed, table, key, entity.account)) return sent
  const stuck = { table, key, ...(shouldHaveGone(last) && { creation }) }
  return [...sent, ...leaveIt(session, stuck, `removing it was ${answerOf(last)}`)]
}

/** Programs show that removals take effect for the main account; for others, the first removal of a kind is looked at here. */
const lookOnce = async (
  session: Session,
  origin: Origin,
  { op, call, n }: Sent,
  { table, path }: Creation,
  entity: AnyEntity,
): Promise<readonly Sent[]> => {
  const { removalsSeen } = session.memory
  const name = `${op.id} ${call.as}`
  if (call.as === session.mainToken || removalsSeen.has(name)) return []
  removalsSeen.add(name)
  return view(session, { ...origin, phase: 'look', after: n }, table, entity, path)
}

/** Whether a removal was sent that did not have to be refused, as that of what holds something else has to be: it is tried again. */
const shouldHaveGone = ({ judgement, outcome }: Sent): boolean =>
  judgement.expects !== 'refuse' && whyUnsent(outcome) === undefined

const answerOf = ({ outcome }: Sent): string => {
  if ('status' in outcome) return `answered ${outcome.status}`
  return whyUnsent(outcome) ?? `answered ${outcome.lost}`
}
