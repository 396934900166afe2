// The creation of a bucket, and of one that is there: section "Endpoints / Object Storage", "Bucket create body"; what else is done to buckets is apart.

import { put } from '../language/changes.js'
import { known, not, type Ternary } from '../language/clause.js'
import { aFixture } from '../language/needs.js'
import { operation, record } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { boolean, object, oneOf, optional, text, without } from '../language/schema.js'
import { type Entity, find, gone, live, type World } from '../language/world.js'
import { endpoints, fullBucket, shown } from './common.js'
import {
  acls,
  type Bucket,
  bucketKey,
  buckets,
  commonSilences,
  inUse,
  isAcl,
  isForeign,
  isOwned,
  isPlainLabel,
} from './record.js'

const createBody = `${endpoints}, "Bucket create body"`

/** The body of a creation with every member. */
const everything = (plan: Plan) => ({
  cluster: plan.cluster().id,
  label: plan.name(),
  acl: 'authenticated-read',
  cors_enabled: true,
})

interface Creation {
  readonly world: World
  readonly account: string | undefined
  readonly body: { readonly cluster: string; readonly label: string; readonly acl?: string }
}
const owned = ({ world, account, body }: Creation): Ternary => isOwned(world, account, body.cluster, body.label)

export const createBucket = operation({
  id: 'buckets.create',
  area: 'object-storage',
  method: 'POST',
  path: '/object-storage/buckets',
  reach: { in: 'object-storage', alone: false, lent: false },
  source: createBody,
  summary: 'Creates a bucket in a cluster, or answers with the one that the account has.',
  scopes: ['object_storage:read_write'],
  params: {},
  body: object({
    cluster: text({ ref: 'clusters' }),
    label: text(),
    acl: optional(without(oneOf(...acls), 'custom', 'bucket-owner-read')),
    cors_enabled: optional(boolean()),
  }),
  reply: record(buckets),
  shows: 'made',
  makes: buckets,
  keys: ({ body }) =>
    // How a label of odd characters is kept is not said.
    typeof body.cluster === 'string' && isPlainLabel(body.label) ? bucketKey(body.cluster, body.label) : undefined,
  // Where the label comes back as it was sent, that may be no more than what was asked for.
  answersElse: ({ body }, { label }) => !isPlainLabel(body.label) && label === body.label,
  remakes: owned,
  draft: (plan) => ({ body: { cluster: plan.cluster().id, label: plan.name() } }),
  full: (plan) => ({ body: everything(plan) }),
  contest: (plan) => {
    const args = plan.draft('buckets.create')
    const as = plan.token({ foreign: true, balance: 'positive', for: 'buckets.create' })
    return { rivals: [args, { ...args, as }] }
  },
  refusals: [
    {
      id: 'buckets.create.negative-balance',
      source: `${endpoints}, POST /object-storage/buckets; Errors, "creating a bucket or key with a negative account balance"`,
      text: 'An account with a negative balance creates no bucket.',
      when: (facts) => {
        const negative = known(facts.caller.account?.balance, 'negative', (a, b) => a === b)
        return negative === true && owned(facts) !== false ? undefined : negative
      },
      probe: (plan) => {
        const args = plan.draft('buckets.create')
        const as = plan.token({ balance: 'negative', has: ['object_storage:read_write'] })
        plan.probe('buckets.create', { ...args, as })
        // In another cluster too, where there is one.
        const cluster = plan.environment.fixtures.clusters?.at(-1)?.id ?? plan.cluster().id
        plan.probe('buckets.create', { body: { ...everything(plan), cluster }, as })
        plan.twin('buckets.create', args)
      },
    },
    {
      id: 'buckets.create.unique',
      source: `${createBody}, label; Errors, "bucket label not unique in the cluster"`,
      text: 'A label is unique within its cluster: it is refused where somebody else has a bucket of that name.',
      fields: ['cluster', 'label'],
      when: ({ world, account, body }) => isForeign(world, account, body.cluster, body.label),
      probe: (plan) => {
        const as = plan.token({ foreign: true, balance: 'positive', has: ['object_storage:read_write'] })
        // In the last cluster: two accounts ask for one label in the first one at the same time, and one after the other.
        const theirs = plan.make(buckets, { cluster: plan.environment.fixtures.clusters?.at(-1)?.id }, { as })
        const cluster = theirs.field('cluster')
        plan.probe('buckets.create', { body: { cluster, label: theirs.field('label') } })
        plan.twin('buckets.create', { body: { cluster, label: plan.name() } })
      },
    },
  ],
  silences: [
    {
      id: 'buckets.create.label-characters',
      source: `${createBody}, label`,
      text: 'Which characters the name of a bucket may have, and how many, is not said.',
      fields: ['label'],
      when: ({ body }) => !isPlainLabel(body.label),
      probe: (plan) =>
        void plan.check('buckets.create', { body: { cluster: plan.cluster().id, label: `${plan.name()}_B.C` } }),
    },
    {
      id: 'buckets.create.owner',
      source: `${endpoints}, POST /object-storage/buckets`,
      text: 'Whether a bucket that another user of the account created is owned by the caller is not said.',
      probe: (plan) => {
        const { body } = plan.draft('buckets.create')
        plan.call('buckets.create', { body: { ...body }, as: plan.token({ restricted: true, for: 'buckets.create' }) })
        plan.check('buckets.create', { body: { ...body } })
      },
      when: (facts) => {
        const { world, caller, body } = facts
        const { maker } = find(world, buckets, bucketKey(body.cluster, body.label)) ?? {}
        return maker === undefined || owned(facts) === false ? false : maker !== caller.user?.name
      },
    },
    ...commonSilences('buckets.create'),
  ],
  statements: [
    {
      id: 'buckets.create.again',
      source: `${endpoints}, POST /object-storage/buckets; Errors, "The only status code given is 200"`,
      text: 'Creating a bucket that the caller owns answers 200 with that bucket.',
      holds: (facts) =>
        owned(facts) === true ? facts.status === 200 || `answered ${facts.status} in place of 200` : undefined,
      probe: (plan) => {
        const made = plan.make(buckets)
        const body = { cluster: made.field('cluster'), label: made.field('label') }
        plan.check('buckets.create', { body })
        plan.check('buckets.create', { body })
        plan.check('buckets.list')
        plan.check('buckets.create', { body: { ...body, acl: 'public-read', cors_enabled: true } })
        // Whatever access it has by now.
        const path = { clusterId: made.field('cluster'), bucket: made.field('label') }
        plan.call('bucket-access.update', { path, body: { acl: 'authenticated-read', cors_enabled: true } })
        plan.check('buckets.create', { body })
        // It is that bucket, with all that is in it.
        const lent = plan.environment.exclusive ? plan.attempt(() => fullBucket(plan)) : undefined
        if (!lent) return
        const { clusterId, bucket } = lent.path
        plan.check('buckets.create', { body: { cluster: clusterId, label: bucket } })
        plan.check('bucket-objects.list', { path: lent.path })
      },
    },
    {
      id: 'buckets.create.default-acl',
      source: `${createBody}, acl`,
      text: 'Without an acl the bucket is private.',
      holds: (facts) =>
        facts.body.acl !== undefined || owned(facts) !== false
          ? undefined
          : isAcl(shown(facts.reply, 'acl'))
            ? shown(facts.reply, 'acl') === 'private'
            : undefined,
      probe: (plan) => {
        const { body } = plan.draft('buckets.create')
        plan.check('buckets.create', { body: { ...body } })
        plan.check('buckets.create', { body: { ...body, label: plan.name(), cors_enabled: false } })
      },
    },
    {
      id: 'buckets.create.default-cors',
      source: `${createBody}, cors_enabled`,
      text: 'Without cors_enabled CORS is off.',
      holds: (facts) =>
        facts.body.cors_enabled !== undefined || owned(facts) !== false
          ? undefined
          : typeof shown(facts.reply, 'cors_enabled') === 'boolean'
            ? shown(facts.reply, 'cors_enabled') === false
            : undefined,
      probe: (plan) => void plan.check('buckets.create', plan.draft('buckets.create')),
    },
    {
      id: 'buckets.create.cors-for-all-origins',
      source: `${createBody}, cors_enabled`,
      text: 'cors_enabled turns CORS on for all origins.',
      holds: () => undefined,
      unprobed: 'it shows only at the address of the bucket itself, which the document does not give',
    },
    {
      id: 'buckets.create.free-in-other-cluster',
      source: `${createBody}, label`,
      text: 'A label that is taken in one cluster is free in every other one.',
      holds: ({ world, body }) =>
        live(world, buckets).some(({ label, cluster }) => label === body.label && cluster !== body.cluster)
          ? true
          : undefined,
      probe: (plan) => {
        const near = plan.cluster()
        const far = plan.cluster(({ id }) => id !== near.id, aFixture('clusters', 'a second cluster', { id: 'c2' }, 2))
        const made = plan.make(buckets, { cluster: near.id })
        const path = { clusterId: far.id, bucket: made.field('label') }
        plan.check('buckets.view', { path })
        plan.check('buckets.create', { body: { cluster: far.id, label: made.field('label') } })
        // What is done to the one leaves its namesake.
        const own = { ...path, clusterId: near.id }
        plan.check('bucket-access.update', { path: own, body: { acl: 'public-read', cors_enabled: true } })
        plan.check('buckets.view', { path })
        plan.check('buckets.delete', { path: own })
        plan.check('buckets.view', { path })
        const as = plan.token({ foreign: true, balance: 'positive', has: ['object_storage:read_write'] })
        const theirs = plan.make(buckets, { cluster: near.id }, { as })
        plan.check('buckets.create', { body: { cluster: far.id, label: theirs.field('label') } })
      },
    },
    {
      id: 'buckets.create.free-after-deletion',
      source: `${createBody}, label`,
      text: 'A label is reserved only while the bucket lives: it is free again once that is deleted.',
      holds: ({ world, body }) =>
        gone(world, buckets, bucketKey(body.cluster, body.label)) !== undefined &&
        !find(world, buckets, bucketKey(body.cluster, body.label))
          ? true
          : undefined,
      probe: (plan) => {
        const args = plan.draft('buckets.delete')
        plan.call('buckets.delete', args)
        // Where the bucket was not, the label is free as well; there first, while no bucket has it.
        const far = plan.environment.fixtures.clusters?.find(({ id }) => id !== plan.cluster().id)
        for (const cluster of [...(far ? [far.id] : []), args.path?.clusterId])
          plan.check('buckets.create', { body: { cluster, label: args.path?.bucket } })
        // And it is free for everybody.
        const query = { foreign: true, balance: 'positive', has: ['object_storage:read_write'] } as const
        const as = plan.attempt(() => plan.token(query))
        if (as === undefined) return
        plan.call('buckets.delete', args)
        plan.check('buckets.create', { body: { cluster: args.path?.clusterId, label: args.path?.bucket }, as })
      },
    },
  ],
  choices: [
    {
      id: 'buckets.create.again-acl',
      text: 'What creating an owned bucket again with another acl does to its acl.',
      source: `${endpoints}, POST /object-storage/buckets`,
      values: ['kept', 'as sent'],
      observe: ({ world, body, reply }) => {
        const before = find(world, buckets, bucketKey(body.cluster, body.label))?.acl
        const after = shown(reply, 'acl')
        const wanted = body.acl ?? 'private'
        if (before === undefined || before === wanted) return undefined
        return after === before ? 'kept' : after === wanted ? 'as sent' : undefined
      },
    },
  ],
  apply: ({ world, body, made, account, caller }) => {
    const there = find(world, buckets, made)
    const isNew = not(isOwned(world, account, body.cluster, body.label))
    const wanted = { acl: body.acl ?? 'private', cors_enabled: body.cors_enabled ?? false }
    // An account that creates a bucket uses Object Storage again.
    return put(inUse(world, account), buckets, {
      key: made,
      account,
      ...(caller.user && isNew === true && { maker: caller.user.name }),
      ...(there && isNew === false && remade(there, wanted)),
      ...(isNew === true && { ...wanted, objects: [], objectAcls: {}, certificate: false }),
      cluster: body.cluster,
      clusterId: body.cluster,
      label: body.label,
    })
  },
})

/** An owned bucket that is created again; whether it takes the acl and CORS that are sent is not said. */
const remade = (bucket: Entity<Bucket>, wanted: Pick<Bucket, 'acl' | 'cors_enabled'>): Entity<Bucket> => {
  const { acl, cors_enabled, ...rest } = bucket
  return {
    ...rest,
    ...(acl === wanted.acl && { acl }),
    ...(cors_enabled === wanted.cors_enabled && { cors_enabled }),
  }
}
