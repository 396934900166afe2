// Looks at what a write of a program has done: at what it named and made, and at lists, unless equal calls have shown enough; judges nothing.

import { likeness } from '../arbitraries/likeness.js'
import type { Origin } from '../history/entry.js'
import { bodyOf, isAccepted } from '../history/outcomes.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { listerOf, operationById } from '../models/index.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { CallStep } from '../models/language/plan.js'
import { referencesOf } from '../models/language/references.js'
import { type AnyEntity, idIn, isLatent, type Path, type World } from '../models/language/world.js'
import { keyNamed, readCall } from '../oracle/facts.js'
import { accountOf, entityOf, pathOfList, tokenFor, viewing } from './paths.js'
import type { Running } from './running.js'
import type { Planned, Sent, Session } from './session.js'

/** How often the effect of equal calls is looked at that no clause is about, while they do what they have to. */
const mostAlike = 3

const nameOf = ({ context }: Session, op: Operation, { body, as }: CallStep): string =>
  likeness([op.id, as, body], context.nonce)

/** Whether a call only serves others: it arranges, puts back, or is an accepted twin. */
const isAside = ({ origin }: Running, { role }: CallStep): boolean =>
  role === 'arrange' || role === 'twin' || origin.phase === 'restore'

/** Whether the effect of equal calls was seen often enough. What this one does shows in later calls. */
export const isFamiliar = (running: Running, op: Operation, step: CallStep): boolean =>
  isAside(running, step) &&
  (running.session.memory.timesLooked.get(nameOf(running.session, op, step)) ?? 0) >= mostAlike

export const noteLook = (running: Running, op: Operation, step: CallStep): void => {
  if (isAside(running, step)) countLook(running, nameOf(running.session, op, step))
}

/** Once one such call has not done what it has to, every one is looked at. */
const countLook = ({ session, origin }: Running, name: string): void => {
  const { timesLooked } = session.memory
  const isAmiss = session.fold.spottedIn(origin.instance).length > 0
  timesLooked.set(name, isAmiss ? Number.NEGATIVE_INFINITY : (timesLooked.get(name) ?? 0) + 1)
}

/** What a list may show of a creation or removal: that it was, for that caller, and each member that is given, null or left out. */
const namesInList = ({ op, call, judgement }: Sent): readonly string[] => {
  const given = isObject(call.body) ? call.body : {}
  const members = Object.entries(given).flatMap(([name, value]) => [
    value === null ? `null ${name}` : name,
    ...(isObject(value) ? Object.keys(value) : []),
  ])
  const left = Object.keys(op.body?.properties ?? {}).filter((name) => !(name in given))
  return ['', ...members, ...left.map((name) => `no ${name}`)].map((member) =>
    JSON.stringify([op.id, call.as, judgement.accepted, member, 'list']),
  )
}

/** Whether lists have shown often enough what such calls make or remove. This one is only looked at by itself then. */
const isListFamiliar = ({ session }: Running, sent: Sent, look: unknown): boolean =>
  look !== undefined &&
  sent.judgement.accepted === true &&
  namesInList(sent).every((name) => (session.memory.timesLooked.get(name) ?? 0) >= mostAlike)

/** Looks at what a write named and made, and at the list, so that an effect that was lost or hidden shows. */
export const lookAfter = async (running: Running, op: Operation, sent: Sent): Promise<void> => {
  const { session } = running
  const origin = { ...running.origin, phase: 'look', after: sent.n } as const
  const targets = targetsOf(session.world(), op, sent, accountOf(session, sent.call))
  const lookAtEach = async (): Promise<readonly Sent[]> => {
    const seen = await session.each([...targets.entries()], ([i, target]) =>
      lookAt(running, origin, sent, target, i === 0 ? sent.begun : undefined),
    )
    return seen.flat()
  }
  const lookElsewhere = (): Promise<readonly Sent[]> => session.sendReads(origin, looksElsewhere(running, op, sent))
  const looks = await session.each([lookAtEach, lookElsewhere], (look) => look())
  running.sent.push(...looks.flat())
}

/** The looks that an operation asks for itself. */
const looksElsewhere = (running: Running, op: Operation, { call }: Sent): readonly Planned[] => {
  const { session } = running
  const looks = op.looks?.(readCall(session.world(), op, call).facts) ?? []
  return looks.flatMap(({ operation, path = call.path, query, account }) => {
    const reader = operationById(operation)
    const as = account === undefined ? session.mainToken : tokenFor(session, account)
    const args = { path, ...(query && { query }), as }
    return reader && isNew(running, { op: reader, args }) ? [{ op: reader, args }] : []
  })
}

