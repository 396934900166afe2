// Pre-signed URLs to objects: section "Endpoints / Object Storage", "Object URL create body".

import isEqual from 'fast-deep-equal'
import { patch } from '../language/changes.js'
import type { Ternary } from '../language/clause.js'
import { isObject } from '../language/objects.js'
import { anything, operation } from '../language/operation.js'
import { integer, object, optional, text } from '../language/schema.js'
import { bucketPath, endpoints, fullBucket, newBucket, ofOwner, onBucket } from './common.js'
import { buckets, commonSilences } from './record.js'

const urlBody = `${endpoints}, "Object URL create body"`

/** A name that any target takes for an object. */
const isPlainObject = (name: string): boolean => /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,198}[A-Za-z0-9])?$/.test(name)

/** Whether two names are those of different objects, however a target may tidy names up. */
const areDifferent = (one: string, other: string): boolean =>
  [one, other].every((name) => /^[a-z0-9-]+(?:\.[a-z0-9]+)?$/.test(name)) && one !== other

const isThere = (objects: readonly string[] | undefined, name: string): Ternary => objects?.includes(name)

export const createObjectUrl = operation({
  id: 'object-urls.create',
  area: 'object-storage',
  method: 'POST',
  path: `${bucketPath}/object-url`,
  reach: { in: 'object-storage', alone: true, lent: false },
  source: urlBody,
  summary: 'Makes a pre-signed URL to an object.',
  scopes: ['object_storage:read_write'],
  params: onBucket,
  owned: ofOwner,
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
      fields: ['method', 'content_type'],
      when: ({ body }) => {
        if (body.content_type !== undefined || body.method === undefined || isBare(body.method)) return false
        // A method that is no text is another than these as well.
        return typeof body.method === 'string' && isBare(body.method.trim().toUpperCase()) ? undefined : true
      },
      probe: (plan) => {
        const path = newBucket(plan)
        for (const method of ['PUT', 'POST', 'HEAD', 'PATCH', 'OPTIONS'])
          plan.probe('object-urls.create', { path, body: { name: 'a.txt', method } })
        plan.probe('object-urls.create', { path, body: { name: 'a.txt', method: 'PUT', expires_in: 3600 } })
        const content_type = 'text/plain'
        plan.twin('object-urls.create', { path, body: { name: 'a.txt', method: 'PUT', content_type } })
        for (const method of ['GET', 'DELETE']) {
          plan.twin('object-urls.create', { path, body: { name: 'a.txt', method } })
          plan.twin('object-urls.create', { path, body: { name: 'a.txt', method, content_type } })
        }
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
      fields: ['name'],
      when: ({ body }) => !isPlainObject(body.name),
      probe: (plan) =>
        void plan.check('object-urls.create', { path: newBucket(plan), body: { name: '/ä b//', method: 'GET' } }),
    },
    {
      id: 'object-urls.create.odd-content-type',
      source: `${urlBody}, content_type`,
      text: 'What is taken for a content type is not said.',
      fields: ['content_type'],
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
      holds: ({ reply }) => urlsIn(reply).length > 0,
      probe: (plan) => void plan.check('object-urls.create', plan.draft('object-urls.create')),
    },
    {
      id: 'object-urls.create.own-url',
      level: 'should',
      source: `${urlBody}, name`,
      text: 'A URL leads to the object that it was made for: two objects do not have the same.',
      holds: ({ body, refs, reply }) => {
        const { signed } = refs.bucket
        const urls = urlsIn(reply)
        if (!signed || urls.length === 0 || !areDifferent(signed.name, body.name)) return undefined
        return !isEqual(urls, signed.urls) || `the URL of ${signed.name}`
      },
      probe: (plan) => {
        const path = newBucket(plan)
        for (const name of ['a.txt', 'b.txt']) plan.check('object-urls.create', { path, body: { name, method: 'GET' } })
      },
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
        plan.check('object-urls.create', {
          path,
          body: { name: 'nothing.txt', method: 'PUT', content_type: 'text/plain' },
        })
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
        // Nothing comes or goes before a URL is used.
        plan.check('object-urls.create', {
          path,
          body: { name: `${name}-new`, method: 'PUT', content_type: 'text/plain' },
        })
        plan.check('bucket-objects.list', { path, query: { page_size: 500 } })
      },
    },
    {
      id: 'object-urls.create.default-expiry',
      level: 'should',
      source: `${urlBody}, expires_in; Limits, "Pre-signed URL"`,
      text: 'Without expires_in the URL is valid for 3600 seconds, so that a number shown as expires_in is that.',
      holds: ({ body, reply }) =>
        body.expires_in === undefined && isObject(reply) && typeof reply.expires_in === 'number'
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
        if (!isObject(reply)) return undefined
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
        // The bounds hold for every method.
        for (const method of ['GET', 'DELETE'])
          for (const expires_in of [359, 86_401])
            plan.check('object-urls.create', { path, body: { name: 'b.txt', method, expires_in } })
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
  // What its URLs lead to is not asked, but no other object has them.
  notes: ({ world, body, refs, chosen }) =>
    patch(world, buckets, refs.bucket.key, { signed: { name: body.name, urls: urlsIn(chosen) } }),
  render: ({ body, path: { clusterId, bucket } }) => ({
    url: `https://${bucket}.${clusterId}.objects.example/${encodeURIComponent(body.name)}?signature=embedded`,
    expires_in: body.expires_in ?? 3600,
  }),
})

const isBare = (method: string): boolean => method === 'GET' || method === 'DELETE'

const urlsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(urlsIn) : []
}

export const objectUrlOperations = [createObjectUrl]
