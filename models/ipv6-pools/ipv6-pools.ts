// The one IPv6 pool operation, of the section "Endpoints / Networking" of the document.

import { lacksWrite } from '../language/access.js'
import { regions } from '../language/facts.js'
import { operation, page } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import { live } from '../language/world.js'
import { pools } from './record.js'

export const listPools = operation({
  id: 'ipv6-pools.list',
  area: 'networking',
  method: 'GET',
  path: '/networking/ipv6/pools',
  reach: { in: 'addresses', alone: false, lent: false },
  source: 'Endpoints / Networking',
  summary: 'Lists the IPv6 pools of the account.',
  scopes: ['ips:read_only'],
  params: {},
  query: standardPaging,
  reply: page(pools),
  draft: () => ({}),
  // What a pool is like is not shown: the embedded server has one in every region.
  render: ({ world, query }) => {
    const { page: number = 1, page_size: size = 100 } = query
    const all = live(world, regions).map(({ id }) => ({ region: id }))
    const data = all.slice((number - 1) * size, number * size)
    return { data, page: number, pages: Math.ceil(all.length / size) || 1, results: all.length }
  },
  silences: [
    {
      id: 'ipv6-pools.list.restricted',
      source: 'Authentication, "Permission rules beyond scopes"',
      text: 'Whether a restricted user may list IPv6 pools is not said.',
      when: ({ caller }) => lacksWrite(caller, 'nodes', undefined),
      unprobed: 'whether a restricted user lacks what it takes cannot be told, so neither answer shows it',
    },
  ],
})

export const ipv6PoolOperations = [listPools]
