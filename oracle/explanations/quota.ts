// Whether a creation was refused for a quota, which the document does not show, or against it: what to try, and what trials tell. Pure.

import { type PlanContext, planProgram } from '../../arbitraries/plan.js'
import { makerOf, operations, removerOf } from '../../models/index.js'
import { principal } from '../../models/language/access.js'
import { type Environment, suppositions } from '../../models/language/environment.js'
import { isObject } from '../../models/language/objects.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import type { Args, Plan } from '../../models/language/plan.js'
import { type AnyEntity, fromTargetFile, live, type World } from '../../models/language/world.js'
import type { Deviation, Judged } from '../judgement.js'
import type { Explanation } from './explanation.js'

export const quota: Explanation = {
  name: 'quota',
  supposes: suppositions.quota,
  cost: 1,
  refutes: 'a plain creation that is accepted between two refusals of this one, again and again',
  bound: 'creations that nothing else refuses, as long as something is there, or was, that could fill a quota',
}

/** A creation that would tell more; what it makes is removed again. */
export type Trial =
  /** The one that was refused; `later`: after a pause. */
  | { readonly kind: 'now' | 'later' }
  /** A new one of an operation. */
  | { readonly kind: 'plain' | 'full'; readonly op: Operation }
  /** One that was accepted before, under new names. */
  | { readonly kind: 'again'; readonly before: Judged }

type Weighing = Generator<Trial, boolean, boolean>

/** What was known of creations when one was refused. */
interface Facts {
  readonly op: Operation
  readonly isExclusive: boolean
  readonly isRemovable: boolean
  /** Nothing is there, or was, that could fill a quota of this kind; of no kind at all. */
  readonly isEmpty: boolean
  readonly isBlank: boolean
  /** Plain ones, as its draft makes them, have never been accepted. */
  readonly isUntried: boolean
  /** How plain ones have fared by turns: `s` refused, `a` accepted. */
  readonly attempts: string
  /** The latest that was accepted in the same place. */
  readonly before: Judged | undefined
  readonly hasPaused: boolean
  readonly givesMore: boolean
}

/** Whether a deviation may be the doing of a quota. */
export const mayBeQuota = ({ kind, clause, operation }: Deviation): boolean =>
  (kind === 'refused' && clause === `${operation}.accepts`) ||
  kind === 'refused-within' ||
  clause === `${operation}.refusal.field`

/** A refused creation under suspicion, with the outcomes of what was tried. */
export interface Suspicion {
  /** What would tell more; undefined where all is told. */
  readonly wanted: () => { readonly k: number; readonly trial: Trial } | undefined
  /** Notes how a trial came out. */
  readonly tried: (k: number, accepted: boolean) => void
  /** Notes that a trial is over, whether or not anything was sent. */
  readonly over: (k: number) => void
  /** Whether it was refused against the document; trials that were not made count as refused. */
  readonly isConvicted: () => boolean
}

/** Follows the creations of a history. */
export const createQuotaWatch = (environment: Environment, nonce: string) => {
  const taken = new Set<string>()
  /** What was ever made, or may have been, by whatever operation. */
  const made = new Set<string>()
  const attempts = new Map<string, string>()
  const accepted = new Map<string, Judged>()
  const paused = new Set<string>()
  const bodyOf = createPlainBodies(environment, nonce)
  const accountOf = ({ call }: Judged): string | undefined => principal(environment, call.as).account?.name
  /** What one account tries to create: a quota of another says nothing of it. */
  const attemptsOf = (id: string, sent: Judged): string => `${id} ${accountOf(sent)}`

  /** Notes what a call may have made, at whatever time: it may fill a quota even where it tells nothing else of one. */
  const noteMade = ({ op, judgement }: Judged): void => {
    if (op.makes && judgement.accepted !== false) made.add(op.id)
  }

  const noteAttempt = (sent: Judged, now: 'a' | 's'): void => {
    const key = attemptsOf(sent.op.id, sent)
    const before = attempts.get(key) ?? ''
    if (!before.endsWith(now)) attempts.set(key, `${before}${now}`.slice(-mostAttempts))
  }

  /** Whatever changes what may fill a quota starts anew. */
  const forgetAttempts = (sent: Judged): void => {
    for (const reference of Object.values(sent.op.params)) {
      const maker = typeof reference === 'object' ? makerOf(reference.table) : undefined
      if (maker) attempts.delete(attemptsOf(maker.id, sent))
    }
  }

  /** Notes how a creation fared, or that something else may have changed what fills a quota. */
  const note = (sent: Judged): void => {
    const { op, call, judgement } = sent
    const { accepted: isAccepted, suspect } = judgement
    if (op.method === 'GET') return
    if (op.makes && isAccepted === true) {
      taken.add(shapeOf(op, call.body))
      accepted.set(`${attemptsOf(op.id, sent)} ${placeIn(call.body)}`, sent)
      noteAttempt(sent, 'a')
    } else if (op.makes && suspect) noteAttempt(sent, 's')
    else if (isAccepted !== false) forgetAttempts(sent)
  }

  const factsOf = (sent: Judged, world: World): Facts => {
    const { op, call } = sent
    const makers = operations.filter(({ makes }) => makes === op.makes)
    const bare = bodyOf(op.draft)
    // A quota may count what was made in some time, so nothing must have been made before either.
    const isFirst = !makers.some(({ id }) => made.has(id))
    return {
      op,
      isExclusive: environment.exclusive,
      isRemovable: op.makes !== undefined && removerOf(op.makes) !== undefined,
      isEmpty: isFirst && op.makes !== undefined && !isFilled(world, op.makes),
      isBlank: made.size === 0,
      isUntried: !taken.has(shapeOf(op, bare)),
      attempts: attempts.get(attemptsOf(op.id, sent)) ?? '',
      before: accepted.get(`${attemptsOf(op.id, sent)} ${placeIn(call.body)}`),
      hasPaused: paused.has(op.id),
      givesMore: op.full !== undefined && givesMore(bodyOf(op.full), bare),
    }
  }

  const suspect = (sent: Judged, world: World): Suspicion =>
    createSuspicion(factsOf(sent, world), () => paused.add(sent.op.id))
  return { note, noteMade, suspect }
}

