// Judges calls that overlap in time: whether some order of them, consistent with real time, explains every reply; sends nothing.

import type { Turn } from '../history/entry.js'
import type { AnyEntity, World } from '../models/language/world.js'
import { type Belief, type Observation, type Observed, observe } from './belief.js'
import { areIndependent } from './independence.js'
import type { Judgement } from './judgement.js'
import type { Observe } from './shrink.js'
import type { Lookup } from './step.js'

/** A call with the time in which it took effect, if it did; any unit, any origin. */
export interface TimedCall {
  readonly observation: Observation
  readonly startedAt: number
  readonly endedAt: number
  readonly turn?: Turn
}

export interface Linearized {
  /** `inconclusive` where too many orders are possible to be followed. */
  readonly verdict: 'linearizable' | 'nonlinearizable' | 'inconclusive'
  /** What every order that explains the replies leaves open; after a deviation the world follows the target. */
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
  /** The most worlds that replies are held against, so that calls which never pause do not take minutes. */
  readonly mostWorlds?: number
}

const defaultStates = 24
/** The most worlds that replies are held against in one set of calls: some ten seconds of work. */
const defaultWorlds = 30_000
const mostHypotheses = 32

/** A call of an order, and those before it. */
interface Link {
  readonly i: number
  readonly judgement: Judgement
  readonly before: Link | undefined
}

/** How far an order has come: which calls it has taken beyond those that all orders have, and what is believed after them. */
interface State {
  readonly ahead: ReadonlySet<number>
  readonly belief: Belief
  readonly last: Link | undefined
  /** Deviations of the replies so far. */
  readonly faults: number
}

/** Judges a set of overlapping calls. Orders that have taken the same calls are followed together. */
export const linearize = (
  belief: Belief,
  calls: readonly TimedCall[],
  lookup: Lookup,
  { observe: look = observe, mostStates = defaultStates, mostWorlds = defaultWorlds }: LinearizeOptions = {},
): Linearized => {
  const sent = calls.map((_, i) => i).sort((a, b) => at(calls, a).startedAt - at(calls, b).startedAt)
  const follow = (isStrict: boolean): State | 'none' | 'too many' => {
    let states: readonly State[] = [{ ahead: new Set(), belief, last: undefined, faults: 0 }]
    // Calls that some order has yet to take, in the order in which they were sent.
    let left: readonly number[] = sent
    let worlds = 0
    let print = printer(belief)
    for (let size = 0; size < calls.length; size += 1) {
      const steps = states.flatMap((state) => {
        const next = nextOf(calls, left, state)
        const take = (i: number): Taken => ({
          state,
          i,
          observed: look(state.belief, at(calls, i).observation, lookup),
        })
        const alone = next.find((i) => isAlone(calls, left, state, i))
        const steps: Taken[] = []
        for (const i of alone === undefined ? next : [alone]) {
          worlds += state.belief.hypotheses.length
          const step = take(i)
          if (isIdle(calls, step, print)) return [step]
          steps.push(step)
        }
        return steps
      })
      if (worlds > mostWorlds) return 'too many'
      const kept = isStrict ? steps.filter(({ observed }) => !isFaulty(observed.judgement)) : steps
      if (kept.length === 0) return 'none'
      // Worlds are told apart by what has changed since the latest that all of them come from.
      const [only, ...others] = states
      if (only && others.length === 0 && only.belief.hypotheses.length === 1) print = printer(only.belief)
      states = merged(kept, print)
      if (states.length > mostStates) return 'too many'
      const shared = sharedBy(states)
      if (shared.size === 0) continue
      left = left.filter((i) => !shared.has(i))
      states = states.map((one) => ({ ...one, ahead: new Set([...one.ahead].filter((i) => !shared.has(i))) }))
    }
    return states[0] as State
  }
  const legal = follow(true)
  // Where a reply is wrong in itself, what it leaves open of the others is what every order with as few faults does.
  const last = legal === 'none' ? follow(false) : legal
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
  readonly observed: Observed
}

const at = (calls: readonly TimedCall[], i: number): TimedCall => calls[i] as TimedCall

const isFaulty = ({ deviations }: Judgement): boolean =>
  deviations.some(({ level }) => level === 'must' || level === 'pinned')

/** Whether a read or a refusal fits and leaves all that is believed: it might as well come at once as after any other call. */
const isIdle = (
  calls: readonly TimedCall[],
  { state, i, observed: { belief, judgement } }: Taken,
  print: Print,
): boolean =>
  (at(calls, i).observation.op.method === 'GET' || judgement.accepted === false) &&
  judgement.deviations.length === 0 &&
  belief.hypotheses.length === state.belief.hypotheses.length &&
  belief.hypotheses.every(({ world, pending, assumed }, one) => {
    const before = state.belief.hypotheses[one]
    const isSame = before?.pending === pending && before.assumed.length === assumed.length
    return isSame && (before.world.tables === world.tables || print(before.world) === print(world))
  })

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

