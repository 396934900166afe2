// What the document says of firewall rules beyond their schema, as refusals shared by firewall create and rules update.
import { not, or, type Ternary } from '../language/clause.js'
import { canonicalNetwork, fewestFor, hasZone, isIpv4Network, isIpv6Network } from '../language/networks.js'
import type { Args, Plan } from '../language/plan.js'
import { isPlainName, isPlainText } from '../language/promises.js'
import { unseen } from '../language/unseen.js'
import { type PortFaults, readPorts } from './ports.js'
import type { Rule } from './record.js'

interface Sent {
  readonly inbound?: readonly Rule[]
  readonly outbound?: readonly Rule[]
}

/** An operation that takes rules: how to read them from its call, and a call that carries the given ones. */
interface Carrier<F> {
  readonly operation: string
  readonly rulesOf: (facts: F) => Sent | undefined
  readonly send: (plan: Plan, inbound: readonly object[], outbound?: readonly object[]) => Args
  /** Where a direction may be left out, sends the other alone. */
  readonly sendInbound?: (plan: Plan, inbound: readonly object[]) => Args
}

const table = 'Firewall rule'
const limits = 'Limits, "Firewall"'
const portLimits = 'Limits, "Port string"'
export const mostRules = 25
const mostAddresses = 255
const prefix = ['rules', 'inbound', 'outbound']

export const http = { action: 'ACCEPT', protocol: 'TCP', addresses: { ipv4: ['192.0.2.0/24'] } }
export const fullRule = {
  action: 'DROP',
  protocol: 'TCP',
  addresses: { ipv4: ['198.51.100.0/24', '203.0.113.7/32'], ipv6: ['2001:db8:1::/48'] },
  ports: '22,80-90,443',
  label: 'block-web',
  description: 'no web traffic from there',
}
const { ports: _, ...portless } = fullRule
/** Inbound and outbound ones of several protocols, each with every member that it may have. */
export const fullRules = [
  [fullRule, { ...portless, label: 'block-more', protocol: 'ICMP' }],
  [
    { ...fullRule, label: 'block-out', protocol: 'UDP' },
    { ...fullRule, label: 'block-rest' },
  ],
] as const

const portsOf = (ports: string) => ({ ...http, ports })
const ipv4Of = (...ipv4: readonly string[]) => ({ ...http, addresses: { ipv4 } })
const ipv6Of = (...ipv6: readonly string[]) => ({ ...http, addresses: { ipv6 } })

// A null in the place of a member passes the schema as a matter of choice, so nothing below takes a value for granted.
const listed = <T>(value: readonly T[] | undefined): readonly T[] => (Array.isArray(value) ? value : [])
const rulesIn = (value: readonly Rule[] | undefined): readonly Rule[] =>
  listed(value).filter((one) => typeof one === 'object' && one !== null && typeof one.addresses === 'object')
const textsIn = (value: readonly string[] | undefined): readonly string[] =>
  listed(value).filter((one) => typeof one === 'string')
const ipv4In = ({ addresses }: Rule): readonly string[] => textsIn(addresses?.ipv4)
const ipv6In = ({ addresses }: Rule): readonly string[] => textsIn(addresses?.ipv6)

/** More than may be; undecided where they could be written as fewer, of which a target may count the one or the other. */
const hasTooMany = (rule: Rule): Ternary => {
  const networks = [...ipv4In(rule), ...ipv6In(rule)]
  if (new Set(networks.map(canonicalNetwork)).size <= mostAddresses) return false
  return fewestFor(networks) > mostAddresses || undefined
}
const faultsOf = ({ ports }: Rule): PortFaults | undefined => (typeof ports === 'string' ? readPorts(ports) : undefined)

const allOf = (sent: Sent | undefined): readonly Rule[] => [...rulesIn(sent?.inbound), ...rulesIn(sent?.outbound)]

/** Ports for ICMP or IPENCAP; whether a null or an empty text counts as ports is not said. */
const hasStrayPorts = ({ protocol, ports }: Rule): Ternary =>
  protocol === 'TCP' || protocol === 'UDP' || ports === undefined
    ? false
    : typeof ports === 'string' && ports.trim() !== ''
      ? true
      : undefined

export const many = (count: number, ...rule: readonly object[]): readonly object[] =>
  Array.from({ length: count }, (_, i) => ({
    ...(rule[0] ?? http),
    addresses: { ipv4: [`10.${Math.floor(i / 256)}.${i % 256}.0/24`] },
  }))
