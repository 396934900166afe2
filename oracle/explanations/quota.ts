// Decides whether a creation was refused for a quota, of which the document says nothing, or against the document: plans trials and reads them. Pure.

import { likeness } from '../../arbitraries/likeness.js'
import { planProgram } from '../../arbitraries/plan.js'
import type { PlanContext } from '../../arbitraries/plan-fixtures.js'
import { isAbsent } from '../../history/outcomes.js'
import type { Outcome } from '../../history/wire.js'
import { makerOf, operations, removerOf } from '../../models/index.js'
import { accountOf } from '../../models/language/access.js'
import type { Environment } from '../../models/language/environment.js'
import { getOrInsert } from '../../models/language/get-or-insert.js'
import { isObject } from '../../models/language/objects.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import type { Args, Plan } from '../../models/language/plan.js'
import { referencesOf } from '../../models/language/references.js'
import { type AnyEntity, fromTargetFile, live, type World } from '../../models/language/world.js'
import { clauseNamed, isOneOf } from '../clauses.js'
import type { Deviation, Judged } from '../judgement.js'
import type { Explanation } from './explanation.js'

export const quota: Explanation = {
  name: 'quota',
  refutes: 'a plain creation that is accepted between two refusals of this one, again and again',
  bound: 'creations that nothing else refuses, as long as something is there, or was, that could fill a quota',
}

/** A creation that would tell more; what it makes is removed again. */
export type Trial =
  /** The one that was refused. */
  | { readonly kind: 'now' }
  /** A new one of an operation. */
  | { readonly kind: 'plain' | 'full'; readonly op: Operation }
  /** One that was accepted before, under new names. */
  | { readonly kind: 'again'; readonly before: Judged }

type Weighing = Generator<Trial, boolean, boolean>

/** What was known about creations when one was refused. */
interface Facts {
  readonly op: Operation
  readonly isExclusive: boolean
  readonly isRemovable: boolean
  /** Nothing is there, or was, that could fill a quota of this kind; of no kind at all. */
  readonly isEmpty: boolean
  readonly isBlank: boolean
  /** Whether plain creations, as the draft makes them, have never been accepted. */
  readonly isUntried: boolean
  /** How plain ones have fared by turns: `r` refused, `a` accepted. */
  readonly attempts: string
  /** The latest that was accepted in the same place. */
  readonly before: Judged | undefined
  /** Creations of other kinds that the account was granted, the latest first. */
  readonly others: readonly Operation[]
  readonly givesMore: boolean
  /** The like was refused against the document, and there is no more now than then. */
  readonly isKnown: boolean
  /** It is answered as if the endpoint were not there, by a target that answers what it refuses otherwise. */
  readonly isNotThere: boolean
}

/** Whether a deviation may be the doing of a quota. */
export const mayBeQuota = ({ kind, clause }: Deviation): boolean =>
  (kind === 'refused' && (isOneOf(clause, 'accepts') || clauseNamed(clause)?.kind === 'some')) ||
  kind === 'refused-within' ||
  isOneOf(clause, 'refusal.field')

