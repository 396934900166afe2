// The locks of a program: what it needs alone, or a share of, while others run beside it, derived from its planned steps; sends nothing.

import { doesRest } from '../arbitraries/arranged.js'
import { refsIn } from '../arbitraries/likeness.js'
import { operationById } from '../models/index.js'
import { principal } from '../models/language/access.js'
import { type Environment, mostLive, type NodeFixture } from '../models/language/environment.js'
import { memoised } from '../models/language/memoised.js'
import type { Operation } from '../models/language/operation.js'
import { type CallStep, type HookStep, isRef, type Step } from '../models/language/plan.js'
import { holdings } from '../models/language/reach.js'

/** So much of what there is of something. */
export interface Lock {
  readonly key: string
  readonly amount: number
  readonly capacity: number
  /** Needed from the first use of a shared fixture on, rather than from the start. */
  readonly isLate?: true
}

/** Whether a call uses shared fixtures. */
export const usesFixtures = (step: CallStep, environment: Environment): boolean =>
  fixtureLocksOf(step, environment, () => false).length > 0

/** A share so small that any number of programs fit. */
const plenty = 1000

/** How many volumes programs may have on a node at a time: the lowest limit of a node is eight, and it may have one already. */
const slots = 7

/**
 * The locks of a program: for each key the sum, at most the whole. Where it waits for something to come to rest before it uses any
 * fixture, others use the fixtures meanwhile.
 */
export const locksOf = (steps: readonly Step[], environment: Environment): readonly Lock[] => {
  /** What was put where by an earlier step takes no more room there. */
  const placed = new Set<string>()
  const isPlaced = (name: string): boolean => placed.has(name) || !placed.add(name)
  const used = steps.map((step, at) =>
    'hook' in step
      ? ofHook(step)
      : fixtureLocksOf(step, environment, (id) => isPlaced(`${subjectAt(step, at)} on ${id}`)),
  )
  const first = used.findIndex((locks) => locks.length > 0)
  const isLate = steps.slice(0, Math.max(0, first)).some(doesRest)
  const fixtures = used.flat().map((lock): Lock => ({ ...lock, ...(isLate && { isLate }) }))
  const lives = steps.flatMap((step) => ('hook' in step ? [] : livesOf(step, environment)))
  return summed([...fixtures, ...lives]).map((lock) => ({ ...lock, amount: Math.max(1, lock.amount) }))
}

/** Whether what a step is about was put on that node by an earlier one. */
type IsPlaced = (id: string) => boolean

/** What a step makes or else names, alike for all steps about the same. */
const subjectAt = ({ operation, path }: CallStep, at: number): string =>
  operationById(operation)?.makes ? String(at) : String(refsIn(path)[0]?.$step ?? JSON.stringify(path))

/** Adds up locks: for each key the sum, at most the whole, and from the start on if any is. */
export const summed = (locks: readonly Lock[]): readonly Lock[] => {
  const byKey = new Map<string, Lock>()
  for (const { key, amount, capacity, isLate } of locks) {
    const known = byKey.get(key)
    const sum = Math.min(capacity, (known?.amount ?? 0) + amount)
    const staysLate = isLate && (!known || known.isLate)
    byKey.set(key, { key, amount: sum, capacity, ...(staysLate && { isLate }) })
  }
  return [...byKey.values()]
}

/** The greatest share that some locks take of one of these keys. */
export const heldBy = (locks: readonly Lock[], keys: { readonly has: (key: string) => boolean }): number =>
  Math.max(0, ...locks.map(({ key, amount, capacity }) => (keys.has(key) ? amount / capacity : 0)))

const whole = (key: string, capacity = plenty): Lock => ({ key, amount: capacity, capacity })

/** A hook may change everything about its resource, so the program needs that alone; nobody else has what it made itself. */
const ofHook = ({ hook, args }: HookStep): readonly Lock[] => {
  if (isRef(args[0])) return []
  return hook === 'putObjects' ? [whole(`objects of ${args[0]}/${args[1]}`)] : [whole(`use of ${args[0]}`)]
}

/** What a call needs of shared fixtures. */
const fixtureLocksOf = (step: CallStep, environment: Environment, isPlaced: IsPlaced): readonly Lock[] => {
  const op = operationById(step.operation)
  if (!op) return []
  const lent = lentTo(step, environment, op.reach.in === 'addresses')
  return [
    ...lent.map((id): Lock => ({ key: `use of ${id}`, amount: 1, capacity: plenty })),
    ...(op.method === 'GET' ? [] : changed(op, step, lent, environment, isPlaced)),
  ]
}

/** The share of `safety.maxLive` that a step takes; giving tags to something creates them. */
const livesOf = ({ operation, body }: CallStep, environment: Environment): readonly Lock[] => {
  const { makes, besides = [] }: Partial<Operation> = operationById(operation) ?? {}
  const tags = body && 'tags' in body ? body.tags : undefined
  const given =
    tags === undefined ? [] : [{ name: 'tags', amount: Math.max(1, new Set(Array.isArray(tags) ? tags : []).size) }]
  return [...[...(makes ? [makes] : []), ...besides].map(({ name }) => ({ name, amount: 1 })), ...given].map(
    ({ name, amount }) => ({
      key: liveOf(name),
      amount,
      capacity: mostLive(environment, name),
    }),
  )
}

