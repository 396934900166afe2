// The journeys on the embedded target, and on targets on which what is done to one resource reaches another.
import { expect, test } from 'vitest'
import { journeys } from '../../arbitraries/journeys.js'
import { planProgram } from '../../arbitraries/plan.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { type Bucket, buckets } from '../../models/buckets/record.js'
import { firewallDevices } from '../../models/firewall-devices/record.js'
import { operationById } from '../../models/index.js'
import { drop, patch } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import { find, live, type Table, type World } from '../../models/language/world.js'
import { services } from '../../models/managed-services/record.js'
import { objectKeys } from '../../models/object-keys/record.js'
import { type Volume, volumes } from '../../models/volumes/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { secondOrderOf } from '../../reference/mutants/second-order.js'
import { leaves, spares } from './faulty.js'

const found = async (name: RegExp, fault: Fault): Promise<readonly string[]> => {
  const { session } = inProcess({ environment: embeddedEnvironment(), fault })
  await survey(session)
  const journey = journeys.find((one) => name.test(one.name))
  if (!journey) throw new Error(`no journey ${name}`)
  const { findings } = await runProgram(session, planProgram(journey.name, session.context, journey.write))
  return findings.filter(({ level }) => level === 'must').map(({ clause }) => clause)
}

test('The journey that takes a firewall from its services has each of its devices removed', async () => {
  const { session } = inProcess({ environment: embeddedEnvironment() })
  await survey(session)
  const journey = journeys.find(({ name }) => /taken from its services/.test(name))
  if (!journey) throw new Error('no such journey')
  const { sent } = await runProgram(session, planProgram(journey.name, session.context, journey.write))
  const removals = sent.filter(({ op, role }) => op.id === 'firewall-devices.delete' && role === 'check')
  expect(removals.map(({ judgement }) => judgement.accepted)).toEqual([true, true, true])
})

test('The journey of two ranges is not run where the nodes are in one region', () => {
  const whole = embeddedEnvironment()
  const missingIn = (region: RegExp): readonly string[] => {
    const nodes = whole.fixtures.nodes?.filter((node) => region.test(node.region)) ?? []
    const { session } = inProcess({ environment: { ...whole, fixtures: { ...whole.fixtures, nodes } } })
    const journey = journeys.find(({ name }) => /a range is deleted/.test(name))
    if (!journey) throw new Error('no such journey')
    return planProgram(journey.name, session.context, journey.write).missing.map(({ what }) => what)
  }
  const [home = ''] = whole.fixtures.nodes?.map(({ region }) => region) ?? []
  expect(missingIn(/./)).toEqual([])
  expect(missingIn(new RegExp(`^${home}$`))).toEqual([
    'a node with a known SLAAC address and no live migration in a second region',
  ])
})

test.each(['firewalls.create', 'firewall-devices.create'])(
  '%s that counts no firewall that was changed since it was made is found',
  async (id) => {
    const kind = `${id}: counts but for what was changed since for ${id}.one-active`
    const mutant = secondOrderOf(operationById(id) as Operation).find((one) => one.id === kind)
    if (!mutant) throw new Error(`no mutant ${kind}`)
    expect(await found(/take turns on one node/, mutant.arm().fault)).toContain(`${id}.one-active`)
  },
)

interface Call {
  readonly path: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, never>>
}

interface Setting {
  readonly body: { readonly acl: string; readonly name: string }
}

interface Since {
  readonly since?: Readonly<Record<string, { readonly by?: string }>>
}

interface Tagging {
  readonly body: { readonly label: string; readonly volumes?: readonly number[] }
}

/** Has a call change every resource that is so, whichever it names. */
const spreads = <F extends object>(id: string, table: Table<F>, some: (one: F, call: Call) => boolean): Fault =>
  leaves(id, (after, _, call: Call) =>
    live(after, table)
      .filter((one) => some(one as unknown as F, call))
      .reduce<World>((world, { key }) => patch(world, table, key, call.body as never), after),
  )

