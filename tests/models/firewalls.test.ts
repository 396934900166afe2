import { describe, expect, test } from 'vitest'
import { pageOf, refusal, type Told, told } from './stories.js'

const closed = ['firewalls', 'nodes', 'nodebalancers']
const http = { action: 'ACCEPT', protocol: 'TCP', addresses: { ipv4: ['192.0.2.0/24'] } }
const rules = { inbound: [http], inbound_policy: 'DROP', outbound: [], outbound_policy: 'ACCEPT' }

const create = (body: object = {}, reply: object = { id: 7 }, status = 200, as = 'owner'): Told => [
  'firewalls.create',
  { body: { label: 'web', rules, ...body }, as },
  status,
  reply,
]
const made = create({}, { id: 7, label: 'web', status: 'enabled', rules })
const onNode = create({ devices: { nodes: [101] } })
const update = (body: object, reply: object = {}, status = 200, firewallId = 7): Told => [
  'firewalls.update',
  { path: { firewallId }, body: body as never },
  status,
  reply,
]
const view = (reply: object, status = 200, firewallId = 7): Told => [
  'firewalls.view',
  { path: { firewallId } },
  status,
  reply,
]
const remove = (reply: unknown = {}, status = 200, firewallId = 7): Told => [
  'firewalls.delete',
  { path: { firewallId } },
  status,
  reply,
]
const takeDevice = (deviceId: number): Told => [
  'firewall-devices.delete',
  { path: { firewallId: 7, deviceId } },
  200,
  {},
]
const labelled = (label: string, reply: object = { id: 8 }, status = 200): Told => create({ label }, reply, status)

const musts = (steps: readonly Told[], tables: readonly string[] = closed): readonly string[] =>
  told(steps, { closed: tables }).deviations.filter((one) => one.startsWith('must'))

