// Judges recorded traffic: calls that may overlap, of callers of whom little may be known, beside clients that were not recorded.

import { type CallEntry, type Entry, isTimed, type Surely } from '../history/entry.js'
import type { Recording } from '../history/recording.js'
import { operationById } from '../models/index.js'
import { unknownToken } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { startWorld } from '../models/start.js'
import { adjusted, type Belief, believe, observe } from './belief.js'
import { createBlamer } from './blame.js'
import { type IsFirm, observeAmongOthers } from './explanations/interference.js'
import { createNodeWatch } from './explanations/interference-nodes.js'
import { isWrite, lagging, laggingOf, overAt } from './explanations/lag.js'
import { overlapping } from './explanations/overlap.js'
import { createQuotaFilter } from './explanations/quota-in-traffic.js'
import { expiring } from './explanations/token.js'
import { hooked } from './fold.js'
import { createFinder, type JudgedHistory, type Trail, verdictOf } from './found.js'
import { guarded, undecided } from './guarded.js'
import { createInferredCaller, withInferredCaller } from './inferred-caller.js'
import type { Judged, Judgement } from './judgement.js'
import { isBefore, linearize } from './linearize.js'
import type { Observe } from './shrink.js'

/** Those who may be told apart: the target file's tokens together, every other credential by itself. */
const partyOf = (event: Entry, { tokens }: Environment): string => {
  if (event.kind === 'hook') return known
  const as = event.kind === 'call' ? event.call.as : event.as
  return as === null ? nobody : tokens.some(({ name }) => name === as) ? known : as
}

const known = 'known'
const nobody = 'nobody'

/**
 * Judges each party's calls in a world of its own: whether what they reach is the same is known within a party alone.
 * @param finder keeps what is found, and tells each finding once; one that has some from before tells them as well
 */
export const judgeTraffic = (recording: Recording, finder = createFinder()): JudgedHistory => {
  const { environment } = recording
  const events = recording.events.filter(isTimed)
  const quotaFilter = createQuotaFilter(events, finder)
  const parties = new Map<string, Entry[]>()
  for (const event of events) {
    const party = recording.kind === 'run' ? known : partyOf(event, environment)
    const own = parties.get(party)
    if (own) own.push(event)
    else parties.set(party, [event])
  }
  const look = createLook(recording, events)
  const steps: Judged[] = []
  const unordered: number[] = []
  for (const [party, own] of parties) {
    const ours = new Set(own)
    const others = events.filter((event) => !ours.has(event))
    const told = environmentOf(party, environment)
    const lookAt = inferredFor(party, told, own, look(own, others))
    const judged = judgeParty(recording, told, own, lookAt, finder, quotaFilter)
    steps.push(...judged.steps)
    unordered.push(...judged.unordered)
  }
  const sorted = steps.sort((a, b) => a.n - b.n)
  return { steps: quotaFilter.close(sorted), found: finder.all(), held: [], unordered }
}

/** What is known where a party's account is not: the facts that belong to no account, and that there is one. */
const environmentOf = (party: string, environment: Environment): Environment => {
  if (party === known) return environment
  const { regions, clusters } = environment.fixtures
  return {
    ...environment,
    accounts: party === nobody || party === unknownToken ? [] : [{ name: party }],
    users: [],
    tokens: [],
    fixtures: { ...(regions && { regions }), ...(clusters && { clusters }) },
  }
}

/** Only where all calls have one credential do they tell what it may do. */
const inferredFor = (party: string, environment: Environment, own: readonly Entry[], lookAt: LookAt): LookAt => {
  if ([known, nobody, unknownToken].includes(party)) return lookAt
  const environmentAt = createInferredCaller(party, environment, own)
  return (until) => withInferredCaller(environmentAt, lookAt(until))
}

type LookAt = (until: number) => Observe

type Look = (own: readonly Entry[], others: readonly Entry[]) => LookAt

/** How calls of a party are taken in that have ended by then: with reserve about what others could have changed. */
const createLook = (recording: Recording, events: readonly Entry[]): Look => {
  if (recording.kind === 'run') return () => () => guarded(observe)
  const isLate = laggingOf(events, recording.listLagMs)
  const watch = createNodeWatch(events)
  const startOf = new Map(events.map(({ n, startedAt }) => [n, startedAt]))
  const isThere = (step: number) => watch(startOf.get(step) ?? Number.POSITIVE_INFINITY)
  return (own, others) => {
    const ours = new Set(own.flatMap((event) => (event.kind === 'call' ? [event.n] : [])))
    const writes = others.filter(isWrite).sort((a, b) => a.startedAt - b.startedAt)
    return (until) => {
      const bound = writes
        .filter(({ startedAt }) => startedAt <= until)
        .reduce((latest, write) => Math.max(latest, overAt(write)), Number.NEGATIVE_INFINITY)
      const isFirm: IsFirm = (step) => ours.has(step) && (startOf.get(step) ?? Number.NEGATIVE_INFINITY) > bound
      return guarded(expiring(lagging(isLate, observeAmongOthers({ isFirm, isThere }))))
    }
  }
}

