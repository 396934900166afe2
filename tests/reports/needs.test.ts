import { describe, expect, it, test } from 'vitest'
import { rankNeeds, snippetFor } from '../../reports/needs.js'

const lacking = (reason: string, ...clauses: string[]) => ({ reason, remedy: 'Add it.', clauses })

describe('the needs of a target', () => {
  it('are ranked by how many clauses lack nothing else', () => {
    const needs = rankNeeds([lacking('a cluster', 'c1', 'c2'), lacking('a domain', 'd1', 'd2', 'd3')])
    expect(needs.map(({ what, opens }) => [what, opens])).toEqual([
      ['a domain', 3],
      ['a cluster', 2],
    ])
  })

  it('are told once each, from whichever side and together with whatever', () => {
    const needs = rankNeeds([
      lacking('safety.allow to name tickets.create: people read it', 't1'),
      lacking('needs safety.allow to name tickets.create: people read it', 't2', 't1'),
      lacking('needs a domain; a cluster', 'c1'),
    ])
    expect(needs.map(({ what, clauses }) => [what, clauses])).toEqual([
      ['safety.allow to name tickets.create: people read it', ['t1', 't2']],
      ['a domain', ['c1']],
      ['a cluster', ['c1']],
    ])
    expect(needs.map(({ opens }) => opens)).toEqual([2, 0, 0])
  })

  it('are one where the same piece of target file meets them, in the wording that most clauses have', () => {
    const needs = rankNeeds([
      lacking('a node with no live migration under way', 'f1', 'f2'),
      lacking('a node without live migration', 'f3'),
      lacking('a second node without live migration', 'f3', 'f4'),
    ])
    expect(needs.map(({ what, alike, clauses, opens }) => [what, alike, clauses, opens])).toEqual([
      ['a node with no live migration under way', ['a node without live migration'], ['f1', 'f2', 'f3'], 2],
      ['a second node without live migration', [], ['f3', 'f4'], 1],
    ])
  })

  it('are one where the highest of several bounds meets them', () => {
    const needs = rankNeeds([
      lacking('safety.maxVolumeGiB of at least 21', 'v1', 'v2'),
      lacking('safety.maxVolumeGiB of at least 24', 'v3'),
      lacking('safety.maxLive.firewalls of 33 or more', 'f1'),
      lacking('a bucket with 101 objects among the fixtures', 'b1'),
      lacking('a bucket with 26 objects among the fixtures', 'b2'),
    ])
    expect(needs.map(({ what, opens }) => [what, opens])).toEqual([
      ['safety.maxVolumeGiB of at least 24', 3],
      ['a bucket with 101 objects among the fixtures', 2],
      ['safety.maxLive.firewalls of 33 or more', 1],
    ])
  })

  it('leave out what no target file can change', () => {
    expect(rankNeeds([{ reason: 'no reply shows charges', clauses: ['a'] }])).toEqual([])
  })
})

test.each([
  ['safety.allow to name tickets.create: people read it', { safety: { allow: ['tickets.create'] } }],
  ['safety.maxLive.firewalls of 29 or more', { safety: { maxLive: { firewalls: 29 } } }],
  ['a node under live migration', { fixtures: { nodes: [{ id: 0, region: 'r1', liveMigration: true }] } }],
  [
    'a node of another account with a public address without 1:1 NAT',
    {
      fixtures: {
        nodes: [
          {
            account: 'another',
            id: 0,
            region: 'r1',
            ipv4: { public: ['203.0.113.7'], private: [], natted: [] },
          },
        ],
      },
    },
  ],
  [
    'a node with two public addresses and no private one that may be given further ones',
    {
      fixtures: {
        nodes: [
          {
            id: 0,
            region: 'r1',
            extraAddresses: true,
            ipv4: { public: ['203.0.113.7', '203.0.113.8'], private: [], natted: [] },
          },
        ],
      },
    },
  ],
  ['an object of another account under fixtures.domains', { fixtures: { domains: [{ account: 'another', id: 0 }] } }],
  [
    'an object of another account under fixtures.nodebalancers',
    { fixtures: { nodebalancers: [{ account: 'another', id: 0 }] } },
  ],
  [
    'a bucket with an object whose name holds a slash among the fixtures',
    { fixtures: { buckets: [{ cluster: 'c1', label: 'bucket-1', objects: ['folder/object-1'] }] } },
  ],
  [
    'a forward DNS entry for the SLAAC address of a node',
    { fixtures: { dns: [{ name: 'host.example.org', address: '2001:db8::1' }] } },
  ],
  ['a VLAN of another account', { fixtures: { vlans: [{ account: 'another', label: 'vlan-1', region: 'r1' }] } }],
  ['a volume that is not migrating', { fixtures: { volumes: [{ id: 0, migrating: false }] } }],
  [
    'a token of an unrestricted user that lacks the scope nodes:read_write that has volumes:read_write',
    {
      users: [{ name: 'owner', account: 'main', restricted: false }],
      tokens: [
        {
          name: 'without-nodes-read_write',
          user: 'owner',
          scopes: ['volumes:read_write'],
          secret: { env: 'TOKEN_WITHOUT_NODES_READ_WRITE' },
        },
      ],
    },
  ],
])('what meets the need of %s can be pasted', (what, expected) => {
  expect(JSON.parse(`{${snippetFor(what)}}`)).toEqual(expected)
})

test('a need that takes more than a line has nothing to paste', () => {
  expect(snippetFor('a token of an unrestricted user of another account')).toBeUndefined()
})
