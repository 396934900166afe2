// The list of the objects in a bucket, page by page: section "Endpoints / Object Storage", "Object list query parameters".

import { forget, patch } from '../language/changes.js'
import { isObject } from '../language/objects.js'
import { anything, operation } from '../language/operation.js'
import type { Args, Plan } from '../language/plan.js'
import { isPlainText } from '../language/promises.js'
import { integer, object, optional, text } from '../language/schema.js'
import { anyBucket, bucketPath, endpoints, filledBucket, fullBucket, newBucket, ofOwner, onBucket } from './common.js'
import {
  cutsOf,
  entriesOf,
  isLastPage,
  markerOf,
  mostOf,
  namesIn,
  nextWalk,
  pageFor,
  shownAs,
  takesUp,
  wholeList,
} from './object-lists.js'
import { buckets, commonSilences } from './record.js'

const listParameters = `${endpoints}, "Object list query parameters"`

/** Lists so many objects page by page, to the end where there are not too many. */
const walk = (
  plan: Plan,
  path: NonNullable<Args['path']>,
  query: { readonly prefix?: string; readonly delimiter?: string; readonly page_size?: number },
  objects: number,
): void => {
  for (let told = 0, marker = {}; told < Math.min(objects, 300); told += query.page_size ?? 100) {
    const page = plan.check('bucket-objects.list', { path, query: { ...query, ...marker } })
    marker = { marker: page.field('nextMarker') }
  }
}

/** A character that is in none of the names. */
const absentFrom = (names: readonly string[]): string =>
  [...'~|^!,;@$#'].find((one) => names.every((name) => !name.includes(one))) ?? '~'

/** A character at which all names can be cut, so that more than a page of different ones is left. */
const cutting = (names: readonly string[]): string | undefined =>
  [...'./-_'].find(
    (one) =>
      names.every((name) => name.includes(one)) &&
      new Set(names.map((name) => name.slice(0, name.indexOf(one)))).size > 25,
  )

/**
 * The prefix of the fewest names that take more than a page, with a part of a page left for the names behind them; without such a
 * prefix the commonest first letter.
 */
const crowdedPrefix = (names: readonly string[]): string => {
  const counts = new Map<string, number>()
  for (const name of names)
    for (let length = 1; length <= name.length; length += 1) {
      const start = name.slice(0, length)
      counts.set(start, (counts.get(start) ?? 0) + 1)
    }
  const last = names.toSorted().at(-1) ?? ''
  const fewest = [...counts].sort(([, a], [, b]) => a - b)
  const crowded = fewest.find(
    ([start, count]) => count > 25 && count % 25 > 0 && start < last && !last.startsWith(start),
  )
  const [initial = ''] = fewest.findLast(([start]) => start.length === 1) ?? []
  return crowded?.[0] ?? initial
}

