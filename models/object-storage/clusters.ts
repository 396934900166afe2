// The two operations on object storage clusters: section "Endpoints / Object Storage"; their authorization is not shown.

import { commonSilences } from '../buckets/record.js'
import type { Principal } from '../language/access.js'
import { byId, clusters } from '../language/facts.js'
import { operation, page, record, ref } from '../language/operation.js'
import { inferredPaging } from '../language/pagination.js'
import type { Args, Plan } from '../language/plan.js'
import { live, type WireRecord } from '../language/world.js'

const endpoints = 'Endpoints / Object Storage'

interface Called {
  readonly caller: Principal
}

/** What it takes to call an operation that lists no scope. */
const authorization = (id: string, args: (plan: Plan) => Args) => [
  ...commonSilences(id),
  {
    id: `${id}.anonymous`,
    source: 'Authentication, "Authorization requirement of the cluster list and cluster view endpoints: not shown"',
    text: 'Whether it can be called without a valid credential is not shown.',
    when: ({ caller }: Called) => caller.anonymous,
    probe: (plan: Plan) => void plan.check(id, { ...args(plan), as: null }),
  },
  {
    id: `${id}.scopes`,
    source: 'Authentication, "Authorization requirement of the cluster list and cluster view endpoints: not shown"',
    text: 'Which scopes a token needs for it is not shown.',
    when: ({ caller }: Called) =>
      caller.anonymous ? false : caller.token === undefined ? undefined : caller.token.scopes !== '*',
    probe: (plan: Plan) =>
      void plan.check(id, { ...args(plan), as: plan.token({ lacks: 'object_storage:read_only' }) }),
  },
]

/** The last one, which is not what a target shows that always shows its first. */
const oneCluster = (plan: Plan): Args => {
  const last = plan.environment.fixtures.clusters?.at(-1)
  return { path: { clusterId: plan.cluster(({ id }) => id === last?.id).id } }
}

export const listClusters = operation({
  id: 'clusters.list',
  area: 'object-storage',
  method: 'GET',
  path: '/object-storage/clusters',
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the clusters that are available.',
  scopes: undefined,
  params: {},
  undecided: Object.fromEntries(
    ['envelope', 'field-present', 'status'].map((slug) => [
      `refusal.${slug}`,
      'nothing in the document has it refused',
    ]),
  ),
  query: inferredPaging,
  reply: page(clusters, 'not-shown'),
  // The target file may name some of many, so a cluster that it does not name is no stranger.
  lists: () => true,
  draft: () => ({}),
  silences: authorization('clusters.list', () => ({})),
  statements: [
    {
      id: 'clusters.list.available',
      source: `${endpoints}, GET /object-storage/clusters`,
      text: 'The list holds every cluster that is available, so each that the target file names.',
      holds: ({ world, query, reply }) => {
        if (query.page !== undefined && query.page !== 1) return undefined
        const { data, pages } = (reply ?? {}) as { readonly data?: unknown; readonly pages?: unknown }
        if (!Array.isArray(data) || (pages !== 1 && pages !== 0)) return undefined
        const listed = data.map((entry) => byId((entry ?? {}) as WireRecord))
        const named = live(world, clusters).filter(({ stub }) => !stub)
        const missing = named.filter(({ key }) => !listed.includes(key))
        // Records are not shown: where none bears an id that is known, they may name clusters in another way.
        if (named.length === 0 || listed.includes(undefined) || (data.length > 0 && missing.length === named.length))
          return undefined
        return missing.length === 0 || `${missing.map(({ key }) => key).join(', ')} missing from the list`
      },
      probe: (plan) => {
        plan.cluster()
        plan.check('clusters.list')
      },
    },
  ],
})

export const viewCluster = operation({
  id: 'clusters.view',
  area: 'object-storage',
  method: 'GET',
  path: '/object-storage/clusters/{clusterId}',
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Shows one cluster.',
  scopes: undefined,
  params: { clusterId: ref(clusters, { type: 'string' }) },
  reply: record(clusters),
  shows: 'clusterId',
  draft: oneCluster,
  silences: authorization('clusters.view', oneCluster),
})

export const clusterOperations = [listClusters, viewCluster]
