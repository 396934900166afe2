// Objects in a bucket, as far as the interface reaches them: their ACL, their list, and pre-signed URLs to them.
import { known, type Ternary } from './clause.js'
import { anything, operation } from './operation.js'
import { isPlainText } from './promises.js'
import { integer, object, oneOf, optional, text } from './schema.js'
import { acls, buckets, commonSilences, fullBucket, newBucket, onBucket } from './tables/buckets.js'
import { entriesOf, markerOf, namesIn, nextWalk, pageFor, queryOf, takesUp } from './tables/object-lists.js'
import { forget, patch } from './world.js'

const endpoints = 'Endpoints / Object Storage'
const listParameters = `${endpoints}, "Object list query parameters"`
const urlBody = `${endpoints}, "Object URL create body"`
const path = '/object-storage/buckets/{clusterId}/{bucket}'
const objectAcls: readonly unknown[] = [...acls, 'custom']

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A name that any target takes for an object. */
const isPlainObject = (name: string): boolean => /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,198}[A-Za-z0-9])?$/.test(name)

const isThere = (objects: readonly string[] | undefined, name: string): Ternary => objects?.includes(name)

export const viewObjectAcl = operation({
  id: 'object-acl.view',
  area: 'object-storage',
  method: 'GET',
  path: `${path}/object-acl`,
  source: endpoints,
  summary: 'Shows the ACL of an object.',
  scopes: ['object_storage:read_only'],
  params: onBucket,
  query: object({ name: optional(text()) }),
  reply: anything,
  draft: (plan) => {
    const bucket = fullBucket(plan)
    return { path: bucket.path, query: { name: bucket.objects[0] ?? '' } }
  },
  silences: [
    {
      id: 'object-acl.view.no-name',
      source: `${endpoints}, GET …/object-acl`,
      text: 'Whether the name of the object is required is not said.',
      when: ({ query }) => query.name === undefined || query.name === '',
      probe: (plan) => void plan.check('object-acl.view', { path: fullBucket(plan).path }),
    },
    {
      id: 'object-acl.view.no-object',
      source: `${endpoints}, GET …/object-acl`,
      text: 'What is answered for an object that does not exist is not said.',
      when: ({ query, refs }) => {
        const there = query.name === undefined ? true : isThere(refs.bucket.objects, query.name)
        return there === undefined ? undefined : !there
      },
      probe: (plan) => void plan.check('object-acl.view', { path: newBucket(plan), query: { name: 'nothing.txt' } }),
    },
    ...commonSilences('object-acl.view'),
  ],
  statements: [
    {
      id: 'object-acl.view.of-object',
      source: `${endpoints}, GET …/object-acl`,
      text: 'The ACL that is returned is that of the object named.',
      holds: ({ query, reply, refs }) => {
        const seen = isRecord(reply) ? reply.acl : typeof reply === 'string' ? reply : undefined
        const acl = query.name === undefined ? undefined : refs.bucket.objectAcls?.[query.name]
        return objectAcls.includes(seen) ? known(acl, seen, (a, b) => a === b) : undefined
      },
      probe: (plan) => {
        const { path, objects } = fullBucket(plan, 2)
        const [name = '', other = ''] = objects
        for (const acl of ['authenticated-read', 'private']) {
          plan.call('object-acl.update', { path, body: { acl, name } })
          plan.check('object-acl.view', { path, query: { name } })
        }
        plan.call('object-acl.update', { path, body: { acl: 'authenticated-read', name: other } })
        plan.check('object-acl.view', { path, query: { name } })
        plan.check('object-acl.view', { path, query: { name: other } })
        plan.call('object-acl.update', { path, body: { acl: 'private', name: other } })
      },
    },
  ],
  choices: [
    {
      id: 'object-acl.view.member',
      text: 'Whether the ACL comes in a member acl.',
      source: `${endpoints}, "All endpoints"`,
      observe: ({ reply }) => isRecord(reply) && objectAcls.includes(reply.acl),
    },
  ],
  render: ({ query, refs }) => ({ acl: refs.bucket.objectAcls?.[query.name ?? ''] ?? 'private' }),
})

