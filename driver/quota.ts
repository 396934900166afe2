// Whether a creation was refused for a quota, which the document does not show, or against the document; nothing is sent here.
import { planProgram } from '../arbitraries/plan.js'
import { makerOf, operations, removerOf } from '../models/index.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args, Plan } from '../models/language/plan.js'
import { type AnyEntity, live } from '../models/language/world.js'
import { isRecord } from '../oracle/reply.js'
import type { Sent, Session } from './session.js'
import { accountOf } from './upkeep.js'

export type Draft = (plan: Plan) => Args

/** What can be tried when a creation was refused; what it makes is removed again. */
export interface Trials {
  /** Whether a creation is accepted now. */
  readonly isCreated: (op: Operation, draft: Draft) => Promise<boolean>
  /** Whether one that was accepted before is so again, under new names. */
  readonly isCreatedAgain: (before: Sent) => Promise<boolean>
  /** Whether the one that was refused is accepted now. */
  readonly isCreatedNow: () => Promise<boolean>
}

/** Says once for each operation that creations are refused, and what would help. */
export const reportQuota = ({ found, options }: Session, op: Operation, { n }: Sent): void => {
  const id = `${op.id}:quota`
  if (found.has(id)) return
  found.add(id)
  const text = `${op.id} was refused at step ${n}, as plain creations then were: a quota may be the reason`
  const isRemovable = op.makes !== undefined && removerOf(op.makes) !== undefined
  const remedy = isRemovable
    ? `if it is, set safety.maxLive.${op.makes?.name} below it`
    : 'nothing in the interface removes them, so ask the target for more room'
  options.emit({ type: 'trouble', kind: 'inconclusive', text: `${text}; ${remedy}` })
}

const mostAttempts = 7

const shapeOf = ({ id }: Operation, body: unknown): string =>
  `${id} ${Object.keys(body ?? {})
    .sort()
    .join(' ')}`

/** Creations in one place of an account share what quota there may be for it. */
const placeOf = (session: Session, { op, call }: Pick<Sent, 'op' | 'call'>): string => {
  const { region, cluster } = (isRecord(call.body) ? call.body : {}) as Record<string, unknown>
  return `${attemptsOf(session, { op, call })} ${region ?? cluster ?? ''}`
}

/** What one account tries to create: a quota of another says nothing of it. */
const attemptsOf = (session: Session, { op, call }: Pick<Sent, 'op' | 'call'>): string =>
  `${op.id} ${accountOf(session, call)}`

/** Notes how a creation fared, by turns; whatever changes what may fill a quota starts anew. */
export const noteAttempt = (session: Session, sent: Sent): void => {
  const { attempts, taken, accepted: latest } = session
  const { op, call, judgement } = sent
  const attempted = attemptsOf(session, sent)
  const { accepted, suspect } = judgement
  if (op.makes && accepted === true) {
    taken.add(shapeOf(op, call.body))
    latest.set(placeOf(session, sent), sent)
  }
  if (op.makes && (accepted === true || suspect)) {
    const before = attempts.get(attempted) ?? ''
    const now = accepted === true ? 'a' : 's'
    if (!before.endsWith(now)) attempts.set(attempted, `${before}${now}`.slice(-mostAttempts))
  } else if (op.method !== 'GET' && accepted !== false)
    for (const reference of Object.values(op.params)) {
      const maker = typeof reference === 'object' ? makerOf(reference.table) : undefined
      if (maker) attempts.delete(attemptsOf(session, { op: maker, call }))
    }
}

/** Quotas are not shown, so a refused creation counts only where a plain one still succeeds, or nothing is there to fill a quota. */
export const isConvicted = async (
  session: Session,
  { op, call }: Sent,
  { isCreated, isCreatedAgain, isCreatedNow }: Trials,
): Promise<boolean> => {
  const isFilling = ({ table }: { readonly table: AnyTable }): boolean => table === op.makes
  const isRemovable = op.makes !== undefined && removerOf(op.makes) !== undefined
  // What could not be removed is no longer among the creations, but fills a quota all the same.
  const isLeft = ({ since = {} }: AnyEntity): boolean => Object.values(since).some(({ by }) => by === op.id)
  const isFilled = session.creations.some(isFilling) || (op.makes && live(session.world(), op.makes).some(isLeft))
  // A quota may count what was made in some time, so nothing must have been made before either.
  const makers = operations.filter(({ makes }) => makes === op.makes)
  const isFirst = !makers.some(({ id }) => [...session.taken].some((shape) => shape.startsWith(`${id} `)))
  if (session.options.environment.exclusive && isRemovable && !isFilled && isFirst)
    return session.taken.size === 0 || (await isRefusedLater(session, op, isCreatedNow))
  const bare = bodyOf(session, op.draft)
  const isUntried = !session.taken.has(shapeOf(op, bare))
  // Plain ones never were accepted, but one between refused ones was, although nothing was removed; where others may have removed something, again and again.
  const turns = session.options.environment.exclusive && !isRemovable ? 'sas' : 'sasasas'
  if (op.alike && isUntried && session.attempts.get(attemptsOf(session, { op, call }))?.endsWith(turns)) return true
  const plain = () => isCreated(op, op.draft)
  const before = session.accepted.get(placeOf(session, { op, call }))
  const another = async () => before !== undefined && (await isCreatedAgain(before))
  // There may be room again by now, so the one that was refused is tried once more, between others that have it.
  for (const other of [plain, another])
    if (await other()) return everyTime(async () => !(await isCreatedNow()) && (await other()))
  // Something else that makes the same shows that there is room.
  const others = isUntried ? makers.filter((other) => other !== op) : []
  for (const other of others) if (await isCreated(other, other.draft)) return true
  // One that gives more, and succeeds again and again between plain ones that never did, shows that no quota refuses them.
  const { full } = op
  if (!full || !isUntried || !givesMore(bodyOf(session, full), bare)) return false
  const fuller = () => isCreated(op, full)
  return (await fuller()) && everyTime(async () => !(await plain()) && (await fuller()))
}

/** Whether it is so again and again: what is counted in some time, of whatever kind, makes room by chance alone. */
const everyTime = async (trial: () => Promise<boolean>): Promise<boolean> =>
  (await trial()) && (await trial()) && (await trial())

const quotaPauseMs = 5000

/** Whether what was refused still is after a while; a quota of all kinds together may have been used up by others. Waited for once for each operation. */
const isRefusedLater = async (
  { found, options }: Session,
  { id }: Operation,
  isCreatedNow: () => Promise<boolean>,
): Promise<boolean> => {
  if (await isCreatedNow()) return false
  if (found.has(`${id}:paused`)) return true
  found.add(`${id}:paused`)
  await options.sleep(quotaPauseMs)
  return !(await isCreatedNow())
}

/** Whether a body has all the members of another one and more, so that it is that of no other kind. */
const givesMore = (one: object, other: object): boolean =>
  Object.keys(one).length > Object.keys(other).length && Object.keys(other).every((name) => name in one)

const bodyOf = ({ context }: Session, draft: Draft): object => {
  let body: object = {}
  planProgram('to compare', context, (plan) => {
    body = draft(plan).body ?? {}
  })
  return body
}