/** Whether a call that may come next has nothing to do with any other that may come before it: then it might as well come now. */
const isAlone = (calls: readonly TimedCall[], left: readonly number[], { ahead }: State, i: number): boolean => {
  const one = at(calls, i)
  for (const j of left) {
    const other = at(calls, j)
    if (other.startedAt > one.endedAt) return true
    if (j === i || ahead.has(j) || isBefore(one, other)) continue
    if (!areIndependent(one.observation, other.observation)) return false
  }
  return true
}

type Timed = Pick<TimedCall, 'turn'>

/** Whether a call had been answered before another was sent, as far as turns tell. */
export const isBefore = ({ turn: one }: Timed, { turn: other }: Timed): boolean =>
  one !== undefined && one.lane === other?.lane && one.at < other.at

/** Of the orders that have taken the same calls, those with the fewest faults, followed as one. */
const merged = (steps: readonly Taken[], print: Print): readonly State[] => {
  const byCalls = new Map<string, State>()
  for (const { state, i, observed } of steps) {
    const ahead = new Set(state.ahead).add(i)
    const faults = state.faults + observed.judgement.deviations.length
    const key = [...ahead].sort((a, b) => a - b).join()
    const before = byCalls.get(key)
    if (before && before.faults < faults) continue
    byCalls.set(
      key,
      before?.faults === faults
        ? { ...before, belief: united(before.belief, observed.belief, print) }
        : {
            ahead,
            belief: observed.belief,
            last: { i, judgement: observed.judgement, before: state.last },
            faults,
          },
    )
  }
  return [...byCalls.values()]
}

/**
 * The hypotheses that can be told apart, each once: what they differed in may be gone by now. Of those that differ in how sure
 * something is, the least sure stands for all.
 */
export const distinct = (belief: Belief): Belief => {
  if (belief.hypotheses.length === 1) return belief
  const nothing: Belief = { hypotheses: [], overflow: false }
  const print: Print = (world) => fingerprint(world, nothing)
  const all = new Map<string, Belief['hypotheses'][number]>()
  for (const one of belief.hypotheses) {
    const key = [
      print(one.world).replaceAll(surely, ''),
      one.pending.map(({ n }) => n).sort(),
      one.assumed.length,
    ].join(' ')
    const before = all.get(key)
    if (!before || stubsIn(one.world) > stubsIn(before.world)) all.set(key, one)
  }
  return { ...belief, hypotheses: [...all.values()] }
}

/** How an entity is printed of which it is not sure that it is there. */
const surely = ',["stub",true]'

const stubsIn = ({ tables }: World): number => {
  let stubs = 0
  for (const { live } of tables.values()) for (const { stub } of live.values()) if (stub) stubs += 1
  return stubs
}

/** All hypotheses of both, each once. */
const united = (a: Belief, b: Belief, print: Print): Belief => {
  const all = new Map<string, Belief['hypotheses'][number]>()
  for (const one of [...a.hypotheses, ...b.hypotheses]) {
    const key = [print(one.world), one.pending.map(({ n }) => n).sort(), one.assumed.length].join(' ')
    if (!all.has(key)) all.set(key, one)
  }
  return {
    ...a,
    hypotheses: [...all.values()].slice(0, mostHypotheses),
    overflow: a.overflow || b.overflow || all.size > mostHypotheses,
  }
}

type Print = (world: World) => string

/** Prints worlds that have come from one belief, each once. */
const printer = (base: Belief): Print => {
  const known = new WeakMap<World, string>()
  return (world) => {
    const print = known.get(world) ?? fingerprint(world, base)
    known.set(world, print)
    return print
  }
}

/** What tells two worlds apart that have come from the same one: what has changed since. */
const fingerprint = (world: World, { hypotheses: [base] }: Belief): string => {
  const changes: string[] = []
  for (const [name, state] of world.tables) {
    const before = base?.world.tables.get(name)
    if (state !== before) changes.push(`${name} ${changesOf(state, before)}`)
  }
  return changes.sort().join('\n')
}

type TableState = World['tables'] extends ReadonlyMap<string, infer State> ? State : never

const changesOf = ({ live, gone }: TableState, before: TableState | undefined): string => {
  const changed: string[] = []
  const removed: string[] = []
  for (const [key, entity] of live) if (before?.live.get(key) !== entity) changed.push(printOf(entity))
  for (const key of before?.live.keys() ?? []) if (!live.has(key)) removed.push(key)
  const known = new Set(before?.gone)
  const buried = gone.filter((one) => !known.has(one)).map(({ entity }) => entity.key)
  return [changed.sort(), removed.sort(), buried.sort()].join(' ')
}

const prints = new WeakMap<AnyEntity, string>()

const printOf = (entity: AnyEntity): string => {
  const known = prints.get(entity)
  if (known !== undefined) return known
  const { since: _, ...fields } = entity
  const print = JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
  prints.set(entity, print)
  return print
}
