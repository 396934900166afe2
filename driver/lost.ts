// Looks for what creations made whose replies were lost, until it is found; it is then removed like everything else.

import type { Origin } from '../history/entry.js'
import { bodyOf, mayHaveCome } from '../history/outcomes.js'
import { listedIn } from '../history/pages.js'
import type { Outcome } from '../history/wire.js'
import { isObject, leavesOf } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { type AnyEntity, idIn, isLatent, live, type Mark, type WireRecord } from '../models/language/world.js'
import type { LostCreation } from './made.js'
import { accountOf, placeIn } from './paths.js'
import type { Sent, Session } from './session.js'
import { discover, mayBeIn } from './survey.js'

/** The older it is, the less often it is looked for. */
const isDue = ({ at, soughtAt = at }: LostCreation, now: number): boolean => now - at >= 2 * (soughtAt - at)

/** Whether a creation without a usable outcome may have made something. */
export const isLost = (op: Operation, outcome: Outcome, accepted: boolean | undefined): boolean =>
  op.makes !== undefined &&
  (op.makes.permanent !== true || op.makes.retire !== undefined) &&
  accepted === undefined &&
  mayHaveCome(outcome)

/**
 * Looks for what lost creations have made, and adds it to the creations. Looks again later, until it would have to show; then nothing
 * was made.
 */
export const recover = async (session: Session, origin: Origin): Promise<readonly Sent[]> => {
  const sent: Sent[] = []
  const { clock, settleMs } = session.options
  for (const { step } of session.lost) session.memory.soughtSteps.add(step)
  for (const lost of session.lost.splice(0)) {
    const soughtAt = clock()
    if (!isDue(lost, soughtAt)) {
      session.lost.push(lost)
      continue
    }
    const reads = await discover(
      session,
      origin,
      { table: lost.table, path: lost.call.path, as: lost.call.as },
      (pages) => pages.length > 0 && keyOf(session, lost, pages) !== undefined,
    )
    sent.push(...reads)
    const found = keyOf(session, lost, reads)
    if (found !== undefined) adopt(session, lost, found)
    else if (soughtAt - lost.at <= settleMs) session.lost.push({ ...lost, soughtAt })
  }
  return sent
}

interface Found {
  readonly key: string
  readonly record?: WireRecord
}

/**
 * The entity that the belief attributes to the creation, unless its list does not show it, for it may have been made in only one of
 * the worlds that are possible; or the one that has the name that was sent. Of several lost creations it may be
 * attributed to another one, which made nothing: it is to be removed in any case, unless its name tells that it is another's.
 */
const keyOf = (session: Session, { table, call, step }: LostCreation, reads: readonly Sent[]): Found | undefined => {
  const account = accountOf(session, call)
  const names = leavesOf(call.body).filter((leaf) => leaf.includes(session.options.nonce))
  const isNamedSo = (record: WireRecord): boolean =>
    Object.values(record).some((value) => names.includes(String(value)))
  // Where it is known by what was sent, as a bucket is, it can be no other.
  const sent = table.change.renewable && isObject(call.body) ? table.identify(call.body, call.path, account) : undefined
  const mayBeIt = (entity: AnyEntity): boolean =>
    names.length > 0 ? isNamedSo(entity) : sent === undefined || sent === entity.key
  const isMine = (entity: AnyEntity, mark: Mark): boolean =>
    mark.step === step || (session.memory.soughtSteps.has(mark.step) && mayBeIt(entity))
  const bound = live(session.world(), table, account).find(
    (entity) =>
      !isLatent(entity.key) &&
      Object.values(entity.since ?? {}).some((mark) => isMine(entity, mark)) &&
      mayBeIn(reads, table, entity.key, account),
  )
  if (bound) return { key: bound.key }
  for (const { outcome, call: listing } of reads)
    for (const record of listedIn(bodyOf(outcome))) {
      const key = table.identify(record, listing.path, account)
      if (key !== undefined && isNamedSo(record)) return { key, record }
    }
  return undefined
}

const adopt = (session: Session, { op, table, call, step }: LostCreation, { key, record }: Found): void => {
  if (session.creations.some((creation) => creation.table === table && creation.key() === key)) return
  const account = accountOf(session, call)
  const entity = { ...placeIn(record ?? {}), ...record, key, account } as AnyEntity
  session.keep({ table, key: () => key, path: call.path, as: call.as, entity })
  session.options.ledger({
    event: 'created',
    step,
    kind: table.name,
    operation: op.id,
    key: idIn(key),
    ...(account !== undefined && { account }),
    url: call.url,
    body: call.body,
  })
}
