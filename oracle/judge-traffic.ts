// Judges recorded traffic: calls may overlap, little may be known of their callers, and other clients may act unrecorded.

import { type BlankEntry, type CallEntry, type Entry, isTimed } from '../history/entry.js'
import type { Recording } from '../history/recording.js'
import { unknownToken } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { grouped } from '../models/language/grouped.js'
import type { World } from '../models/language/world.js'
import { inDoubt, startWorld } from '../models/start.js'
import { adjusted, anew, type Belief, believe, type Observe, patiently } from './belief.js'
import { createBlamer } from './blame.js'
import { condensed } from './condensing.js'
import { type Counting, createCounting, rulesFor } from './counting.js'
import { type IsFirm, observeAmongOthers } from './explanations/interference.js'
import { createIdWatch } from './explanations/interference-ids.js'
import { createNodeWatch, type IsThere, nodesIn } from './explanations/interference-nodes.js'
import { type KnownLag, lateAtLast, type MayYetShow } from './explanations/lag-in-traffic.js'
import { lagging, laggingOf } from './explanations/lag-of-lists.js'
import { remembering } from './explanations/missing-calls.js'
import { expiring } from './explanations/token.js'
import { createTokenWatch } from './explanations/token-watch.js'
import { hooked } from './fold.js'
import { forked } from './forked.js'
import { createFinder, type Finder, type JudgedHistory, type Trail, verdictOf } from './found.js'
import { guarded } from './guarded.js'
import { areIndependent } from './independence.js'
import { createInferredCaller, withInferredCaller } from './inferred-caller.js'
import type { Judged, Judgement, Observation } from './judgement.js'
import { judgePatiently } from './late-beside.js'
import { observe } from './observe.js'
import { besideOthers, groupsIn, windowsOf } from './windows.js'
import { isWrite, overAt } from './writes.js'

/** What is known of traffic before its first call. */
export type TrafficSetting = Pick<Recording, 'kind' | 'environment' | 'nonce' | 'listLagMs' | 'mayLack'>

/** Traffic that is judged piece by piece. */
export type Traffic = ReturnType<typeof goOn>

/**
 * Judges each party's calls in a world of its own, for only calls of one party are known to reach the same account.
 * @param finder keeps the findings and reports each once; a finder that already has some reports them as well
 * @param mayYetShow of a step that may have been late; by default no call is to come
 * @param known how late earlier traffic has shown the target to be; what is learnt is added to it
 */
export const judgeTraffic = (
  recording: Recording,
  finder = createFinder(),
  mayYetShow: MayYetShow = () => false,
  known?: KnownLag,
): JudgedHistory => {
  const traffic = openTraffic(recording, finder, known)
  const { events, late = [] } = recording
  traffic.take([...late, ...events.filter(isTimed)].sort((a, b) => a.startedAt - b.startedAt))
  const judged = traffic.judged(mayYetShow)
  const own = judged.steps.filter(({ n }) => !late.some((one) => one.n === n))
  return { ...judged, steps: own }
}

/** Opens traffic of which pieces are to come. @param forgottenAt when the latest call was over that is not known any more */
export const openTraffic = (
  setting: TrafficSetting,
  finder = createFinder(),
  known?: KnownLag,
  forgottenAt?: number,
): Traffic =>
  goOn(setting, {
    finder,
    counting: createCounting(finder, rulesFor(finder, known, forgottenAt)),
    common: nothingInCommon(),
    parties: new Map(),
    steps: [],
    unordered: [],
  })

/** All that is kept from one piece to the next. */
interface Kept {
  readonly finder: Finder
  readonly counting: Counting
  readonly common: Common
  readonly parties: Map<string, ReturnType<typeof createParty>>
  readonly steps: Judged[]
  readonly unordered: number[]
}

