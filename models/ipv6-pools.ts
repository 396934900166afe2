// The one IPv6 pool operation, of the section "Endpoints / Networking" of the document.
import { lacksWrite } from './access.js'
import { operation, page } from './operation.js'
import { integer, object, optional } from './schema.js'
import { pools } from './tables/ipv6-pools.js'

export const listPools = operation({
  id: 'ipv6-pools.list',
  area: 'networking',
  method: 'GET',
  path: '/networking/ipv6/pools',
  source: 'Endpoints / Networking',
  summary: 'Lists the IPv6 pools of the account.',
  scopes: ['ips:read_only'],
  params: {},
  query: object({ page: optional(integer({ min: 1 })), page_size: optional(integer({ min: 25, max: 500 })) }),
  reply: page(pools),
  draft: () => ({}),
  silences: [
    {
      id: 'ipv6-pools.list.restricted',
      source: 'Authentication, "Permission rules beyond scopes"',
      text: 'Whether a restricted user may list IPv6 pools is not said.',
      when: ({ caller }) => lacksWrite(caller, 'nodes', undefined),
    },
  ],
})

export const ipv6PoolOperations = [listPools]