/** @param pause told when the next trial is to come later */
const createSuspicion = (facts: Facts, pause: () => void): Suspicion => {
  const outcomes: boolean[] = []
  /** Asks anew from the first trial on: what comes next follows from how all before it came out. */
  const ask = (): { readonly k: number; readonly next: IteratorResult<Trial, boolean> } => {
    const weighing = weigh(facts)
    let next = weighing.next(false)
    let k = 0
    while (!next.done && k < outcomes.length) {
      next = weighing.next(outcomes[k] === true)
      k += 1
    }
    return { k, next }
  }
  return {
    wanted: () => {
      const { k, next } = ask()
      if (next.done) return undefined
      if (next.value.kind === 'later') pause()
      return { k: k + 1, trial: next.value }
    },
    tried: (k, isAccepted) => {
      outcomes[k - 1] = isAccepted
    },
    over: (k) => {
      outcomes[k - 1] ??= false
    },
    isConvicted: () => {
      let { k, next } = ask()
      while (!next.done) {
        outcomes[k] = false
        ;({ k, next } = ask())
      }
      return next.value
    },
  }
}

/** Quotas are not shown, so a refused creation counts only where a plain one still succeeds, or nothing is there to fill a quota. */
function* weigh(facts: Facts): Weighing {
  const { op } = facts
  if (facts.isExclusive && facts.isRemovable && facts.isEmpty) return facts.isBlank || (yield* isRefusedLater(facts))
  // Plain ones never were accepted, but one between refused ones was, although nothing was removed; where others may have removed something, again and again.
  const turns = facts.isExclusive && !facts.isRemovable ? 'sas' : 'sasasas'
  if (op.alike && facts.isUntried && facts.attempts.endsWith(turns)) return true
  // There may be room again by now, so the one that was refused is tried once more, between others that have it.
  const others: readonly Trial[] = [
    { kind: 'plain', op },
    ...(facts.before ? [{ kind: 'again', before: facts.before } as const] : []),
  ]
  for (const other of others) if (yield other) return yield* everyTime([{ kind: 'now' }, false], [other, true])
  return facts.isUntried && (yield* weighOthers(facts))
}

/** Whether creations of another form succeed where plain ones never did. */
function* weighOthers({ op, givesMore }: Facts): Weighing {
  // Something else that makes the same shows that there is room.
  const makers = operations.filter((one) => one.makes === op.makes && one !== op)
  for (const maker of makers) if (yield { kind: 'plain', op: maker }) return true
  // One that gives more, and succeeds again and again between plain ones that never did, shows that no quota refuses them.
  if (!givesMore) return false
  const fuller: Trial = { kind: 'full', op }
  return (yield fuller) && (yield* everyTime([{ kind: 'plain', op }, false], [fuller, true]))
}

/** Whether trials come out so again and again: what is counted in some time, of whatever kind, makes room by chance alone. */
function* everyTime(...trials: readonly (readonly [Trial, boolean])[]): Weighing {
  for (let times = 0; times < 3; times += 1)
    for (const [trial, expected] of trials) if ((yield trial) !== expected) return false
  return true
}

/** Whether what was refused still is after a while; a quota of all kinds together may have been used up by others. */
function* isRefusedLater({ hasPaused }: Facts): Weighing {
  if (yield { kind: 'now' }) return false
  return hasPaused || !(yield { kind: 'later' })
}

const mostAttempts = 7

const shapeOf = ({ id }: Operation, body: unknown): string =>
  `${id} ${Object.keys(body ?? {})
    .sort()
    .join(' ')}`

/** Creations in one place of an account share what quota there may be for it. */
const placeIn = (body: unknown): unknown => {
  const { region, cluster } = (isObject(body) ? body : {}) as Record<string, unknown>
  return region ?? cluster ?? ''
}

/** Whether anything is there that this history has made, or that was there without being named in the target file. */
const isFilled = (world: World, table: AnyTable): boolean => {
  const makers = new Set(operations.flatMap(({ makes, id }) => (makes === table ? [id] : [])))
  const mayFill = ({ since = {}, stub }: AnyEntity): boolean => {
    const givers = Object.values(since).map(({ by }) => by)
    return givers.some((by) => makers.has(by)) || (!stub && givers.length > 0 && !givers.includes(fromTargetFile))
  }
  return (live(world, table) as readonly AnyEntity[]).some(mayFill)
}

/** Whether a body has all the members of another one and more, so that it is that of no other kind. */
const givesMore = (one: object, other: object): boolean =>
  Object.keys(one).length > Object.keys(other).length && Object.keys(other).every((name) => name in one)

/** The members that a draft gives. */
const createPlainBodies = (environment: Environment, nonce: string) => {
  let names = 0
  const context: PlanContext = {
    environment,
    nonce,
    next: () => names++,
    certificate: () => ({ certificate: '', private_key: '' }),
  }
  return (draft: (plan: Plan) => Args): object => {
    let body: object = {}
    planProgram('to compare', context, (plan) => {
      body = draft(plan).body ?? {}
    })
    return body
  }
}
