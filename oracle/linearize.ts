// Judges calls that overlap in time: whether some order of them, consistent with real time, explains every reply; sends nothing.

import type { Known, OwnTime, Turn } from '../history/entry.js'
import { keysThatDiffer } from '../models/language/entries.js'
import { grouped } from '../models/language/grouped.js'
import { memoised } from '../models/language/memoised.js'
import type { AnyEntity, TableState, World } from '../models/language/world.js'
import { type Belief, type Observe, type Observed, observe } from './belief.js'
import { areIndependent } from './independence.js'
import { gates, type Judgement, type Observation } from './judgement.js'
import { asOne } from './surplus.js'
import { eitherWay } from './unfollowed.js'

/** A call with the time in which it took effect, if it did. Times have any unit and any origin. */
export interface TimedCall {
  readonly observation: Observation
  readonly startedAt: number
  readonly endedAt: number
  readonly turn?: Turn
  readonly own?: OwnTime
  readonly known?: Known
}

export interface Linearized {
  /** `inconclusive` where too many orders are possible to be followed. */
  readonly verdict: 'linearizable' | 'nonlinearizable' | 'inconclusive'
  /** The belief that all orders which explain the replies agree on. After a deviation the world follows the target. */
  readonly belief: Belief
  /** In the order of the calls given. */
  readonly judgements: readonly Judgement[]
  /** Indexes of the calls in an order that explains the replies; where none does, in one with the fewest deviations. */
  readonly order: readonly number[]
}

export interface LinearizeOptions {
  readonly observe?: Observe
  /** The most sets of calls of one size that are followed: 20 for six calls that all overlap. */
  readonly mostStates?: number
  /** The most worlds in which replies are judged, so that calls without a pause do not take minutes. */
  readonly mostWorlds?: number
}

export const defaultStates = 24
/** The most worlds in which replies of one set of calls are judged, and for each call: some milliseconds of work. */
const fewestWorlds = 1000
const worldsEach = 40
const mostHypotheses = 8

/** A call in an order, linked to those before it. */
interface Link {
  readonly i: number
  readonly judgement: Judgement
  readonly before: Link | undefined
}

/** A partial order: the calls that it has taken beyond those that all orders have, and the belief after them. */
interface State {
  readonly ahead: ReadonlySet<number>
  readonly belief: Belief
  readonly last: Link | undefined
  /** Deviations of the replies so far. */
  readonly faults: number
  /** Those that are laid to another operation than the one that replied. */
  readonly laid: number
  /** What was assumed to excuse other deviations. */
  readonly assumed: number
}

/** Judges a set of overlapping calls. Orders that have taken the same calls are followed together. */
export const linearize = (
  belief: Belief,
  calls: readonly TimedCall[],
  {
    observe: look = observe,
    mostStates = defaultStates,
    mostWorlds = fewestWorlds + worldsEach * calls.length,
  }: LinearizeOptions = {},
): Linearized => {
  const sent = calls.map((_, i) => i).sort((a, b) => at(calls, a).startedAt - at(calls, b).startedAt)
  let worlds = 0
  /** Extends an order by each of the calls. A call that changes nothing, or an eager read that fits, is taken alone, before all others. */
  const takeAll = (next: readonly number[], state: State, print: Print, isEager: boolean) => {
    const steps: Taken[] = []
    for (const i of next) {
      const { observation } = at(calls, i)
      const step = { state, i, op: observation.op.id, observed: look(state.belief, observation) }
      worlds += worldsFor(step)
      steps.push(step)
      if (isIdle(calls, step, print) || (isEager && isFitting(calls, step))) return [step]
    }
    return steps
  }
  /** All steps from all orders; too many where they come to more sets of calls than are followed. */
  const stepsFrom = ({ states, left, print }: Front, isStrict: boolean, isEager: boolean) => {
    const steps: Taken[] = []
    const sets = new Set<string>()
    for (const state of states) {
      const next = tangled(calls, left, state, nextOf(calls, left, state))
      const all = takeAll(next, state, print, isEager)
      const kept = isStrict ? all.filter(({ observed }) => !isFaulty(observed.judgement)) : all
      for (const step of kept) sets.add(keyOf(state, step.i))
      steps.push(...kept)
      if (worlds > mostWorlds || sets.size > mostStates) return 'too many'
    }
    return steps
  }
  const advance = (front: Front, isStrict: boolean, isEager: boolean): Front | 'none' | 'too many' => {
    const { states, left, print } = front
    const kept = stepsFrom(front, isStrict, isEager)
    if (kept === 'too many') return kept
    if (kept.length === 0) return 'none'
    const nextPrint = printerAfter(states) ?? print
    return settled({ states: merged(kept, nextPrint), left, print: nextPrint })
  }
  const follow = (isStrict: boolean, isEager: boolean): State | 'none' | 'too many' => {
    const states: readonly State[] = [{ ahead: new Set(), belief, last: undefined, faults: 0, laid: 0, assumed: 0 }]
    let front: Front | 'none' | 'too many' = { states, left: sent, print: printer(belief) }
    for (let size = 0; size < calls.length && typeof front === 'object'; size += 1)
      front = advance(front, isStrict, isEager)
    return typeof front === 'object' ? (front.states[0] as State) : front
  }
  // A read that fits is taken first: that it fits nearly always shows that it came no later.
  const eager = follow(true, true)
  const legal = eager === 'none' ? follow(true, false) : eager
  // If a reply is wrong in itself, the other calls are judged by all orders with as few deviations.
  const last = legal === 'none' ? follow(false, false) : legal
  if (last === 'too many' || last === 'none') return { verdict: 'inconclusive', belief, judgements: [], order: [] }
  const links = linksOf(last)
  const judgements = new Map(links.map(({ i, judgement }) => [i, judgement]))
  return {
    verdict: last === legal ? 'linearizable' : 'nonlinearizable',
    belief: last.belief,
    judgements: calls.map((_, i) => judgements.get(i) as Judgement),
    order: links.map(({ i }) => i),
  }
}