const goOn = (setting: TrafficSetting, kept: Kept) => {
  const { finder, counting, common, parties, steps, unordered } = kept
  return {
    /** Takes in calls that were sent after all before had ended, in the order of sending; returns what was judged. */
    take: (events: readonly Entry[]): readonly Judged[] => {
      const pieces = byParty(events, setting)
      counting.note(events)
      noteCommon(common, events, pieces, setting)
      for (const [name, own] of pieces) {
        getOrInsert(parties, name, () => createParty(name, setting)).note(own)
      }
      const before = steps.length
      for (const [name, own] of pieces) {
        const judged = parties.get(name)?.judge(own, kept)
        for (const step of judged?.steps ?? []) steps.push(step)
        for (const n of judged?.unordered ?? []) unordered.push(n)
      }
      return steps.slice(before)
    },
    judged: (mayYetShow: MayYetShow = () => false): JudgedHistory => {
      const sorted = [...steps].sort((a, b) => a.n - b.n)
      return {
        steps: counting.close(sorted, mayYetShow),
        found: finder.all(),
        held: [],
        unordered: [...unordered],
        assumed: [],
      }
    },
    /** How late the target has been seen to be. */
    known: counting.known,
    /** Steps that may have been late, of which calls to come may still tell. */
    held: counting.held,
    /** Goes on with those that other traffic held that is forgotten. */
    hold: counting.hold,
    /** Lets go of the steps so far, so that only later ones are told. */
    drop: (): void => {
      steps.length = 0
      unordered.length = 0
    },
    /** A copy that goes on from here and leaves this one as it is. @param finds where it reports to; by default a copy as well */
    fork: (finds = finder.fork()) =>
      goOn(setting, {
        finder: finds,
        counting: counting.fork(finds),
        common: { ...forked(common), nodes: common.nodes.fork(), ids: common.ids.fork(), tokens: common.tokens.fork() },
        parties: new Map([...parties].map(([name, party]) => [name, party.fork()])),
        steps: [...steps],
        unordered: [...unordered],
      }),
  }
}

/** What each call concerns, in the order of the calls. */
const byParty = (events: readonly Entry[], { kind, environment }: TrafficSetting) =>
  grouped(events, (event) => (kind === 'run' ? known : partyOf(event, environment)))

/** The parties of a recording: the tokens of the target file together, every other credential by itself. */
const partyOf = (event: Entry, { tokens }: Environment): string => {
  if (event.kind === 'hook') return known
  const as = event.kind === 'call' ? event.call.as : event.as
  return as === null ? nobody : tokens.some(({ name }) => name === as) ? known : as
}

const known = 'known'
const nobody = 'nobody'

/** What is known of a party whose account is unknown: that it has one, and the facts that belong to no account. */
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

/** A write, as far as it matters to other parties. */
interface Beside {
  readonly party: string
  readonly write: CallEntry | BlankEntry
  readonly overAt: number
}

/** Facts about the time of a call, from all parties together. */
type Common = ReturnType<typeof nothingInCommon>

const nothingInCommon = () => ({
  /** In the order in which they were sent. */
  writes: [] as Beside[],
  startOf: new Map<number, number>(),
  /** Numbers of lists that may not show yet what was written, with how many writes these are. */
  late: new Map<number, number>(),
  /** Writes that lists to come need not show yet. */
  recent: [] as readonly Entry[],
  nodes: createNodeWatch(),
  ids: createIdWatch(),
  tokens: createTokenWatch(),
})

const noteCommon = (
  common: Common,
  events: readonly Entry[],
  pieces: ReadonlyMap<string, readonly Entry[]>,
  { listLagMs }: TrafficSetting,
): void => {
  for (const { n, startedAt } of events) common.startOf.set(n, startedAt)
  common.nodes.note(events)
  common.ids.note(events)
  common.tokens.note(events)
  const latest = [...common.recent, ...events]
  for (const [n, writes] of laggingOf(latest, listLagMs)) common.late.set(n, writes)
  const now = events.at(-1)?.startedAt ?? 0
  if (listLagMs > 0) common.recent = latest.filter(isWrite).filter((one) => overAt(one) + listLagMs >= now)
  const told = [...pieces].flatMap(([party, own]) =>
    own.filter(isWrite).map((write) => ({ party, write, overAt: overAt(write) })),
  )
  for (const one of told.sort((a, b) => a.write.startedAt - b.write.startedAt)) common.writes.push(one)
}

