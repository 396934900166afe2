// Creating a key, limited to buckets or not: "Endpoints / Object Storage", Key create body.

import { cancellations, commonSilences, inUse } from '../buckets/record.js'
import { put } from '../language/changes.js'
import { known, not } from '../language/clause.js'
import { clusters } from '../language/facts.js'
import { hashOf } from '../language/hash.js'
import { sparesNamesake } from '../language/namesakes.js'
import { operation, record } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { array, object, oneOf, optional, text, without } from '../language/schema.js'
import { find, type WireRecord, type World } from '../language/world.js'
import { accessTo, endpoints, isPlainLabel, isTaken } from './common.js'
import { accessKeyOf, areOwned, isSameAccess, type KeyAccess, objectKeys, secretIn, secretOf } from './record.js'

const createBody = `${endpoints}, "Key create body"`

const mostPlain = 5

/** Another cluster than that of other buckets, where there is one. */
const elsewhere = (plan: Plan): { readonly cluster?: string } => {
  const other = plan.environment.fixtures.clusters?.find(({ id }) => id !== plan.cluster().id)
  return other ? { cluster: other.id } : {}
}

const isWhole = ({ bucket_name: bucket, cluster, permissions }: KeyAccess): boolean =>
  bucket !== undefined && bucket !== '' && cluster !== undefined && permissions !== undefined

/** The buckets that a key is limited to; undefined where it is not said what an entry means. */
const limitsOf = (
  world: World,
  account: string | undefined,
  access: readonly KeyAccess[],
): readonly KeyAccess[] | undefined =>
  access.every(isWhole) && !isRepeated(access) && areOwned(world, account, access) === true ? access : undefined

const isRepeated = (access: readonly KeyAccess[]): boolean =>
  new Set(access.map(({ cluster, bucket_name }) => `${cluster}/${bucket_name}`)).size < access.length

interface Created {
  readonly world: World
  readonly account: string | undefined
  readonly body: { readonly bucket_access?: readonly KeyAccess[] }
  readonly reply: unknown
}

/** What the reply to a creation shows as bucket_access; undefined where it shows none. */
const shownAccess = ({ reply }: Created): unknown => (reply as WireRecord | undefined)?.bucket_access

/** Whether a reply has a member beside bucket_access that may tell an unlimited key from one without access. */
const tellsOtherwise = ({ reply }: Created): boolean =>
  Object.values((reply ?? {}) as WireRecord).some((value) => typeof value === 'boolean')

