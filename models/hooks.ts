// What the target file's hooks do to the world: changes that come about outside the interface.

import { bucketKey, buckets } from './buckets/record.js'
import { ips, shares } from './ips/record.js'
import { ranges } from './ipv6-ranges/record.js'
import { drop, lose, patch } from './language/changes.js'
import { nodes } from './language/facts.js'
import type { HookName } from './language/plan.js'
import type { Partition } from './language/reach.js'
import { find, live, type World } from './language/world.js'
import { nodeSettings } from './managed-node-settings/record.js'
import { doubtTags } from './tags/record.js'
import { volumes } from './volumes/record.js'

const effects: Readonly<Record<HookName, (world: World, args: readonly unknown[]) => World>> = {
  // Volumes are detached automatically from deleted nodes. What becomes of a node's addresses is not said.
  deleteNode: (before, [id]) => {
    const world = live(before, ips)
      .filter((ip) => ip.node_id === id)
      .reduce((left, { key }) => lose(left, ips, key), before)
    return live(world, volumes)
      .filter((volume) => volume.node_id === id)
      .reduce(
        (left, { key }) => patch(left, volumes, key, { node_id: null, profile: null }),
        doubtTags(
          drop(drop(doubtShares(world, id as number, before), nodeSettings, id as number), nodes, id as number),
        ),
      )
  },
  setLiveMigration: (world, [id, on]) => patch(world, nodes, id as number, { liveMigration: on as boolean }),
  setVolumeMigrating: (world, [id, on]) => patch(world, volumes, id as number, { migrating: on as boolean }),
  putObjects: (world, [cluster, label, names]) => {
    const key = bucketKey(cluster as string, label as string)
    const objects = find(world, buckets, key)?.objects
    return objects ? patch(world, buckets, key, { objects: [...new Set([...objects, ...(names as string[])])] }) : world
  },
}

/** Whether what is shared with a deleted node, or was on it, is still shared is not said. */
const doubtShares = (world: World, id: number, before: World): World => {
  const own = [...live(before, ips), ...live(before, ranges)].filter(({ node_id }) => node_id === id)
  const lost = new Set(own.map(({ key }) => key))
  return live(world, shares).reduce((left, { key, node_id, surely = [], perhaps }) => {
    const doubted = surely.filter((one) => node_id === id || lost.has(one))
    return doubted.length === 0
      ? left
      : patch(left, shares, key, {
          surely: surely.filter((one) => !doubted.includes(one)),
          ...(perhaps && { perhaps: [...perhaps, ...doubted] }),
        })
  }, world)
}

/** The part of the interface in which a hook changes something of the resource that it names; `anything` where it may change more. */
export const hookReaches: Readonly<Record<HookName, Partition | 'anything'>> = {
  deleteNode: 'anything',
  setLiveMigration: 'firewalls',
  setVolumeMigrating: 'volumes',
  putObjects: 'object-storage',
}

/** The world after a hook has been called. */
export const applyHook = (world: World, name: HookName, args: readonly unknown[]): World => effects[name](world, args)