interface PieceJudged {
  readonly steps: readonly Judged[]
  readonly unordered: readonly number[]
}

/** What is believed of a party's world, and since when. */
interface State {
  readonly belief: Belief
  /** What is believed where the trail begins: before the first call, or once all is forgotten. */
  readonly first: Belief
  readonly trail: Judged[]
  readonly blamer: ReturnType<typeof createBlamer>
}

/** The longest trail of calls that a finding is looked for in, more or less. */
const longestTrail = 4096

/** Parties whose calls reach the same account, and what is believed of its world. */
const createParty = (
  name: string,
  setting: TrafficSetting,
  from?: {
    readonly state: State
    readonly rights: ReturnType<typeof createInferredCaller>
    readonly ours: Set<number>
  },
) => {
  const environment = environmentOf(name, setting.environment)
  const { ours = new Set<number>(), rights = createInferredCaller(name, environment) } = from ?? {}
  const startWith = (nonce: string): World => startWorld(environment, { adopting: setting.kind === 'traffic', nonce })
  // A recorded run has sent late reads again itself.
  const believed = setting.kind === 'traffic' ? patiently : (belief: Belief): Belief => belief
  const afresh = (first: Belief): State => ({
    belief: believed(first),
    first,
    trail: [],
    blamer: createBlamer(),
  })
  let state = from?.state ?? afresh(believe(startWith(setting.nonce)))
  // Only while nothing is forgotten is it known that a name made in the run was given to nothing.
  const forget = (): void => {
    const { belief } = state
    state = afresh(believe(inDoubt(startWith(''))))
    state = { ...state, belief: anew(state.belief, belief) }
  }
  const take = ({ counting }: Kept, event: CallEntry, judgement: Judgement, look: Observe): Judged => {
    const { deviations: spotted, write } = state.blamer.hear({ ...event, judgement })
    const { verdict, held } = judgement
    const step: Judged = { ...event, judgement, verdict, held, deviations: spotted }
    const { first, trail } = state
    trail.push(step)
    const trailOf = (): Trail => ({ start: first, steps: [...trail], look })
    const single = counting.hear(step, { trailOf, adding: { doer: write }, look })
    // A recorded run has walked over lists itself.
    const walked = setting.kind === 'traffic' ? counting.walked(step, trailOf) : []
    const deviations = [...single, ...walked]
    if (trail.length > 2 * longestTrail) state = { ...state, trail: trail.slice(-longestTrail) }
    return { ...step, deviations, verdict: verdictOf({ judgement, deviations }) }
  }
  const takeGroup = (kept: Kept, group: readonly CallEntry[], look: Observe, beside: Observe): PieceJudged => {
    const judged = judgePatiently(state.belief, group, { look, beside, first: () => state.first })
    state = { ...state, belief: condensed(judged.belief) }
    const steps = judged.calls.map((call, i) => take(kept, call, judged.judgements[i] as Judgement, look))
    // After a write that cannot be followed, or once too much is open, nothing known before is known any more.
    if (judged.isForgotten || state.belief.overflow) forget()
    return { steps, unordered: judged.unordered }
  }
  const judge = (own: readonly Entry[], kept: Kept): PieceJudged => {
    const lookAt = createLook(name, setting, kept.common, ours)
    const pieces = windowsOf(own).map((window): readonly PieceJudged[] => {
      const [event] = window
      if (event?.kind === 'hook') state = { ...state, belief: adjusted(state.belief, hooked(event)) }
      const hasBlank = window.some(({ kind }) => kind === 'blank')
      if (hasBlank) forget()
      const calls = window.filter((one): one is CallEntry => one.kind === 'call')
      const groups = groupsIn(calls)
      const look = withRights(name, rights, lookAt(groups))
      const beside = besideOthers(calls, look)
      const judged = groups.map((group) => takeGroup(kept, group, look, beside))
      if (hasBlank) forget()
      return judged
    })
    const all = pieces.flat()
    return { steps: all.flatMap(({ steps }) => steps), unordered: all.flatMap(({ unordered }) => unordered) }
  }
  return {
    /** Infers from the calls who the caller is and what it may do. */
    note: (own: readonly Entry[]): void => {
      for (const { kind, n } of own) if (kind === 'call') ours.add(n)
      rights.note(own)
    },
    judge,
    fork: () =>
      createParty(name, setting, {
        state: { ...forked(state), blamer: state.blamer.fork() },
        rights: rights.fork(),
        ours: new Set(ours),
      }),
  }
}

