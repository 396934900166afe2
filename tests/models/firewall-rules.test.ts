import { describe, expect, test } from 'vitest'
import { canonicalPorts, type PortFaults, readPorts } from '../../models/firewall-rules/ports.js'
import { canonicalNetwork, hasZone, isIpv4Network, isIpv6Network } from '../../models/language/networks.js'
import { refusal, type Told, told } from './stories.js'

const http = { action: 'ACCEPT', protocol: 'TCP', addresses: { ipv4: ['192.0.2.0/24'] } }
const drop = { ...http, action: 'DROP' }
const dns = { ...http, protocol: 'UDP', ports: '53' }
const rules = { inbound: [http, drop], inbound_policy: 'DROP', outbound: [dns], outbound_policy: 'ACCEPT' }
const others = { inbound: [dns], inbound_policy: 'ACCEPT', outbound: [], outbound_policy: 'DROP' }

const made: Told = ['firewalls.create', { body: { label: 'web', rules } }, 200, { id: 7 }]
const update = (body: object, reply: object = {}, status = 200): Told => [
  'firewall-rules.update',
  { path: { firewallId: 7 }, body: body as never },
  status,
  reply,
]
const view = (reply: object): Told => ['firewall-rules.view', { path: { firewallId: 7 } }, 200, reply]
const musts = (steps: readonly Told[]) =>
  told(steps, { closed: ['firewalls', 'nodes'] }).deviations.filter((one) => one.startsWith('must'))
/** Networks that come to one. */
const neighbours = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `10.1.${i}.0/24`)
const dressed = { ...dns, label: 'names', description: 'name service', addresses: { ipv6: ['2001:db8::/32'] } }

describe('a target is left its freedom', () => {
  const stories: Readonly<Record<string, readonly Told[]>> = {
    'rules may be shown in part or not at all': [made, view({}), view({ inbound: [http, drop] })],
    'an update may answer with nothing': [made, update(others), view(others)],
    'rules that are left out may be removed': [
      made,
      update({ inbound: [dns] }, { inbound: [dns], outbound: [] }),
      view({ inbound: [dns], outbound: [] }),
    ],
    'rules that are left out may stay': [made, update({ inbound: [dns] }), view({ ...rules, inbound: [dns] })],
    'an incomplete update may be refused': [made, update({ inbound: [dns] }, refusal(), 400)],
    'ports may be sorted, joined and spaced': [
      made,
      update({ ...others, inbound: [{ ...http, ports: '443,80-90, 91' }] }),
      view({ inbound: [{ ...http, ports: '80-91, 443' }] }),
    ],
    'odd descriptions may be escaped': [
      made,
      update({ ...others, inbound: [{ ...dns, description: 'mail & web' }] }),
      view({ inbound: [{ ...dns, description: 'mail &amp; web' }] }),
    ],
    'networks may be shown as fewer that stand for the same addresses': [
      made,
      update({ ...others, inbound: [{ ...http, addresses: { ipv4: ['10.0.0.0/9', '10.128.0.0/9', '10.1.0.0/16'] } }] }),
      view({ inbound: [{ ...http, addresses: { ipv4: ['10.0.0.0/8'], ipv6: null } }] }),
    ],
    'networks may be counted as fewer': [
      made,
      update({ ...others, inbound: [{ ...http, addresses: { ipv4: neighbours(256) } }] }),
      view({ inbound: [{ ...http, addresses: { ipv4: ['10.1.0.0/16'] } }] }),
    ],
    'networks may be counted as they are written': [
      made,
      update({ ...others, inbound: [{ ...http, addresses: { ipv4: neighbours(256) } }] }, refusal('ipv4'), 400),
    ],
    'members that were not given may be null': [
      made,
      view({ inbound: [{ ...http, ports: null, label: null, description: null }, drop] }),
    ],
    'all ports may be shown for none': [made, view({ inbound: [{ ...http, ports: '1-65535' }, drop] })],
  }
  for (const [name, steps] of Object.entries(stories)) test(name, () => expect(musts(steps)).toEqual([]))
})

