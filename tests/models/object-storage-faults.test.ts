// Targets with one fault each that no derived mutant has, run against the probes of one clause.
import { expect, test } from 'vitest'
import { pageFor } from '../../models/buckets/object-lists.js'
import { type Bucket, buckets, cancellations } from '../../models/buckets/record.js'
import { drop, patch, put } from '../../models/language/changes.js'
import { type Entity, find, gone, live } from '../../models/language/world.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { findingsOf, instead, leaves, outcomeOf, refuses, replies, spares } from './faulty.js'

type Query = Parameters<typeof pageFor>[1]

const without = (query: Query, name: keyof Query): Query => {
  const { [name]: _, ...rest } = query
  return rest
}

/** A list that heeds one parameter only where another is not given. */
const ignoring = (name: keyof Query, beside: keyof Query): Fault =>
  listing((query, objects) => pageFor(objects, query[beside] === undefined ? query : without(query, name)))

const listing = (change: (query: Query, objects: readonly string[]) => object): Fault =>
  instead('bucket-objects.list', () => {
    const chooses = ({ query, refs }: { query: Query; refs: { bucket: Entity<Bucket> } }) =>
      change(query, refs.bucket.objects ?? [])
    return { chooses: chooses as never }
  })

const after = (objects: readonly string[], marker = ''): string | undefined =>
  objects.toSorted().find((name) => name > marker)

interface ObjectAcl {
  readonly acl: string
  readonly name: string
}

interface Creation {
  readonly world: Parameters<typeof live>[0]
  readonly body: { readonly label: string; readonly cluster: string }
}

