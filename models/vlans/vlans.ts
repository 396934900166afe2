// The one VLAN operation, of the section "Endpoints / Networking" of the document.

import { lacksWrite } from '../language/access.js'
import { aForeignFixture } from '../language/needs.js'
import { isObject } from '../language/objects.js'
import { operation, page } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import { live } from '../language/world.js'
import { vlans } from './record.js'

const source = 'Endpoints / Networking'

export const listVlans = operation({
  id: 'vlans.list',
  area: 'networking',
  method: 'GET',
  path: '/networking/vlans',
  reach: { in: 'given', alone: false, lent: false },
  source,
  summary: 'Lists the VLANs of the account.',
  scopes: ['nodes:read_only'],
  params: {},
  query: standardPaging,
  reply: page(vlans),
  draft: () => ({}),
  silences: [
    {
      id: 'vlans.list.restricted',
      source: 'Authentication, "Permission rules beyond scopes"',
      text: 'Whether a restricted user may list VLANs is not said.',
      when: ({ caller }) => lacksWrite(caller, 'nodes', undefined),
      unprobed: 'whether a restricted user lacks what it takes cannot be told, so neither answer shows it',
    },
  ],
  statements: [
    {
      id: 'vlans.list.own',
      // Two accounts might have VLANs of one label in one region, and the target file need not list all of ours.
      level: 'should',
      source: `${source}, GET /networking/vlans`,
      text: 'The list holds the VLANs of the account and none of another one.',
      holds: ({ world, account, reply }) => {
        const data = isObject(reply) && Array.isArray(reply.data) ? reply.data.filter(isObject) : []
        const others = live(world, vlans).filter((vlan) => vlan.account !== account)
        if (account === undefined || others.length === 0 || !data.some((record) => typeof record.label === 'string'))
          return undefined
        const own = live(world, vlans, account)
        const isLike = (record: Readonly<Record<string, unknown>>, vlan: (typeof own)[number]): boolean =>
          record.label === vlan.label && record.region === vlan.region
        const leaked = data.find(
          (record) => others.some((vlan) => isLike(record, vlan)) && !own.some((vlan) => isLike(record, vlan)),
        )
        return leaked ? `${String(leaked.label)}, a VLAN of another account` : true
      },
      probe: (plan) => {
        const home = plan.environment.accounts[0]?.name
        plan.need(
          plan.environment.fixtures.vlans?.some(({ account }) => account !== undefined && account !== home) === true,
          aForeignFixture('vlans', 'a VLAN of another account'),
        )
        plan.check('vlans.list')
      },
    },
  ],
})

export const vlanOperations = [listVlans]
