// Hypotheses that can be told apart, each once; where they are too many, what holds in all that are alike; pure.

import { keysThatDiffer } from '../models/language/entries.js'
import { grouped } from '../models/language/grouped.js'
import { memoised } from '../models/language/memoised.js'
import type { AnyEntity, TableState, World } from '../models/language/world.js'
import type { Belief } from './belief.js'
import { asOne } from './surplus.js'
import { eitherWay } from './unfollowed.js'

const mostBetweenCalls = 8

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
export const apart = (
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
  belief.hypotheses.length > mostBetweenCalls
    ? { ...belief, hypotheses: few(distinct(belief).hypotheses).hypotheses }
    : belief

/** Of too many hypotheses, what holds in all that are alike; where that leaves too many, too, what holds in all. */
export const few = (all: readonly Hypothesis[]) => {
  const groups = all.length > mostBetweenCalls ? alike(all) : all
  const overflow = groups.length > mostBetweenCalls
  return { hypotheses: overflow ? asOne(groups) : groups, overflow }
}

/** All hypotheses of both, each once. */
export const united = (a: Belief, b: Belief, print: Print): Belief => {
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

/** What tells worlds apart, as a text. */
export type Print = (world: World) => string

/** Prints worlds that have come from one belief, each once. */
export const printer = ({ hypotheses: [base] }: Belief): Print => memoised((world) => fingerprint(world, base?.world))

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

/** The removed entities, each key with how often it was removed, apart from those that may be there still. */
const burials = memoised((gone: TableState['gone']): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  for (const { entity, remains } of gone) {
    const name = remains ? `${entity.key} remains` : entity.key
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return new Set([...counts].map(([key, count]) => `${key} ${count}`))
})

const only = (some: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  some === others ? [] : [...some].filter((one) => !others.has(one))

const printOf = memoised(({ since: _, ...fields }: AnyEntity): string =>
  JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))),
)

/** Whether the same is known of an entity, whenever it was learnt. */
export const isAsKnown = (one: AnyEntity, other: AnyEntity): boolean => one === other || printOf(one) === printOf(other)

/** The same for an entity of which it is not sure that it is there, and for one of which it is. */
const printUnsure = memoised(({ stub: _, ...entity }: AnyEntity): string => printOf(entity))
