// Sends a recorded program again, with new names and the ids that the target gives this time.

import { nameOfRun } from '../arbitraries/serial.js'
import { idValue, repeatedIn } from '../history/calls.js'
import type { Origin } from '../history/entry.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { operationById } from '../models/index.js'
import { pathWith, valueWith } from '../models/language/namings.js'
import type { Args, Body } from '../models/language/plan.js'
import { idIn, isLatent } from '../models/language/world.js'
import { mayRepeat, repeatedForMs } from '../oracle/explanations/repeated-reply.js'
import { findingIdOf } from '../oracle/judgement.js'
import { clean } from './clean-up.js'
import type { Creation } from './made.js'
import { settle } from './rest.js'
import type { Sent, Session } from './session.js'
import { discover } from './survey.js'

/** A recorded step as a replay needs it. */
export interface Replayable {
  readonly call: WireCall
  readonly outcome?: Outcome
  readonly unsettled?: boolean
  readonly judgement?: { readonly made?: string }
  readonly made?: string
}

/** What was made then, and what stands for it now. */
interface Stand {
  readonly table: string | undefined
  readonly id: string
  readonly key: () => string
}

/** What stood for what then, and what stands for it now. */
interface Renaming {
  /** The latest first. */
  readonly stands: Stand[]
  readonly names: Map<string, string>
  readonly nonce: string
  readonly fresh: () => string
}

/** The longest name that a plan gives by itself. */
const plainName = 24

/** The same number may be the id of things of several kinds: where a kind is told, only what is of it stands for the id. */
const standFor = ({ stands }: Renaming, id: string, table: string | undefined): (() => string) | undefined =>
  stands.find((one) => one.id === id && (table === undefined || one.table === undefined || one.table === table))?.key

const renameText = (renaming: Renaming, text: string, table: string | undefined): string => {
  const { names, nonce, fresh } = renaming
  const whole = standFor(renaming, text, table)
  if (whole) return idIn(whole())
  if (nonce === '' || !text.includes(nonce)) return text
  return text.replaceAll(new RegExp(`${nonce}-[0-9a-z]+`, 'g'), (name) => {
    // A name that was made longer to reach a bound must stay as long.
    if (!names.has(name)) names.set(name, name.length > plainName ? fresh().padEnd(name.length, 'x') : fresh())
    return names.get(name) as string
  })
}

/** The value with the names and keys in it that stand for what was made anew. */
const renameValue = (renaming: Renaming, value: string | number, table: string | undefined): string | number => {
  if (typeof value === 'string') return renameText(renaming, value, table)
  const key = standFor(renaming, String(value), table)?.()
  const id = key === undefined ? undefined : idValue(key)
  return typeof id === 'number' ? id : value
}

/** The path and body of a recorded call about what has been made anew. */
const renamedIn = (renaming: Renaming, { operation, path, body }: WireCall): Pick<WireCall, 'path' | 'body'> => {
  const op = operationById(operation)
  const inPlace = inPlaceOf(renaming)
  return {
    path: op ? pathWith(op, path, inPlace) : path,
    ...(body !== undefined && { body: valueWith(op?.body, body, inPlace) }),
  }
}

const queryIn = <Q>(renaming: Renaming, query: Q): Q => valueWith(undefined, query, inPlaceOf(renaming)) as Q

const inPlaceOf =
  (renaming: Renaming) =>
  (value: string | number, table: string | undefined): string | number =>
    renameValue(renaming, value, table)

/** The call about something else that bears an id in the same table. */
export const withKey = (call: WireCall, table: string | undefined, key: string, other: string): WireCall => {
  const stands = [{ table, id: idIn(key), key: () => other }]
  const renaming: Renaming = { stands, names: new Map(), nonce: '', fresh: () => '' }
  return { ...call, ...renamedIn(renaming, call), query: queryIn(renaming, call.query) }
}

interface Resent {
  readonly sent: readonly Sent[]
  /** The looks at what was waited for in between. */
  readonly looks: readonly Sent[]
}