// Every second one, so that no two of them can be written as one.
const ipv4s = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `198.${18 + Math.floor(i / 128)}.${(2 * i) % 256}.0/24`)
const ipv6s = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `2001:db8:${(2 * i + 2).toString(16)}::/48`)
const ports = (count: number): string => Array.from({ length: count }, (_, i) => 1001 + 10 * i).join(',')
const ranges = (count: number): string =>
  Array.from({ length: count }, (_, i) => `${2001 + 10 * i}-${2005 + 10 * i}`).join(',')

/** A fault of a single rule: wrong ones, each tried in both directions, and right ones that differ in that alone. */
interface Fault {
  readonly slug: string
  readonly level?: 'should'
  readonly source: string
  readonly text: string
  readonly field: readonly string[]
  readonly has: (rule: Rule) => Ternary
  readonly wrong: readonly object[]
  readonly right: readonly object[]
}

const portFault = (
  slug: string,
  text: string,
  has: (faults: PortFaults) => Ternary,
  wrong: readonly string[],
  right: readonly string[],
): Fault => ({
  slug,
  source: portLimits,
  text,
  field: ['ports'],
  has: (rule) => {
    const faults = faultsOf(rule)
    return faults ? has(faults) : false
  },
  wrong: wrong.map(portsOf),
  right: right.map(portsOf),
})

const faults: readonly Fault[] = [
  {
    slug: 'addresses-given',
    source: `${table}, addresses`,
    text: 'A rule has ipv4 addresses, ipv6 addresses or both.',
    field: ['addresses', 'ipv4', 'ipv6'],
    // A null for one of them may count as leaving it out.
    has: ({ addresses }) =>
      addresses?.ipv4 === undefined && addresses?.ipv6 === undefined
        ? true
        : !addresses.ipv4 && !addresses.ipv6
          ? undefined
          : false,
    wrong: [{ ...http, addresses: {} }],
    right: [ipv4Of('192.0.2.0/25'), ipv6Of('2001:db8::/32'), { ...http, addresses: fullRule.addresses }],
  },
  {
    slug: 'ipv4-notation',
    source: `${table}, addresses.ipv4`,
    text: 'Each of ipv4 is an IPv4 address with a mask.',
    field: ['addresses', 'ipv4'],
    has: (rule) => or(...ipv4In(rule).map((text) => not(isIpv4Network(text)))),
    wrong: [
      ipv4Of('192.0.2.1'),
      ipv4Of('192.0.2.0/33'),
      ipv4Of('192.0.2.0/'),
      ipv4Of('192.0.2.0/a'),
      ipv4Of('256.0.2.0/24'),
      ipv4Of('2001:db8::/32'),
      ipv4Of('any'),
      ipv4Of('192.0.2.0/24', 'example/24'),
    ],
    right: [ipv4Of('192.0.2.1/32'), ipv4Of('0.0.0.0/0'), ipv4Of('192.0.2.0/24', '198.51.100.0/25')],
  },
  {
    slug: 'ipv6-notation',
    source: `${table}, addresses.ipv6`,
    text: 'Each of ipv6 is an IPv6 address with a mask.',
    field: ['addresses', 'ipv6'],
    has: (rule) => or(...ipv6In(rule).map((text) => not(isIpv6Network(text)))),
    wrong: [
      ipv6Of('2001:db8::1'),
      ipv6Of('2001:db8::/129'),
      ipv6Of('2001:db8::/'),
      ipv6Of('2001:db8::g/128'),
      ipv6Of('192.0.2.0/24'),
      ipv6Of('any'),
      ipv6Of('2001:db8::/32', 'example/32'),
    ],
    // Hexadecimal digits are of either case.
    right: [ipv6Of('2001:db8::1/128'), ipv6Of('::/0'), ipv6Of('2001:DB8:A::/48', '2001:db8:3::/48')],
  },
  {
    slug: 'ipv6-zone',
    source: `${table}, addresses.ipv6`,
    text: 'No address of ipv6 carries a zone id (RFC 4007).',
    field: ['addresses', 'ipv6'],
    has: (rule) => ipv6In(rule).some(hasZone),
    wrong: [ipv6Of('fe80::1%eth0/128'), ipv6Of('2001:db8::/32', 'fe80::1%1/128')],
    right: [ipv6Of('fe80::1/128')],
  },
  {
    slug: 'addresses-255',
    source: limits,
    text: 'A rule has at most 255 addresses and networks, ipv4 and ipv6 together; a network counts as one.',
    field: ['addresses', 'ipv4', 'ipv6'],
    has: hasTooMany,
    wrong: [
      ipv4Of(...ipv4s(256)),
      ipv6Of(...ipv6s(256)),
      { ...http, addresses: { ipv4: ipv4s(128), ipv6: ipv6s(128) } },
    ],
    right: [
      ipv4Of(...ipv4s(255)),
      ipv6Of(...ipv6s(255)),
      { ...http, addresses: { ipv4: ipv4s(128), ipv6: ipv6s(127) } },
    ],
  },
  {
    slug: 'ports-protocol',
    source: `${table}, ports`,
    text: 'Only rules for TCP and UDP have ports; rules for ICMP and IPENCAP have none.',
    field: ['protocol', 'ports'],
    has: hasStrayPorts,
    wrong: [
      { ...portsOf('443'), protocol: 'ICMP' },
      { ...portsOf('443'), protocol: 'IPENCAP' },
    ],
    right: [
      { ...portsOf('443'), protocol: 'UDP' },
      { ...portsOf('443'), protocol: 'TCP' },
      { ...http, protocol: 'ICMP' },
      { ...http, protocol: 'IPENCAP' },
    ],
  },
  portFault(
    'ports-form',
    'Ports are a single port, a range, or a list of these with commas between; a space may follow a comma.',
    ({ form }) => form,
    [
      'http',
      '80;443',
      '80 443',
      '80,',
      ',80',
      '80,,443',
      '80-',
      '-80',
      '80-90-100',
      '80:90',
      '80.5',
      '1e3',
      '+80',
      '*',
    ],
    ['80', '80-90', '80,443', '80, 443', '80,100-200, 443'],
  ),
  {
    ...portFault(
      'ports-spaces',
      'A space stands nowhere in ports but after a comma.',
      ({ spaces }) => spaces,
      ['80 ,443', '80 - 90', ' 80', '80 ', '80,  443'],
      ['80, 443', '80,443', '80-90'],
    ),
    level: 'should',
  },
  portFault(
    'ports-bounds',
    'A port is a number from 1 to 65535.',
    ({ bounds }) => bounds,
    ['0', '65536', '0-80', '65000-65536', '80,65536', '80,0'],
    ['1', '65535', '1-65535', '1,65535'],
  ),
  portFault(
    'ports-leading-zeros',
    'A port has no leading zeros.',
    ({ leadingZero }) => leadingZero,
    ['080', '80,0443', '80-090', '080-90'],
    ['80', '80,443', '80-90'],
  ),
  portFault(
    'ports-ascending',
    'The end of a range is greater than its start.',
    ({ descending }) => descending,
    ['90-80', '80-80', '443,90-80', '100-99'],
    ['80-90', '80-81', '443,80-90', '99-100'],
  ),
  portFault(
    'ports-pieces',
    'Ports have at most 15 pieces: a port is one, a range is two.',
    ({ tooMany }) => tooMany,
    [ports(16), ranges(8), `${ports(2)},${ranges(7)}`],
    [ports(15), `${ports(1)},${ranges(7)}`, `${ports(13)},${ranges(1)}`],
  ),
]