describe('a target is left its freedom', () => {
  test.each([null, undefined])('an update may be answered with nothing (%o)', (reply) => {
    const answered = (body: Readonly<Record<string, unknown>>): Told => [
      'firewalls.update',
      { path: { firewallId: 7 }, body },
      200,
      reply,
    ]
    for (const body of [{ label: 'mail' }, { status: 'disabled' }, { tags: ['web'] }])
      expect(told([made, answered(body)])).toMatchObject({ deviations: [], defects: undefined })
  })
  const stories: Readonly<Record<string, readonly Told[]>> = {
    'a device that was taken away, whose id was not told, leaves its service to another firewall': [
      onNode,
      takeDevice(31),
      create({ label: 'mail', devices: { nodes: [101] } }, { id: 8 }),
    ],
    'a creation may tell the id and nothing else': [create({}, { id: 7 })],
    'a creation may tell nothing, and the list shows the firewall': [
      create({}, {}),
      ['firewalls.list', {}, 200, pageOf({ id: 7, label: 'web' })],
      view({ id: 7, label: 'web', status: 'enabled' }),
    ],
    'a firewall may be shown without its rules': [made, view({ id: 7, label: 'web', tags: [] })],
    'rules may carry more than was sent': [
      made,
      view({
        id: 7,
        rules: { ...rules, version: 1, inbound: [{ ...http, label: null, description: null, ports: null, extra: 1 }] },
      }),
    ],
    'a network may be spelled with its mask dotted or its host left out': [
      create({ rules: { ...rules, inbound: [{ ...http, addresses: { ipv4: ['192.0.2.1/32', '10.0.0.0/8'] } }] } }),
      view({
        rules: { ...rules, inbound: [{ ...http, addresses: { ipv4: ['10.0.0.0/255.0.0.0', '192.0.2.1'], ipv6: [] } }] },
      }),
    ],
    'an IPv6 network may be spelled in full': [
      create({ rules: { ...rules, inbound: [{ ...http, addresses: { ipv6: ['2001:db8::/32'] } }] } }),
      view({ rules: { inbound: [{ ...http, addresses: { ipv6: ['2001:0DB8:0:0:0:0:0:0/32'] } }] } }),
    ],
    'a deleted firewall may be shown as deleted': [made, remove(), view({ id: 7, status: 'deleted' })],
    'a deleted firewall may be listed as deleted': [
      made,
      remove(),
      ['firewalls.list', {}, 200, pageOf({ id: 7, label: 'web', status: 'deleted' })],
    ],
    'a deleted firewall may be shown and listed without telling its status': [
      made,
      remove(),
      view({ id: 7, attributes: {} }),
      view([{ id: 7, status: 'deleted' }]),
      ['firewalls.list', {}, 200, pageOf({ id: 7, attributes: {} })],
      remove(refusal(), 404),
    ],
    'the label of a deleted firewall may be refused': [made, remove(), labelled('web', refusal('label'), 400)],
    'the label of a deleted firewall may be taken': [made, remove(), labelled('web', { id: 8 })],
    'the rules of a firewall that is shown as deleted may be shown': [
      made,
      remove(),
      ['firewall-rules.view', { path: { firewallId: 7 } }, 200, { inbound: [], outbound: [] }],
    ],
    'odd tags may be kept in another form': [
      create({ tags: ['A b', 'web'] }, { id: 7, tags: ['a-b', 'web'] }),
      view({ id: 7, tags: ['a-b', 'web'] }),
    ],
    'writes may answer with anything': [labelled('first', []), made, update({ label: 'mail' }, [true])],
    'a creation may answer with a job that has an id of its own': [
      create({}, { id: 990, state: 'queued' }),
      ['firewalls.list', {}, 200, pageOf({ id: 7, label: 'web' })],
      view({ id: 7, label: 'web' }),
      labelled('mail', { id: 990, state: 'queued' }),
      remove(),
    ],
    'a write may answer with a job that has a status of its own': [
      create({}, { id: 990, status: 'queued' }),
      view({ id: 7, label: 'web', status: 'enabled' }),
      update({ status: 'disabled' }, { id: 991, status: 'queued' }),
      update({ label: 'mail' }, { status: 'ok' }),
      view({ id: 7, label: 'mail', status: 'disabled' }),
    ],
    'a deletion may answer with any body': [made, remove({ id: 7, status: 'deleted' })],
    'two different separators in a row may be refused': [labelled('a-_b', refusal('label'), 400)],
    'two different separators in a row may be taken': [labelled('a-_b')],
    'letters beyond ASCII may be refused': [labelled('straße', refusal('label'), 400)],
    'a label that differs in case alone may be refused': [made, labelled('WEB', refusal('label'), 400)],
    'a label that differs in case alone may be taken': [made, labelled('WEB')],
    'a label that another account uses may be refused': [
      create({}, { id: 9 }, 200, 'other'),
      labelled('web', refusal('label'), 400),
    ],
    'a firewall that is disabled may be refused to be disabled again': [
      made,
      update({ status: 'disabled' }),
      update({ status: 'disabled' }, refusal('status'), 400),
    ],
    'tags may be dropped by an update without tags': [
      create({ tags: ['web'] }),
      update({ label: 'mail' }, { id: 7, tags: [] }),
      view({ id: 7, label: 'mail', tags: [] }),
    ],
    'an update without anything may be refused': [made, update({}, refusal(), 400)],
    'a restricted user may be refused everything': [
      ['firewalls.list', { as: 'limited' }, 403, refusal()],
      create({}, refusal(), 403, 'limited'),
    ],
    'a node named twice may be refused': [create({ devices: { nodes: [101, 101] } }, refusal('devices'), 400)],
    'devices without any may be refused': [create({ devices: {} }, refusal('devices'), 400)],
    'a null among the lists may be refused or taken': [
      create({ rules: { ...rules, inbound: null }, devices: { nodes: null } }, refusal(), 400),
      create({ rules: { ...rules, inbound: [null] } }, { id: 7 }),
    ],
    'an unknown member of a rule may be refused': [
      create({ rules: { ...rules, inbound: [{ ...http, note: 'x' }] } }, refusal('note'), 400),
    ],
    'ports that repeat or are oddly spaced may be refused or taken': [
      create({ rules: { ...rules, inbound: [{ ...http, ports: '80,80' }] } }, refusal('ports'), 400),
      create({ rules: { ...rules, inbound: [{ ...http, ports: '80 , 443' }] } }, refusal('ports'), 400),
      create({ rules: { ...rules, inbound: [{ ...http, ports: '80 - 90' }] } }, { id: 7 }),
    ],
    'a network with bits behind its mask may be refused or taken': [
      create({ rules: { ...rules, inbound: [{ ...http, addresses: { ipv4: ['192.0.2.1/24'] } }] } }, refusal(), 400),
      create({ rules: { ...rules, inbound: [{ ...http, addresses: { ipv4: ['192.0.2.1/24'] } }] } }),
      view({ rules: { inbound: [{ ...http, addresses: { ipv4: ['192.0.2.0/24'] } }] } }),
    ],
    'a view may have nothing in place of the devices': [
      onNode,
      ...[null, ''].map((devices) => view({ id: 7, devices })),
    ],
    'a view may have an empty list in place of devices that are not there': [made, view({ id: 7, devices: [] })],
    'null for the ports of an ICMP rule may be refused': [
      create({ rules: { ...rules, inbound: [{ ...http, protocol: 'ICMP', ports: null }] } }, refusal('ports'), 400),
    ],
  }
  for (const [name, steps] of Object.entries(stories)) test(name, () => expect(musts(steps)).toEqual([]))

  test('a deleted firewall may be shown without telling its status, though another one is not shown', () => {
    const other = [labelled('mail'), remove({}, 200, 8), view(refusal(), 404, 8)]
    expect(told([...other, made, remove(), view({ id: 7, state: 'deleted' })]).deviations).toEqual([])
  })

  test('where others may have firewalls, a node may have an active one that nobody here made', () =>
    expect(musts([create({ devices: { nodes: [101] } }, refusal(), 400)], ['nodes'])).toEqual([]))

  test('a node of which nothing is known may have a live migration', () =>
    expect(musts([create({ devices: { nodes: [999] } }, refusal(), 400)], ['firewalls'])).toEqual([]))
})