export const createObjectKey = operation({
  id: 'object-keys.create',
  area: 'object-storage',
  method: 'POST',
  path: '/object-storage/keys',
  reach: { in: 'object-storage', alone: false, lent: false },
  source: createBody,
  summary: 'Creates an access key, unlimited or limited to certain buckets.',
  scopes: ['object_storage:read_write'],
  params: {},
  body: object({
    label: optional(text()),
    bucket_access: optional(
      array(
        object({
          bucket_name: optional(text()),
          cluster: optional(text({ ref: 'clusters', open: true })),
          permissions: optional(without(oneOf('read_write', 'read_only'), 'none', 'read')),
        }),
      ),
    ),
  }),
  reply: record(objectKeys),
  shows: 'made',
  makes: objectKeys,
  emits: [{ event: 'obj_access_key_create', alone: 'should' }],
  draft: (plan) => ({ body: { label: plan.label(50) } }),
  full: (plan) => ({
    body: { label: plan.name(), bucket_access: [accessTo(plan, 'read_only'), accessTo(plan, 'read_write')] },
  }),
  refusals: [
    {
      id: 'object-keys.create.negative-balance',
      source: `${endpoints}, POST /object-storage/keys; Errors, "creating a bucket or key with a negative account balance"`,
      text: 'An account with a negative balance creates no key.',
      when: ({ caller }) => (caller.anonymous ? false : known(caller.account?.balance, 'negative', (a, b) => a === b)),
      probe: (plan) => {
        const args = { body: { label: plan.name() } }
        const has = ['object_storage:read_write']
        const as = plan.token({ balance: 'negative', has })
        plan.probe('object-keys.create', { ...args, as })
        plan.probe('object-keys.create', { body: { label: plan.name(), bucket_access: [] }, as })
        // Such an account has no bucket to name, and whether one has to exist is not said: it creates no key either way.
        const access = { bucket_name: plan.name(), cluster: plan.cluster().id, permissions: 'read_only' }
        plan.check('object-keys.create', { body: { label: plan.name(), bucket_access: [access] }, as })
        plan.twin('object-keys.create', { ...args, as: plan.token({ balance: 'positive', has }) })
      },
    },
  ],
  silences: [
    ...commonSilences('object-keys.create'),
    {
      id: 'object-keys.create.label-form',
      source: `${createBody}, label`,
      text: 'Which characters a label may have, and how many, is not said.',
      fields: ['label'],
      when: ({ body }) => !isPlainLabel(body.label),
      probe: (plan) => void plan.check('object-keys.create', { body: { label: plan.oddText(50) } }),
    },
    {
      id: 'object-keys.create.no-label',
      source: `${createBody}, label`,
      text: 'Whether a key needs a label is not said.',
      when: ({ body }) => body.label === undefined,
      probe: (plan) =>
        void plan.check('object-keys.create', { body: { bucket_access: [accessTo(plan, 'read_only')] } }),
    },
    {
      id: 'object-keys.create.label-reused',
      source: `${createBody}, label`,
      text: 'Whether two keys may have the same label is not said.',
      fields: ['label'],
      when: ({ world, account, body }) => isTaken(world, account, body.label),
      probe: (plan) => {
        const first = plan.make(objectKeys)
        const second = plan.check('object-keys.create', { body: { label: first.field('label') } })
        sparesNamesake(plan, { resource: 'object-keys', param: 'keyId' }, first, second)
      },
    },
    {
      id: 'object-keys.create.unknown-bucket',
      source: `${createBody}, bucket_access`,
      text: 'Whether a key can be limited to a bucket that the account does not hold is not said.',
      when: ({ world, account, body }) =>
        not(
          areOwned(
            world,
            account,
            (body.bucket_access ?? []).filter(
              (entry) => isWhole(entry) && find(world, clusters, entry.cluster) !== undefined,
            ),
          ),
        ),
      probe: (plan) =>
        void plan.check('object-keys.create', {
          body: {
            label: plan.name(),
            bucket_access: [{ bucket_name: plan.name(), cluster: plan.cluster().id, permissions: 'read_only' }],
          },
        }),
    },
    {
      id: 'object-keys.create.incomplete-access',
      source: `${createBody}, bucket_access`,
      text: 'What an entry means that leaves out the bucket, the cluster or the permissions is not said.',
      when: ({ body }) => !(body.bucket_access ?? []).every(isWhole),
      probe: (plan) => {
        const { permissions: _, ...rest } = accessTo(plan, 'read_only')
        plan.check('object-keys.create', { body: { label: plan.name(), bucket_access: [rest] } })
      },
    },
    {
      id: 'object-keys.create.repeated-access',
      source: `${createBody}, bucket_access`,
      text: 'Whether a bucket may be listed twice, and how many may be listed, is not said.',
      when: ({ body }) => isRepeated(body.bucket_access ?? []) || (body.bucket_access ?? []).length > mostPlain,
      probe: (plan) => {
        const access = accessTo(plan, 'read_only')
        plan.check('object-keys.create', {
          body: { label: plan.name(), bucket_access: [access, { ...access, permissions: 'read_write' }] },
        })
      },
    },
  ],
  statements: [
    {
      id: 'object-keys.create.limited',
      source: `${createBody}, Rules`,
      text: 'With a bucket_access that is not empty the key is limited to the buckets listed, and a reply that carries bucket_access shows those.',
      holds: (facts) => {
        const limits = limitsOf(facts.world, facts.account, facts.body.bucket_access ?? [])
        return limits?.length && shownAccess(facts) !== undefined
          ? isSameAccess(limits, shownAccess(facts)) !== false || 'bucket_access does not show what was sent'
          : undefined
      },
      probe: (plan) => {
        const first = accessTo(plan, 'read_only')
        const { cluster } = elsewhere(plan)
        // Where there is another cluster, a bucket of the same name: only the cluster tells the two apart.
        const namesake = accessTo(
          plan,
          'read_write',
          cluster === undefined ? {} : { cluster, label: first.bucket_name },
        )
        const access = [first, namesake, accessTo(plan, 'read_only')]
        plan.check('object-keys.create', { body: { label: plan.name(), bucket_access: access } })
      },
    },
    {
      id: 'object-keys.create.limited-to-none',
      source: `${createBody}, Rules`,
      text: 'With an empty bucket_access the key has access to no bucket, and a reply that carries bucket_access shows it empty.',
      holds: (facts) =>
        facts.body.bucket_access?.length === 0 && shownAccess(facts) !== undefined
          ? isSameAccess([], shownAccess(facts)) !== false || 'bucket_access is not empty'
          : undefined,
      probe: (plan) => void plan.check('object-keys.create', { body: { label: plan.name(), bucket_access: [] } }),
    },
    {
      id: 'object-keys.create.unlimited',
      level: 'should',
      source: `${createBody}, bucket_access, "omitting the field makes an unlimited key"`,
      text: 'Without bucket_access the key is unlimited, so a reply that carries bucket_access does not show it empty.',
      holds: (facts) =>
        facts.body.bucket_access !== undefined || shownAccess(facts) === undefined
          ? undefined
          : isSameAccess([], shownAccess(facts)) !== true ||
            (tellsOtherwise(facts) ? undefined : 'bucket_access is empty, as for a key without access'),
      probe: (plan) => void plan.check('object-keys.create', { body: { label: plan.name() } }),
    },
    {
      id: 'object-keys.create.use-of-limited',
      source: `${createBody}, Rules`,
      text: 'A Limited Access Key lists all buckets and creates buckets, but gets no access to those it creates.',
      holds: () => undefined,
      unprobed: 'keys are used with the S3-compatible interface, which the document does not describe',
    },
  ],
  apply: ({ world, body, made, account, caller, chosen }) => {
    const secret = secretIn(chosen)
    const access = body.bucket_access === undefined ? 'all' : limitsOf(world, account, body.bucket_access)
    // Whether an account that has cancelled Object Storage may have keys again is not said.
    const used = find(world, cancellations, account)?.cancelled === true ? world : inUse(world, account)
    return put(used, objectKeys, {
      key: made,
      account,
      ...(caller.user && { maker: caller.user.name }),
      ...(body.label !== undefined && { label: body.label }),
      ...(access && { access }),
      ...(secret !== undefined && { secretMark: hashOf(secret) }),
    })
  },
  // Where the document does not say what the entries mean: what was sent.
  draws: ({ body }) => ({ access: body.bucket_access }),
  render: ({ after, made }) => {
    const { id, label, access } = find(after, objectKeys, made) ?? {}
    return {
      id,
      label,
      bucket_access: access === 'all' ? null : access,
      limited: access !== 'all',
      access_key: accessKeyOf(made),
      secret_key: secretOf(made),
    }
  },
})