/** All orders that are followed, at one size. */
interface Front {
  readonly states: readonly State[]
  /** Calls that some order has yet to take, in the order in which they were sent. */
  readonly left: readonly number[]
  readonly print: Print
}

/** Worlds are told apart by what has changed since the latest that all of them come from. */
const printerAfter = ([only, ...others]: readonly State[]): Print | undefined =>
  only && others.length === 0 && only.belief.hypotheses.length === 1 ? printer(only.belief) : undefined

/** Drops the calls that every order has taken. */
const settled = (front: Front): Front => {
  const shared = sharedBy(front.states)
  if (shared.size === 0) return front
  const isLeft = (i: number): boolean => !shared.has(i)
  const states = front.states.map((one) => ({ ...one, ahead: new Set([...one.ahead].filter(isLeft)) }))
  return { ...front, states, left: front.left.filter(isLeft) }
}

const sharedBy = ([first, ...others]: readonly State[]): ReadonlySet<number> =>
  new Set([...(first?.ahead ?? [])].filter((i) => others.every(({ ahead }) => ahead.has(i))))

const linksOf = ({ last }: State): readonly Link[] => {
  const links: Link[] = []
  for (let link = last; link; link = link.before) links.push(link)
  return links.reverse()
}

interface Taken {
  readonly state: State
  readonly i: number
  /** The id of its operation. */
  readonly op: string
  readonly observed: Observed
}

const at = (calls: readonly TimedCall[], i: number): TimedCall => calls[i] as TimedCall

/** In how many worlds a reply was judged: if it is not right at once, also with each set of lost calls landed. */
const worldsFor = ({ state, observed: { judgement } }: Taken): number => {
  const isPlain = judgement.deviations.length === 0 && (judgement.assumed ?? []).length === 0
  return state.belief.hypotheses.reduce((sum, { pending }) => sum + (isPlain ? 1 : 2 ** pending.length), 0)
}

/** Whether a reply can't be explained. */
export const isFaulty = ({ deviations }: Judgement): boolean => deviations.some(gates)

/** Whether a read or a refusal fits and changes no belief, so that it may as well come now as after any other call. */
const isIdle = (
  calls: readonly TimedCall[],
  { state, i, observed: { belief, judgement } }: Taken,
  print: Print,
): boolean =>
  (at(calls, i).observation.op.method === 'GET' || judgement.accepted === false) &&
  judgement.deviations.length === 0 &&
  (judgement.assumed ?? []).length === 0 &&
  belief.hypotheses.length === state.belief.hypotheses.length &&
  belief.hypotheses.every(({ world, pending, assumed }, one) => {
    const before = state.belief.hypotheses[one]
    const isSame = before?.pending === pending && before.assumed.length === assumed.length
    return isSame && (before.world.tables === world.tables || print(before.world) === print(world))
  })

/** A read that fits only if others have changed something may as well have seen a call that is yet to be taken. */
const isFitting = (calls: readonly TimedCall[], { i, observed: { judgement } }: Taken): boolean =>
  at(calls, i).observation.op.method === 'GET' &&
  judgement.deviations.length === 0 &&
  (judgement.assumed ?? []).length === 0

