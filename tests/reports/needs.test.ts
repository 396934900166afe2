import { describe, expect, it, test } from 'vitest'
import {
  addressed,
  aFixture,
  aForeignFixture,
  allowNeed,
  aNode,
  aToken,
  hookNeed,
  liveNeed,
  type Need,
  sizeNeed,
} from '../../models/language/needs.js'
import { rankNeeds, snippetOf } from '../../reports/needs.js'

const lacking = (needs: readonly Need[], ...clauses: string[]) => ({
  reason: 'needs something',
  remedy: 'Add it.',
  needs,
  clauses,
})

const cluster = aFixture('clusters', 'a cluster')
const domain = aFixture('domains', 'a domain')

describe('the needs of a target', () => {
  it('are ranked by how many clauses lack nothing else', () => {
    const needs = rankNeeds([lacking([cluster], 'c1', 'c2'), lacking([domain], 'd1', 'd2', 'd3')])
    expect(needs.map(({ what, opens }) => [what, opens])).toEqual([
      ['a domain', 3],
      ['a cluster', 2],
    ])
  })

  it('are told once each, together with whatever', () => {
    const tickets = allowNeed('tickets.create', 'safety.allow to name tickets.create')
    const needs = rankNeeds([
      lacking([tickets], 't1'),
      lacking([tickets], 't2', 't1'),
      lacking([domain, cluster], 'c1'),
    ])
    expect(needs.map(({ what, clauses }) => [what, clauses])).toEqual([
      ['safety.allow to name tickets.create', ['t1', 't2']],
      ['a domain', ['c1']],
      ['a cluster', ['c1']],
    ])
    expect(needs.map(({ opens }) => opens)).toEqual([2, 0, 0])
  })

  it('are one where the same piece of target file meets them, in the wording that most clauses have', () => {
    const calm = { liveMigration: false }
    const needs = rankNeeds([
      lacking([aNode('a node with no live migration under way', calm)], 'f1', 'f2'),
      lacking([aNode('a node without live migration', calm)], 'f3'),
      lacking([aNode('a second node without live migration', calm, 2)], 'f3', 'f4'),
    ])
    expect(needs.map(({ what, alike, clauses, opens }) => [what, alike, clauses, opens])).toEqual([
      ['a node with no live migration under way', ['a node without live migration'], ['f1', 'f2', 'f3'], 2],
      ['a second node without live migration', [], ['f3', 'f4'], 1],
    ])
  })

  it('are one where the highest of several bounds meets them', () => {
    const needs = rankNeeds([
      lacking([sizeNeed(21)], 'v1', 'v2'),
      lacking([sizeNeed(24)], 'v3'),
      lacking([liveNeed('ipv6-ranges', 2)], 'f1'),
    ])
    expect(needs.map(({ what, opens, snippet }) => [what, opens, snippet])).toEqual([
      ['safety.maxVolumeGiB of at least 24', 3, snippetOf({ safety: { maxVolumeGiB: 24 } })],
      ['safety.maxLive.ipv6-ranges of 2 or more', 1, snippetOf({ safety: { maxLive: { 'ipv6-ranges': 2 } } })],
    ])
  })

  it('leave out what no target file can change', () => {
    expect(rankNeeds([{ reason: 'no reply shows charges', clauses: ['a'] }])).toEqual([])
  })

  it('are the sentence alone where an earlier version has recorded nothing else', () => {
    const { needs: _, ...earlier } = lacking([], 'a', 'b')
    expect(rankNeeds([earlier])).toEqual([{ what: 'something', alike: [], clauses: ['a', 'b'], opens: 2 }])
  })
})

const node = { id: 0, region: 'r1' }
const another = { accounts: [{ name: 'another' }] }

test.each<readonly [Need, unknown]>([
  [allowNeed('tickets.create', 'leave to open tickets'), { safety: { allow: ['tickets.create'] } }],
  [liveNeed('firewalls', 29), { safety: { maxLive: { firewalls: 29 } } }],
  [
    aNode('a node under live migration', { liveMigration: true }),
    { fixtures: { nodes: [{ ...node, liveMigration: true }] } },
  ],
  [
    aNode('a node with two public addresses', addressed(2)),
    {
      fixtures: {
        nodes: [
          {
            ...node,
            liveMigration: false,
            extraAddresses: true,
            ipv4: { public: ['203.0.113.7', '203.0.113.8'], private: [], natted: [] },
          },
        ],
      },
    },
  ],
  [
    aForeignFixture('domains', 'a domain of another account'),
    { ...another, fixtures: { domains: [{ account: 'another', id: 0 }] } },
  ],
  [
    aForeignFixture('vlans', 'a VLAN of another account'),
    { ...another, fixtures: { vlans: [{ account: 'another', label: 'vlan-1', region: 'r1' }] } },
  ],
  [
    aToken({ lacks: 'nodes:read_write', has: ['volumes:read_write'] }),
    {
      users: [{ name: 'owner', account: 'main', restricted: false }],
      tokens: [
        {
          name: 'owner-without-nodes-read_write-volumes-read_write',
          user: 'owner',
          scopes: ['volumes:read_write'],
          secret: { env: 'TOKEN_OWNER_WITHOUT_NODES_READ_WRITE_VOLUMES_READ_WRITE' },
        },
      ],
    },
  ],
  [
    aToken({ restricted: true, permission: [{ kind: 'volumes', id: 7, write: true }] }),
    {
      users: [{ name: 'restricted', account: 'main', restricted: true, grants: { volumes: { '7': 'read_write' } } }],
      tokens: [
        {
          name: 'restricted-account-read_only',
          user: 'restricted',
          scopes: ['account:read_only'],
          secret: { env: 'TOKEN_RESTRICTED_ACCOUNT_READ_ONLY' },
        },
      ],
    },
  ],
])('what meets the need of $what can be pasted', ({ add = {} }, expected) => {
  expect(JSON.parse(`{${snippetOf(add)}}`)).toEqual(expected)
})

test('a hook is pasted as code, to be written', () => {
  expect(snippetOf(hookNeed('deleteNode').add ?? {})).toMatch(/^hooks: \{\n {2}deleteNode: async/)
})