/** The same rule with the other action, and for UDP in the place of TCP. */
const otherwise = (rule: object): object => ({
  ...rule,
  action: 'DROP',
  ...((rule as Partial<Rule>).protocol === 'TCP' && { protocol: 'UDP' }),
})

const refusalFor =
  <F>({ operation, rulesOf, send }: Carrier<F>) =>
  ({ slug, source, text, field, has, wrong, right, level }: Fault) => ({
    id: `${operation}.${slug}`,
    ...(level && { level }),
    source,
    text,
    fields: [...prefix, ...field],
    when: (facts: F) => or(...allOf(rulesOf(facts)).map(has)),
    probe: (plan: Plan) => {
      for (const [i, rule] of wrong.entries()) {
        // By turns the first and the last of a direction, so that neither is the only one that is looked at.
        const [first, last] = [[rule], [http, otherwise(rule)]]
        plan.probe(operation, i % 2 === 0 ? send(plan, first, [http]) : send(plan, [http], first))
        plan.probe(operation, i % 2 === 0 ? send(plan, [http], last) : send(plan, last, [http]))
      }
      for (const rule of right) plan.twin(operation, send(plan, [rule], [http, rule]))
    },
  })

/** One clause for each thing that the document says of rules beyond their schema. */
export const ruleRefusals = <F>(carrier: Carrier<F>) => [
  ...faults.map(refusalFor(carrier)),
  {
    id: `${carrier.operation}.rules-25`,
    source: limits,
    text: 'A firewall has at most 25 rules, inbound and outbound together.',
    when: (facts: F) => allOf(carrier.rulesOf(facts)).length > mostRules,
    probe: (plan: Plan) => {
      const { operation, send, sendInbound } = carrier
      plan.probe(operation, send(plan, many(26), []))
      if (sendInbound) plan.check(operation, sendInbound(plan, many(26)))
      plan.probe(operation, send(plan, [], many(26)))
      plan.probe(operation, send(plan, many(13), many(13)))
      plan.twin(operation, send(plan, many(25), []))
      plan.twin(operation, send(plan, [], many(25)))
      plan.twin(operation, send(plan, many(13), many(12)))
    },
  },
]

