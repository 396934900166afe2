// How many volumes a node takes: section "Limits", "Volumes per node".

import { and, known, type Ternary } from '../language/clause.js'
import type { NodeFixture } from '../language/environment.js'
import type { Need } from '../language/needs.js'
import type { Made, Plan } from '../language/plan.js'
import { atLeast, type Entity, type World } from '../language/world.js'
import { calm, isHome } from './grants.js'
import { type Volume, volumes } from './record.js'

/** Volumes attached to a node through its configuration profile. */
export const profileLimit = 8
/** Volumes attached to a node past its profile, however much memory it has. */
export const mostVolumes = 64
/** The memory of a node, in GB, from which on it decides how many volumes are attached past its profile. */
const ramFrom = 16
/** Volumes that a node takes past its profile; undefined where its memory is not known. */
export const ramLimit = (node: Entity<NodeFixture>): number | undefined =>
  node.memoryGiB === undefined ? undefined : Math.min(node.memoryGiB, mostVolumes)

type Node = Entity<NodeFixture> | undefined

/** Whether a volume is attached to the node; the one that is to be attached does not stand in its own way. */
export const isOn = (node: Entity<NodeFixture>, except?: string) => (volume: Entity<Volume>) =>
  volume.key === except ? false : volume.node_id === undefined ? undefined : volume.node_id === node.id

/** The key of a volume that may stand in its own way: one that is on no node does not. */
export const ownKey = (volume: Entity<Volume>): string | undefined => (volume.node_id === null ? undefined : volume.key)

/** Whether eight volumes are attached to the node through its profile; none is where it has no profile. */
export const isProfileFull = (world: World, account: string | undefined, node: Node, except?: string): Ternary =>
  node &&
  node.configs?.length !== 0 &&
  atLeast(world, volumes, account, profileLimit, (volume) =>
    and(isOn(node, except)(volume), volume.profile === undefined ? undefined : volume.profile === true),
  )

/** Whether any reading of the limits could count the node as full: eight or more volumes attached in whatever way. */
export const isNearFull = (world: World, account: string | undefined, node: Node): Ternary =>
  node ? atLeast(world, volumes, account, profileLimit, isOn(node)) : false

/** Whether as many volumes as the node has GB of RAM, or 64, are attached past the profile. */
export const isMemoryFull = (world: World, account: string | undefined, node: Node, except?: string): Ternary => {
  const limit = node && ramLimit(node)
  if (!node || limit === undefined) return undefined
  if (limit < ramFrom) return false
  return atLeast(world, volumes, account, limit, (volume) =>
    and(isOn(node, except)(volume), volume.profile === undefined ? undefined : volume.profile === false),
  )
}

/** Whether eight volumes are attached past the profile to a node of less than 16 GB of RAM. */
export const isSmallFull = (world: World, account: string | undefined, node: Node, except?: string): Ternary => {
  const limit = node && ramLimit(node)
  if (!node || limit === undefined || limit >= ramFrom) return false
  return atLeast(world, volumes, account, profileLimit, (volume) =>
    and(isOn(node, except)(volume), volume.profile === undefined ? undefined : volume.profile === false),
  )
}

/** Whether it has the memory for as many volumes as any node takes. */
export const isLarge = (node: Node): Ternary => node && known(node.memoryGiB, mostVolumes, (a, b) => a >= b)

/** Fills the profile of a node in each of the ways in which a volume comes into it, for none is counted apart; gives one of them. */
export const fillProfile = (plan: Plan, { id, region, configs }: NodeFixture): Made => {
  const into = (i: number) => ({ node_id: id, config_id: i % 4 < 2 ? undefined : configs?.[0] })
  const isAttached = (i: number): boolean => i % 2 === 1
  // All are made before the first is attached, so that they come to rest together.
  const filling = Array.from({ length: profileLimit }, (_, i) =>
    plan.make(volumes, isAttached(i) ? { region } : { region: undefined, ...into(i) }),
  )
  for (const [i, volume] of filling.entries())
    if (isAttached(i)) {
      // What is the default may be said as well.
      const said = i % 4 === 1 ? {} : { persist_across_boots: true }
      plan.call('volumes.attach', { path: { volumeId: volume.id }, body: { ...into(i), ...said } })
    }
  // One that was changed since counts as the others do, where the target changes what is attached.
  plan.check('volumes.update', { path: { volumeId: (filling[1] as Made).id }, body: { label: plan.name() } })
  return filling[0] as Made
}

/** Fills a node of a memory that fits past its profile, and tries one volume more before and after one is detached; gives its memory. */
export const memoryProbe = (plan: Plan, fits: (memory: number) => boolean, need: Need): number => {
  const isFit = (node: NodeFixture): boolean => isHome(plan, node) && calm(node) && fits(node.memoryGiB ?? 0)
  const fromLimit = ({ memoryGiB = 0 }: NodeFixture): number => Math.abs(memoryGiB - ramFrom)
  // The nearer to where the limit changes, the better.
  const [nearest] = (plan.environment.fixtures.nodes ?? [])
    .filter(isFit)
    .toSorted((a, b) => fromLimit(a) - fromLimit(b))
  const node = plan.node((n) => isFit(n) && n.memoryGiB === nearest?.memoryGiB, need)
  const memory = node.memoryGiB ?? 1
  const limit = memory < ramFrom ? profileLimit : Math.min(memory, mostVolumes)
  const made = Array.from({ length: limit + 1 }, () => plan.make(volumes, { region: node.region }, { unwatched: true }))
  const past = { node_id: node.id, persist_across_boots: false }
  const last = made.pop() as (typeof made)[0]
  for (const [i, volume] of made.entries())
    plan[i < profileLimit ? 'call' : 'twin']('volumes.attach', {
      path: { volumeId: volume.id },
      body: past,
      unwatched: true,
    })
  plan.probe('volumes.attach', { path: { volumeId: last.id }, body: past })
  plan.call('volumes.detach', { path: { volumeId: (made[0] as typeof last).id } })
  // No other one is.
  plan.check('volumes.view', { path: { volumeId: (made[1] as typeof last).id } })
  plan.twin('volumes.attach', { path: { volumeId: last.id }, body: past })
  return memory
}