const clones = /clone outlives/
const apart = /beside others/
const faults: readonly (readonly [string, RegExp, string, Fault])[] = [
  [
    'tags a clone with its source',
    clones,
    'volumes.view.shows.tags',
    spreads('volumes.update', volumes, ({ tags }, { body }) => body.tags !== undefined && tags !== undefined),
  ],
  [
    'opens every bucket of a name',
    apart,
    'buckets.view.shows.acl',
    spreads('bucket-access.update', buckets, ({ label }, { path }) => label === path.bucket),
  ],
  ...(['older', 'newer'] as const).map(
    (age) =>
      [
        `opens the ${age} bucket of a name`,
        apart,
        'buckets.view.shows.acl',
        leaves('bucket-access.update', (_, before, { path, body }: Call) => {
          const alike = live(before, buckets).filter(({ label }) => label === path.bucket)
          const found = age === 'older' ? alike[0] : alike.at(-1)
          return patch(before, buckets, found?.key ?? '', body)
        }),
      ] as const,
  ),
  [
    'opens every bucket of a cluster',
    apart,
    'buckets.view.shows.acl',
    spreads('bucket-access.allow', buckets, ({ cluster }, { path }) => cluster === path.clusterId),
  ],
  [
    'deletes the certificates of all buckets',
    apart,
    'bucket-certificates.view.uploaded',
    leaves('bucket-certificates.delete', (after) =>
      live(after, buckets).reduce((world, { key }) => patch(world, buckets, key, { certificate: false }), after),
    ),
  ],
  ...(
    [
      ['is attached', ({ node_id: node }: Partial<Volume>) => node !== null],
      ['has been renamed', ({ since }: Since) => since?.label?.by === 'volumes.update'],
      ['is tagged and on no node', ({ tags = [], node_id: node }: Partial<Volume>) => tags.length > 0 && node === null],
    ] as const
  ).map(
    ([what, isSuch]) =>
      [
        `deletes a volume that migrates where it ${what}`,
        /kept while it migrates/,
        'volumes.delete.migrating',
        spares(
          'volumes.delete',
          'migrating',
          ({ refs }: { readonly refs: { readonly volumeId: Partial<Volume> & Since } }) => isSuch(refs.volumeId),
        ),
      ] as const,
  ),
  ...(
    [
      ['is public', ({ acl }: Partial<Bucket>) => acl !== 'private'],
      ['has CORS', ({ cors_enabled: cors }: Partial<Bucket>) => cors === true],
      ['is in the second cluster', ({ cluster }: Partial<Bucket>) => cluster === 'c2'],
    ] as const
  ).map(
    ([what, isSuch]) =>
      [
        `deletes a bucket that is full where it ${what}`,
        /object stays/,
        'buckets.delete.empty-first',
        spares('buckets.delete', 'empty-first', ({ refs }: { readonly refs: { readonly bucket: Partial<Bucket> } }) =>
          isSuch(refs.bucket),
        ),
      ] as const,
  ),
  [
    'deletes every service of a label',
    /beside one like it/,
    'managed-services.view.accepts',
    leaves('managed-services.delete', (after, before, { path }: { readonly path: { readonly serviceId: string } }) =>
      live(after, services)
        .filter(({ label }) => label === find(before, services, path.serviceId)?.label)
        .reduce((world, { key }) => drop(world, services, key), after),
    ),
  ],
  [
    'keeps the ACLs of objects by their names alone',
    /object stays/,
    'object-acl.view.of-object',
    leaves('object-acl.update', (after, _, { body: { acl, name } }: Setting) =>
      live(after, buckets)
        .filter(({ objects = [] }) => objects.includes(name))
        .reduce<World>(
          (world, { key, objectAcls }) => patch(world, buckets, key, { objectAcls: { ...objectAcls, [name]: acl } }),
          after,
        ),
    ),
  ],
  [
    'loses the object of a bucket whose access is set',
    /object stays/,
    'bucket-objects.list.complete',
    leaves('bucket-access.update', (after, _, { path }: Call) =>
      patch(after, buckets, `${path.clusterId}/${path.bucket}`, { objects: [] }),
    ),
  ],
  [
    'takes a tag that is created again from what had it',
    /tagged and untagged again/,
    'volumes.view.shows.tags',
    leaves('tags.create', (after, before, { body: { label, volumes: given } }: Tagging) =>
      live(before, volumes)
        .filter(({ key }) => given && !given.map(String).includes(key))
        .reduce<World>(
          (world, { key, tags = [] }) => patch(world, volumes, key, { tags: tags.filter((tag) => tag !== label) }),
          after,
        ),
    ),
  ],
  [
    'revokes the keys that are limited to a bucket with it',
    /key outlives/,
    'object-keys.view.accepts',
    leaves('buckets.delete', (after, _, { path }: Call) =>
      live(after, objectKeys)
        .filter(({ access }) => Array.isArray(access) && access.some(({ bucket_name }) => bucket_name === path.bucket))
        .reduce<World>((world, { key }) => drop(world, objectKeys, key), after),
    ),
  ],
  [
    'keeps no third device of a firewall',
    /one after another/,
    'firewall-devices.list.assigned',
    leaves('firewall-devices.create', (after, before, { path }: Call) =>
      live(before, firewallDevices).filter(({ firewallId }) => firewallId === path.firewallId).length < 2
        ? after
        : before,
    ),
  ],
]

test.each(faults)('a target that %s is found', async (_, journey, clause, fault) => {
  expect(await found(journey, fault)).toContain(clause)
})

test.each(journeys.map(({ name }) => name))('%s, as the document has it', async (name) => {
  expect(await found(new RegExp(`^${name}$`), {})).toEqual([])
})
