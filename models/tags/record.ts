// The tag as requests name it, and how it is stored; its record is not shown by the document, and neither are objects under it.

import { put } from '../language/changes.js'
import type { Ternary } from '../language/clause.js'
import { isObject } from '../language/objects.js'
import { isPlainTag } from '../language/promises.js'
import { asSet } from '../language/same.js'
import { type Entity, find, live, type Table, type World } from '../language/world.js'

export interface Tag {
  label: string
  /** Model only: made by a tag creation, so that it exists until it is deleted. */
  created: boolean
  /** Model only: nothing carries it but what calls of this run tagged. */
  objectsKnown: boolean
  /** Model only: what a tag creation tagged. Volumes tell it themselves, by their tags. */
  domains: readonly number[]
  nodes: readonly number[]
  nodebalancers: readonly number[]
}

/** Tags of an object. Other than plain ones may be kept in another form: which tags an object may carry is not said. */
export const sameTags = (known: readonly string[], seen: unknown): Ternary =>
  asSet(known, seen) || (Array.isArray(known) && Array.isArray(seen) && !known.every(isPlainTag) ? undefined : false)

/**
 * Whether the tags that an update without any leaves are among those that the object had. It may keep them or clear them; of an object
 * that this run has not made, others may have changed them.
 */
export const addsNoTags = (
  { tags: before, loose, maker, since }: Entity<{ readonly tags: readonly string[] }>,
  given: readonly string[] | undefined,
  reply: unknown,
): boolean | string | undefined => {
  const after = isObject(reply) ? reply.tags : undefined
  const isKnown = maker !== undefined && before?.every(isPlainTag) === true && !loose?.includes('tags')
  // What a call about a tag has changed may be late until something shows it.
  const mayBeLate = since?.tags?.confirmed === false && since.tags.by.startsWith('tags.')
  if (given !== undefined || !isKnown || mayBeLate || !Array.isArray(after)) return undefined
  const added = after.find((tag) => !before.includes(tag))
  return added === undefined ? before.length > 0 || undefined : `a tag ${added} that it did not have before`
}

/** What an update without tags does to those of an object that had some, by a reply that shows them. */
export const tagsLeftOut = (
  { tags: before }: Entity<{ readonly tags: readonly string[] }>,
  given: readonly string[] | undefined,
  reply: unknown,
): 'kept' | 'dropped' | undefined => {
  const after = isObject(reply) ? reply.tags : undefined
  if (given !== undefined || !before?.length || !Array.isArray(after)) return undefined
  return after.length > 0 ? 'kept' : 'dropped'
}

/** Identity of a tag: its label, within its account. */
export const tagKey = (account: string | undefined, label: string): string => `${account ?? ''}/${label}`

export const tags: Table<Tag> = {
  name: 'tags',
  fields: ['label'],
  identify: ({ label }, _, account) => (typeof label === 'string' ? tagKey(account, label) : undefined),
  same: {
    // How a label of other than plain characters is shown is not said.
    label: (known: string, seen) => (seen === known ? true : isPlainTag(known) ? false : undefined),
  },
  // An object may be given tags that no request names, as a clone may be: such a label may exist as a tag as well. So may one that was
  // made by a call that does not tell for which account.
  besides: (world, { label }) =>
    typeof label === 'string' &&
    (isShownOnObject(world, label) || find(world, tags, tagKey(undefined, label)) !== undefined),
  bare: () => ({}),
  change: { lasting: ['label'], outside: ['domains', 'nodes', 'nodebalancers', 'objectsKnown'], renewable: true },
  closable: true,
}

/** Whether any object shows this label among its tags. */
const isShownOnObject = (world: World, label: string): boolean =>
  [...world.tables.values()].some(({ live }) =>
    [...live.values()].some(({ tags: shown }) => Array.isArray(shown) && shown.includes(label)),
  )

/** The key of a tag that an odd label on an object may have become, by the key of one with that very label. */
export const mentionOf = (key: string): string => `?${key}`

/**
 * Notes that objects are given these labels or lose them. Whether a label that is set on an object exists as a tag, and
 * for how long, is not said, so that such a tag may exist from then on.
 */
export const mentionTags = (world: World, account: string | undefined, ...labels: readonly unknown[]): World =>
  labels
    .flat()
    .filter((label) => typeof label === 'string')
    .reduce((before, label) => {
      const plainKey = tagKey(account, label)
      // What an odd label becomes is not said: it may be any tag that is met and not known.
      const key = isPlainTag(label) || find(before, tags, plainKey) ? plainKey : mentionOf(plainKey)
      const known = find(before, tags, key)
      return known?.created
        ? before
        : put(before, tags, { objectsKnown: true, ...known, key, account, label, stub: true as const })
    }, world)

/** Notes that an object no longer carries these labels: whether a tag that nothing carries stays is not said. */
export const releaseTags = (
  world: World,
  account: string | undefined,
  labels: unknown,
  kept: readonly string[] = [],
): World =>
  (Array.isArray(labels) ? labels : [])
    .filter((label) => typeof label === 'string' && !kept.includes(label))
    .reduce<World>((before, label: string) => {
      const known = find(before, tags, tagKey(account, label))
      return known?.created ? put(before, tags, { ...known, stub: true as const }) : before
    }, world)

/** Puts every tag in doubt that no tag creation made: what carried it may be gone. */
export const doubtTags = (world: World): World =>
  live(world, tags)
    .filter((tag) => !tag.created)
    .reduce((before, tag) => put(before, tags, { ...tag, stub: true as const }), world)

/** The mixed collection of objects that carry a tag: its records do not tell for certain which object they show. */
export const taggedObjects: Table<Record<string, never>> = {
  name: 'tagged-objects',
  fields: [],
  identify: () => undefined,
  nameless: true,
  change: { lasting: [], outside: [], renewable: false },
  closable: false,
}