const faults: readonly (readonly [string, string, Fault])[] = [
  [
    'answers a repeated creation with 201',
    'buckets.create.again',
    { status: (status, op) => (op.id === 'buckets.create' && status === 200 ? 201 : status) },
  ],
  [
    "takes another account's label where the bucket is made public",
    'buckets.create.unique',
    spares('buckets.create', 'unique', ({ body }: { readonly body: object }) => 'acl' in body),
  ],
  [
    'forgets the objects of a bucket whose access is set',
    'bucket-objects.list.complete',
    leaves('bucket-access.update', (after, _, { refs }: { readonly refs: { readonly bucket: Entity<Bucket> } }) =>
      patch(after, buckets, refs.bucket.key, { objects: [] }),
    ),
  ],
  [
    'opens a bucket whose creation turns CORS off',
    'buckets.create.default-acl',
    leaves('buckets.create', (after, before, { body }: { readonly body: { readonly cors_enabled?: boolean } }) =>
      body.cors_enabled === false
        ? live(after, buckets)
            .filter(({ key }) => !find(before, buckets, key))
            .reduce((world, { key }) => patch(world, buckets, key, { acl: 'public-read' }), after)
        : after,
    ),
  ],
  [
    'keeps the label of a deleted bucket for its account',
    'buckets.create.free-after-deletion',
    refuses('buckets.create', ({ world, account, body }: Creation & { readonly account?: string }) => {
      const deleted = gone(world, buckets, `${body.cluster}/${body.label}`)
      return deleted !== undefined && deleted.entity.account !== account
    }),
  ],
  [
    'deletes a bucket that holds one object',
    'buckets.delete.empty-first',
    spares(
      'buckets.delete',
      'empty-first',
      ({ refs }: { readonly refs: { readonly bucket: Bucket } }) => refs.bucket.objects?.length === 1,
    ),
  ],
  [
    'deletes a bucket whose objects all lie in folders',
    'buckets.delete.empty-first',
    spares('buckets.delete', 'empty-first', ({ refs }: { readonly refs: { readonly bucket: Bucket } }) =>
      refs.bucket.objects?.every((name) => name.includes('/')),
    ),
  ],
  [
    'takes the ACL for all writers of an object for that of all readers',
    'object-acl.view.of-object',
    replies('object-acl.view', (body) => (body.acl === 'public-read-write' ? { ...body, acl: 'public-read' } : body)),
  ],
  [
    'forgets the ACLs of the other objects where that of one is set',
    'object-acl.view.of-object',
    leaves(
      'object-acl.update',
      (after, _, { refs, body }: { readonly refs: { readonly bucket: Entity<Bucket> }; readonly body: ObjectAcl }) =>
        patch(after, buckets, refs.bucket.key, { objectAcls: { [body.name]: body.acl } }),
    ),
  ],
  [
    'sets the ACL of the object after the one named as well',
    'object-acl.view.of-object',
    leaves(
      'object-acl.update',
      (world, _, { refs, body }: { readonly refs: { readonly bucket: Entity<Bucket> }; readonly body: ObjectAcl }) => {
        const next = after(refs.bucket.objects ?? [], body.name)
        const objectAcls = find(world, buckets, refs.bucket.key)?.objectAcls
        return next === undefined
          ? world
          : patch(world, buckets, refs.bucket.key, { objectAcls: { ...objectAcls, [next]: body.acl } })
      },
    ),
  ],
  [
    'skips an object between pages where nothing is asked for',
    'bucket-objects.list.complete',
    listing((query, objects) => {
      const isLater = query.marker !== undefined && Object.keys(query).length === 1
      return pageFor(isLater ? objects.filter((name) => name !== after(objects, query.marker)) : objects, query)
    }),
  ],
  [
    'begins a page with the name that the page before was cut to',
    'bucket-objects.list.delimiter',
    listing((query, objects) =>
      pageFor(
        objects.filter((name) => name > (query.marker ?? '')),
        { ...query, marker: '' },
      ),
    ),
  ],
  [
    'refuses a repeated creation',
    'buckets.create.again',
    refuses(
      'buckets.create',
      ({ world, body }: Creation) => find(world, buckets, `${body.cluster}/${body.label}`) !== undefined,
    ),
  ],
  [
    'answers with a bucket only as long as nobody has changed its access',
    'buckets.create.again',
    refuses('buckets.create', ({ world, body }: Creation) =>
      ['authenticated-read'].includes(find(world, buckets, `${body.cluster}/${body.label}`)?.acl ?? ''),
    ),
  ],
  [
    'has one certificate for all buckets of a cluster',
    'bucket-certificates.view.uploaded',
    leaves('bucket-certificates.upload', (after, _, { path }: { readonly path: { readonly clusterId: string } }) =>
      live(after, buckets)
        .filter(({ clusterId }) => clusterId === path.clusterId)
        .reduce((world, { key }) => patch(world, buckets, key, { certificate: true }), after),
    ),
  ],
  [
    'gives an account in debt a key that is limited to a bucket',
    'object-keys.create.negative-balance',
    spares(
      'object-keys.create',
      'negative-balance',
      ({ body }: { readonly body: { readonly bucket_access?: readonly object[] } }) =>
        (body.bucket_access ?? []).length > 0,
    ),
  ],
  [
    'gives an account in debt a bucket in the last cluster',
    'buckets.create.negative-balance',
    spares(
      'buckets.create',
      'negative-balance',
      ({ body }: Creation) => body.cluster === embeddedEnvironment().fixtures.clusters?.at(-1)?.id,
    ),
  ],
  [
    'lists the public buckets of every cluster',
    'buckets.list-in-cluster.this-cluster',
    instead('buckets.list-in-cluster', (op) => ({
      lists: ((facts: never, bucket: Entity<Bucket>) =>
        bucket.acl === 'public-read' || op.lists?.(facts, bucket as never) === true) as never,
    })),
  ],
  [
    'lists a bucket twice',
    'buckets.create.again',
    replies('buckets.list', (body) => ({
      ...body,
      data: [...(body.data as object[]), ...(body.data as object[]).slice(-1)],
      results: Number(body.results) + 1,
    })),
  ],
  [
    'makes buckets public-read by default',
    'buckets.create.default-acl',
    instead('buckets.create', (op) => ({
      apply: ((facts: { body: object }) =>
        op.apply?.({ ...facts, body: { acl: 'public-read', ...facts.body } } as never)) as never,
    })),
  ],
  [
    'turns CORS on by default',
    'buckets.create.default-cors',
    instead('buckets.create', (op) => ({
      apply: ((facts: { body: object }) =>
        op.apply?.({ ...facts, body: { cors_enabled: true, ...facts.body } } as never)) as never,
    })),
  ],
  [
    'takes a label for taken in every cluster',
    'buckets.create.free-in-other-cluster',
    refuses('buckets.create', ({ world, body }: Creation) =>
      live(world, buckets).some(({ label }) => label === body.label),
    ),
  ],
  [
    'keeps a label after deletion',
    'buckets.create.free-after-deletion',
    refuses(
      'buckets.create',
      ({ world, body }: Creation) => gone(world, buckets, `${body.cluster}/${body.label}`) !== undefined,
    ),
  ],
  [
    'deletes the buckets of a name in all clusters',
    'buckets.create.free-in-other-cluster',
    leaves('buckets.delete', (after, _, { refs }: { readonly refs: { readonly bucket: Entity<Bucket> } }) =>
      live(after, buckets)
        .filter(({ label }) => label === refs.bucket.label)
        .reduce<typeof after>((world, { key }) => drop(world, buckets, key), after),
    ),
  ],
  [
    'keeps a label in the other clusters after deletion',
    'buckets.create.free-after-deletion',
    refuses('buckets.create', ({ world, body }: Creation) =>
      (world.environment.fixtures.clusters ?? []).some(
        ({ id }) => id !== body.cluster && gone(world, buckets, `${id}/${body.label}`) !== undefined,
      ),
    ),
  ],
  [
    'lists the buckets of every cluster',
    'buckets.list-in-cluster.this-cluster',
    instead('buckets.list-in-cluster', () => ({ lists: (() => true) as never })),
  ],
  [
    'keeps CORS as it was',
    'bucket-access.update.each-alone',
    instead('bucket-access.update', (op) => ({
      apply: ((facts: { world: Creation['world']; refs: { bucket: Entity<Bucket> } }) =>
        put(op.apply?.(facts as never) as never, buckets, {
          ...(find(op.apply?.(facts as never) as never, buckets, facts.refs.bucket.key) as Entity<Bucket>),
          cors_enabled: false,
        })) as never,
    })),
  ],
  [
    'has one ACL for all objects',
    'object-acl.view.of-object',
    instead('object-acl.view', () => ({
      render: (({ refs }: { refs: { bucket: Entity<Bucket> } }) => ({
        acl: Object.values(refs.bucket.objectAcls ?? {}).at(-1) ?? 'private',
      })) as never,
    })),
  ],
  [
    'heeds no marker',
    'bucket-objects.list.no-duplicates',
    listing(({ marker: _, ...query }, objects) => pageFor(objects, query)),
  ],
  [
    'begins a page with the marker',
    'bucket-objects.list.no-duplicates',
    listing((query, objects) =>
      pageFor(objects, query.marker ? { ...query, marker: query.marker.slice(0, -1) } : query),
    ),
  ],
  [
    'skips an object between pages',
    'bucket-objects.list.complete',
    listing((query, objects) =>
      pageFor(query.marker ? [...objects].sort().filter((_, i, all) => all[i - 1] !== query.marker) : objects, query),
    ),
  ],
  [
    'tells no next_marker',
    'bucket-objects.list.complete',
    replies('bucket-objects.list', ({ next_marker: _, ...body }) => body),
  ],
  [
    'heeds no prefix',
    'bucket-objects.list.prefix',
    listing(({ prefix: _, ...query }, objects) => pageFor(objects, query)),
  ],
  [
    'heeds no prefix, and lists objects under another member',
    'bucket-objects.list.prefix',
    listing(({ prefix: _, ...query }, objects) => {
      const { data, ...more } = pageFor(objects, query)
      return { result: { ...more, contents: data }, folders: [] }
    }),
  ],
  [
    'finds the prefix anywhere',
    'bucket-objects.list.prefix',
    listing(({ prefix = '', ...query }, objects) =>
      pageFor(
        objects.filter((name) => name.includes(prefix)),
        query,
      ),
    ),
  ],
  [
    'heeds no delimiter',
    'bucket-objects.list.delimiter',
    listing(({ delimiter: _, ...query }, objects) => pageFor(objects, query)),
  ],
  ['heeds no delimiter on later pages', 'bucket-objects.list.delimiter', ignoring('delimiter', 'marker')],
  [
    'lists nothing beside a delimiter',
    'bucket-objects.list.without-delimiter',
    listing((query, objects) => pageFor(query.delimiter === undefined ? objects : [], query)),
  ],
  [
    'cuts names that do not hold the delimiter',
    'bucket-objects.list.without-delimiter',
    listing((query, objects) => {
      const { delimiter = '' } = query
      const cut = (name: string): string => (delimiter === '' || name.includes(delimiter) ? name : name.slice(0, 2))
      return pageFor(objects.map(cut), query)
    }),
  ],
  [
    'heeds no page_size',
    'bucket-objects.list.page-size',
    listing(({ page_size: _, ...query }, objects) => pageFor(objects, query)),
  ],
  [
    'gives one object more than page_size',
    'bucket-objects.list.page-size',
    listing((query, objects) => pageFor(objects, { ...query, page_size: (query.page_size ?? 100) + 1 })),
  ],
  [
    'has a default page size of 101',
    'bucket-objects.list.default-page-size',
    listing((query, objects) => pageFor(objects, { page_size: 101, ...query })),
  ],
  [
    'replies without a URL',
    'object-urls.create.returns-url',
    replies('object-urls.create', ({ url: _, ...body }) => body),
  ],
  [
    'refuses a URL for an object that is not there',
    'object-urls.create.missing-object',
    refuses(
      'object-urls.create',
      ({ body, refs }: { body: { name: string }; refs: { bucket: Entity<Bucket> } }) =>
        !refs.bucket.objects?.includes(body.name),
    ),
  ],
  [
    'cuts names at the last delimiter',
    'bucket-objects.list.delimiter',
    listing((query, objects) => {
      const { delimiter, ...rest } = query
      if (!delimiter) return pageFor(objects, query)
      const { data } = pageFor(objects, rest)
      const cut = (name: string): string => name.slice(0, name.lastIndexOf(delimiter) + 1) || name
      return { data: (data as { name: string }[]).map(({ name }) => ({ name: cut(name) })) }
    }),
  ],
  ['heeds no prefix beside a delimiter', 'bucket-objects.list.delimiter', ignoring('prefix', 'delimiter')],
  ['heeds no delimiter beside a prefix', 'bucket-objects.list.delimiter', ignoring('delimiter', 'prefix')],
  [
    'heeds no prefix that ends in the delimiter',
    'bucket-objects.list.prefix',
    listing(({ prefix, ...query }, objects) =>
      pageFor(
        objects,
        query.delimiter && prefix?.endsWith(query.delimiter) ? query : { ...query, prefix: prefix ?? '' },
      ),
    ),
  ],
  ['heeds no prefix beside a page_size', 'bucket-objects.list.complete', ignoring('prefix', 'page_size')],
  ['heeds no page_size beside a prefix', 'bucket-objects.list.complete', ignoring('page_size', 'prefix')],
  [
    'lists the last object of a page once more where a delimiter is given',
    'bucket-objects.list.no-duplicates',
    listing(({ marker, ...query }, objects) =>
      pageFor(objects, { ...query, ...(marker && { marker: query.delimiter ? marker.slice(0, -1) : marker }) }),
    ),
  ],
  [
    'leaves out the first object of a page where a delimiter is given',
    'bucket-objects.list.without-delimiter',
    listing((query, objects) => {
      const page = pageFor(objects, query)
      const isLater = query.marker !== undefined && query.delimiter !== undefined
      return isLater ? { ...page, data: (page.data as readonly unknown[]).slice(1) } : page
    }),
  ],
  ['heeds no prefix beside a marker', 'bucket-objects.list.complete', ignoring('prefix', 'marker')],
  [
    'heeds no case of a prefix',
    'bucket-objects.list.prefix',
    listing(({ prefix = '', ...query }, objects) => {
      const alike = objects.filter((name) => name.toLowerCase().startsWith(prefix.toLowerCase()))
      return pageFor(alike, query)
    }),
  ],
  ...(['bucket-access.allow', 'bucket-access.update'] as const).map(
    (id) =>
      [
        `never turns CORS off by ${id}`,
        `${id}.each-alone`,
        instead(id, (op) => ({
          apply: ((facts: { readonly body: Partial<Bucket> }) =>
            op.apply?.({
              ...facts,
              body: { ...facts.body, ...(facts.body.cors_enabled === false && { cors_enabled: true }) },
            } as never)) as never,
        })),
      ] as const,
  ),
  ...['POST', 'HEAD', 'PATCH'].map(
    (method) =>
      [
        `needs no content_type for ${method}`,
        'object-urls.create.content-type',
        spares(
          'object-urls.create',
          'content-type',
          ({ body }: { body: { method: string } }) => body.method === method,
        ),
      ] as const,
  ),
  ...['GET', 'DELETE'].map(
    (method) =>
      [
        `takes no content_type for ${method}`,
        'object-urls.create.content-type',
        refuses(
          'object-urls.create',
          ({ body }: { body: { method: string; content_type?: string } }) =>
            body.method === method && body.content_type !== undefined,
        ),
      ] as const,
  ),
  [
    'refuses a URL to create an object',
    'object-urls.create.missing-object',
    refuses(
      'object-urls.create',
      ({ body, refs }: { body: { name: string; method: string }; refs: { bucket: Entity<Bucket> } }) =>
        body.method === 'PUT' && !refs.bucket.objects?.includes(body.name),
    ),
  ],
  [
    'creates buckets with an acl for a debtor',
    'buckets.create.negative-balance',
    spares('buckets.create', 'negative-balance', ({ body }: { body: Partial<Bucket> }) => body.acl !== undefined),
  ],
  [
    'creates limited keys for a debtor',
    'object-keys.create.negative-balance',
    spares(
      'object-keys.create',
      'negative-balance',
      ({ body }: { body: { bucket_access?: unknown } }) => body.bucket_access !== undefined,
    ),
  ],
  [
    'takes all buckets of a key for those of one cluster',
    'object-keys.create.limited',
    replies('object-keys.create', (body) => {
      const access = (body.bucket_access ?? []) as readonly { readonly cluster: string }[]
      return { ...body, bucket_access: access.map((one) => ({ ...one, cluster: access[0]?.cluster })) }
    }),
  ],
  [
    'tells the buckets of a key apart by their names alone',
    'object-keys.create.limited',
    replies('object-keys.create', (body) => {
      const access = (body.bucket_access ?? []) as readonly { readonly bucket_name: string }[]
      return { ...body, bucket_access: [...new Map(access.map((one) => [one.bucket_name, one])).values()] }
    }),
  ],
  [
    'limits a key to two buckets at most',
    'object-keys.create.limited',
    replies('object-keys.create', (body) => ({
      ...body,
      bucket_access: ((body.bucket_access ?? []) as readonly unknown[]).slice(0, 2),
    })),
  ],
  [
    'never tells of a certificate',
    'bucket-certificates.view.uploaded',
    replies('bucket-certificates.view', () => false),
  ],
  [
    'always tells of a certificate',
    'bucket-certificates.view.none-at-first',
    replies('bucket-certificates.view', () => ({ ssl: true })),
  ],
  [
    'keeps a certificate that is deleted',
    'bucket-certificates.delete.of-uploaded',
    instead('bucket-certificates.delete', () => ({ apply: (({ world }: Creation) => world) as never })),
  ],
  [
    'takes no certificate after a deletion',
    'bucket-certificates.upload.after-deletion',
    refuses(
      'bucket-certificates.upload',
      ({ refs }: { refs: { bucket: Entity<Bucket> } }) => refs.bucket.pair !== undefined,
    ),
  ],
  [
    'keeps the buckets of a cancelled account',
    'object-storage.cancel.accepts',
    instead('object-storage.cancel', () => ({ apply: (({ world }: Creation) => world) as never })),
  ],
]

