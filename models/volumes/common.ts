// What the volume operations have in common: labels, sizes, times, grants and the plainest of nodes; no rule of any operation.

import { isRestricted, lacksWrite, type Principal } from '../language/access.js'
import { isTrailing } from '../language/changes.js'
import { known, or, type Ternary } from '../language/clause.js'
import type { NodeFixture } from '../language/environment.js'
import { momentOf } from '../language/moments.js'
import { aNode, profiled, sizeNeed } from '../language/needs.js'
import { isObject } from '../language/objects.js'
import { type Replied, ref } from '../language/operation.js'
import type { Places } from '../language/places.js'
import type { Args, Plan } from '../language/plan.js'
import { text } from '../language/schema.js'
import { type Entity, exists, live, type World } from '../language/world.js'
import { calm, lentVolumes, writableVolume } from './grants.js'
import { defaultSizeGiB, type Volume, volumes } from './record.js'

export const endpoints = 'Endpoints / Volumes'

export const label = () => text({ min: 1, max: 32 })

export const volumeId = { volumeId: ref(volumes) }

/** A volume can grow a few times, by little; how far is not shown. */
export const largestPlain = 24

/** Sizes in GiB that any target takes: the default and little more; neither bound is shown. */
export const isPlainSize = (size: number | undefined): boolean =>
  size === undefined || (size >= defaultSizeGiB && size <= largestPlain)

/** The size of a volume; not known while it grows and nothing has shown it grown. */
export const sizeNow = (volume: Entity<Volume>): number | undefined =>
  isTrailing(volume, 'size') ? undefined : volume.size

/** Whether a volume has the label, or a deleted one had it, which may stay reserved. */
export const isTaken = (world: World, account: string | undefined, name: string | undefined): Ternary =>
  name === undefined
    ? false
    : or(
        exists(world, volumes, account, (volume) => known(volume.label, name, (a, b) => a === b), name),
        world.tables.get(volumes.name)?.gone.some(({ entity }) => entity.label === name) === true,
      )

export const hasConfig = (node: Entity<NodeFixture> | undefined, config: number): Ternary =>
  node?.configs?.includes(config)

/** Needs leave for volumes of that many GiB. */
export const needSize = (plan: Plan, size: number): void =>
  plan.need(plan.environment.safety.maxVolumeGiB >= size, sizeNeed(size))

/** A target may keep the first of several alone, or the first two. */
export const severalTags = (plan: Plan): readonly string[] => [plan.tag(), plan.tag(), plan.tag()]

export const calmNode = (plan: Plan) =>
  plan.node(calm, aNode('a node with one configuration profile and no live migration', profiled))

/** What a restricted user may do with a volume by this operation is not among the permission rules. */
export function restrictedUse(id: string) {
  return {
    id: `${id}.restricted`,
    source: 'Authentication, "Permission rules beyond scopes"',
    text: 'Which grant on the volume a restricted user needs for this is not said; read_write is the most there is.',
    when: ({ caller, refs }: { readonly caller: Principal; readonly refs: { readonly volumeId?: Entity<Volume> } }) =>
      lacksWrite(caller, 'volumes', refs.volumeId),
    unprobed: 'whether a restricted user lacks what it takes cannot be told, so neither answer shows it',
  }
}

/**
 * The Errors section has write operations refused without the needed permission; that it is read_write is an inference.
 * `onLent` is what is asked for of a volume that the user may read, where the target file lends one.
 */
export const writeGrant = (
  id: string,
  send: (plan: Plan) => Args,
  onLent: (plan: Plan, volumeId: number) => Args | undefined,
) => ({
  id: `${id}.volume-grant`,
  level: 'should' as const,
  source: 'Errors, "other write operations without the needed permission"',
  text: 'A restricted user without read_write on the volume is refused.',
  when: ({ caller, refs }: { readonly caller: Principal; readonly refs: { readonly volumeId?: Entity<Volume> } }) =>
    lacksWrite(caller, 'volumes', refs.volumeId),
  probe: (plan: Plan) => {
    const args = send(plan)
    const as = plan.token({
      restricted: true,
      for: id,
      grant: { name: 'add_volumes', held: false },
    })
    plan.probe(id, { ...args, as })
    const [readable] = lentVolumes(plan, 'read_only')
    const lent = readable && onLent(plan, readable.volume.id)
    if (lent) plan.probe(id, { path: { volumeId: readable.volume.id }, ...lent, as: readable.as })
    plan.twin(id, args)
  },
})

/** `probe` is left out where what is done to a volume that the target file lends cannot be put back. */
export const grantedWrite = (id: string, probe?: (plan: Plan) => void) => ({
  id: `${id}.granted`,
  level: 'should' as const,
  source: 'Errors, "other write operations without the needed permission"',
  text: 'A restricted user with read_write on the volume is not refused.',
  when: ({ caller, refs }: { readonly caller: Principal; readonly refs: { readonly volumeId: Entity<Volume> } }) =>
    isGranted(caller, refs.volumeId),
  ...(probe ? { probe } : { unprobed: 'what it does to a volume that the target file lends cannot be put back' }),
})

/** A probe of what a restricted user with read_write does to a volume that the target file lends. */
export const onLentVolume =
  (send: (plan: Plan, volumeId: number, as: string) => void) =>
  (plan: Plan): void => {
    const [writable] = lentVolumes(plan, 'read_write')
    plan.need(writable !== undefined, writableVolume)
    if (writable) send(plan, writable.volume.id, writable.as)
  }