const judgeParty = (
  { kind, nonce }: Recording,
  environment: Environment,
  events: readonly Entry[],
  lookAt: LookAt,
  finder: ReturnType<typeof createFinder>,
  quotaFilter: ReturnType<typeof createQuotaFilter>,
): { readonly steps: readonly Judged[]; readonly unordered: readonly number[] } => {
  let isOurs = nonce
  const first = (): Belief => believe(startWorld(environment, { adopting: kind === 'traffic', nonce: isOurs }))
  const steps: Judged[] = []
  const unordered: number[] = []
  const blamer = createBlamer('traffic')
  let belief = first()
  let trail: Judged[] = []
  const forget = (): void => {
    // That a name made in the run was given to nothing is known only while nothing is forgotten.
    isOurs = ''
    belief = first()
    trail = []
    blamer.forget()
  }
  const take = (event: CallEntry, judgement: Judgement, look: Observe): void => {
    const { deviations: spotted, write } = blamer.hear({ ...event, judgement })
    const { verdict, held } = judgement
    const step: Judged = { ...event, judgement, verdict, held, deviations: spotted }
    trail.push(step)
    const trailOf = (): Trail => ({ start: first(), steps: [...trail], look })
    const deviations = quotaFilter.hear(step, trailOf)
    finder.add(deviations, trailOf, { doer: write })
    steps.push({ ...step, deviations, verdict: verdictOf({ judgement, deviations }) })
  }
  for (const window of windowsOf(events)) {
    const [event] = window
    if (event?.kind === 'hook') belief = adjusted(belief, hooked(event))
    if (window.some(isBlank)) forget()
    const calls = window.filter((one): one is CallEntry => one.kind === 'call')
    const look = lookAt(Math.max(...calls.map(({ endedAt }) => endedAt)))
    const judged = judgeWindow(belief, calls, look, first)
    belief = judged.belief ?? belief
    for (const [i, call] of judged.calls.entries()) take(call, judged.judgements[i] as Judgement, look)
    if (!judged.belief) unordered.push(...calls.map(({ n }) => n))
    // What was known before a write that can't be followed, or before too much was left open, is not known any more.
    if (!judged.belief || belief.overflow || window.some(isBlank)) forget()
  }
  return { steps, unordered }
}

const isBlank = ({ kind }: Entry): boolean => kind === 'blank'

interface JudgedWindow {
  /** Undefined where the calls could not be put in order. */
  readonly belief: Belief | undefined
  /** In the order in which they explain each other. */
  readonly calls: readonly CallEntry[]
  readonly judgements: readonly Judgement[]
}

/** Judges calls that overlap; reads alone are as good in one order as in another, while no lost write may land between them. */
const judgeWindow = (
  belief: Belief,
  calls: readonly CallEntry[],
  look: Observe,
  afresh: () => Belief,
): JudgedWindow => {
  const isSettled = belief.hypotheses.every(({ pending }) => pending.length === 0)
  if (calls.length < 2 || (isSettled && calls.every(({ op }) => op.method === 'GET'))) {
    let after = belief
    const judgements = calls.map((event) => {
      const observed = look(after, event, operationById)
      after = observed.belief
      return observed.judgement
    })
    return { belief: after, calls, judgements }
  }
  const timed = calls.map((event) => ({ observation: event, ...event }))
  const {
    verdict,
    order,
    judgements,
    belief: after,
  } = linearize(belief, timed, operationById, { observe: besideOthers(calls, look) })
  if (verdict === 'inconclusive') {
    const alone = overlapping(look)
    return { belief: undefined, calls, judgements: calls.map((event) => inItself(event, belief, afresh(), alone)) }
  }
  return {
    belief: after,
    calls: order.map((i) => calls[i] as CallEntry),
    judgements: order.map((i) => judgements[i] as Judgement),
  }
}

/** Takes in those calls with reserve that were sent at the same time as a write; the others may only seem to be, for their times are not exact. */
const besideOthers = (calls: readonly CallEntry[], look: Observe): Observe => {
  const beside = new Set(
    calls
      .filter((one) => calls.some((other) => other !== one && isWrite(other) && areTogether(one, other)))
      .map(({ n }) => n),
  )
  const reserved = overlapping(look)
  return (belief, observation, lookup) => (beside.has(observation.n) ? reserved : look)(belief, observation, lookup)
}

const areTogether = (one: CallEntry, other: CallEntry): boolean => {
  const [a, b] = [one, other].map(({ surely, startedAt, endedAt }) => surely ?? { from: startedAt, to: endedAt }) as [
    Surely,
    Surely,
  ]
  return a.from <= b.to && b.from <= a.to
}

/** What is wrong with a call whatever came before it. */
const inItself = (event: CallEntry, belief: Belief, afresh: Belief, look: Observe): Judgement => {
  const { deviations, verdict } = look(afresh, event, operationById).judgement
  return { ...undecided(belief), deviations, verdict: deviations.length > 0 ? verdict : 'inconclusive' }
}

/** Events cut where all that were sent before were over; a hook stands alone. */
const windowsOf = (events: readonly Entry[]): readonly (readonly Entry[])[] => {
  const windows: Entry[][] = []
  let last = -1
  for (const [i, event] of events.entries()) {
    const window = windows.at(-1)
    const isApart = i > last || event.kind === 'hook' || window?.[0]?.kind === 'hook'
    if (window && !isApart) window.push(event)
    else windows.push([event])
    last = Math.max(isApart ? i : last, lastBeside(events, i))
  }
  return windows
}

/** The place of the last event that may have been sent while this one was under way. */
const lastBeside = (events: readonly Entry[], i: number): number => {
  const one = events[i] as Entry
  let next = i + 1
  while ((events[next]?.startedAt ?? Number.POSITIVE_INFINITY) <= one.endedAt) next += 1
  for (let last = next - 1; last > i; last -= 1) if (!comesBefore(one, events[last] as Entry)) return last
  return i
}

const comesBefore = (one: Entry, other: Entry): boolean =>
  one.kind !== 'hook' && other.kind !== 'hook' && isBefore(one, other)