for (const [what, id, fault] of faults)
  test(`a target that ${what} breaks a clause in the probe of ${id}`, async () => {
    expect(await findingsOf(id, fault)).not.toEqual([])
    expect(await findingsOf(id, {})).toEqual([])
  })

const should: readonly (readonly [string, string, Fault])[] = [
  [
    'leaves out what holds the delimiter',
    'bucket-objects.list.up-to-delimiter',
    listing((query, objects) => {
      const { delimiter } = query
      return pageFor(delimiter === undefined ? objects : objects.filter((name) => !name.includes(delimiter)), query)
    }),
  ],
  [
    'gives every object the same URL',
    'object-urls.create.own-url',
    replies('object-urls.create', (body) => ({ ...body, url: 'https://objects.example/?signature=1' })),
  ],
]

test.each([
  'bucket-access.update',
  'bucket-certificates.view',
  'bucket-objects.list',
  'buckets.delete',
  'object-acl.update',
  'object-urls.create',
])('a target that finds a bucket in whatever cluster is found by %s', async (id) => {
  const anywhere: Fault = {
    call: (call) => (call.operation === id ? { ...call, path: { ...call.path, clusterId: 'c1' } } : call),
  }
  const { findings } = await outcomeOf(`${id}.path.bucket.exists`, anywhere)
  expect(findings.map(({ clause }) => clause)).toContain(`${id}.path.bucket.exists`)
})