/** Sends the steps one after another; what they make is left to the caller to remove. */
export const resend = async (
  session: Session,
  origin: Origin,
  steps: readonly Replayable[],
  nonce: string,
): Promise<Resent> => {
  const renaming: Renaming = {
    stands: [],
    names: new Map(),
    nonce,
    fresh: () => nameOfRun(session.context.nonce, session.context.next()),
  }
  const sent: Sent[] = []
  const looks: Sent[] = []
  for (const [i, step] of steps.entries()) {
    const { call, unsettled, judgement, made } = step
    const op = operationById(call.operation)
    if (!op) continue
    await untilForgotten(session, step, steps.slice(0, i))
    const args: Args = { ...renamed(renaming, call), ...(unsettled && { unsettled: true }) }
    if (!unsettled) looks.push(...(await settleNamed(session, origin, args)))
    const before = session.creations.length
    const one = await session.send(origin, op, args, 'read')
    sent.push(one)
    const then = judgement?.made ?? made
    if (then === undefined) continue
    const key = await keyOfMade(session, origin, one, session.creations.slice(before).at(-1))
    if (key) renaming.stands.unshift({ table: op.makes?.name, id: idIn(then), key })
  }
  return { sent, looks }
}

/** Waits before a write that a gateway may take for one that it has answered. */
const untilForgotten = async (
  { options }: Session,
  step: Replayable,
  earlier: readonly Replayable[],
): Promise<void> => {
  if (mayRepeat(step, earlier)) await options.sleep(repeatedForMs)
}

/**
 * The key of what a call made, which its creation tells once the target has told it. A call that was answered with an id that is taken
 * has that id.
 */
const keyOfMade = async (
  session: Session,
  origin: Origin,
  { judgement: { made } }: Sent,
  creation: Creation | undefined,
): Promise<(() => string) | undefined> => {
  if (!creation) return made === undefined ? undefined : () => made
  const { key } = creation
  if (isLatent(key())) await discover(session, origin, creation, () => !isLatent(key()))
  return key
}

/** A recorded call about what has been made anew. */
const renamed = (renaming: Renaming, call: WireCall): Args => {
  const { path, body } = renamedIn(renaming, call)
  return {
    path,
    query: queryIn(renaming, { ...call.query, ...repeatedIn(call) }),
    ...(body !== undefined && { body: bodyOf(body) }),
    ...(call.file && { file: { name: call.file.name, field: call.file.field, content: 'x'.repeat(call.file.bytes) } }),
    as: call.as,
  }
}

/** A recorded body as a call takes it: text was sent as it stands. */
const bodyOf = (body: unknown): Body => (typeof body === 'string' ? { $raw: body } : (body as Body))

const settleNamed = async (session: Session, origin: Origin, { path }: Args): Promise<readonly Sent[]> => {
  const looks: Sent[] = []
  for (const { table, key, path: from } of session.creations)
    if (Object.values(path ?? {}).includes(idIn(key())))
      looks.push(...(await settle(session, origin, table, key(), from)))
  return looks
}

/** Whether what the steps made then is there now; a call about what is not there shows nothing. */
export const isMadeAgain = (steps: readonly Replayable[], sent: readonly Sent[]): boolean =>
  steps.every((step, i) => (step.judgement?.made ?? step.made) === undefined || sent[i]?.judgement.made !== undefined)

export interface Replayed {
  /** Whether the deviation showed again. */
  readonly isShown: boolean
  /** Whether the last call was accepted. */
  readonly isAccepted: boolean
  /** The calls as they were sent, where the last of them shows it by itself. */
  readonly shown: readonly Sent[] | undefined
}

/** Sends a program again, to see whether it shows its deviation; what it made is removed. */
export const replay = async (
  session: Session,
  origin: Origin,
  steps: readonly Replayable[],
  findingId: string,
): Promise<Replayed> => {
  const from = session.creations.length
  const { sent, looks } = await resend(session, origin, steps, session.options.nonce)
  await clean(session, origin, from)
  const last = sent.slice(-1)
  const isMade = isMadeAgain(steps, sent)
  const deviates = ({ judgement }: Sent): boolean => judgement.deviations.some((one) => findingIdOf(one) === findingId)
  return {
    // What the last step would show a look before it may show already.
    isShown: isMade && [...looks, ...last].some(deviates),
    isAccepted: last[0]?.judgement.accepted === true,
    shown: isMade && last.some(deviates) ? sent : undefined,
  }
}
