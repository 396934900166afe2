// The latest changes of a belief, with the worlds before them, and how late a target has shown them; what that explains stands in late.ts.

import isEqual from 'fast-deep-equal'
import { isError } from '../history/outcomes.js'
import type { Outcome } from '../history/wire.js'
import { operationById } from '../models/index.js'
import type { World } from '../models/language/world.js'
import { isOneOf } from './clauses.js'
import { choiceOfLag, within } from './explanations/lag.js'
import { areIndependent } from './independence.js'
import { type Deviation, findingIdOf, type Judgement, type Late, type Observation } from './judgement.js'
import { noRetries, type Retries } from './retried.js'

/** A change by its name, and what held before it. */
export interface Change {
  readonly world: World
  /** Left out where it came about outside of the interface. */
  readonly by?: Observation
  readonly name: string
  readonly endedAt: number
  /** The run of a program that made it. */
  readonly instance?: number | undefined
}

/** The latest changes, and the longest time that one has taken to show. */
export interface Past {
  readonly changes: readonly Change[]
  /** When the latest change came about that is not remembered any more. */
  readonly forgottenUntil: number
  /** Milliseconds; 0 as long as everything has shown at once. */
  readonly longestMs: number
  /** Reads that were late when they were last sent, by call, each with what it was answered. */
  readonly open: ReadonlyMap<string, Late & { readonly answer: Observation['outcome'] }>
  /** How often a deviation, by its finding, was waited for in vain since it last went away while waited for. Once it is not waited for any more, only a target that turns out to be late is given more time. */
  readonly vain: ReadonlyMap<string, number>
  /** Steps of which something was told that contradicts what they did. */
  readonly contradicted: ReadonlySet<number>
  /** Writes that were taken when they were sent again. */
  readonly retries: Retries
}

export const noPast: Past = {
  changes: [],
  forgottenUntil: Number.NEGATIVE_INFINITY,
  longestMs: 0,
  open: new Map(),
  vain: new Map(),
  contradicted: new Set(),
  retries: noRetries,
}

/** So many waits in vain after which a deviation is not taken for late: fewer on a target that has shown all else at once. */
const mostVain = { prompt: 3, late: 12 }

/** So many changes are remembered however old they are, and those of the last seconds up to so many: several clients make dozens in one. */
const fewChanges = 64
const mostChanges = 1024
const rememberedMs = 10_000

/** If a change of this time is forgotten or not tried, a late read may show the state before it. */
const crowdedMs = 1000

/** Remembers a call that may have changed something. */
export const remembering = (past: Past, change: Change): Past => {
  const all = [...past.changes, change]
  const isKept = ({ endedAt }: Change, i: number): boolean =>
    i >= all.length - fewChanges || (i >= all.length - mostChanges && change.endedAt - endedAt <= rememberedMs)
  const from = all.findIndex(isKept)
  const forgotten = all.slice(0, from).map(({ endedAt }) => endedAt)
  return { ...past, changes: all.slice(from), forgottenUntil: Math.max(past.forgottenUntil, ...forgotten) }
}

/** The same for calls that ask for the same. */
export const nameOfCall = ({ call }: Pick<Observation, 'call'>): string => `${call.method} ${call.url} ${call.as}`

/** Settles a read that was late. If it shows the change now, it was late; if it deviates in the same way again, it was not. */
export const caughtUp = (past: Past, by: Observation, told: Judgement): Past => {
  const contradicted = contradictedBy(past, told)
  const late = past.open.get(nameOfCall(by))
  if (!late) return contradicted === past.contradicted ? past : { ...past, contradicted }
  const open = new Map(past.open)
  open.delete(nameOfCall(by))
  const vain = awaited(past, late, told)
  const isTold = isShownBy(past, by, told)
  return {
    ...past,
    open,
    vain,
    contradicted,
    longestMs: isTold ? Math.max(past.longestMs, late.ageMs) : past.longestMs,
  }
}

/** Only a reply that is right, but for an error without a field, shows a change that was late: one that is wrong may show something else. */
export const isRight = ({ deviations }: Judgement): boolean => deviations.every(isFieldless)

/**
 * Whether a reply shows a change that was late. Amid many changes it is not clear which of them did not show; where something has
 * contradicted the change meanwhile, the reply may be right by what was learnt from that; and a reply as before shows nothing new.
 */