describe('rules of both directions are shown', () => {
  const deviations = (...steps: readonly Told[]) =>
    told([made, ...steps], { closed: ['firewalls', 'nodes'] }).deviations
  const missed = 'should firewall-rules.view.both-directions'
  const flat = [
    { ...http, direction: 'in' },
    { ...drop, direction: 'in' },
    { ...dns, direction: 'out' },
  ]
  test.each<[string, object, readonly string[]]>([
    ['not at all', {}, [missed]],
    ['in one direction', { inbound: [http, drop], outbound_policy: 'ACCEPT' }, [missed]],
    ['as nothing in one direction', { inbound: [http, drop], outbound: null }, [missed]],
    ['without their policies', { inbound: [http, drop], outbound: [dns] }, []],
    ['under other names', { rules: { outbound_rules: [dns], inboundRules: [http, drop] } }, []],
    ['all in one list', { data: flat }, []],
    ['in one list, less one', { data: flat.slice(0, 2) }, [missed]],
  ])('or a doubt is told: %s', (_, reply, expected) => expect(deviations(view(reply))).toEqual(expected))
  test('where there are any', () => {
    const none = { ...others, inbound: [] }
    expect(deviations(update(none), view({}))).toEqual([])
    // What became of rules that an update leaves out is not said.
    expect(deviations(update({ inbound: [] }), view({ inbound: [] }))).toEqual([])
  })
})

describe('rules show the same members of all', () => {
  const given = { ...others, inbound: [dressed], outbound: [{ ...dressed, label: 'more' }] }
  const deviations = (outbound: object) =>
    told([made, update(given), view({ ...given, outbound: [outbound] })], { closed: ['firewalls', 'nodes'] }).deviations
  const { description, ...without } = { ...dressed, label: 'more' }
  test('or a doubt is told', () => {
    expect(deviations({ ...without, description })).toEqual([])
    expect(deviations(without)).toEqual(['should firewall-rules.view.same-members'])
  })
  test('where one of them shows it', () => {
    const { description: _, ...bare } = dressed
    const steps = [made, update(given), view({ ...given, inbound: [bare], outbound: [without] })]
    expect(told(steps, { closed: ['firewalls', 'nodes'] }).deviations).toEqual([])
  })
})

describe('a fault is found', () => {
  const stories: Readonly<Record<string, readonly [readonly Told[], string]>> = {
    'rules in another order': [[made, view({ ...rules, inbound: [drop, http] })], 'firewall-rules.view.order'],
    'rules in another order in the reply to their update': [
      [made, update({ ...others, outbound: [http, drop] }, { outbound: [drop, http] })],
      'firewall-rules.update.order',
    ],
    ...Object.fromEntries(
      ['ports', 'protocol', 'addresses', 'label', 'description'].map((name) => [
        `${name} that are null though they were given`,
        [
          [made, update({ ...others, inbound: [dressed] }), view({ inbound: [{ ...dressed, [name]: null }] })],
          'firewall-rules.view.replaced',
        ] as const,
      ]),
    ),
    'IPv6 addresses that are null though they were given': [
      [made, update({ ...others, inbound: [dressed] }), view({ inbound: [{ ...dressed, addresses: { ipv6: null } }] })],
      'firewall-rules.view.replaced',
    ],
    'a description that the rule before had': [
      [
        made,
        update({ ...others, inbound: [dressed] }),
        update({ ...others, inbound: [dns] }),
        view({ inbound: [{ ...dns, description: dressed.description }] }),
      ],
      'firewall-rules.view.replaced',
    ],
    'a label that the rule before had': [
      [
        made,
        update({ ...others, inbound: [dressed] }),
        update({ ...others, inbound: [http] }),
        view({ inbound: [{ ...http, label: dressed.label }] }),
      ],
      'firewall-rules.view.replaced',
    ],
    'another plain description': [
      [
        made,
        update({ ...others, inbound: [{ ...dns, description: 'no mail' }] }),
        view({ inbound: [{ ...dns, description: 'no web' }] }),
      ],
      'firewall-rules.view.replaced',
    ],
    'rules added to those that were there': [
      [made, update(others), view({ ...others, inbound: [http, drop, dns] })],
      'firewall-rules.view.replaced',
    ],
    'rules that an empty list leaves in place': [
      [made, update(others), view({ ...others, outbound: [dns] })],
      'firewall-rules.update.takes-effect',
    ],
    'a policy that an update leaves in place': [
      [made, update(others), view({ ...others, inbound_policy: 'DROP' })],
      'firewall-rules.update.takes-effect',
    ],
    'a policy of another name': [
      [made, update({ ...others, inbound_policy: 'REJECT' })],
      'firewall-rules.update.body.inbound_policy.enum',
    ],
    'the old rules in the view of the firewall': [
      [made, update(others), ['firewalls.view', { path: { firewallId: 7 } }, 200, { id: 7, rules }]],
      'firewalls.view.shows.rules',
    ],
    'rules of another protocol': [
      [made, view({ inbound: [{ ...http, protocol: 'UDP' }, drop] })],
      'firewall-rules.view.shows.inbound',
    ],
    'a rule that lost half of its addresses': [
      [
        made,
        update({ ...others, inbound: [{ ...http, addresses: { ipv4: ['10.0.0.0/8'], ipv6: ['::/0'] } }] }),
        view({ inbound: [{ ...http, addresses: { ipv4: ['10.0.0.0/8'], ipv6: [] } }] }),
      ],
      'firewall-rules.view.replaced',
    ],
    'a rule shown without its ports, as if it were about all of them': [
      [made, view({ ...rules, outbound: [{ ...http, protocol: 'UDP' }] })],
      'firewall-rules.view.shows.outbound',
    ],
    'the networks of one family shown without those of the other': [
      [
        made,
        update({ ...others, inbound: [{ ...http, addresses: { ipv4: ['192.0.2.0/24'], ipv6: ['2001:db8::/32'] } }] }),
        view({ inbound: [http] }),
      ],
      'firewall-rules.view.replaced',
    ],
    'a complete update refused': [[made, update(others, refusal(), 400)], 'firewall-rules.update.accepts'],
  }
  for (const [name, [steps, clause]] of Object.entries(stories))
    test(name, () => expect(musts(steps)).toEqual([`must ${clause}`]))
})