/** Follows the creations of a history. */
export const createQuotaWatch = (environment: Environment, nonce: string) => {
  const taken = new Set<string>()
  /** Tables in which any operation ever made, or may have made, something. */
  const made = new Set<string>()
  const attempts = new Map<string, string>()
  const accepted = new Map<string, Judged>()
  const granted = createGranted(environment)
  const ruledOut = createRuledOut(nonce)
  const statuses = createStatuses()
  const bodyOf = createPlainBodies(environment, nonce)
  /** The creations of one account: a quota of another account does not matter to it. */
  const attemptsOf = (id: string, sent: Judged): string => `${id} ${accountOf(environment, sent.call.as)}`

  /** Creations of one form in one place of an account. */
  const formOf = (sent: Judged): string =>
    `${attemptsOf(shapeOf(sent.op, sent.call.body), sent)} ${placeIn(sent.call.body)}`

  /** Notes what a call may have made, at whatever time: it may fill a quota even where it tells nothing else of one. */
  const noteMade = (sent: Judged): void => {
    if (!sent.op.makes || sent.judgement.accepted === false) return
    made.add(sent.op.id)
    granted.note(sent)
    ruledOut.forget(formOf(sent))
  }

  const noteAttempt = (sent: Judged, now: 'a' | 'r'): void => {
    const key = attemptsOf(sent.op.id, sent)
    const before = attempts.get(key) ?? ''
    if (!before.endsWith(now)) attempts.set(key, `${before}${now}`.slice(-mostAttempts))
  }

  /** Starts anew after any change of what may fill a quota. */
  const forgetAttempts = (sent: Judged): void => {
    for (const [, { table }] of referencesOf(sent.op)) {
      const maker = makerOf(table)
      if (maker) attempts.delete(attemptsOf(maker.id, sent))
    }
  }

  /** Notes how a creation fared, or that something else may have changed what fills a quota. */
  const note = (sent: Judged): void => {
    const { op, call, judgement } = sent
    const { accepted: isAccepted, suspect } = judgement
    if (op.method === 'GET') return
    statuses.note(sent)
    if (op.makes && isAccepted === true) {
      taken.add(shapeOf(op, call.body))
      accepted.set(`${attemptsOf(op.id, sent)} ${placeIn(call.body)}`, sent)
      noteAttempt(sent, 'a')
    } else if (op.makes && suspect) noteAttempt(sent, 'r')
    else if (isAccepted !== false) forgetAttempts(sent)
  }

  const factsOf = (sent: Judged, world: World, isKnown: boolean): Facts => {
    const { op, call } = sent
    const makers = operations.filter(({ makes }) => makes === op.makes)
    const bare = bodyOf(op.draft)
    return {
      op,
      isExclusive: environment.exclusive,
      isRemovable: op.makes !== undefined && removerOf(op.makes) !== undefined,
      // A quota may count creations in a period, so nothing must have been made before either.
      isEmpty: !makers.some(({ id }) => made.has(id)) && op.makes !== undefined && !isFilled(world, op.makes),
      isBlank: made.size === 0,
      isUntried: !taken.has(shapeOf(op, bare)),
      attempts: attempts.get(attemptsOf(op.id, sent)) ?? '',
      before: accepted.get(`${attemptsOf(op.id, sent)} ${placeIn(call.body)}`),
      others: granted.besides(sent),
      givesMore: op.full !== undefined && givesMore(bodyOf(op.full), bare),
      isKnown,
      isNotThere: isAbsent(sent.outcome) && statuses.isNotThere(op),
    }
  }

  const suspect = (sent: Judged, world: World): Suspicion => {
    const { op, call, outcome } = sent
    const form = formOf(sent)
    const there = op.makes ? live(world, op.makes, accountOf(environment, call.as)).length : 0
    const isKnown = ruledOut.has(form, outcome, there)
    const suspicion = createSuspicion(factsOf(sent, world, isKnown))
    if (!isKnown) ruledOut.weigh(form, outcome, there, suspicion)
    return suspicion
  }
  return { note, noteMade, suspect }
}

export type Suspicion = ReturnType<typeof createSuspicion>

/** A refused creation under suspicion, with the outcomes of what was tried. */
const createSuspicion = (facts: Facts) => {
  const outcomes: boolean[] = []
  /** Replays the outcomes from the first trial on, to find the next one. */
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
    /** What would tell more; undefined where all is told. */
    wanted: (): { readonly k: number; readonly trial: Trial } | undefined => {
      const { k, next } = ask()
      return next.done ? undefined : { k: k + 1, trial: next.value }
    },
    /** Notes the outcome of a trial. */
    tried: (k: number, isAccepted: boolean): void => {
      outcomes[k - 1] = isAccepted
    },
    /** Notes that a trial is over, whether or not anything was sent. */
    over: (k: number): void => {
      outcomes[k - 1] ??= false
    },
    /** Whether it was refused against the document; trials that were not made count as refused. */
    isAgainstDocument: (): boolean => {
      let { k, next } = ask()
      while (!next.done) {
        outcomes[k] = false
        ;({ k, next } = ask())
      }
      return next.value
    },
  }
}

/**
 * Remembers of which refusals a quota was ruled out: what is refused whatever there is room for is refused so again. It is forgotten once
 * one of the same form is accepted.
 */
const createRuledOut = (nonce: string) => {
  const weighed = new Map<string, Map<string, { readonly there: number; readonly suspicion: Suspicion }>>()
  const textOf = (outcome: Outcome): string => likeness(outcome, nonce)
  return {
    /** Whether a like creation was refused against the document when at least as many were there that a quota may count. */
    has: (form: string, outcome: Outcome, there: number): boolean => {
      const known = weighed.get(form)?.get(textOf(outcome))
      return known !== undefined && there <= known.there && known.suspicion.isAgainstDocument()
    },
    weigh: (form: string, outcome: Outcome, there: number, suspicion: Suspicion): void => {
      getOrInsert(weighed, form, () => new Map()).set(textOf(outcome), { there, suspicion })
    },
    forget: (form: string): void => void weighed.delete(form),
  }
}

/** Remembers which creations each account was granted. */
const createGranted = (environment: Environment) => {
  const granted = new Map<string, Set<Operation>>()
  const of = ({ call }: Judged) => getOrInsert(granted, accountOf(environment, call.as), () => new Set())
  return {
    note: (sent: Judged): void => {
      if (sent.judgement.accepted !== true) return
      const all = of(sent)
      all.delete(sent.op)
      all.add(sent.op)
    },
    /** Those of kinds other than that of a creation, the latest first, of what can be removed again. */
    besides: (sent: Judged): readonly Operation[] =>
      [...of(sent)]
        .filter(({ makes }) => makes !== undefined && makes !== sent.op.makes && removerOf(makes) !== undefined)
        .reverse()
        .slice(0, mostOthers),
  }
}