const isShownBy = ({ contradicted, open }: Past, by: Observation, told: Judgement): boolean => {
  const late = open.get(nameOfCall(by))
  if (!late || late.isGuess || !isRight(told) || isAsBefore(late, by)) return false
  return !(late.step !== undefined && contradicted.has(late.step))
}

/** Whether a call is answered as when it was late: the same, or refused with the same status, be it in other words. */
const isAsBefore = ({ answer }: { readonly answer: Outcome }, { outcome }: Observation): boolean =>
  isEqual(answer, outcome) || (isError(answer) && statusOf(answer) === statusOf(outcome))

const statusOf = (outcome: Outcome): number | undefined => ('status' in outcome ? outcome.status : undefined)

/** So many steps of which something was told are remembered, the latest. */
const mostContradicted = 256

const contradictedBy = ({ contradicted }: Past, { deviations }: Judgement): Past['contradicted'] => {
  const steps = deviations.flatMap(({ facts = [] }) => facts.map(({ step }) => step))
  return steps.every((step) => contradicted.has(step))
    ? contradicted
    : new Set([...contradicted, ...steps].slice(-mostContradicted))
}

/** What was waited for in vain, once more of it is, or is no more. That a guess goes away may come from what was learnt meanwhile. */
const awaited = ({ vain, longestMs }: Past, late: Late, told: Judgement): Past['vain'] => {
  const counts = new Map(vain)
  for (const one of late.hidden) {
    const id = findingIdOf(one)
    if (hides({ hidden: [one] }, told)) counts.set(id, (counts.get(id) ?? 0) + 1)
    else if (!late.isGuess || longestMs > 0) counts.delete(id)
  }
  return counts
}

/** Whether each deviation of a reply was waited for so often that waiting again would only take time. */
export const isHopeless = ({ vain, longestMs }: Past, { deviations }: Judgement): boolean => {
  const most = longestMs > 0 ? mostVain.late : mostVain.prompt
  return deviations.every((one) => (vain.get(findingIdOf(one)) ?? 0) >= most)
}

/** The choice that a read shows when it has what was late before: how long the change took to show. */
export const choicesOfLag = (past: Past, by: Observation, told: Judgement): Judgement['choices'] => {
  const late = past.open.get(nameOfCall(by))
  if (!late || !isShownBy(past, by, told) || !operationById(late.by)) return []
  return [{ id: choiceOfLag(late.by), value: within(late.ageMs) }]
}

/** Whether a reply deviates in a way that a late change explained before. */
export const hides = ({ hidden }: Pick<Late, 'hidden'>, { deviations }: Judgement): boolean =>
  hidden.some((one) => deviations.some(({ clause, kind }) => clause === one.clause && kind === one.kind))

/** The most late reads of which the answer is kept. */
const mostOpen = 64

/** Notes that a change is late. If the reply is right after an earlier late change, that one has shown by now. */
export const stillLate = (past: Past, by: Observation, late: Late): Past => {
  const before = past.open.get(nameOfCall(by))
  const longestMs =
    before && !late.isGuess && before.changedAt < late.changedAt && !isAsBefore(before, by)
      ? Math.max(past.longestMs, before.ageMs)
      : past.longestMs
  const others = [...past.open].filter(([name]) => name !== nameOfCall(by))
  const open = [...others, [nameOfCall(by), { ...late, answer: by.outcome }] as const]
  return { ...past, longestMs, open: new Map(open.slice(-mostOpen)) }
}

/** Recent changes that a call may or may not see, the latest first. */
export const concerning = ({ changes }: Past, by: Observation): readonly Change[] =>
  changes.filter((change) => !change.by || !areIndependent(change.by, by)).reverse()

/** @param untriedUntil when the latest change came about that was not tried */
export const isCrowded = ({ forgottenUntil }: Past, now: number, untriedUntil = forgottenUntil): boolean =>
  now - Math.max(forgottenUntil, untriedUntil) < crowdedMs

export const isOwnSince = ({ changes }: Past, { instance }: Observation, since: number): boolean =>
  changes.some((one) => one.endedAt >= since && (instance === undefined || one.instance === instance))

/** A target whose errors have no field may be late all the same. */
export const isFieldless = ({ clause }: Pick<Deviation, 'clause'>): boolean => isOneOf(clause, 'refusal.field-present')
