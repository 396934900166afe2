// The embedded target's accounts, users, tokens and fixtures: enough to make every clause testable.
import { operations } from '../models/index.js'
import type { Environment, NodeFixture, Token } from '../models/language/environment.js'

const scopes = [
  'volumes:read_only',
  'volumes:read_write',
  'nodes:read_only',
  'nodes:read_write',
  'object_storage:read_only',
  'object_storage:read_write',
  'account:read_only',
  'account:read_write',
  'firewall:read_only',
  'firewall:read_write',
  'ips:read',
  'ips:read_only',
  'ips:read_write',
]

/** A token of the owner for every scope that lacks the family's right scope alone: `without-volumes-read_write`. */
const lacking = (): readonly Token[] =>
  scopes.map((scope) => ({
    name: `without-${scope.replace(':', '-')}`,
    user: 'owner',
    scopes: scopes.filter(
      (held) => held !== scope && !(scope.endsWith(':read_only') && held.startsWith(scope.split(':')[0] as string)),
    ),
  }))

/** A token of the owner for every set of scopes that an operation lists: `only-volumes-read_only`. */
const narrow = (): readonly Token[] =>
  [...new Set(operations.map(({ scopes: listed = [] }) => listed.join(' ')))]
    .filter((listed) => listed !== '')
    .map((listed) => ({
      name: `only-${listed.replaceAll(':', '-').replaceAll(' ', '-and-')}`,
      user: 'owner',
      scopes: listed.split(' '),
    }))

export const embeddedEnvironment = (): Environment => ({
  name: 'embedded',
  exclusive: true,
  accounts: [
    { name: 'main', balance: 'positive', managed: true },
    { name: 'debtor', balance: 'negative', managed: false },
    { name: 'other', balance: 'positive', managed: true },
  ],
  users,
  tokens: [
    { name: 'owner', user: 'owner', scopes: '*' },
    { name: 'limited', user: 'limited', scopes: '*' },
    { name: 'guest', user: 'guest', scopes: '*' },
    { name: 'debtor', user: 'debtor', scopes: '*' },
    { name: 'other', user: 'other', scopes: '*' },
    ...lacking(),
    ...narrow(),
  ],
  fixtures,
  pins: {},
  safety: { prefix: 'ts', maxLive: { default: 300 }, maxVolumeGiB: 10240, allow: ['object-storage.cancel'] },
})

const users: Environment['users'] = [
  { name: 'owner', account: 'main', restricted: false },
  {
    name: 'limited',
    account: 'main',
    restricted: true,
    grants: {
      global: ['add_volumes'],
      nodes: { 101: 'read_write', 102: 'read_only' },
      nodebalancers: { 302: 'read_only' },
      volumes: { 602: 'read_write', 603: 'read_only' },
      domains: { 401: 'read_write' },
      firewalls: {},
    },
  },
  {
    name: 'guest',
    account: 'main',
    restricted: true,
    grants: { global: [], nodes: {}, nodebalancers: {}, volumes: { 602: 'read_write' }, domains: {}, firewalls: {} },
  },
  { name: 'debtor', account: 'debtor', restricted: false },
  { name: 'other', account: 'other', restricted: false },
]

/** A node of 4 GiB in r1, at rest and with one configuration profile, unless `more` says otherwise. */
const node = (
  id: number,
  label: string,
  { ipv4, ...more }: Partial<NodeFixture> & Pick<NodeFixture, 'ipv4'>,
): NodeFixture => ({
  id,
  label,
  region: 'r1',
  memoryGiB: 4,
  configs: [id + 400],
  liveMigration: false,
  extraAddresses: true,
  ipv4: { private: [], natted: [], shared: [], ...ipv4 },
  slaac: `2001:db8::f03c:91ff:fe00:${id}`,
  ...more,
})

const nodes: readonly NodeFixture[] = [
  node(101, 'web-1', { memoryGiB: 16, ipv4: { public: ['203.0.113.7', '203.0.113.17'] } }),
  node(102, 'web-2', { memoryGiB: 8, ipv4: { public: ['203.0.113.8'], private: ['192.168.128.8'] } }),
  node(103, 'far-1', {
    region: 'r2',
    ipv4: { public: ['198.51.100.7', '198.51.100.17'] },
    slaac: '2001:db8:1::f03c:91ff:fe00:103',
  }),
  node(104, 'bare-1', { memoryGiB: 2, configs: [], extraAddresses: false, ipv4: { public: ['203.0.113.9'] } }),
  node(105, 'moving-1', { liveMigration: true, ipv4: { public: ['203.0.113.10'] } }),
  node(106, 'vpc-1', {
    configs: [506, 516],
    ipv4: { public: ['203.0.113.11', '203.0.113.12'], natted: ['203.0.113.12'] },
  }),
  node(107, 'spare-1', {
    memoryGiB: 96,
    ipv4: { public: ['203.0.113.13', '203.0.113.14'], private: ['192.168.128.13'] },
  }),
  node(108, 'doomed-1', { ipv4: { public: ['203.0.113.15'] } }),
  node(201, 'theirs-1', { account: 'other', ipv4: { public: ['203.0.113.99'] } }),
]

const fixtures: Environment['fixtures'] = {
  regions: [
    { id: 'r1', vlans: true },
    { id: 'r2', vlans: false },
  ],
  clusters: [
    { id: 'c1', region: 'r1' },
    { id: 'c2', region: 'r2' },
  ],
  nodes,
  nodebalancers: [
    { id: 301, region: 'r1' },
    { id: 302, region: 'r1' },
    { id: 303, region: 'r1' },
    { id: 399, region: 'r1', account: 'other' },
  ],
  domains: [{ id: 401 }, { id: 402 }, { id: 499, account: 'other' }],
  volumes: [
    { id: 601, region: 'r1', migrating: true },
    { id: 602, region: 'r1', migrating: false },
    { id: 603, region: 'r1', migrating: false },
    { id: 699, region: 'r1', migrating: false, account: 'other' },
  ],
  vlans: [
    { label: 'lan-1', region: 'r1' },
    { label: 'lan-2', region: 'r1' },
    // As many as fill more than a page.
    ...Array.from({ length: 26 }, (_, i) => ({ label: `lan-${i + 10}`, region: 'r1' })),
    { label: 'lan-9', region: 'r1', account: 'other' },
  ],
  buckets: [
    {
      cluster: 'c1',
      label: 'photos',
      objects: Array.from({ length: 120 }, (_, i) => `a/${String(i).padStart(3, '0')}.jpg`).concat('b/1.jpg', 'c.txt'),
    },
    { cluster: 'c2', label: 'theirs', objects: [], account: 'other' },
  ],
  dns: [
    { name: 'host.example.org', address: '203.0.113.7' },
    { name: 'six.example.org', address: '2001:db8::f03c:91ff:fe00:101' },
  ],
  // The last one is over.
  managedIssues: Array.from({ length: 28 }, (_, i) => ({ id: 901 + i, ...(i < 27 && { ongoing: true }) })),
}
