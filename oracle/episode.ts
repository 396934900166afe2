// A program under way: its calls, and the calls to which their deviations are attributed; what they mean for the world stands in fold.ts.

import isEqual from 'fast-deep-equal'
import type { Clause } from '../models/language/derive.js'
import { isObject } from '../models/language/objects.js'
import type { Belief } from './belief.js'
import { changesIn, reblame, unchangedOf } from './blame.js'
import { clauseOf } from './clauses.js'
import type { Suspicion } from './explanations/quota.js'
import { brief, type Deviation, type Judged, withReasons } from './judgement.js'

/** A deviation with the calls that show it, the last of which deviates. */
export interface Spotted {
  readonly deviation: Deviation
  /** What was believed before the first of the calls. */
  readonly start: Belief
  readonly calls: readonly Judged[]
  /** All the calls are needed, and have shown the deviation often enough. */
  readonly isWhole?: true
}

/** A program under way. */
export interface Episode {
  readonly start: Belief
  readonly steps: Laid[]
  readonly suspicions: Map<number, Suspected>
  /** Whether calls of it were sent at the same time. */
  isRaced: boolean
}

/** A judged call; which deviations are attributed to it may change with what comes later. */
export type Laid = { -readonly [K in keyof Judged]: Judged[K] }

export interface Suspected {
  readonly suspicion: Suspicion
  readonly sent: Laid
  readonly heldBack: readonly Deviation[]
}

export const because = (judged: Laid, why: string): void => {
  judged.deviations = judged.deviations.map((one) => withReasons(one, why))
}

/** Brings back deviations of a refused creation that were held back, once the refusal proved to be against the document. */
export const bringBack = ({ sent, heldBack }: Suspected): void => {
  if (heldBack.every((one) => sent.deviations.includes(one))) return
  sent.deviations = [...heldBack, ...sent.deviations]
}

export const settle = ({ suspicions }: Episode): void => {
  for (const suspected of suspicions.values()) if (suspected.suspicion.isAgainstDocument()) bringBack(suspected)
}

export const spottedIn = ({ start, steps }: Episode): readonly Spotted[] =>
  steps.flatMap(({ deviations }, i) =>
    deviations.map((one) => ({ deviation: one, start, calls: steps.slice(0, i + 1) })),
  )

/** Blames a write for what reads show after it was refused, or for what no read shows after it was accepted. */
export const layToWrite = ({ steps }: Episode, read: Laid): void => {
  const write = steps.findLast(({ n }) => n === read.after)
  if (!write) return
  const isRefused = write.judgement.accepted === false
  if (isRefused) {
    const rule = unchangedOf(write.op)
    if (!rule) return
    if (read.judgement.deviations.length === 0) read.held = [...read.held, rule.id]
    else layChanges(read, rule, write, (one) => !isOfAnother(steps, read, write, one))
    return
  }
  const looks = steps.filter((one) => one.after === write.n && one.phase === 'look' && isOf(one, write))
  const rule =
    looks.length > 1 && write.judgement.accepted === true && looks.every(isBare) && clauseOf(write.op, 'takes-effect')
  if (rule) for (const one of looks) layChanges(one, rule, write)
}

/** Whether a read is about what a write makes. */
const isOf = ({ op }: Judged, { op: { makes } }: Judged): boolean =>
  makes !== undefined && 'table' in op.reply && op.reply.table === makes

const isBare = ({ judgement: { deviations } }: Judged): boolean =>
  deviations.some(({ kind }) => kind === 'refused' || kind === 'missing')

/**
 * Whether a change is the doing of a write that was accepted since this was last looked at: the refused one would have set the member to
 * something else.
 */
const isOfAnother = (steps: readonly Laid[], read: Laid, write: Judged, { member }: Deviation): boolean => {
  const { body } = write.call
  if (!member || !isObject(body) || !(member.name in body)) return false
  if (brief(member.shown).toLowerCase() === brief(body[member.name]).toLowerCase()) return false
  const isAlike = ({ op, call }: Laid): boolean => op === read.op && isEqual(call.path, read.call.path)
  const before = steps.slice(0, steps.indexOf(write))
  const since = before.slice(before.findLastIndex(isAlike) + 1)
  return since.some(({ op, judgement: { accepted } }) => op.method !== 'GET' && accepted === true)
}

const layChanges = (
  read: Laid,
  rule: Clause,
  write: Judged,
  isItsDoing: (change: Deviation) => boolean = () => true,
): void => {
  const changes = changesIn(read, write.op).filter(isItsDoing)
  read.deviations = read.judgement.deviations.map((one) => (changes.includes(one) ? reblame(one, rule, write) : one))
}