export const updateObjectAcl = operation({
  id: 'object-acl.update',
  area: 'object-storage',
  method: 'PUT',
  path: `${path}/object-acl`,
  source: endpoints,
  summary: 'Sets the ACL of an object.',
  scopes: ['object_storage:read_write'],
  params: onBucket,
  body: object({ acl: oneOf(...acls, 'custom'), name: text() }),
  reply: anything,
  draft: (plan) => {
    const bucket = fullBucket(plan)
    return { path: bucket.path, body: { acl: 'private', name: bucket.objects[0] } }
  },
  silences: [
    {
      id: 'object-acl.update.no-object',
      source: `${endpoints}, PUT …/object-acl`,
      text: 'Whether an ACL can be set for an object that does not exist is not said.',
      when: ({ body, refs }) => {
        const there = isThere(refs.bucket.objects, body.name)
        return there === undefined ? undefined : !there
      },
      probe: (plan) =>
        void plan.check('object-acl.update', { path: newBucket(plan), body: { acl: 'private', name: 'nothing.txt' } }),
    },
    ...commonSilences('object-acl.update'),
  ],
  statements: [
    {
      id: 'object-acl.update.custom',
      source: `${endpoints}, "Object ACL update uses the same acl enum including custom"`,
      text: 'custom is among the ACLs that an object can be set to.',
      holds: ({ body }) => (body.acl === 'custom' ? true : undefined),
      probe: (plan) => {
        const { path, objects } = fullBucket(plan)
        plan.check('object-acl.update', { path, body: { acl: 'custom', name: objects[0] } })
        plan.call('object-acl.update', { path, body: { acl: 'private', name: objects[0] } })
      },
    },
  ],
  unshown: 'object-acl.view.of-object asks for it',
  looks: ({ body }) => [{ operation: 'object-acl.view', query: { name: body.name } }],
  // What custom stands for is not said, so the object's ACL is then unknown.
  apply: ({ world, body: { acl, name }, refs: { bucket } }) => {
    const { [name]: _, ...others } = bucket.objectAcls ?? {}
    return patch(world, buckets, bucket.key, {
      objectAcls: { ...others, ...(acl !== 'custom' && isThere(bucket.objects, name) === true && { [name]: acl }) },
    })
  },
})