const faultsIn = (text: string): readonly string[] =>
  Object.entries(readPorts(text) satisfies PortFaults).flatMap(([name, broken]) =>
    broken === true ? [name] : broken === undefined ? [`${name}?`] : [],
  )

describe('a port string', () => {
  test.each([
    ['80', []],
    ['1', []],
    ['65535', []],
    ['80-81', []],
    ['22,80, 443-445', []],
    ['', ['form?']],
    ['80 ,443', ['spaces']],
    ['80,  443', ['spaces']],
    [' 80', ['spaces']],
    ['80 443', ['form']],
    ['80,', ['form']],
    ['80-', ['form']],
    ['a', ['form']],
    ['-1', ['form']],
    ['0', ['bounds']],
    ['65536', ['bounds']],
    ['080', ['leadingZero']],
    ['00', ['bounds', 'leadingZero']],
    ['90-80', ['descending']],
    ['80-80', ['descending']],
    ['1,3,5,7,9,11,13,15,17,19,21,23,25,27,29', []],
    ['1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31', ['tooMany']],
    ['1-2,4-5,7-8,10-11,13-14,16-17,19-20,22', []],
    ['1-2,4-5,7-8,10-11,13-14,16-17,19-20,22-23', ['tooMany']],
    ['80,80', ['repeats']],
    ['80-90,85', ['repeats']],
  ])('%j breaks just %j', (text, faults) => expect(faultsIn(text)).toEqual(faults))

  test('has one spelling for equal ports', () =>
    expect(['443, 80-90,91', '80-91,443', '80'].map(canonicalPorts)).toEqual([
      '80-91,443-443',
      '80-91,443-443',
      '80-80',
    ]))
})

describe('an address with a mask', () => {
  test.each([
    ['192.0.2.0/24', true],
    ['192.0.2.1/32', true],
    ['0.0.0.0/0', true],
    ['192.0.2.1/24', undefined],
    ['192.0.2.0/255.255.255.0', undefined],
    ['192.0.2.0/024', undefined],
    [' 192.0.2.0/24', undefined],
    ['10.1/16', undefined],
    ['192.0.2.1', false],
    ['192.0.2.0/33', false],
    ['192.0.2.0/-1', false],
    ['192.0.2.256/32', false],
    ['2001:db8::/32', false],
    ['', false],
  ])('%j for IPv4: %j', (text, verdict) => expect(isIpv4Network(text)).toBe(verdict))

  test.each([
    ['2001:db8::/32', true],
    ['2001:DB8:0:0::/32', true],
    ['::/0', true],
    ['::1/128', true],
    ['fe80::1%eth0/128', true],
    ['2001:db8::1/32', undefined],
    ['::ffff:192.0.2.1/128', undefined],
    ['2001:db8::1', false],
    ['2001:db8::/129', false],
    ['192.0.2.0/24', false],
    [':::/0', false],
  ])('%j for IPv6, its zone apart: %j', (text, verdict) => expect(isIpv6Network(text)).toBe(verdict))

  test('a zone id is seen on either side of the mask', () =>
    expect(['fe80::1%eth0/128', 'fe80::1/128%1', 'fe80::1/128'].map(hasZone)).toEqual([true, true, false]))

  test('has one spelling for equal networks', () =>
    expect(
      ['192.0.2.9/24', '192.0.2.0/255.255.255.0', '2001:DB8:0::1/32', '198.51.100.1', 'nowhere'].map(canonicalNetwork),
    ).toEqual(['192.0.2.0/24', '192.0.2.0/24', '2001:db8::/32', '198.51.100.1/32', 'nowhere']))
})
