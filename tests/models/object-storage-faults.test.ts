// Targets with one fault each that no derived mutant has, run against the probes of one clause.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { clausesOf } from '../../models/derive.js'
import { operationById } from '../../models/index.js'
import { pageFor } from '../../models/object-lists.js'
import type { Operation } from '../../models/operation.js'
import { type Bucket, buckets } from '../../models/tables/buckets.js'
import { type Entity, find, gone, live, put } from '../../models/world.js'
import type { Fault } from '../../target/answer.js'
import { inProcess } from '../../target/in-process.js'
import { runProgram } from '../../target/programs.js'
import { embeddedSetting } from '../../target/setting.js'
import { survey } from '../../target/upkeep.js'

/** Ids of the must-level findings that the clause's probe leads to on a target with that fault. */
const findingsOf = async (id: string, fault: Fault): Promise<readonly string[]> => {
  const { session } = inProcess({ setting: embeddedSetting(), fault })
  await survey(session)
  const op = operationById(id.split('.').slice(0, 2).join('.'))
  const clause = op && clausesOf(op).find((one) => one.id === id)
  const probe = clause && probeFor(clause, session.context)
  if (!clause || probe?.kind !== 'program') throw new Error(`no program for ${id}`)
  const { findings } = await runProgram(session, probe.program, clause)
  return findings.filter(({ level }) => level === 'must').map((one) => one.clause)
}

const instead = (id: string, change: (op: Operation) => Partial<Operation>): Fault => ({
  operation: (op) => (op.id === id ? ({ ...op, ...change(op) } as Operation) : op),
})

const reply = (id: string, change: (body: Record<string, unknown>) => unknown): Fault => ({
  body: (body, op) =>
    op.id === id && !(body as { errors?: unknown }).errors ? change(body as Record<string, unknown>) : body,
})

type Query = Parameters<typeof pageFor>[1]

const listing = (change: (query: Query, objects: readonly string[]) => object): Fault =>
  instead('bucket-objects.list', () => {
    const chooses = ({ query, refs }: { query: Query; refs: { bucket: Entity<Bucket> } }) =>
      change(query, refs.bucket.objects ?? [])
    return { chooses: chooses as never }
  })

const refuses = (id: string, text: string, when: (facts: never) => boolean): Fault =>
  instead(id, (op) => ({
    refusals: [...(op.refusals ?? []), { id: `${id}.fault`, source: '', text, when: when as never }],
  }))

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
    'refuses a repeated creation',
    'buckets.create.again',
    refuses(
      'buckets.create',
      'taken',
      ({ world, body }: Creation) => find(world, buckets, `${body.cluster}/${body.label}`) !== undefined,
    ),
  ],
  [
    'lists a bucket twice',
    'buckets.create.again',
    reply('buckets.list', (body) => ({
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
    refuses('buckets.create', 'taken', ({ world, body }: Creation) =>
      live(world, buckets).some(({ label }) => label === body.label),
    ),
  ],
  [
    'keeps a label after deletion',
    'buckets.create.free-after-deletion',
    refuses(
      'buckets.create',
      'taken',
      ({ world, body }: Creation) => gone(world, buckets, `${body.cluster}/${body.label}`) !== undefined,
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
    reply('bucket-objects.list', ({ next_marker: _, ...body }) => body),
  ],
  [
    'heeds no prefix',
    'bucket-objects.list.prefix',
    listing(({ prefix: _, ...query }, objects) => pageFor(objects, query)),
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
    reply('object-urls.create', ({ url: _, ...body }) => body),
  ],
  [
    'refuses a URL for an object that is not there',
    'object-urls.create.missing-object',
    refuses(
      'object-urls.create',
      'no object',
      ({ body, refs }: { body: { name: string }; refs: { bucket: Entity<Bucket> } }) =>
        !refs.bucket.objects?.includes(body.name),
    ),
  ],
  [
    'makes URLs valid for two hours by default',
    'object-urls.create.default-expiry',
    reply('object-urls.create', (body) => ({ ...body, expires_in: 7200 })),
  ],
  ['never tells of a certificate', 'bucket-certificates.view.uploaded', reply('bucket-certificates.view', () => false)],
  [
    'always tells of a certificate',
    'bucket-certificates.view.none-at-first',
    reply('bucket-certificates.view', () => ({ ssl: true })),
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
      'no',
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
