// Judges calls that overlap in time: whether some order of them, consistent with real time, explains every reply; sends nothing.

import { bodyOf, isAccepted } from '../history/outcomes.js'
import { recordsIn } from '../history/pages.js'
import { accountOf } from '../models/language/access.js'
import { memoised } from '../models/language/memoised.js'
import { omit } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { referencesOf } from '../models/language/references.js'
import { type AnyEntity, find } from '../models/language/world.js'
import { type Belief, type Observe, type Observed, worldOf } from './belief.js'
import { isAsKnown, type Print, printer, united } from './condensing.js'
import { keyNamed } from './facts.js'
import { reachedBy } from './independence.js'
import { gates, type Judgement, type Observation } from './judgement.js'
import { observe } from './observe.js'
import { at, isBefore, nextOf, type TimedCall, tangled } from './precedence.js'

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

/**
 * A long set of calls that has too many orders in its midst is not followed up to there for long: the worlds of calls that come more than
 * so many later are not used before.
 */
const callsAhead = 64

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
  /** The most worlds by the time that orders have taken so many calls. */
  let mostNow = mostWorlds
  /** Extends an order by each of the calls. A call that changes nothing, or an eager read that fits, is taken alone, before all others. */
  const takeAll = (next: readonly number[], state: State, { left, print }: Front, isEager: boolean) => {
    const steps: Taken[] = []
    for (const i of next) {
      const { observation } = at(calls, i)
      if (isEager && next.some((j) => j !== i && showsMade(observation, at(calls, j).observation, state.belief)))
        continue
      const step = { state, i, op: observation.op, observed: look(state.belief, observation) }
      worlds += worldsFor(step)
      steps.push(step)
      const isFirst = (): boolean => isFitting(calls, step) && !tellsOfChange(calls, left, step)
      if (isIdle(calls, step, print) || (isEager && isFirst())) return [step]
    }
    return steps
  }
  /** All steps from all orders; too many where they come to more sets of calls than are followed. */
  const stepsFrom = (front: Front, isStrict: boolean, isEager: boolean) => {
    const { states, left } = front
    const steps: Taken[] = []
    const sets = new Set<string>()
    for (const state of states) {
      const next = tangled(calls, left, state, nextOf(calls, left, state))
      const all = takeAll(next, state, front, isEager)
      const kept = isStrict ? all.filter(({ observed }) => !isFaulty(observed.judgement)) : all
      for (const step of kept) sets.add(keyOf(state, step.i))
      steps.push(...kept)
      if (worlds > Math.min(mostWorlds, mostNow) || sets.size > mostStates) return 'too many'
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
    const before = worlds
    let front: Front | 'none' | 'too many' = { states, left: sent, print: printer(belief) }
    for (let size = 0; size < calls.length && typeof front === 'object'; size += 1) {
      mostNow = before + mostWorlds * Math.min(1, (size + callsAhead) / calls.length)
      front = advance(front, isStrict, isEager)
    }
    return typeof front === 'object' ? (front.states[0] as State) : front
  }
  // A read that fits is taken first: where nothing new shows in it, that it fits nearly always shows that it came no later.
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
  readonly op: Operation
  readonly observed: Observed
}

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

/**
 * Whether a read shows something new of what a call beside it changes: that may be the change, and what was there before something
 * else.
 */
const tellsOfChange = (
  calls: readonly TimedCall[],
  left: readonly number[],
  { state, i, observed: { belief } }: Taken,
): boolean => {
  const read = at(calls, i)
  const isBeside = (one: TimedCall): boolean => isChange(one) && one.startedAt <= read.endedAt && !isBefore(read, one)
  return left.some((j) => {
    const one = at(calls, j)
    const isTold = (): boolean => isNews(one.observation, state.belief, belief) || isMade(one, state.belief, belief)
    return !state.ahead.has(j) && isBeside(one) && isTold()
  })
}

const isChange = ({ observation: { op, outcome } }: TimedCall): boolean =>
  op.method !== 'GET' && !('status' in outcome && outcome.status >= 400)

/** Whether more is known, or something else, of what a call names, of that of which something was known before; what changes by itself is no news. */
const isNews = ({ op, call }: Observation, before: Belief, after: Belief): boolean =>
  referencesOf(op).some(([param, reference]) =>
    before.hypotheses.some(({ world }, one) => {
      const key = keyNamed(world, accountOf(world.environment, call.as), reference, param, call.path)
      const known = key === undefined ? undefined : find(world, reference.table, key)
      const shown = known && after.hypotheses[one] && find(after.hypotheses[one].world, reference.table, known.key)
      const { drifting = [] } = reference.table
      const lasting = (entity: AnyEntity) => omit(entity, drifting) as AnyEntity
      return known && shown ? !isAsKnown(lasting(known), lasting(shown)) : false
    }),
  )

/** Whether something is known that was not before, and that a creation made: one that told no id may have made whatever is new. */
const isMade = ({ observation }: TimedCall, before: Belief, after: Belief): boolean => {
  const table = observation.op.makes
  if (!table) return false
  const made = reachedBy(observation)?.made
  const isNew = (key: string): boolean =>
    after.hypotheses.some(({ world }) => find(world, table, key)) &&
    !before.hypotheses.some(({ world }) => find(world, table, key))
  return made === undefined ? [...(worldOf(after).tables.get(table.name)?.live.keys() ?? [])].some(isNew) : isNew(made)
}

/** Whether a read shows what a creation made that told its id, and what was not there before: then the read came later. */
const showsMade = (read: Observation, creation: Observation, before: Belief): boolean => {
  const { makes } = creation.op
  if (!makes || read.op.method !== 'GET' || !('table' in read.op.reply) || read.op.reply.table !== makes) return false
  const made = reachedBy(creation)?.made
  return (
    made !== undefined &&
    keysShown(read).has(made) &&
    before.hypotheses.every(({ world }) => find(world, makes, made) === undefined)
  )
}

/** The keys of all that a read shows. */
const keysShown = memoised(({ op: { reply }, call, outcome }: Observation): ReadonlySet<string | undefined> => {
  const records = 'table' in reply && isAccepted(outcome) ? recordsIn(bodyOf(outcome)) : []
  return new Set(records.map((one) => ('table' in reply ? reply.table.identify(one, call.path, undefined) : undefined)))
})

/** Whether a creation made what was there already: another order, in which the look that showed it came later, is likelier. */
const isMadeAgain = ({ state, op: { makes }, observed: { judgement } }: Taken): boolean =>
  makes !== undefined &&
  judgement.made !== undefined &&
  find(worldOf(state.belief), makes, judgement.made) !== undefined

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

const stateAfter = (step: Taken): State => {
  const { state, i, op, observed } = step
  const { belief, judgement } = observed
  return {
    ahead: new Set(state.ahead).add(i),
    belief,
    last: { i, judgement, before: state.last },
    faults: state.faults + judgement.deviations.length,
    laid: state.laid + judgement.deviations.filter(({ operation }) => operation !== op.id).length,
    assumed: state.assumed + (judgement.assumed?.length ?? 0) + (isMadeAgain(step) ? 1 : 0),
  }
}