/** What a credential may do can be inferred only where all calls carry the same one. */
const withRights = (name: string, rights: ReturnType<typeof createInferredCaller>, look: Observe): Observe =>
  [known, nobody, unknownToken].includes(name) ? look : withInferredCaller(rights.at, look)

/** How the calls of a party in one window are taken in, group by group: allowing for what others could have changed. */
const createLook = (
  party: string,
  { kind, mayLack }: TrafficSetting,
  { writes, startOf, late, nodes, ids, tokens }: Common,
  ours: ReadonlySet<number>,
): ((groups: readonly (readonly CallEntry[])[]) => Observe) => {
  if (kind === 'run') return () => guarded(observe)
  const others: Beside[] = []
  let at = 0
  const firm = new Map<number, IsFirm>()
  /** One function for each moment, by which what it leaves is known. */
  const firmAfter = (latest: number): IsFirm => {
    const isFirm: IsFirm =
      firm.get(latest) ?? ((step) => ours.has(step) && (startOf.get(step) ?? Number.NEGATIVE_INFINITY) > latest)
    firm.set(latest, isFirm)
    return isFirm
  }
  return (groups) => {
    const until = Math.max(...groups.flat().map(({ endedAt }) => endedAt))
    // Calls of groups that come later may have been sent before.
    const namedIn = new Map<number, ReadonlySet<number>>()
    const nodesNamedIn = (step: number): ReadonlySet<number> => {
      const left = groups.slice(groups.findIndex((group) => group.some(({ n }) => n === step)) + 1).flat()
      return new Set(left.filter(({ n }) => n < step).flatMap(nodesIn))
    }
    const isThere = (step: number): IsThere => {
      const isSeen = nodes.since(startOf.get(step) ?? Number.POSITIVE_INFINITY)
      return (node) => isSeen(node) || getOrInsert(namedIn, step, () => nodesNamedIn(step)).has(node)
    }
    for (let next = writes[at]; next && next.write.startedAt <= until; next = writes[at]) {
      if (next.party !== party) others.push(next)
      at += 1
    }
    const known = others.length
    const bounds = new Map<number, number>()
    /** When the last related write of another party was over. Unrelated writes do not matter to a call. */
    const boundOf = (observation: Observation): number => {
      let latest = Number.NEGATIVE_INFINITY
      for (let i = 0; i < known; i += 1) {
        const one = others[i] as Beside
        if (one.overAt > latest && mayMatter(one, observation)) latest = one.overAt
      }
      return latest
    }
    const boundFor = (observation: Observation): number =>
      getOrInsert(bounds, observation.n, () => boundOf(observation))
    const amongOthers = observeAmongOthers({
      firmFor: (observation) => firmAfter(boundFor(observation)),
      isShared: (observation) => boundFor(observation) > Number.NEGATIVE_INFINITY,
      isThere,
      givesAgain: ids.givesAgain,
    })
    const look = guarded(expiring(tokens.isAlone, lagging(late, lateAtLast(amongOthers))))
    return mayLack ? remembering(look) : look
  }
}

const mayMatter = ({ write }: Beside, observation: Observation): boolean =>
  write.kind === 'blank' || !areIndependent(write, observation)
