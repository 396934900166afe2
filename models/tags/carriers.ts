// What carries a tag, as far as it is known: the objects of the mixed collection; no operation.

import { firewalls } from '../firewalls/record.js'
import { domains, nodebalancers, nodes } from '../language/facts.js'
import type { AnyTable } from '../language/operation.js'
import { find, isClosed, isOurs, live, type Table, type World } from '../language/world.js'
import { volumes } from '../volumes/record.js'
import { tagKey, tags } from './record.js'

/** What a tag creation may list, by the member that lists it. */
export const kinds = { domains, nodes, nodebalancers, volumes } as const

export interface Carrier {
  readonly type: 'domain' | 'node' | 'nodebalancer' | 'volume' | 'firewall'
  readonly id: number | string
  readonly label?: string | undefined
  /** Whether it surely carries the tag. */
  readonly sure: boolean
}

/** Everything known that carries a tag or may carry it. Whether firewalls are objects of tags is not said. */
export const carriersOf = (world: World, account: string | undefined, label: string): readonly Carrier[] => {
  const tag = find(world, tags, tagKey(account, label))
  const listed = (type: 'domain' | 'node' | 'nodebalancer', kind: 'domains' | 'nodes' | 'nodebalancers') =>
    (tag?.[kind] ?? []).map((id) => ({ type, id, sure: find(world, kinds[kind] as Table<object>, id) !== undefined }))
  const labelled = (type: 'volume' | 'firewall', table: AnyTable) =>
    live(world, table, account).flatMap((entity) => {
      // What was there before the run, and is untouched, cannot carry a label that the run made up.
      const isUntouched = Object.values(entity.since ?? {}).every(({ step }) => step === 0)
      if (entity.tags === undefined && isUntouched && isOurs(world, label)) return []
      const isOpen = entity.tags === undefined || entity.loose?.includes('tags') === true || entity.stub === true
      const carries = Array.isArray(entity.tags) && entity.tags.includes(label)
      const own = (entity as { readonly label?: string }).label
      return carries || isOpen
        ? [{ type, id: entity.key, label: own, sure: carries && !isOpen && type === 'volume' }]
        : []
    })
  return [
    ...listed('domain', 'domains'),
    ...listed('node', 'nodes'),
    ...listed('nodebalancer', 'nodebalancers'),
    ...labelled('volume', volumes),
    ...labelled('firewall', firewalls),
  ]
}

/** Whether every object is known that may carry the tag. */
export const isCountable = (world: World, account: string | undefined, label: string): boolean =>
  find(world, tags, tagKey(account, label))?.objectsKnown === true &&
  (isOurs(world, label) || isClosed(world, tags, account))

export const listOf = (carriers: readonly Carrier[]): string =>
  carriers.length === 0
    ? 'nothing'
    : carriers.map(({ type, id, sure }) => `${type} ${id}${sure ? '' : ' (perhaps)'}`).join(', ')
