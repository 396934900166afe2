// What a program must have to itself, or a share of, while others run beside it: read off its planned steps; nothing is sent.

import { operationById } from '../models/index.js'
import { principal } from '../models/language/access.js'
import type { Environment, NodeFixture } from '../models/language/environment.js'
import type { Operation } from '../models/language/operation.js'
import type { CallStep, HookStep, Step } from '../models/language/plan.js'

/** So much of what there is of something. */
export interface Lock {
  readonly key: string
  readonly amount: number
  readonly capacity: number
}

/** Nobody minds sharing it with many. */
const plenty = 1000

/** How many volumes programs may have on a node at a time without coming near its limits. */
const slots = 4

/** Parts of the interface in which programs change what the target file lends, by how their paths begin. */
const changing: readonly (readonly [string, RegExp])[] = [
  ['volumes', /^\/volumes\b/],
  ['firewalls', /^\/networking\/firewalls\b/],
  ['addresses', /^\/(?:networking\/ip|managed\/linode-settings)/],
  ['objects', /^\/object-storage\/buckets\b/],
]

/** The locks of a program; of each key the sum, and no more than there is. */
export const locksOf = (steps: readonly Step[], environment: Environment): readonly Lock[] =>
  summed(steps.flatMap((step) => ('hook' in step ? ofHook(step) : ofCall(step, environment))))

/** All of it together, and of each key no more than there is. */
export const summed = (locks: readonly Lock[]): readonly Lock[] => {
  const byKey = new Map<string, Lock>()
  for (const lock of locks) {
    const amount = Math.min(lock.capacity, (byKey.get(lock.key)?.amount ?? 0) + lock.amount)
    byKey.set(lock.key, { ...lock, amount })
  }
  return [...byKey.values()]
}

const whole = (key: string, capacity = plenty): Lock => ({ key, amount: capacity, capacity })

/** What a hook changes about something, everything that is done with it may show. */
const ofHook = ({ hook, args }: HookStep): readonly Lock[] =>
  hook === 'putObjects' ? [whole(`objects of ${args[0]}/${args[1]}`)] : [whole(`use of ${args[0]}`)]

const ofCall = (step: CallStep, environment: Environment): readonly Lock[] => {
  const op = operationById(step.operation)
  if (!op) return []
  const part = changing.find(([, pattern]) => pattern.test(op.path))?.[0]
  const lent = lentTo(step, environment, part === 'addresses')
  return [
    ...lent.map((id): Lock => ({ key: `use of ${id}`, amount: 1, capacity: plenty })),
    ...(op.method === 'GET' ? [] : changed(op, part, step, lent, environment)),
    ...livesOf(op, step, environment),
  ]
}

/** As much room as the target file leaves for what a step makes; tags come to be where something is given them. */
const livesOf = (
  { makes, besides = [] }: Operation,
  { body }: CallStep,
  { safety: { maxLive } }: Environment,
): readonly Lock[] =>
  [...(makes ? [makes] : []), ...besides, ...(body && 'tags' in body ? [{ name: 'tags' }] : [])].map(({ name }) => ({
    key: liveOf(name),
    amount: 1,
    capacity: maxLive[name] ?? maxLive.default ?? 20,
  }))

/** The lock on how many of a kind there are. */
export const liveOf = (table: string): string => `live ${table}`

const changed = (
  op: Operation,
  part: string | undefined,
  step: CallStep,
  lent: readonly string[],
  environment: Environment,
): readonly Lock[] => {
  if (op.guarded !== undefined && !op.makes) return [whole(op.id)]
  if (part === undefined) return []
  if (part === 'volumes') return lent.map((id) => ({ key: `volumes on ${id}`, amount: 1, capacity: slots }))
  if (part === 'objects') {
    const { clusterId, bucket } = step.path ?? {}
    return typeof bucket === 'string' ? [whole(`objects of ${clusterId}/${bucket}`)] : []
  }
  if (part === 'addresses') return [...addressing(op, lent), ...rangesOf(op, step, lent, environment)]
  return lent.map((id) => whole(`${part} of ${id}`))
}

/** What else of a node than where its addresses are is changed, by how paths end: any number of programs may rely on that. */
const besides: readonly (readonly [string, RegExp])[] = [
  ['shares', /\/share$/],
  ['settings', /^\/managed\/linode-settings\b/],
  ['allocations', /\/networking\/ips$/],
  ['names', /\/networking\/ips\/\{address\}$/],
]

const addressing = ({ path }: Operation, lent: readonly string[]): readonly Lock[] => {
  if (/\/assign$/.test(path)) return lent.map((id) => whole(`addresses of ${id}`))
  const aspect = besides.find(([, pattern]) => pattern.test(path))?.[0]
  return lent.flatMap((id) => [
    { key: `addresses of ${id}`, amount: 1, capacity: plenty },
    ...(aspect === undefined ? [] : [whole(`${aspect} of ${id}`)]),
  ])
}

/** An account has one range in a region, so what makes one or moves one has its region to itself. */
const rangesOf = (
  op: Operation,
  step: CallStep,
  lent: readonly string[],
  environment: Environment,
): readonly Lock[] => {
  if (op.makes?.name !== 'ipv6-ranges') return []
  const { accounts, fixtures } = environment
  const { account } = principal(environment, step.as ?? null)
  const regions = (fixtures.nodes ?? []).filter(({ id }) => lent.includes(String(id))).map(({ region }) => region)
  // Where it is not clear which, all of them.
  const all = regions.length > 0 ? regions : (fixtures.regions ?? []).map(({ id }) => id)
  return [...new Set(all)].map((region) => whole(`range of ${account?.name ?? accounts[0]?.name} in ${region}`))
}

/** The ids of lent things that the values of a step name: by themselves, or by an address where that is what it is about. */
const lentTo = (
  { path, query, body }: CallStep,
  { fixtures }: Environment,
  isAboutAddresses: boolean,
): readonly string[] => {
  const ids = new Set(lists(fixtures).map(({ id }) => String(id)))
  const owners = new Map(
    (fixtures.nodes ?? []).flatMap((node) => addressesOf(node).map((address) => [address, node.id])),
  )
  const named = new Set<string>()
  const seek = (value: unknown, isId: boolean): void => {
    if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) seek(item, isId || Array.isArray(value) || /id$/i.test(name))
    else if (typeof value === 'number' || typeof value === 'string') {
      const owner = isAboutAddresses ? owners.get(String(value).split('/')[0] as string) : undefined
      if (owner !== undefined) named.add(String(owner))
      else if (isId && ids.has(String(value))) named.add(String(value))
    }
  }
  for (const [name, value] of Object.entries(path ?? {})) seek(value, /id$/i.test(name))
  seek(query, false)
  seek(body, false)
  return [...named]
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