test.each(should)('a target that %s breaks %s, by inference', async (_, id, fault) => {
  const { findings } = await outcomeOf(id, fault)
  expect(findings.map(({ level, clause }) => `${level} ${clause}`)).toContain(`should ${id}`)
  expect((await outcomeOf(id, {})).findings).toEqual([])
})

test('a target that deletes the certificates of all buckets is found by what another bucket shows', async () => {
  const id = 'bucket-certificates.delete.of-uploaded'
  const all = leaves('bucket-certificates.delete', (after) =>
    live(after, buckets).reduce((world, { key }) => patch(world, buckets, key, { certificate: false }), after),
  )
  expect(await findingsOf(id, all)).toContain('bucket-certificates.view.uploaded')
  expect(await findingsOf(id, {})).toEqual([])
})

test('a target that leaves buckets with a certificate at the cancellation is found by the list', async () => {
  const certified = leaves('object-storage.cancel', (after, before) =>
    live(before, buckets)
      .filter(({ certificate }) => certificate === true)
      .reduce((world, bucket) => put(world, buckets, bucket), after),
  )
  expect(await findingsOf('object-storage.cancel.accepts', certified)).toContain('buckets.list.only-live')
})

test('a target whose cluster goes on listing the buckets of a cancelled account is found by its list', async () => {
  const made: Partial<Bucket>[] = []
  const lingering: Fault = {
    body: (body, op, { tables }, _, { facts: { path } }) => {
      if (op.id === 'buckets.create') made.push(body as Partial<Bucket>)
      if (op.id !== 'buckets.list-in-cluster' || !tables.get(cancellations.name)?.live.size) return body
      const data = made.filter(({ cluster }) => cluster === path.clusterId)
      return Array.isArray(body) ? data : { ...(body as object), data }
    },
  }
  expect(await findingsOf('object-storage.cancel.accepts', lingering)).toContain('buckets.list-in-cluster.only-live')
  expect(await findingsOf('object-storage.cancel.accepts', {})).toEqual([])
})

test("a label that another account has in the second cluster is refused there: that it isn't breaks buckets.create.unique", async () => {
  const id = 'buckets.create.unique'
  const fault = spares('buckets.create', 'unique', ({ body }: { body: Partial<Bucket> }) => body.cluster === 'c2')
  expect(await findingsOf(id, fault)).toEqual([id])
})
