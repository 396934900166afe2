// What the tag operations have in common: the label in a path, objects to tag and what carries a label; no rule of any operation.

import { loosen, patch } from '../language/changes.js'
import { aNode } from '../language/needs.js'
import { ref } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { isPlainTag } from '../language/promises.js'
import { find, type World } from '../language/world.js'
import { volumes } from '../volumes/record.js'
import { kinds } from './carriers.js'
import { tagKey, tags } from './record.js'

export const endpoints = 'Endpoints / Tags'

export const tagLabel = {
  tagLabel: ref(tags, {
    key: (path, account) => tagKey(account, path.tagLabel ?? ''),
    type: 'string',
    field: 'label',
  }),
}

export type Kind = keyof typeof kinds

export const kindNames = Object.keys(kinds) as readonly Kind[]

/** An object of the caller's to tag. */
export const ownId = (plan: Plan, kind: Kind) =>
  ({
    domains: () => plan.domain().id,
    nodes: () =>
      plan.node((node) => node.liveMigration !== true, aNode('a node without live migration', { liveMigration: false }))
        .id,
    nodebalancers: () => plan.nodebalancer().id,
    volumes: () => plan.make(volumes).id,
  })[kind]()

/** Two objects of the caller's to tag, or one where there are no more. */
export const ownIds = (plan: Plan, kind: Kind) => {
  const first = ownId(plan, kind)
  if (kind === 'volumes') return [first, ownId(plan, kind)]
  const home = plan.environment.accounts[0]?.name
  const second = plan.environment.fixtures[kind]?.find(
    (other) =>
      other.id !== first &&
      (other.account ?? home) === home &&
      !('liveMigration' in other && other.liveMigration === true),
  )
  return second ? [first, second.id] : [first]
}

export const foreignScopes = ['volumes:read_only', 'volumes:read_write', 'account:read_only', 'account:read_write']

/** Puts a label among the tags of a volume or takes it away; what an odd label looks like there stays open. */
export const retag = (world: World, id: number | string, label: string, on: boolean): World => {
  const volume = find(world, volumes, id)
  if (!Array.isArray(volume?.tags)) return world
  const others = volume.tags.filter((tag) => tag !== label)
  const next = patch(world, volumes, id, { tags: on ? [...others, label] : others })
  return volume.loose?.includes('tags') || !isPlainTag(label) ? loosen(next, volumes, id, ['tags']) : next
}
