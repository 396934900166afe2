// The cancellation of Object Storage on an account: section "Endpoints / Object Storage".

import { endpoints, newBucket } from '../buckets/common.js'
import { buckets, cancellations, commonSilences } from '../buckets/record.js'
import { drop, put } from '../language/changes.js'
import { anything, type Facts, operation } from '../language/operation.js'
import { unseen } from '../language/unseen.js'
import { isClosed, live, type World } from '../language/world.js'
import { objectKeys } from '../object-keys/record.js'

const heldBuckets = ({ world, account }: Pick<Facts, 'world' | 'account'>) =>
  account === undefined ? [] : live(world, buckets, account).filter((bucket) => bucket.account === account)

export const cancelObjectStorage = operation({
  id: 'object-storage.cancel',
  wide: true,
  endsAll: true,
  area: 'object-storage',
  method: 'POST',
  path: '/object-storage/cancel',
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Cancels Object Storage on the account and removes all buckets with everything in them.',
  scopes: ['object_storage:read_write'],
  params: {},
  reply: anything,
  guarded: 'it removes every bucket of the account for good',
  // It has to come last in a run: fixtures go with it.
  draft: (plan) => {
    // All buckets are removed, wherever they are.
    for (const { id } of [plan.cluster(), ...(plan.environment.fixtures.clusters ?? []).slice(1, 3)])
      plan.make(buckets, { cluster: id })
    // And whatever they are like: in public, with a certificate.
    const path = newBucket(plan, { acl: 'public-read', cors_enabled: true })
    plan.call('bucket-certificates.upload', { path, body: plan.certificate() })
    // And none of another account.
    plan.attempt(() => {
      const as = plan.token({ foreign: true, balance: 'positive', for: 'buckets.create' })
      plan.make(buckets, {}, { as })
    })
    return {}
  },
  silences: [
    {
      id: 'object-storage.cancel.nothing-there',
      source: endpoints,
      text: 'Whether an account without a bucket can cancel Object Storage is not said.',
      unprobed: 'only one cancellation is made in a run, and that one with a bucket there',
      when: (facts) =>
        heldBuckets(facts).length > 0 ? false : isClosed(facts.world, buckets, facts.account) || undefined,
    },
    ...commonSilences('object-storage.cancel'),
  ],
  statements: [
    unseen(
      'object-storage.cancel.irretrievable',
      `${endpoints}, POST /object-storage/cancel, "irretrievably"`,
      'What was in the buckets cannot be brought back.',
      'no operation brings back what was removed',
    ),
  ],
  looks: ({ world, account }) => [
    { operation: 'buckets.list' },
    ...(world.environment.fixtures.clusters ?? [])
      .slice(0, 1)
      .map(({ id }) => ({ operation: 'buckets.list-in-cluster', path: { clusterId: id } })),
    ...(world.environment.fixtures.buckets ?? [])
      .filter((fixture) => (fixture.account ?? world.environment.accounts[0]?.name) === account)
      .slice(0, 3)
      .map(({ cluster, label }) => ({ operation: 'buckets.view', path: { clusterId: cluster, bucket: label } })),
    ...[...new Set(live(world, buckets).map((bucket) => bucket.account))]
      .filter((other) => other !== undefined && other !== account)
      .map((other) => ({ operation: 'buckets.list', path: {}, account: other as string })),
  ],
  apply: ({ world, account }) => {
    if (account === undefined) return world
    const without = heldBuckets({ world, account }).reduce((before, { key }) => drop(before, buckets, key), world)
    // Whether access keys outlive the cancellation is not said.
    const unsure = live(world, objectKeys, account).reduce<World>(
      (before, key) => put(before, objectKeys, { ...key, stub: true }),
      without,
    )
    return put(unsure, cancellations, { key: account, account, cancelled: true })
  },
})

export const cancellationOperations = [cancelObjectStorage]