export const listObjects = operation({
  id: 'bucket-objects.list',
  area: 'object-storage',
  method: 'GET',
  path: `${bucketPath}/object-list`,
  reach: { in: 'object-storage', alone: true, lent: false },
  source: listParameters,
  summary: 'Lists the objects in a bucket, a page at a time, each page beginning where the one before ended.',
  scopes: ['object_storage:read_only'],
  params: onBucket,
  owned: ofOwner,
  query: object({
    marker: optional(text()),
    delimiter: optional(text()),
    prefix: optional(text()),
    page_size: optional(integer({ min: 25, max: 500 })),
  }),
  reply: anything,
  draft: (plan) => ({ path: anyBucket(plan) }),
  silences: [
    {
      id: 'bucket-objects.list.arbitrary-marker',
      source: `${listParameters}, marker`,
      text: 'A marker other than the one that the page before told may be refused: arbitrary page access is not supported.',
      when: ({ query, refs }) => query.marker !== undefined && !takesUp(refs.bucket, query),
      probe: (plan) => {
        const { path, objects } = fullBucket(plan, 3)
        plan.check('bucket-objects.list', { path, query: { marker: [...objects].sort()[1] ?? '' } })
      },
    },
    {
      id: 'bucket-objects.list.delimiter-length',
      source: `${listParameters}, delimiter`,
      text: 'A delimiter is a character; whether it may be several or none is not said.',
      when: ({ query }) => query.delimiter !== undefined && [...query.delimiter].length !== 1,
      probe: (plan) => void plan.check('bucket-objects.list', { path: anyBucket(plan), query: { delimiter: '/0' } }),
    },
    {
      id: 'bucket-objects.list.odd-prefix',
      source: `${listParameters}, prefix`,
      text: 'Whether a prefix or a delimiter may be empty or hold other than printable characters is not said.',
      when: ({ query: { prefix, delimiter } }) =>
        (prefix !== undefined && !isPlainText(prefix)) ||
        (delimiter !== undefined && delimiter !== '' && !isPlainText(delimiter)),
      probe: (plan) => void plan.check('bucket-objects.list', { path: anyBucket(plan), query: { prefix: '' } }),
    },
    ...commonSilences('bucket-objects.list'),
  ],
  statements: [
    {
      id: 'bucket-objects.list.page-size',
      source: `${listParameters}, page_size`,
      text: 'A page holds no more objects than page_size.',
      holds: ({ query, reply }) => {
        const entries = entriesOf(reply)
        if (!entries || query.page_size === undefined) return undefined
        return entries.length <= query.page_size || `${entries.length} objects at a page_size of ${query.page_size}`
      },
      probe: (plan) => {
        const { path } = fullBucket(plan, 27)
        plan.check('bucket-objects.list', { path, query: { page_size: 25 } })
        plan.check('bucket-objects.list', { path, query: { page_size: 26 } })
      },
    },
    {
      id: 'bucket-objects.list.default-page-size',
      source: `${listParameters}, page_size`,
      text: 'Without page_size a page holds no more than 100 objects.',
      holds: ({ query, reply, refs }) => {
        const entries = entriesOf(reply)
        if (!entries || query.page_size !== undefined) return undefined
        if (entries.length > 100) return `${entries.length} objects without a page_size`
        return (refs.bucket.objects?.length ?? 0) > 100 || undefined
      },
      probe: (plan) => void plan.check('bucket-objects.list', { path: fullBucket(plan, 101).path }),
    },
    {
      id: 'bucket-objects.list.full-page',
      level: 'should',
      source: `${listParameters}, page_size`,
      text: 'A page after which more follows holds page_size objects, 100 by default.',
      holds: ({ query, refs, reply }) => {
        const entries = entriesOf(reply)
        const size = query.page_size ?? 100
        const { prefix = '' } = query
        if (!entries || query.delimiter !== undefined || query.marker !== undefined) return undefined
        // A next_marker alone does not say that anything follows: the last page may have one as well.
        const known = (refs.bucket.objects ?? []).filter((name) => name.startsWith(prefix)).length
        if (markerOf(reply) === undefined || known <= entries.length) return undefined
        return entries.length >= size || `${entries.length} objects in place of ${size}, and a next_marker`
      },
      probe: (plan) => {
        const { path } = fullBucket(plan, 101)
        plan.check('bucket-objects.list', { path })
        plan.check('bucket-objects.list', { path, query: { page_size: 30 } })
      },
    },
    {
      id: 'bucket-objects.list.prefix',
      source: `${listParameters}, prefix`,
      text: 'Only objects are listed whose names start with the prefix.',
      holds: ({ query: { prefix, delimiter }, reply }) => {
        const names = namesIn(reply)
        if (!names || prefix === undefined) return undefined
        // What a delimiter of several characters, or of none, does is not said.
        if (delimiter !== undefined && [...delimiter].length !== 1) return undefined
        // Names are cut at the delimiter, so a prefix that holds it may no longer be whole.
        const cuts = delimiter ? cutsOf(prefix, '', delimiter) : []
        const stray = names.find((name) => !name.startsWith(prefix) && !cuts.includes(name))
        return stray === undefined ? names.length > 0 || undefined : `an object ${stray}`
      },
      probe: (plan) => {
        const { path, objects } = fullBucket(plan, 3)
        const sorted = [...objects].sort()
        const [first = ''] = sorted
        const otherCases = [first.toUpperCase(), first.toLowerCase()].filter((name) => name !== first)
        for (const prefix of otherCases) plan.check('bucket-objects.list', { path, query: { prefix } })
        for (const name of [first, sorted.at(-1) ?? '']) {
          // Its first letter, all of it, and what stands within it.
          const inner = /[A-Za-z0-9].*/.exec(name.slice(1))?.[0] ?? name
          for (const prefix of new Set([name.slice(0, 1), name, inner]))
            plan.check('bucket-objects.list', { path, query: { prefix } })
        }
        // As a folder is looked into: beside a delimiter a prefix still leaves out what begins otherwise.
        const [folder] = sorted.flatMap((name) => /^[^/]+\//.exec(name)?.[0] ?? [])
        if (folder) plan.check('bucket-objects.list', { path, query: { prefix: folder, delimiter: '/' } })
      },
    },
    {
      id: 'bucket-objects.list.delimiter',
      source: `${listParameters}, delimiter`,
      text: 'Names are given up to the first delimiter in them.',
      holds: ({ query: { prefix = '', delimiter }, reply }) => {
        const names = namesIn(reply)
        if (!names || !delimiter) return undefined
        // The first one may be sought after the prefix, and may end the name or be left out.
        const long = names.find((name) => {
          const at = name.indexOf(delimiter, name.startsWith(prefix) ? prefix.length : 0)
          return at >= 0 && at + delimiter.length < name.length
        })
        return long === undefined ? names.length > 0 || undefined : `a name ${long}`
      },
      probe: (plan) => {
        const isDeep = (name: string) => /^[^/]+\/[^/]/.test(name)
        const { path, objects } = fullBucket(plan, 1, isDeep, 'an object whose name holds a slash')
        plan.check('bucket-objects.list', { path, query: { delimiter: '/' } })
        const [prefix = ''] = objects.find(isDeep) ?? ''
        plan.check('bucket-objects.list', { path, query: { prefix, delimiter: '/' } })
        // A character that stands twice in a name.
        const twice = objects.flatMap((name) => /([!-~]).*\1/.exec(name)?.[1] ?? [])
        for (const delimiter of twice.slice(0, 1)) plan.check('bucket-objects.list', { path, query: { delimiter } })
        // A later page is cut as the first one is.
        const crowded = plan.attempt(() => fullBucket(plan, 26))
        const delimiter = crowded && cutting(crowded.objects)
        if (delimiter) walk(plan, crowded.path, { delimiter, page_size: 25 }, 50)
      },
    },
    {
      id: 'bucket-objects.list.without-delimiter',
      source: `${listParameters}, delimiter`,
      text: 'Names that do not hold the delimiter are given whole.',
      holds: ({ query, refs, reply }) => {
        const { delimiter = '' } = query
        const { objects, texts } = wholeList(refs.bucket, query, reply) ?? {}
        const names = objects?.filter((name) => !name.includes(delimiter))
        if (!names || !texts) return undefined
        const missing = names.find((name) => !texts.has(name))
        return missing === undefined ? names.length > 0 || undefined : `a list without ${missing}`
      },
      probe: (plan) => {
        const { path, objects } = plan.attempt(() => fullBucket(plan, 53)) ?? fullBucket(plan)
        for (const delimiter of [absentFrom(objects), '/'])
          plan.check('bucket-objects.list', { path, query: { delimiter, page_size: 500 } })
        if (objects.length > 25) walk(plan, path, { delimiter: absentFrom(objects), page_size: 25 }, objects.length)
      },
    },
    {
      id: 'bucket-objects.list.up-to-delimiter',
      level: 'should',
      source: `${listParameters}, delimiter`,
      text: 'Names that hold the delimiter are given up to it, each once or for every object.',
      holds: ({ query, refs, reply }) => {
        const { prefix = '', delimiter = '' } = query
        const { objects, texts } = wholeList(refs.bucket, query, reply) ?? {}
        // What stood beside the names of earlier pages is not remembered.
        const names = query.marker === undefined ? objects?.filter((name) => name.includes(delimiter)) : undefined
        if (!names || !texts) return undefined
        // Up to a delimiter that it begins with, nothing is left of a name, and a list may leave such a name out.
        const missing = names.find(
          (name) => !shownAs(name, prefix, delimiter).some((shown) => shown === '' || texts.has(shown)),
        )
        return missing === undefined ? names.length > 0 || undefined : `nothing of ${missing}`
      },
      probe: (plan) => {
        const isDeep = (name: string) => /^[^/]+\/[^/]/.test(name)
        const { path, objects } = fullBucket(plan, 1, isDeep, 'an object whose name holds a slash')
        const [prefix = ''] = objects.find(isDeep) ?? ''
        for (const query of [{}, { prefix }])
          plan.check('bucket-objects.list', { path, query: { ...query, delimiter: '/', page_size: 500 } })
      },
    },
    {
      id: 'bucket-objects.list.no-duplicates',
      source: `${listParameters}, marker`,
      text: 'A page begins after the last object of the page before: nothing is listed twice.',
      holds: ({ query, reply, refs }) => {
        const names = namesIn(reply)
        if (!names) return undefined
        const before = takesUp(refs.bucket, query) ? (refs.bucket.walk?.names ?? []) : []
        const times = new Map<string, number>()
        for (const name of [...before, ...names]) times.set(name, (times.get(name) ?? 0) + 1)
        const isOften = (name: string): boolean => {
          const found = times.get(name) ?? 0
          return found > 1 && found > mostOf(refs.bucket, query, name)
        }
        const doubled = names.find(isOften)
        if (doubled !== undefined) return `${doubled} more than once`
        return before.length > 0 && names.length > 0 ? true : undefined
      },
      probe: (plan) => {
        const { path, objects } = fullBucket(plan, 51)
        for (const cut of [{}, { delimiter: absentFrom(objects) }]) {
          const query = { ...cut, page_size: 25 }
          const marker = plan.check('bucket-objects.list', { path, query }).field('nextMarker')
          plan.check('bucket-objects.list', { path, query: { ...query, marker } })
        }
      },
    },
    {
      id: 'bucket-objects.list.complete',
      source: `${listParameters}; GET …/object-list`,
      text: 'The pages together hold every object whose name starts with the prefix.',
      holds: ({ query, reply, refs }) => {
        const names = namesIn(reply)
        const { objects, walk } = refs.bucket
        const continues = takesUp(refs.bucket, query)
        if (!names || !objects || !isLastPage(reply) || query.delimiter !== undefined) return undefined
        if (query.marker !== undefined && !(continues && walk?.whole)) return undefined
        const seen = new Set([...(continues ? (walk?.names ?? []) : []), ...names])
        const missing = objects.filter((name) => name.startsWith(query.prefix ?? '') && !seen.has(name))
        return missing.length === 0
          ? objects.length > 0 || undefined
          : `a list without ${missing.slice(0, 5).join(', ')}`
      },
      probe: (plan) => {
        // Where there may be so many, those that begin alike take more than a page as well.
        const { path, objects } = plan.attempt(() => fullBucket(plan, 53)) ?? fullBucket(plan, 26)
        const prefix = crowdedPrefix(objects)
        const listed = objects.filter((name) => name.startsWith(prefix)).length
        plan.check('bucket-objects.list', { path, query: { page_size: 500 } })
        for (const size of [{ page_size: 25 }, {}]) walk(plan, path, size, objects.length)
        walk(plan, path, { prefix, page_size: 25 }, listed)
        walk(plan, path, { prefix }, listed)
        // What is done to the bucket leaves them in it.
        const filled = plan.attempt(() => filledBucket(plan, 1))
        if (!filled) return
        const access = { acl: 'public-read', cors_enabled: true }
        plan.call('bucket-access.update', { path: filled.path, body: access })
        plan.check('bucket-objects.list', { path: filled.path })
      },
    },
    {
      id: 'bucket-objects.list.only-objects',
      level: 'should',
      source: `${endpoints}, GET …/object-list`,
      text: 'Only objects are listed that are in the bucket.',
      holds: ({ query, reply, refs }) => {
        const names = namesIn(reply)
        const { objects } = refs.bucket
        if (!names || !objects || query.delimiter !== undefined) return undefined
        const stray = names.find((name) => !objects.includes(name))
        return stray === undefined || `an object ${stray}`
      },
      probe: (plan) => {
        plan.check('bucket-objects.list', { path: newBucket(plan) })
        plan.check('bucket-objects.list', { path: fullBucket(plan).path })
      },
    },
    {
      id: 'bucket-objects.list.next-marker',
      level: 'should',
      source: `${listParameters}, marker`,
      text: 'next_marker is the name of the last object of the page.',
      holds: ({ query, reply }) => {
        const last = namesIn(reply)?.at(-1)
        const marker = markerOf(reply)
        if (last === undefined || marker === undefined || query.delimiter !== undefined) return undefined
        return marker === last || `next_marker ${marker} after ${last}`
      },
      probe: (plan) =>
        void plan.check('bucket-objects.list', { path: fullBucket(plan, 26).path, query: { page_size: 25 } }),
    },
  ],
  choices: [
    {
      id: 'bucket-objects.list.envelope',
      text: 'What the objects come in.',
      source: `${endpoints}, "All endpoints"`,
      values: ['array', 'a member data', 'other'],
      observe: ({ reply }) =>
        Array.isArray(reply) ? 'array' : entriesOf(reply) ? 'a member data' : isObject(reply) ? 'other' : undefined,
    },
  ],
  unshown: 'nothing changes; what is noted is how far a listing has come',
  apply: ({ world, query, refs: { bucket }, chosen }) =>
    patch(
      forget(world, buckets, bucket.key, ['nextMarker', 'walk']),
      buckets,
      bucket.key,
      nextWalk(bucket, query, chosen),
    ),
  chooses: ({ query, refs }) => pageFor(refs.bucket.objects ?? [], query),
  render: ({ chosen }) => chosen,
})

export const bucketObjectOperations = [listObjects]