describe('what the document promises has to be accepted', () => {
  const stories: Readonly<Record<string, readonly Told[]>> = {
    'capitals, digits, and each separator in a label': [labelled('0A-b_c.D9', refusal(), 400)],
    'a label of 3': [labelled('abc', refusal(), 400)],
    'a label of 32': [labelled('a'.repeat(32), refusal(), 400)],
    'a label that a firewall no longer has': [made, update({ label: 'other' }), labelled('web', refusal(), 400)],
    'a label that was given up': [made, update({ label: 'mail' }), labelled('web', refusal(), 400)],
    'all IPv4 and all IPv6': [
      create(
        { rules: { ...rules, inbound: [{ ...http, addresses: { ipv4: ['0.0.0.0/0'], ipv6: ['::/0'] } }] } },
        refusal(),
        400,
      ),
    ],
    'null for the ports of a TCP rule': [
      create({ rules: { ...rules, inbound: [{ ...http, ports: null }] } }, refusal(), 400),
    ],
    'a space after a comma': [
      create({ rules: { ...rules, inbound: [{ ...http, ports: '80, 443' }] } }, refusal(), 400),
    ],
    'policies without rules': [create({ rules: { inbound_policy: 'DROP', outbound_policy: 'DROP' } }, refusal(), 400)],
    'a node whose firewall is disabled': [
      onNode,
      update({ status: 'disabled' }),
      create({ label: 'two', devices: { nodes: [101] } }, refusal(), 400),
    ],
    'a node whose firewall is deleted': [
      onNode,
      remove(),
      create({ label: 'two', devices: { nodes: [101] } }, refusal(), 400),
    ],
    'enabling what is enabled': [made, update({ status: 'enabled' }, refusal(), 400)],
    'deleting a disabled firewall': [made, update({ status: 'disabled' }), remove(refusal(), 400)],
  }
  for (const [name, steps] of Object.entries(stories))
    test(name, () => expect(musts(steps)).toEqual([expect.stringMatching(/^must firewalls\.\w+\.accepts$/)]))
})