/** A volume is on a node or on none. No reply shows the configuration profile that it is in on a node, so that one stays there. */
export const volumePlaces: Places = {
  view: 'volumes.view',
  of: ({ path, body }) => [{ path, to: { node_id: isObject(body) ? body.node_id : null } }],
  members: ['node_id'],
  stays: ({ node_id }) =>
    node_id === null
      ? undefined
      : `on node ${node_id}, where no reply shows its configuration profile: attaching it again would not put it back; lend one that is on no node`,
  back: (things) => things.map(({ path }) => ['volumes.detach', { path }] as const),
}

/** What cannot be put back is asked of what is lent on exclusive targets alone. */
export const onlyExclusive = ({ environment }: Plan, args: Args): Args | undefined =>
  environment.exclusive ? args : undefined

/** By how much two times of one moment may differ, as one of them may be cut to whole seconds. */
export const slackMs = 1000

/** Whether a volume is being resized. */
export const isResizing = ({ status }: Entity<Volume>): Ternary => known(status, 'resizing', (a, b) => a === b)

/** Whether a volume is not active for another reason than that. */
export const isBusy = ({ status }: Entity<Volume>): Ternary =>
  known(status, 'active', (a, b) => a !== b && a !== 'resizing')

const hasOffset = (time: string): boolean => /[Zz]|[+-]\d\d:?\d\d$/.test(time.slice(10))

export const dayMs = 86_400_000

/** By how much the clocks of a target's machines may differ at most. */
const skewMs = 10_000

/**
 * Whether the last update of a volume is told to be as late as before or later. Undecided where the times are written otherwise, and
 * within some seconds: another machine of the target may have told the time since.
 */
export const isNoEarlier = (before: unknown, now: unknown): Ternary => {
  if (typeof before !== 'string' || typeof now !== 'string' || hasOffset(before) !== hasOffset(now)) return undefined
  const [from, to] = [momentOf(before), momentOf(now)]
  if (Number.isNaN(from) || Number.isNaN(to)) return undefined
  if (from <= to + slackMs) return true
  return from <= to + skewMs ? undefined : false
}

export const doesNotGoBack = 'The time of a last update that was told before does not go back by more than ten seconds.'

/** A reply that shows one volume shows no time of its last update that is more than ten seconds before one that was told. */
export const keepsUpdated = (id: string, probe = (plan: Plan): void => void plan.check(id, plan.draft(id))) => ({
  id: `${id}.updated`,
  source: 'Volume, updated',
  text: doesNotGoBack,
  holds: ({ refs, reply }: { readonly refs: { readonly volumeId: Entity<Volume> }; readonly reply: unknown }) => {
    const [before, { updated }] = [refs.volumeId.updated, reply as Volume]
    const isKept = isNoEarlier(before, updated)
    return isKept === false ? `updated ${updated}, after ${before}` : isKept
  },
  probe,
})

/**
 * The latest time that a volume is known to have been made or changed at, of those that are written as this one is and were told after a
 * step. A clock may have been set back: what was told before the latest creation does not count.
 */
export function latestMoment(world: World, account: string | undefined, like: string, after = -1): string | undefined {
  const told = live(world, volumes, account)
    .flatMap(({ created, updated, since }) => [
      { time: created, step: since?.created?.step ?? 0, isMaking: true },
      { time: updated, step: since?.updated?.step ?? 0, isMaking: false },
    ])
    .filter(({ time }) => time !== undefined && !Number.isNaN(momentOf(time)) && hasOffset(time) === hasOffset(like))
  const from = Math.max(0, ...told.flatMap(({ step, isMaking }) => (isMaking ? [step] : [])))
  return told
    .flatMap(({ time, step }) => (time === undefined || step < from || step <= after ? [] : [time]))
    .reduce<string | undefined>((a, b) => (a === undefined || momentOf(b) > momentOf(a) ? b : a), undefined)
}

/** What is made has the time of its making. Creations side by side are told of in any order, so that no more than a day is asked for. */
export const createdNow = (id: string) => ({
  id: `${id}.created`,
  source: 'Volume, created',
  text: 'created is the time of the creation: not more than a day before anything that is known to have happened earlier.',
  holds: ({ world, account, reply }: Pick<Replied<unknown, undefined, undefined>, 'world' | 'account' | 'reply'>) => {
    const { created } = reply as Volume
    const latest = latestMoment(world, account, created)
    if (latest === undefined || Number.isNaN(momentOf(created))) return undefined
    return momentOf(latest) <= momentOf(created) + dayMs || `created ${created}, after ${latest}`
  },
  probe: (plan: Plan) => {
    const args = plan.draft(id)
    // Its creation tells the target's time.
    plan.make(volumes)
    plan.check(id, args)
  },
})

/** Whether the caller is restricted, and may write what the call is about. */
export function isGranted(
  caller: Principal,
  volume: Entity<Volume>,
  ...on: readonly (Entity<NodeFixture> | undefined)[]
): boolean {
  return (
    isRestricted(caller) === true &&
    lacksWrite(caller, 'volumes', volume) === false &&
    on.every((node) => node !== undefined && lacksWrite(caller, 'nodes', node) === false)
  )
}