/** The lock on how many of a kind there are. */
export const liveOf = (table: string): string => `live ${table}`

/** Of what is held from now on, in turn, what leaves room for the most that anything takes meanwhile. */
export const roomyAmong = <T extends { readonly locks: readonly Lock[] }>(
  holders: readonly T[],
  all: readonly T[],
): readonly T[] => {
  const most = new Map<string, number>()
  for (const { key, amount } of all.flatMap(({ locks }) => locks)) most.set(key, Math.max(most.get(key) ?? 0, amount))
  const held = new Map<string, number>()
  const isRoomy = ({ key, amount, capacity }: Lock): boolean =>
    !key.startsWith(liveOf('')) || (held.get(key) ?? 0) + amount + (most.get(key) ?? 0) <= capacity
  return holders.filter(({ locks }) => {
    if (!locks.every(isRoomy)) return false
    for (const { key, amount } of locks) held.set(key, (held.get(key) ?? 0) + amount)
    return true
  })
}

/** What a call changes of shared fixtures, as its operation declares. */
const changed = (
  op: Operation,
  step: CallStep,
  lent: readonly string[],
  environment: Environment,
  isPlaced: IsPlaced,
): readonly Lock[] => {
  if (op.guarded !== undefined && !op.makes) return [whole(op.id)]
  const { lent: held } = op.reach
  if (held === false || held === 'looks') return []
  const { takes, reliesOnAddresses } = holdings[held]
  const taken = (): readonly Lock[] => {
    switch (takes) {
      case 'a place':
        return lent.map((id) => placeOf(step, id, environment, isPlaced))
      case 'all':
        return lent.map((id) => whole(`${held} of ${id}`))
      case 'all of the bucket': {
        const { clusterId, bucket } = step.path ?? {}
        return typeof bucket === 'string' ? [whole(`objects of ${clusterId}/${bucket}`)] : []
      }
      case 'the range of the region':
        return rangesOf(op, step, lent, environment)
    }
  }
  return [...(reliesOnAddresses ? lent.map(addressesStay) : []), ...taken()]
}

/** A volume is attached to one node at a time, and a node has so many places. */
const placeOf = (step: CallStep, id: string, { fixtures }: Environment, isPlaced: IsPlaced): Lock => {
  if (fixtures.volumes?.some((volume) => String(volume.id) === id)) return whole(`place of ${id}`)
  // A refused call attaches nothing, but must not meet a program that fills the node.
  const takesNone = step.role === 'probe' || isPlaced(id)
  return { key: `volumes on ${id}`, amount: takesNone ? 0 : 1, capacity: slots }
}

/** Any number of programs may rely on the addresses of a node staying where they are. */
const addressesStay = (id: string): Lock => ({ key: `addresses of ${id}`, amount: 1, capacity: plenty })

/** An account has one range in a region, so a program that makes or moves one needs the region alone. */
const rangesOf = (
  op: Operation,
  step: CallStep,
  lent: readonly string[],
  environment: Environment,
): readonly Lock[] => {
  if (!op.makes) return []
  const { accounts, fixtures } = environment
  const { account } = principal(environment, step.as ?? null)
  const regions = (fixtures.nodes ?? []).filter(({ id }) => lent.includes(String(id))).map(({ region }) => region)
  // If it is unclear which region, all of them.
  const all = regions.length > 0 ? regions : (fixtures.regions ?? []).map(({ id }) => id)
  return [...new Set(all)].map((region) => whole(`range of ${account?.name ?? accounts[0]?.name} in ${region}`))
}

/** The ids of shared fixtures that a step names, directly or by an address. */
const lentTo = (
  { path, query, body }: CallStep,
  { fixtures }: Environment,
  isAboutAddresses: boolean,
): readonly string[] => {
  const { ids, owners } = namesOf(fixtures)
  const named = [path, query, body].flatMap((values) => valuesIn(values, false))
  const all = named.flatMap(({ value, isId }) => {
    const owner = isAboutAddresses ? owners.get(value.split('/')[0] as string) : undefined
    if (owner !== undefined) return [String(owner)]
    return isId && ids.has(value) ? [value] : []
  })
  return [...new Set(all)]
}

/** The ids of shared fixtures, and the nodes by their addresses. */
const namesOf = memoised((fixtures: Environment['fixtures']) => ({
  ids: new Set(lists(fixtures).map(({ id }) => String(id))),
  owners: new Map((fixtures.nodes ?? []).flatMap((node) => addressesOf(node).map((address) => [address, node.id]))),
}))

interface Named {
  readonly value: string
  /** Whether a value stands where ids do: under such a name, or in a list. */
  readonly isId: boolean
}

const valuesIn = (value: unknown, isId: boolean): readonly Named[] => {
  if (typeof value === 'number' || typeof value === 'string') return [{ value: String(value), isId }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) =>
    valuesIn(item, isId || Array.isArray(value) || /id$/i.test(name)),
  )
}

const lists = ({
  nodes = [],
  nodebalancers = [],
  volumes = [],
}: Environment['fixtures']): readonly { id: number }[] => [...nodes, ...nodebalancers, ...volumes]

const addressesOf = ({ ipv4, slaac }: NodeFixture): readonly string[] => [
  ...(ipv4?.public ?? []),
  ...(ipv4?.private ?? []),
  ...(slaac === undefined ? [] : [slaac]),
]