/** Calls that may come next: those before whose start no other call that is left has ended, and whose turn it is. */
const nextOf = (calls: readonly TimedCall[], left: readonly number[], { ahead }: State): readonly number[] => {
  const next: number[] = []
  let firstEnd = Number.POSITIVE_INFINITY
  for (const i of left) {
    const { startedAt, endedAt } = at(calls, i)
    if (startedAt > firstEnd) break
    if (ahead.has(i)) continue
    next.push(i)
    firstEnd = Math.min(firstEnd, endedAt)
  }
  const waits = (i: number): boolean => next.some((other) => isBefore(at(calls, other), at(calls, i)))
  return next.filter((i) => at(calls, i).startedAt <= firstEnd && !waits(i)).sort((a, b) => a - b)
}

/**
 * A stubborn set of calls that may come next: one of them has to come before anything related to any of them, and calls outside of the
 * set may as well come later. Sets that were begun are finished first, so that differing orders soon have taken the same calls.
 */
const tangled = (
  calls: readonly TimedCall[],
  left: readonly number[],
  { ahead }: State,
  next: readonly number[],
): readonly number[] => {
  const isBegun = (i: number): boolean =>
    [...ahead].some((j) => !areIndependent(at(calls, j).observation, at(calls, i).observation))
  const first = next.find(isBegun) ?? next[0]
  return first === undefined
    ? next
    : tangle(
        calls,
        left.filter((i) => !ahead.has(i)),
        next,
        first,
      )
}

/** Of all calls that are related to each other, from the first one on, those that may come next. */
const tangle = (
  calls: readonly TimedCall[],
  open: readonly number[],
  next: readonly number[],
  first: number,
): readonly number[] => {
  const enabled = new Set(next)
  const all = new Set([first])
  /** The calls that a call which may not come next is waiting for. */
  const addAwaited = (one: TimedCall): void => {
    const awaited = next.filter((j) => at(calls, j).endedAt < one.startedAt || isBefore(at(calls, j), one))
    if (awaited[0] !== undefined && !awaited.some((j) => all.has(j))) all.add(awaited[0])
  }
  const addTied = (one: TimedCall): void => {
    for (const j of open) {
      const other = at(calls, j)
      if (other.startedAt > one.endedAt) return
      if (!all.has(j) && !isBefore(one, other) && !areIndependent(one.observation, other.observation)) all.add(j)
    }
  }
  for (const i of all) {
    if (enabled.has(i)) addTied(at(calls, i))
    else addAwaited(at(calls, i))
  }
  return next.filter((i) => all.has(i))
}

type Timed = Pick<TimedCall, 'turn' | 'own' | 'known'>

/**
 * Whether a call had been answered before another was sent, as far as turns, or times by one clock, tell; or took effect before, as it made
 * what the other uses.
 */
export const isBefore = (one: Timed, other: Timed): boolean =>
  (one.turn !== undefined && one.turn.lane === other.turn?.lane && one.turn.at < other.turn.at) ||
  (one.own !== undefined && one.own.clock === other.own?.clock && one.own.to < other.own.from) ||
  (one.known?.made !== undefined && other.known?.uses.has(one.known.made) === true)

/**
 * Of the orders that have taken the same calls, those with the fewest faults, followed as one. What is told of them is told of
 * the one that assumes the least: a refusal that another call made due needs no excuse.
 */
const merged = (steps: readonly Taken[], print: Print): readonly State[] => {
  const byCalls = new Map<string, State>()
  for (const step of steps) {
    const next = stateAfter(step)
    const key = keyOf(step.state, step.i)
    const before = byCalls.get(key)
    const excess = before ? faultsBeyond(next, before) : -1
    if (excess > 0) continue
    const told = before && excess === 0 && before.assumed <= next.assumed ? before : next
    const belief = before && excess === 0 ? united(before.belief, next.belief, print) : next.belief
    byCalls.set(key, { ...told, belief })
  }
  return [...byCalls.values()]
}

/** How many more faults one order has. A reply that is wrong in itself needs no other call to be wrong, in however many members. */
const faultsBeyond = (one: State, other: State): number => one.laid - other.laid || one.faults - other.faults

/** The calls that an order has taken once it takes one more. */
const keyOf = ({ ahead }: State, i: number): string => [...ahead, i].sort((a, b) => a - b).join()

const stateAfter = ({ state, i, op, observed: { belief, judgement } }: Taken): State => ({
  ahead: new Set(state.ahead).add(i),
  belief,
  last: { i, judgement, before: state.last },
  faults: state.faults + judgement.deviations.length,
  laid: state.laid + judgement.deviations.filter(({ operation }) => operation !== op).length,
  assumed: state.assumed + (judgement.assumed?.length ?? 0),
})

/**
 * The hypotheses that can be told apart, each once: what they differed in may be gone by now. Of those that differ in how sure
 * something is, what is sure in all stays so.
 */