describe('a fault is found', () => {
  const stories: Readonly<Record<string, readonly [readonly Told[], string]>> = {
    'a label that is taken': [[made, labelled('web')], 'firewalls.create.label-unique'],
    'a rename to a label that is taken': [
      [made, labelled('mail'), update({ label: 'web' }, {}, 200, 8)],
      'firewalls.update.label-unique',
    ],
    'a label that was taken by a rename': [
      [made, update({ label: 'mail' }), labelled('mail')],
      'firewalls.create.label-unique',
    ],
    'a label that begins with a period': [[labelled('.web')], 'firewalls.create.label-ends'],
    'a label that ends with a hyphen': [[labelled('web-')], 'firewalls.create.label-ends'],
    'a label with a space': [[labelled('we b')], 'firewalls.create.label-characters'],
    'two underscores in a row': [[labelled('we__b')], 'firewalls.create.label-repeats'],
    'a rename to two periods in a row': [[made, update({ label: 'a..b' })], 'firewalls.update.label-repeats'],
    'a new firewall with a status that no firewall has': [
      [create({}, { id: 7, label: 'web', status: 'queued' })],
      'firewalls.create.enabled',
    ],
    'a new firewall that is disabled': [[create({}, { id: 7, status: 'disabled' })], 'firewalls.create.enabled'],
    'another label than was sent': [[create({}, { id: 7, label: 'Web' })], 'firewalls.create.shows.label'],
    'rules in another order': [
      [
        create({ rules: { ...rules, inbound: [http, { ...http, action: 'DROP' }] } }),
        view({ rules: { inbound: [{ ...http, action: 'DROP' }, http] } }),
      ],
      'firewalls.view.shows.rules',
    ],
    'another policy': [[made, view({ rules: { ...rules, inbound_policy: 'ACCEPT' } })], 'firewalls.view.shows.rules'],
    'a network that was not sent': [
      [made, view({ rules: { inbound: [{ ...http, addresses: { ipv4: ['192.0.2.0/25'] } }] } })],
      'firewalls.view.shows.rules',
    ],
    'ports where all were meant': [
      [made, view({ rules: { inbound: [{ ...http, ports: '80' }] } })],
      'firewalls.view.shows.rules',
    ],
    'a view that says of a firewall with a device that it has none': [
      [onNode, view({ id: 7, devices: [] })],
      'firewalls.view.omits-devices',
    ],
    'a view with devices': [[onNode, view({ id: 7, devices: { nodes: [101] } })], 'firewalls.view.omits-devices'],
    'a status that did not change': [
      [made, update({ status: 'disabled' }), view({ id: 7, status: 'enabled' })],
      'firewalls.update.takes-effect',
    ],
    'the status deleted by an update': [[made, update({ status: 'deleted' })], 'firewalls.update.status-deleted'],
    'a status of no name': [[made, update({ status: 'paused' })], 'firewalls.update.body.status.enum'],
    'a deleted firewall that is still enabled': [
      [made, remove(), view({ id: 7, status: 'enabled' })],
      'firewalls.delete.takes-effect',
    ],
    'a second active firewall for a node': [
      [onNode, create({ label: 'two', devices: { nodes: [102, 101] } }, { id: 8 })],
      'firewalls.create.one-active',
    ],
    'a second active firewall by enabling it': [
      [
        onNode,
        update({ status: 'disabled' }),
        create({ label: 'two', devices: { nodes: [101] } }, { id: 8 }),
        update({ status: 'enabled' }),
      ],
      'firewalls.update.one-active',
    ],
    'two node balancers': [[create({ devices: { nodebalancers: [301, 302] } })], 'firewalls.create.one-nodebalancer'],
    'a node with a live migration': [[create({ devices: { nodes: [101, 105] } })], 'firewalls.create.live-migration'],
    'a node that the user may not write': [
      [create({ devices: { nodes: [101, 102] } }, { id: 7 }, 200, 'limited')],
      'firewalls.create.device-grant',
    ],
    'no inbound policy': [
      [create({ rules: { outbound_policy: 'DROP' } })],
      'firewalls.create.body.rules.inbound_policy.required',
    ],
    '26 rules in all': [
      [create({ rules: { ...rules, inbound: Array(13).fill(http), outbound: Array(13).fill(http) } })],
      'firewalls.create.rules-25',
    ],
    'a rule for no address': [
      [create({ rules: { ...rules, inbound: [{ ...http, addresses: {} }] } })],
      'firewalls.create.addresses-given',
    ],
    'an empty list of addresses': [
      [create({ rules: { ...rules, inbound: [{ ...http, addresses: { ipv4: [] } }] } })],
      'firewalls.create.body.rules.inbound[].addresses.ipv4.minItems',
    ],
    'an address without a mask': [
      [create({ rules: { ...rules, outbound: [{ ...http, addresses: { ipv4: ['192.0.2.1'] } }] } })],
      'firewalls.create.ipv4-notation',
    ],
    'an address with a zone id': [
      [create({ rules: { ...rules, inbound: [{ ...http, addresses: { ipv6: ['fe80::1%eth0/128'] } }] } })],
      'firewalls.create.ipv6-zone',
    ],
    'ports for ICMP': [
      [create({ rules: { ...rules, inbound: [{ ...http, protocol: 'ICMP', ports: '80' }] } })],
      'firewalls.create.ports-protocol',
    ],
    'a refusal of a label that blames something else': [
      [labelled('-web', refusal('rules'), 400)],
      'firewalls.create.refusal.field',
    ],
  }
  for (const [name, [steps, clause]] of Object.entries(stories))
    test(name, () => expect(musts(steps)).toEqual([`must ${clause}`]))
})
