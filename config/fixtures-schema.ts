// The schema of `fixtures`: what stands in the account before a run, by kind.
import { Type } from '@sinclair/typebox'
import { closed, fixtures, flag, id, owner, text } from './schema-words.js'

const region = Type.Object(
  { id: text('Its id.'), vlans: Type.Optional(flag('Whether it supports VLANs; unknown when left out.')) },
  closed,
)

const cluster = Type.Object({ id: text('Its id.'), region: Type.Optional(text('The region that it is in.')) }, closed)

const addresses = (description: string) =>
  Type.Optional(Type.Array(Type.String({ title: 'an IPv4 address', format: 'ipv4' }), { description }))

const node = Type.Object(
  {
    ...owner,
    id: id('Its id.'),
    region: text('The region that it is in.'),
    label: Type.Optional(text('Its label.')),
    memoryGiB: Type.Optional(
      Type.Number({ minimum: 0, description: 'Its memory in GiB, which decides how many volumes it takes.' }),
    ),
    configs: Type.Optional(
      Type.Array(id('An id.'), { description: 'The ids of its configuration profiles; [] says that it has none.' }),
    ),
    liveMigration: Type.Optional(flag('Whether a live migration of it is under way.')),
    extraAddresses: Type.Optional(flag('Whether it may be given further IP addresses.')),
    ipv4: Type.Optional(
      Type.Object(
        {
          public: addresses('Its public addresses.'),
          private: addresses('Its private addresses.'),
          natted: addresses(
            'Those that carry an active 1:1 NAT to a VPC interface address; [] says that none does, and unknown when left out.',
          ),
          shared: addresses(
            'Those of other nodes that are shared with it when the run begins; they and it are left out where addresses are moved or shared. Where no node has this, it is not known what is shared; a run then shares no address on a target that is not exclusive.',
          ),
        },
        { ...closed, description: 'Its IPv4 addresses.' },
      ),
    ),
    slaac: Type.Optional(
      Type.String({ title: 'an IPv6 address', format: 'ipv6', description: 'Its SLAAC address (IPv6).' }),
    ),
  },
  closed,
)

const nodebalancer = Type.Object(
  { ...owner, id: id('Its id.'), region: Type.Optional(text('The region that it is in.')) },
  closed,
)

const domain = Type.Object({ ...owner, id: id('Its id.') }, closed)

const volume = Type.Object(
  {
    ...owner,
    id: id('Its id.'),
    region: Type.Optional(text('The region that it is in.')),
    migrating: Type.Optional(flag('Whether it is being migrated; false by default.')),
  },
  closed,
)

const vlan = Type.Object({ ...owner, label: text('Its label.'), region: text('The region that it is in.') }, closed)

const bucket = Type.Object(
  {
    ...owner,
    cluster: text('The id of the cluster that it is in.'),
    label: text('Its label.'),
    objects: Type.Optional(Type.Array(text('A name.'), { description: 'The names of the objects in it.' })),
  },
  closed,
)

const dnsEntry = Type.Object(
  {
    name: text('A host name.'),
    address: Type.Unsafe<string>({
      type: 'string',
      title: 'an IPv4 or IPv6 address',
      anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }],
      description: 'The address that the name resolves to.',
    }),
  },
  closed,
)

const managedIssue = Type.Object(
  {
    ...owner,
    id: id('Its id.'),
    ongoing: Type.Optional(flag('Whether it goes on during the run, so that it is listed.')),
  },
  closed,
)

export const fixtureTables = Type.Object(
  {
    regions: fixtures(region, 'Regions.'),
    clusters: fixtures(cluster, 'Object storage clusters.'),
    nodes: fixtures(node, 'Nodes, with the facts that the suite cannot read over the interface.'),
    nodebalancers: fixtures(nodebalancer, 'Node balancers.'),
    domains: fixtures(domain, 'Domains.'),
    volumes: fixtures(
      volume,
      'Volumes in a state that no call brings about; one without `migrating` has to be at rest when the run begins.',
    ),
    vlans: fixtures(vlan, 'VLANs.'),
    buckets: fixtures(bucket, 'Buckets that hold objects.'),
    dns: fixtures(dnsEntry, 'Forward DNS entries that exist, for reverse DNS.'),
    managedIssues: fixtures(managedIssue, 'Managed issues.'),
  },
  {
    ...closed,
    description:
      'What exists on the target and the interface itself cannot create. What is missing makes clauses untestable for that reason, and nothing else. A volume, bucket or cluster that is not there any more is left out of a run, which is inconclusive for it.',
  },
)
