// Targets that use what the document leaves open about Object Storage: no must-level finding may come of it.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { pageFor } from '../../models/buckets/object-lists.js'
import { type Bucket, buckets } from '../../models/buckets/record.js'
import { operations } from '../../models/index.js'
import { patch } from '../../models/language/changes.js'
import { clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { type Entity, find, type WireRecord, type World } from '../../models/language/world.js'
import type { EmbeddedOptions } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { partOf } from '../parts.js'

const mine = /^(?:buckets|bucket-|object-acl|object-urls|object-storage\.cancel)/

/** Must-level findings of all probes on buckets and of a target that is free in that way. */
const findingsOf = async (options: Partial<EmbeddedOptions>): Promise<readonly string[]> => {
  const { session } = inProcess({ environment: embeddedEnvironment(), ...options })
  await survey(session)
  const found: string[] = []
  for (const op of operations.filter(({ id }) => mine.test(id)))
    for (const clause of clausesOf(op)) {
      const probe = probeFor(clause, session.context)
      if (probe.kind !== 'program' || probe.program.missing.length > 0) continue
      const { findings } = await runProgram(session, probe.program, clause)
      found.push(...findings.filter(({ level }) => level === 'must').map(({ id, received }) => `${id} ${received}`))
    }
  return found
}

const accepted = (body: unknown): boolean => (body as { errors?: unknown } | undefined)?.errors === undefined

const reply = (id: string, change: (body: WireRecord) => unknown): Fault => ({
  body: (body, op) => (op.id === id && accepted(body) ? change(body as WireRecord) : body),
})

const instead = (ids: readonly string[], change: (op: Operation) => Partial<Operation>): Fault => ({
  operation: (op) => (ids.includes(op.id) ? ({ ...op, ...change(op) } as Operation) : op),
})

interface OnBucket {
  readonly world: World
  readonly body: Partial<Bucket>
  readonly refs: { readonly bucket: Entity<Bucket> }
}

const access = ['bucket-access.allow', 'bucket-access.update']

/** The effect, and then these fields of the bucket. */
const then = (op: Operation, fields: (facts: OnBucket) => Partial<Bucket>): Partial<Operation> => ({
  apply: ((facts: OnBucket) =>
    patch(op.apply?.(facts as never) ?? facts.world, buckets, facts.refs.bucket.key, fields(facts))) as never,
})

type Query = Parameters<typeof pageFor>[1]

const listing = (change: (query: Query, objects: readonly string[]) => object): Fault =>
  instead(['bucket-objects.list'], () => {
    const chooses = ({ query, refs }: { query: Query; refs: OnBucket['refs'] }) =>
      change(query, refs.bucket.objects ?? [])
    return { chooses: chooses as never }
  })

const reversed = (objects: readonly string[], query: Query) => {
  const { marker, prefix = '', page_size: size = 100 } = query
  if (query.delimiter !== undefined) return pageFor(objects, query)
  const all = objects
    .filter((name) => name.startsWith(prefix))
    .sort()
    .reverse()
  const rest = marker === undefined ? all : all.filter((name) => name < marker)
  const names = rest.slice(0, size)
  return { data: names.map((name) => ({ name })), ...(rest.length > size && { next_marker: names.at(-1) }) }
}

const freedoms: Readonly<Record<string, Partial<EmbeddedOptions>>> = {
  'refuses wherever the document is silent': { variation: { strict: true } },
  'shows no member of a bucket': { variation: { bare: true } },
  'shows buckets without their cluster': {
    fault: reply('buckets.list', (body) => ({
      ...body,
      data: (body.data as WireRecord[]).map(({ cluster: _, ...rest }) => rest),
    })),
  },
  'lists the buckets of a cluster as an array': { fault: reply('buckets.list-in-cluster', ({ data }) => data) },
  'lists the buckets of a cluster by name': {
    fault: reply('buckets.list-in-cluster', ({ data }) => ({
      buckets: (data as WireRecord[]).map(({ label }) => label),
    })),
  },
  'takes the acl of a repeated creation': {
    fault: instead(['buckets.create'], () => ({
      draws: (({ body }: OnBucket) => ({ acl: body.acl ?? 'private' })) as never,
    })),
  },
  'replies to a deletion with nothing': { fault: reply('buckets.delete', () => undefined) },
  'replies to an access setting with true': { fault: reply('bucket-access.update', () => true) },
  'resets what an access setting leaves out': {
    fault: instead(access, (op) =>
      then(op, ({ body }) => ({
        acl: body.acl === 'custom' ? 'private' : (body.acl ?? 'private'),
        cors_enabled: body.cors_enabled ?? false,
      })),
    ),
  },
  'keeps what an access setting leaves out': {
    fault: instead(access, (op) =>
      then(op, ({ body, refs: { bucket } }) => ({
        acl: body.acl ?? bucket.acl ?? 'private',
        cors_enabled: body.cors_enabled ?? bucket.cors_enabled ?? false,
      })),
    ),
  },
  'gives an object ACL as text of its own': { fault: reply('object-acl.view', () => ({ acl: '<Acl/>', grants: [] })) },
  'gives an object ACL bare': { fault: reply('object-acl.view', ({ acl }) => acl) },
  'lists objects as an array': { fault: reply('bucket-objects.list', ({ data }) => data) },
  'lists objects by their bare names': {
    fault: reply('bucket-objects.list', (body) => ({
      ...body,
      data: (body.data as WireRecord[]).map(({ name }) => name),
    })),
  },
  'lists objects beside what they are cut to, both named': {
    fault: listing((query, objects) => {
      const { data, ...more } = pageFor(objects, query)
      const isCut = ({ name }: { name: string }): boolean => name.endsWith(query.delimiter ?? '/')
      const names = data as { name: string }[]
      return { ...more, objects: names.filter((one) => !isCut(one)), folders: names.filter(isCut) }
    }),
  },
  'lists objects in another order': { fault: listing((query, objects) => reversed(objects, query)) },
  'tells next_marker beside the page': {
    fault: reply('bucket-objects.list', ({ next_marker: next, ...body }) => ({
      ...body,
      paging: { next_marker: next },
    })),
  },
  'tells the next_marker of the last page too': {
    fault: listing((query, objects) => {
      const body = pageFor(objects, query)
      return { ...body, next_marker: (body.data as { name: string }[]).at(-1)?.name ?? '' }
    }),
  },
  'tells a next_marker of its own making': {
    fault: listing((query, objects) => {
      const { next_marker: next, ...body } = pageFor(objects, {
        ...query,
        ...(query.marker && { marker: query.marker.replace('after ', '') }),
      })
      return { ...body, next_marker: next ? `after ${next}` : '' }
    }),
  },
  'cuts names before the delimiter, one for each object': {
    fault: listing((query, objects) => {
      const { delimiter, ...rest } = query
      if (!delimiter) return pageFor(objects, query)
      const { data, ...more } = pageFor(objects, rest)
      return { ...more, data: (data as { name: string }[]).map(({ name }) => ({ name: name.split(delimiter)[0] })) }
    }),
  },
  'lists what is cut at the delimiter beside the objects': {
    fault: listing((query, objects) => {
      const { data, ...more } = pageFor(objects, query)
      const isCut = ({ name }: { name: string }): boolean => name.endsWith(query.delimiter ?? '/')
      const names = data as { name: string }[]
      return { ...more, data: names.filter((one) => !isCut(one)), under: names.filter(isCut).map(({ name }) => name) }
    }),
  },
  'lists names as they stand in a URL': {
    fault: reply('bucket-objects.list', (body) => ({
      ...body,
      data: (body.data as WireRecord[]).map(({ name }) => ({ name: encodeURIComponent(String(name)) })),
    })),
  },
  'tells in milliseconds how long a URL is valid': {
    fault: reply('object-urls.create', (body) => ({ ...body, expires_in: Number(body.expires_in) * 1000 })),
  },
  'tells of a certificate deep within': {
    fault: reply('bucket-certificates.view', ({ ssl }) => ({ ssl: { uploaded: ssl } })),
  },
  'gives a URL bare': { fault: reply('object-urls.create', ({ url }) => url) },
  'gives a URL within': { fault: reply('object-urls.create', ({ url }) => ({ signed: { location: url } })) },
  'tells of a certificate by a bare boolean': { fault: reply('bucket-certificates.view', ({ ssl }) => ssl) },
  'takes no certificate of ours': {
    fault: instead(['bucket-certificates.upload'], (op) => ({
      refusals: [
        ...(op.refusals ?? []),
        { id: 'bucket-certificates.upload.fault', source: '', text: 'unknown issuer', when: () => true },
      ],
    })),
  },
  'replies to an upload with a boolean': { fault: reply('bucket-certificates.upload', () => true) },
  'keeps an object ACL when the bucket is given another': {
    fault: instead(access, (op) => then(op, ({ refs }) => ({ objectAcls: refs.bucket.objectAcls ?? {} }))),
  },
}

test.each(partOf(Object.entries(freedoms), 4))('a target that %s gets no must-level finding', async (_, options) => {
  expect(await findingsOf(options)).toEqual([])
})

test('a bucket whose creation may have met one that exists is not taken to have the default acl', async () => {
  const { session } = inProcess({ environment: { ...embeddedEnvironment(), exclusive: false } })
  const op = operations.find(({ id }) => id === 'buckets.create') as Operation
  await session.send({ program: 'program' }, op, { body: { cluster: 'c1', label: 'found' }, as: 'owner' }, 'check')
  expect(find(session.world(), buckets, 'c1/found')).toMatchObject({ label: 'found', cluster: 'c1' })
  expect(find(session.world(), buckets, 'c1/found')?.objects).toBeUndefined()
})