export const listObjects = operation({
  id: 'bucket-objects.list',
  area: 'object-storage',
  method: 'GET',
  path: `${path}/object-list`,
  source: listParameters,
  summary: 'Lists the objects in a bucket, a page at a time, each page beginning where the one before ended.',
  scopes: ['object_storage:read_only'],
  params: onBucket,
  query: object({
    marker: optional(text()),
    delimiter: optional(text()),
    prefix: optional(text()),
    page_size: optional(integer({ min: 25, max: 500 })),
  }),
  reply: anything,
  draft: (plan) => ({ path: fullBucket(plan).path }),
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
      probe: (plan) =>
        void plan.check('bucket-objects.list', { path: fullBucket(plan).path, query: { delimiter: '/0' } }),
    },
    {
      id: 'bucket-objects.list.odd-prefix',
      source: `${listParameters}, prefix`,
      text: 'Whether a prefix or a delimiter may be empty or hold other than printable characters is not said.',
      when: ({ query: { prefix, delimiter } }) =>
        (prefix !== undefined && !isPlainText(prefix)) ||
        (delimiter !== undefined && delimiter !== '' && !isPlainText(delimiter)),
      probe: (plan) => void plan.check('bucket-objects.list', { path: fullBucket(plan).path, query: { prefix: '' } }),
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
      holds: ({ query, reply }) => {
        const entries = entriesOf(reply)
        const size = query.page_size ?? 100
        if (!entries || query.delimiter !== undefined || markerOf(reply) === undefined) return undefined
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
        // Names are cut at the delimiter, so a prefix that holds it may no longer be whole.
        if (!names || prefix === undefined || (delimiter !== undefined && prefix.includes(delimiter))) return undefined
        const stray = names.find((name) => !name.startsWith(prefix))
        return stray === undefined ? names.length > 0 || undefined : `an object ${stray}`
      },
      probe: (plan) => {
        const { path, objects } = fullBucket(plan, 3)
        const sorted = [...objects].sort()
        for (const name of [sorted[0] ?? '', sorted.at(-1) ?? ''])
          for (const prefix of new Set([name.slice(0, 1), name]))
            plan.check('bucket-objects.list', { path, query: { prefix } })
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
        const { path } = plan.bucketFixture(
          ({ objects }) => objects?.some((name) => /^[^/]+\/[^/]/.test(name)) ?? false,
          'a bucket with an object whose name holds a slash',
        ) && fullBucket(plan)
        plan.check('bucket-objects.list', { path, query: { delimiter: '/' } })
      },
    },
    {
      id: 'bucket-objects.list.no-duplicates',
      source: `${listParameters}, marker`,
      text: 'A page begins after the last object of the page before: nothing is listed twice.',
      holds: ({ query, reply, refs }) => {
        const names = namesIn(reply)
        if (!names || query.delimiter !== undefined) return undefined
        const before = takesUp(refs.bucket, query) ? (refs.bucket.walk?.names ?? []) : []
        const seen = new Set<string>(before)
        for (const name of names) {
          if (seen.has(name)) return `${name} twice`
          seen.add(name)
        }
        return before.length > 0 && names.length > 0 ? true : undefined
      },
      probe: (plan) => {
        const { path } = fullBucket(plan, 51)
        const first = plan.check('bucket-objects.list', { path, query: { page_size: 25 } })
        const marker = first.field('nextMarker')
        plan.check('bucket-objects.list', { path, query: { page_size: 25, marker } })
      },
    },
    {
      id: 'bucket-objects.list.complete',
      source: `${listParameters}; GET …/object-list`,
      text: 'The pages together hold every object whose name starts with the prefix.',
      holds: ({ query, reply, refs }) => {
        const names = namesIn(reply)
        const { objects, walk } = refs.bucket
        const isLast = Array.isArray(reply) ? undefined : markerOf(reply) === undefined
        const continues = takesUp(refs.bucket, query)
        if (!names || !objects || !isLast || query.delimiter !== undefined) return undefined
        if (query.marker !== undefined && !(continues && walk?.whole)) return undefined
        const seen = new Set([...(continues ? (walk?.names ?? []) : []), ...names])
        const missing = objects.filter((name) => name.startsWith(query.prefix ?? '') && !seen.has(name))
        return missing.length === 0 ? objects.length > 0 || undefined : `a list without ${missing.slice(0, 5).join(', ')}`
      },
      probe: (plan) => {
        const { path, objects } = fullBucket(plan, 26)
        plan.check('bucket-objects.list', { path, query: { page_size: 500 } })
        for (let told = 0, marker = {}; told < Math.min(objects.length, 300); told += 25) {
          const page = plan.check('bucket-objects.list', { path, query: { page_size: 25, ...marker } })
          marker = { marker: page.field('nextMarker') }
        }
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
      observe: ({ reply }) =>
        Array.isArray(reply) ? 'array' : entriesOf(reply) ? 'a member data' : isRecord(reply) ? 'other' : undefined,
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

/** Whether two queries ask for the same list. */
export const isSameList = (one: { prefix?: string }, other: { prefix?: string }): boolean =>
  queryOf(one) === queryOf(other)

export const createObjectUrl = operation({
  id: 'object-urls.create',
  area: 'object-storage',
  method: 'POST',
  path: `${path}/object-url`,
  source: urlBody,
  summary: 'Makes a pre-signed URL to an object.',
  scopes: ['object_storage:read_write'],
  params: onBucket,
  body: object({
    name: text(),
    method: optional(text()),
    content_type: optional(text()),
    expires_in: optional(integer({ min: 360, max: 86_400 })),
  }),
  reply: anything,
  draft: (plan) => ({ path: newBucket(plan), body: { name: 'a.txt', method: 'GET' } }),
  full: (plan) => ({
    path: newBucket(plan),
    body: { name: 'a.txt', method: 'PUT', content_type: 'text/plain', expires_in: 3600 },
  }),
  refusals: [
    {
      id: 'object-urls.create.content-type',
      source: `${urlBody}, content_type`,
      text: 'Every method but GET and DELETE needs a content_type.',
      fields: ['content_type'],
      when: ({ body }) => {
        if (body.content_type !== undefined || body.method === undefined || isBare(body.method)) return false
        return isBare(body.method.trim().toUpperCase()) ? undefined : true
      },
      probe: (plan) => {
        const path = newBucket(plan)
        plan.probe('object-urls.create', { path, body: { name: 'a.txt', method: 'PUT' } })
        plan.twin('object-urls.create', { path, body: { name: 'a.txt', method: 'PUT', content_type: 'text/plain' } })
        plan.twin('object-urls.create', { path, body: { name: 'a.txt', method: 'GET' } })
        plan.twin('object-urls.create', { path, body: { name: 'a.txt', method: 'DELETE' } })
      },
    },
  ],
  silences: [
    {
      id: 'object-urls.create.no-method',
      source: `${urlBody}, method`,
      text: 'method is called required and has the default GET, so a call without it may be refused or not.',
      when: ({ body }) => body.method === undefined,
      probe: (plan) => void plan.check('object-urls.create', { path: newBucket(plan), body: { name: 'a.txt' } }),
    },
    {
      id: 'object-urls.create.methods',
      source: `${urlBody}, method`,
      text: 'Which methods there are beside GET, PUT and DELETE, and how they may be spelled, is not said.',
      when: ({ body }) =>
        body.method !== undefined &&
        !isBare(body.method) &&
        body.method !== 'PUT' &&
        (body.content_type !== undefined || isBare(body.method.trim().toUpperCase())),
      probe: (plan) =>
        void plan.check('object-urls.create', {
          path: newBucket(plan),
          body: { name: 'a.txt', method: 'POST', content_type: 'text/plain' },
        }),
    },
    {
      id: 'object-urls.create.names',
      source: `${urlBody}, name`,
      text: 'Which names an object may have is not said.',
      when: ({ body }) => !isPlainObject(body.name),
      probe: (plan) =>
        void plan.check('object-urls.create', { path: newBucket(plan), body: { name: '/ä b//', method: 'GET' } }),
    },
    {
      id: 'object-urls.create.odd-content-type',
      source: `${urlBody}, content_type`,
      text: 'What is taken for a content type is not said.',
      when: ({ body }) =>
        body.content_type !== undefined && !/^[a-z]+\/[a-z0-9]+(?:[.+-][a-z0-9]+)*$/.test(body.content_type),
      probe: (plan) =>
        void plan.check('object-urls.create', {
          path: newBucket(plan),
          body: { name: 'a.txt', method: 'PUT', content_type: 'text' },
        }),
    },
    ...commonSilences('object-urls.create'),
  ],
  statements: [
    {
      id: 'object-urls.create.returns-url',
      source: `${endpoints}, POST …/object-url`,
      text: 'The reply holds a URL.',
      holds: ({ reply }) => hasUrl(reply),
      probe: (plan) => void plan.check('object-urls.create', plan.draft('object-urls.create')),
    },
    {
      id: 'object-urls.create.missing-object',
      source: `${urlBody}, name`,
      text: 'The object need not exist.',
      holds: ({ body, refs }) => isThere(refs.bucket.objects, body.name) === false || undefined,
      probe: (plan) => {
        const path = newBucket(plan)
        for (const method of ['GET', 'DELETE'])
          plan.check('object-urls.create', { path, body: { name: 'nothing.txt', method } })
      },
    },
    {
      id: 'object-urls.create.existing-object',
      source: `${endpoints}, POST …/object-url`,
      text: 'An object that exists gets a URL for each method.',
      holds: ({ body, refs }) => isThere(refs.bucket.objects, body.name) === true || undefined,
      probe: (plan) => {
        const { path, objects } = fullBucket(plan)
        const [name] = objects
        plan.check('object-urls.create', { path, body: { name, method: 'GET' } })
        plan.check('object-urls.create', { path, body: { name, method: 'PUT', content_type: 'text/plain' } })
        plan.check('object-urls.create', { path, body: { name, method: 'DELETE' } })
      },
    },
    {
      id: 'object-urls.create.default-expiry',
      source: `${urlBody}, expires_in; Limits, "Pre-signed URL"`,
      text: 'Without expires_in the URL is valid for 3600 seconds.',
      holds: ({ body, reply }) =>
        body.expires_in === undefined && isRecord(reply) && typeof reply.expires_in === 'number'
          ? reply.expires_in === 3600
          : undefined,
      probe: (plan) => void plan.check('object-urls.create', plan.draft('object-urls.create')),
    },
    {
      id: 'object-urls.create.as-sent',
      level: 'should',
      source: urlBody,
      text: 'Where the reply carries a member that was sent, it has the value that was sent.',
      holds: ({ body, reply }) => {
        if (!isRecord(reply)) return undefined
        const carried = Object.entries(body).filter(([name]) => reply[name] !== undefined && reply[name] !== null)
        const other = carried.find(([name, value]) => reply[name] !== value)
        return other ? `${other[0]} ${JSON.stringify(reply[other[0]])}` : carried.length > 0 || undefined
      },
      probe: (plan) => {
        const path = newBucket(plan)
        plan.check('object-urls.create', {
          path,
          body: { name: 'b.txt', method: 'PUT', content_type: 'text/plain', expires_in: 360 },
        })
      },
    },
    {
      id: 'object-urls.create.content-type-header',
      source: `${urlBody}, content_type`,
      text: 'Using the URL takes the same Content-type header.',
      holds: () => undefined,
      unprobed: 'the URL leads to the S3-compatible interface, which the document does not describe',
    },
  ],
  render: ({ body, path: { clusterId, bucket } }) => ({
    url: `https://${bucket}.${clusterId}.objects.example/${encodeURIComponent(body.name)}?signature=embedded`,
    expires_in: body.expires_in ?? 3600,
  }),
})

const isBare = (method: string): boolean => method === 'GET' || method === 'DELETE'

const hasUrl = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(hasUrl)

export const bucketObjectOperations = [viewObjectAcl, updateObjectAcl, listObjects, createObjectUrl]