/** So many creations in a row have to be answered as if the endpoint were not there, and none ever taken. */
const enoughMissing = 3

/** Remembers how a target answers bodies that break a constraint, at operations that have taken others: so it may answer for a quota. */
const createStatuses = () => {
  const taken = new Set<string>()
  const missing = new Map<string, number>()
  const refused = new Map<string, Set<number>>()
  return {
    note: ({ op, outcome, judgement: { accepted, decisive = '', suspect } }: Judged): void => {
      const clause = clauseNamed(decisive)
      if (suspect && isAbsent(outcome)) missing.set(op.id, (missing.get(op.id) ?? 0) + 1)
      if (accepted === true) taken.add(op.id)
      else if ('status' in outcome && clause?.kind === 'constraint' && clause.place === 'body')
        getOrInsert(refused, op.id, () => new Set()).add(outcome.status)
    },
    /** Whether an operation is not there, on a target that answers otherwise what it refuses. */
    isNotThere: ({ id }: Operation): boolean => {
      const known = [...refused].flatMap(([other, some]) => (taken.has(other) ? [...some] : []))
      const isMissing = !taken.has(id) && (missing.get(id) ?? 0) >= enoughMissing
      return isMissing && known.length > 0 && !known.includes(404)
    },
  }
}

/** Quotas are not shown, so a refused creation counts only where a plain one still succeeds, or nothing is there to fill a quota. */
function* weigh(facts: Facts): Weighing {
  const { op } = facts
  if (facts.isKnown || facts.isNotThere) return true
  if (facts.isExclusive && facts.isRemovable && facts.isEmpty)
    return facts.isBlank || (yield* isRefusedBetween(facts.others))
  // Plain creations were never accepted, but the other form was, between refused ones and with nothing removed. If others may remove
  // things, this must repeat.
  const turns = facts.isExclusive && !facts.isRemovable ? 'rar' : 'rararar'
  if (op.alike && facts.isUntried && facts.attempts.endsWith(turns)) return true
  // There may be room again by now, so the refused creation is tried once more, between others that find room.
  const others: readonly Trial[] = [
    { kind: 'plain', op },
    ...(facts.before ? [{ kind: 'again', before: facts.before } as const] : []),
  ]
  for (const other of others) if (yield other) return yield* everyTime([{ kind: 'now' }, false], [other, true])
  return facts.isUntried && (yield* weighOthers(facts))
}

/** Whether creations of another form succeed where plain ones never did. */
function* weighOthers({ op, givesMore }: Facts): Weighing {
  // Another operation that makes the same kind shows that there is room.
  const makers = operations.filter((one) => one.makes === op.makes && one !== op)
  for (const maker of makers) if (yield { kind: 'plain', op: maker }) return true
  // If a creation with more members succeeds again and again between plain ones that never do, no quota refuses these.
  if (!givesMore) return false
  const fuller: Trial = { kind: 'full', op }
  return (yield fuller) && (yield* everyTime([{ kind: 'plain', op }, false], [fuller, true]))
}

/** Whether trials come out in this way again and again: a quota over a period would make room only by chance. */
function* everyTime(...trials: readonly (readonly [Trial, boolean])[]): Weighing {
  for (let times = 0; times < 3; times += 1)
    for (const [trial, expected] of trials) if ((yield trial) !== expected) return false
  return true
}

/**
 * Whether the creation is refused between some of another kind that are accepted, where nothing of its own kind was ever made. Otherwise
 * others may have used up a quota over all kinds, for good if it counts what was removed.
 */
function* isRefusedBetween(others: readonly Operation[]): Weighing {
  for (const op of others) {
    const other: Trial = { kind: 'plain', op }
    if (yield other) return yield* everyTime([{ kind: 'now' }, false], [other, true])
  }
  return false
}

const mostAttempts = 7

/** So many kinds are tried for one that has room. */
const mostOthers = 3

const shapeOf = ({ id }: Operation, body: unknown): string =>
  `${id} ${Object.keys(body ?? {})
    .sort()
    .join(' ')}`

/** Names the place of a creation: all in one place of an account share its quota. */
export const placeIn = (body: unknown): unknown => {
  const { region, cluster } = isObject(body) ? body : {}
  return region ?? cluster ?? ''
}

/** Whether anything exists that this history has made, or that the target file does not name. */
const isFilled = (world: World, table: AnyTable): boolean => {
  const makers = new Set(operations.flatMap(({ makes, id }) => (makes === table ? [id] : [])))
  const mayFill = ({ since = {}, stub }: AnyEntity): boolean => {
    const givers = Object.values(since).map(({ by }) => by)
    return givers.some((by) => makers.has(by)) || (!stub && givers.length > 0 && !givers.includes(fromTargetFile))
  }
  return live(world, table).some(mayFill)
}

/** Whether a body has all members of another body and more, so that both create the same kind. */
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