const isRepeated = (values: readonly unknown[]): boolean => new Set(values).size < values.length

const repeatsWithin = (rules: readonly Rule[]): boolean =>
  isRepeated(rules.map((one) => JSON.stringify(one))) ||
  rules.some(
    (one) => isRepeated([...ipv4In(one), ...ipv6In(one)].map(canonicalNetwork)) || faultsOf(one)?.repeats === true,
  )

const isOdd = ({ label, description }: Rule): boolean =>
  (typeof label === 'string' && !isPlainName(label)) || (typeof description === 'string' && !isPlainText(description))

/** What the document says of the traffic that rules are for. */
const onTraffic: readonly (readonly [slug: string, source: string, text: string])[] = [
  ['action-overrides-policy', `${table}, action`, 'The action of a rule overrides the policy of its direction.'],
  ['protocol-of-traffic', `${table}, protocol`, 'A rule is for the traffic of its protocol.'],
  ['all-ipv4', `${table}, addresses.ipv4, "means all IPv4"`, '0.0.0.0/0 stands for all IPv4 addresses.'],
  ['all-ipv6', `${table}, addresses.ipv6, "means all IPv6"`, '::/0 stands for all IPv6 addresses.'],
  ['ports-unset', `${table}, ports, "when unset all ports"`, 'A rule without ports is for all of them.'],
  ['ports-inclusive', `${portLimits}, "a range (inclusive"`, 'A range of ports includes both of its ends.'],
  ['first-rule-wins', 'Endpoints / Networking, "Order matters"', 'Of two rules in conflict the first one wins.'],
  [
    'interfaces',
    'Endpoints / Networking, "applies to all non-VLAN interfaces"',
    'A firewall is for all interfaces of a node but VLANs, and of node balancers for inbound TCP alone.',
  ],
]

/** What the document says of rules that are taken. */
export const ruleStatements = <F>({ operation, rulesOf, send }: Carrier<F>) => [
  ...onTraffic.map(([slug, source, text]) =>
    unseen(`${operation}.${slug}`, source, text, 'the interface shows no traffic'),
  ),
  {
    id: `${operation}.ports-null`,
    source: `${table}, ports`,
    text: 'The ports of a rule may be null.',
    holds: (facts: F) => allOf(rulesOf(facts)).some(({ ports }) => ports === null) || undefined,
    probe: (plan: Plan) => void plan.check(operation, send(plan, [{ ...http, ports: null }])),
  },
]

/** What the document does not say of rules. */
export const ruleSilences = <F>({ operation, rulesOf, send }: Carrier<F>) => [
  {
    id: `${operation}.rule-characters`,
    source: `${table}, label and description`,
    text: 'Which characters the label and the description of a rule may have is not said.',
    fields: ['rules', 'inbound', 'outbound', 'label', 'description'],
    when: (facts: F) => allOf(rulesOf(facts)).some(isOdd),
    probe: (plan: Plan) => void plan.check(operation, send(plan, [{ ...http, label: 'Web & mail' }])),
  },
  {
    id: `${operation}.rule-labels-reused`,
    source: `${table}, label`,
    text: 'Whether two rules may have the same label is not said.',
    when: (facts: F) =>
      isRepeated(allOf(rulesOf(facts)).flatMap(({ label }) => (typeof label === 'string' ? [label] : []))),
    probe: (plan: Plan) =>
      void plan.check(
        operation,
        send(plan, [
          { ...http, label: 'web' },
          { ...fullRule, label: 'web' },
        ]),
      ),
  },
  {
    id: `${operation}.repetitions`,
    source: `${table}; ${limits}; ${portLimits}`,
    text: 'Whether a rule, an address of a rule or a port may be given twice is not said.',
    when: (facts: F) => {
      const sent = rulesOf(facts)
      return repeatsWithin(rulesIn(sent?.inbound)) || repeatsWithin(rulesIn(sent?.outbound))
    },
    probe: (plan: Plan) => {
      plan.check(operation, send(plan, [http, http]))
      plan.check(operation, send(plan, [ipv4Of('192.0.2.0/24', '192.0.2.0/24')]))
      plan.check(operation, send(plan, [portsOf('80,80')]))
    },
  },
]
