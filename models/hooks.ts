// What the target file's hooks do to the world: changes that come about outside the interface.
import type { HookName } from './plan.js'
import { nodes } from './tables/facts.js'
import { doubtTags } from './tables/tags.js'
import { volumes } from './tables/volumes.js'
import { drop, live, patch, type World } from './world.js'

const effects: Readonly<Record<HookName, (world: World, args: readonly unknown[]) => World>> = {
  // Volumes are detached automatically from deleted nodes.
  deleteNode: (world, [id]) =>
    live(world, volumes)
      .filter((volume) => volume.node_id === id)
      .reduce(
        (before, { key }) => patch(before, volumes, key, { node_id: null, profile: null }),
        doubtTags(drop(world, nodes, id as number)),
      ),
  setLiveMigration: (world, [id, on]) => patch(world, nodes, id as number, { liveMigration: on as boolean }),
  setVolumeMigrating: (world, [id, on]) => patch(world, volumes, id as number, { migrating: on as boolean }),
  putObjects: (world) => world,
}

/** The world after a hook has been called. */
export const applyHook = (world: World, name: HookName, args: readonly unknown[]): World => effects[name](world, args)