/** Looks at one resource, or continues a look that has begun, and at the list that a write has made longer or shorter. */
const lookAt = async (
  running: Running,
  origin: Origin,
  sent: Sent,
  { table, key, path }: Target,
  begun: Sent['begun'],
): Promise<readonly Sent[]> => {
  const { session } = running
  const entity = entityOf(session.world(), table, key)
  const view = begun ? [] : viewOf(session, table, entity, path)
  const list = isListFamiliar(running, sent, begun ?? view[0]) ? [] : listingOf(session, sent, table, entity, path)
  // What is only arranged is looked for in the list where it has told no id, which may be that of something deleted,
  const isArranged = sent.role === 'arrange' && !isLatent(key)
  const looks = (isArranged ? view : [...view, ...list]).filter((one) => isNew(running, one))
  const reads = [...(await session.sendReads(origin, looks, begun))]
  // and where it cannot be seen by itself.
  const isVanished = reads.some(({ judgement }) => judgement.deviations.some(({ kind }) => kind === 'refused'))
  if (list.length > 0 && !isArranged) for (const name of namesInList(sent)) countLook(running, name)
  if (isArranged && isVanished) reads.push(...(await session.sendReads(origin, list)))
  const last = sent.op.makes === table ? lastPage(session, table, key, reads.at(-1)) : undefined
  if (last === undefined) return reads
  const onLast = list.map(({ op, args }) => ({ op, args: { ...args, query: { page: last } } }))
  return [...reads, ...(await session.sendReads(origin, onLast))]
}

/** The list that shows what a decided write has made or removed. */
const listingOf = (
  session: Session,
  { op, call, judgement }: Sent,
  table: AnyTable,
  entity: AnyEntity | undefined,
  path: Path,
): readonly Planned[] => {
  const isListed = judgement.accepted !== undefined && (op.makes === table || op.removes !== undefined)
  const lister = isListed ? listerOf(table) : undefined
  if (!lister) return []
  const { account } = entity ?? { account: accountOf(session, call) }
  return [{ op: lister, args: { path: pathOfList(lister, path), as: tokenFor(session, account) } }]
}

/** Whether a look is still to be sent, where one look serves for several calls. */
const isNew = ({ looked }: Running, { op, args }: Planned): boolean => {
  if (!looked) return true
  const key = JSON.stringify([op.id, args])
  return !looked.has(key) && looked.add(key) !== undefined
}

/** How to look at a resource. */
const viewOf = (session: Session, table: AnyTable, entity: AnyEntity | undefined, path: Path): readonly Planned[] => {
  const look = entity && !isLatent(entity.key) ? viewing(session, table, entity, path) : undefined
  return look ? [look] : []
}

/** The look that follows a write whatever its reply means: at the entity that its path names first, or that its reply says it has made. */
export const firstLook = (session: Session, op: Operation, call: WireCall, outcome: Outcome): Planned | undefined => {
  const account = accountOf(session, call)
  const body = isAccepted(outcome) ? bodyOf(outcome) : undefined
  const { facts } = readCall(session.world(), op, call)
  const isTold = isObject(body) && op.answersElse?.(facts, body) !== true
  const id = op.makes && isTold ? op.makes.identify(body, call.path, account) : undefined
  // After a refused creation, trials of a quota come before the look.
  if (op.makes && id === undefined) return undefined
  const [named] = namedBy(session.world(), op, call, account)
  if (named) return viewOf(session, named.table, entityOf(session.world(), named.table, named.key), call.path)[0]
  if (!op.makes || op.keys || id === undefined) return undefined
  return viewOf(session, op.makes, { key: id, account }, call.path)[0]
}

/** The last of several pages, if the first does not show what was made: most lists end with the newest. */
const lastPage = (session: Session, table: AnyTable, key: string, first: Sent | undefined): number | undefined => {
  if (first?.op.reply.kind !== 'page' || !('body' in first.outcome)) return undefined
  const { data, pages } = (first.outcome.body ?? {}) as { readonly data?: unknown; readonly pages?: unknown }
  if (!Array.isArray(data) || !Number.isInteger(pages) || Number(pages) < 2) return undefined
  const isShown = data.some(
    (record) => table.identify(record ?? {}, first.call.path, accountOf(session, first.call)) === idIn(key),
  )
  return isShown ? undefined : Number(pages)
}

interface Target {
  readonly table: AnyTable
  readonly key: string
  readonly path: Path
}

/** The entities that the path of a call names. */
const namedBy = (world: World, op: Operation, { path }: WireCall, account: string | undefined): readonly Target[] =>
  referencesOf(op).flatMap(([param, reference]) => {
    const key = keyNamed(world, account, reference, param, path)
    return key === undefined ? [] : [{ table: reference.table, key, path }]
  })

const targetsOf = (
  world: World,
  op: Operation,
  { call, judgement }: Sent,
  account: string | undefined,
): readonly Target[] => [
  ...namedBy(world, op, call, account),
  ...(op.makes && judgement.made !== undefined ? [{ table: op.makes, key: judgement.made, path: call.path }] : []),
  ...(op.makes && judgement.made === undefined ? [{ table: op.makes, key: '?', path: call.path }] : []),
]