export const distinct = (belief: Belief): Belief => {
  const [first] = belief.hypotheses
  if (!first || belief.hypotheses.length === 1) return belief
  const print: Print = (world) => fingerprint(world, first.world, printUnsure)
  return { ...belief, hypotheses: apart(belief.hypotheses, print, eitherWay) }
}

type Hypothesis = Belief['hypotheses'][number]

/** Hypotheses without those whose worlds are alike while one allows all that may still happen in the other. */
const apart = (
  hypotheses: readonly Hypothesis[],
  print: Print,
  join: (one: World, other: World) => World,
): readonly Hypothesis[] => {
  const groups = new Map<string, readonly Hypothesis[]>()
  for (const one of hypotheses) {
    const key = `${print(one.world)} ${one.assumed.length}`
    const known = groups.get(key) ?? []
    const i = known.findIndex((other) => allows(other, one) || allows(one, other))
    const other = known[i]
    const wider = other && allows(other, one) ? other : one
    groups.set(key, other ? known.with(i, { ...wider, world: join(other.world, one.world) }) : [...known, one])
  }
  return [...groups.values()].flat()
}

const allows = ({ pending }: Hypothesis, other: Hypothesis): boolean =>
  other.pending.every(({ n }) => pending.some((lost) => lost.n === n))

/** The belief with no more hypotheses than can be followed from one recorded call to the next. */
export const condensed = (belief: Belief): Belief =>
  belief.hypotheses.length > mostHypotheses
    ? { ...belief, hypotheses: few(distinct(belief).hypotheses).hypotheses }
    : belief

/** Of too many hypotheses, what holds in all that are alike; where that leaves too many, too, what holds in all. */
const few = (all: readonly Hypothesis[]) => {
  const groups = all.length > mostHypotheses ? alike(all) : all
  const overflow = groups.length > mostHypotheses
  return { hypotheses: overflow ? asOne(groups) : groups, overflow }
}

/** All hypotheses of both, each once. */
const united = (a: Belief, b: Belief, print: Print): Belief => {
  const { hypotheses, overflow } = few(apart([...a.hypotheses, ...b.hypotheses], print, (world) => world))
  return { ...a, hypotheses, overflow: a.overflow || b.overflow || overflow }
}

/** Of the hypotheses in which the same may still happen, what holds in all of them. */
const alike = (all: readonly Hypothesis[]): readonly Hypothesis[] => {
  const groups = grouped(all, ({ pending, assumed }) => [pending.map(({ n }) => n).sort(), assumed.length].join(' '))
  return [...groups.values()].map((group) => {
    const [first, ...others] = group as [Hypothesis, ...Hypothesis[]]
    return { ...first, world: others.reduce((world, other) => eitherWay(world, other.world), first.world) }
  })
}

type Print = (world: World) => string

/** Prints worlds that have come from one belief, each once. */
const printer = ({ hypotheses: [base] }: Belief): Print => memoised((world) => fingerprint(world, base?.world))

/** What tells two worlds apart: in what each differs from a third one. */
const fingerprint = (world: World, base: World | undefined, print: typeof printOf = printOf): string => {
  const changes: string[] = []
  for (const [name, state] of world.tables)
    for (const change of changesOf(state, base?.tables.get(name) ?? nothing, print)) changes.push(`${name} ${change}`)
  return changes.sort().join('\n')
}

const nothing: TableState = { live: new Map(), gone: [] }

const changesOf = (state: TableState, before: TableState, print: typeof printOf): readonly string[] => {
  if (state === before) return []
  const changes: string[] = []
  for (const key of keysThatDiffer(state.live, before.live)) {
    const [entity, known] = [state.live.get(key), before.live.get(key)]
    if (!entity) changes.push(`without ${key}`)
    else if (entity !== known && (!known || print(entity) !== print(known))) changes.push(print(entity))
  }
  const [buried, known] = [burials(state.gone), burials(before.gone)]
  return [...changes, ...only(buried, known), ...only(known, buried)]
}

/** The removed entities, each key with how often it was removed. */
const burials = memoised((gone: TableState['gone']): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  for (const { entity } of gone) counts.set(entity.key, (counts.get(entity.key) ?? 0) + 1)
  return new Set([...counts].map(([key, count]) => `${key} ${count}`))
})

const only = (some: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  some === others ? [] : [...some].filter((one) => !others.has(one))

const printOf = memoised(({ since: _, ...fields }: AnyEntity): string =>
  JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))),
)

/** The same for an entity of which it is not sure that it is there, and for one of which it is. */
const printUnsure = memoised(({ stub: _, ...entity }: AnyEntity): string => printOf(entity))
