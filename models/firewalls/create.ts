// The creation of a firewall: sections "Firewall create body", "Firewall status" and "Limits" of the document.

import { firewallDevices, type Service } from '../firewall-devices/record.js'
import { policy, type Rule, rule } from '../firewall-rules/record.js'
import { fullRule, fullRules, http, ruleRefusals, ruleSilences, ruleStatements } from '../firewall-rules/rulesets.js'
import { put } from '../language/changes.js'
import { inParts, or, type Ternary } from '../language/clause.js'
import { nodebalancers, nodes } from '../language/facts.js'
import { type Facts, operation, record } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { arePlainTags } from '../language/promises.js'
import { withItsTags } from '../language/reach.js'
import { array, integer, object, optional, text } from '../language/schema.js'
import { foreignNode, foreignNodebalancer } from '../language/strangers.js'
import { mentionTags } from '../tags/record.js'
import { labelRefusals, labelSilences } from './labels.js'
import { firewalls } from './record.js'
import {
  calmNode,
  deniedNodebalancers,
  deniedNodes,
  hasActiveFirewall,
  hasMigratingFixture,
  isForeign,
  isMigrating,
  lacksService,
  migratingNode,
  otherCalmNode,
  restrictedUse,
  twoNodebalancers,
} from './services.js'

const createBody = 'Endpoints / Networking, "Firewall create body"'
const states = 'States and transitions, "Firewall status"'

interface CreateBody {
  readonly label: string
  readonly rules: { readonly inbound?: readonly Rule[]; readonly outbound?: readonly Rule[] }
  readonly devices?: { readonly nodes?: readonly number[]; readonly nodebalancers?: readonly number[] }
}

// A null in the place of an optional list is a matter of choice, so it may be there.
const numbersIn = (ids: readonly number[] | undefined): readonly number[] =>
  Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : []

/** The services that a creation names, each once. */
const servicesIn = ({ devices }: CreateBody): readonly Service[] => [
  ...[...new Set(numbersIn(devices?.nodes))].map((id) => ({ id, type: 'node' as const })),
  ...[...new Set(numbersIn(devices?.nodebalancers))].map((id) => ({ id, type: 'nodebalancer' as const })),
]

/** Of each service that a creation names, whether an enabled firewall is assigned to it. */
const activeOn = ({ world, account, body }: Pick<Facts, 'world' | 'account'> & { readonly body: CreateBody }) =>
  servicesIn(body).map((service) => ({ part: service, isDue: hasActiveFirewall(world, account, service) }))

const repeatsService = ({ devices }: CreateBody): boolean =>
  [devices?.nodes, devices?.nodebalancers].map(numbersIn).some((ids) => new Set(ids).size < ids.length)

const rules = (inbound: readonly object[], outbound: readonly object[] = []) => ({
  inbound,
  inbound_policy: 'DROP',
  outbound,
  outbound_policy: 'ACCEPT',
})

const bodyFor = (plan: Plan, devices?: object) => ({
  label: plan.name(),
  rules: rules([http], [{ ...http, protocol: 'UDP' }]),
  ...(devices && { devices }),
})

const creating = {
  operation: 'firewalls.create',
  rulesOf: ({ body }: { readonly body: CreateBody }) => body.rules,
  send: (plan: Plan, inbound: readonly object[], outbound?: readonly object[]) => ({
    body: { label: plan.name(), rules: rules(inbound, outbound) },
  }),
}

const namingNew = {
  operation: 'firewalls.create',
  source: 'Limits, "Firewall label"',
  send: (plan: Plan, label: unknown) => ({ body: { ...bodyFor(plan), label } }),
}

/** The rule that services of another account are none that anybody of this one has read_write on. */
const owned = (kind: 'nodes' | 'nodebalancers') => ({
  id: `firewalls.create.${kind}-owned`,
  source: `${createBody}, devices`,
  text: `Nobody has read_write on ${kind} of another account.`,
  instead: `body.devices.${kind}[].exists`,
  when: ({ world, account, body }: Pick<Facts, 'world' | 'account'> & { readonly body: CreateBody }) =>
    or(
      ...servicesIn(body)
        .filter(({ type }) => `${type}s` === kind)
        .map((service) => isForeign(world, account, service)),
    ),
  probe: (plan: Plan) => {
    const own = kind === 'nodes' ? calmNode(plan).id : plan.nodebalancer().id
    const theirs = kind === 'nodes' ? [own, foreignNode(plan).id] : [foreignNodebalancer(plan).id]
    plan.probe('firewalls.create', { body: bodyFor(plan, { [kind]: theirs }) })
    plan.twin('firewalls.create', { body: bodyFor(plan, { [kind]: [own] }) })
  },
})

export const createFirewall = operation({
  id: 'firewalls.create',
  area: 'networking',
  method: 'POST',
  path: '/networking/firewalls',
  reach: { in: 'firewalls', alone: false, lent: 'firewalls', concerns: withItsTags },
  source: createBody,
  summary: 'Creates a firewall with its rules, assigned to services or not.',
  scopes: ['firewall:read_write'],
  params: {},
  body: object({
    label: text({ min: 3, max: 32, ascii: true }),
    rules: object({
      inbound: optional(array(rule)),
      inbound_policy: policy,
      outbound: optional(array(rule)),
      outbound_policy: policy,
    }),
    devices: optional(
      object({
        nodes: optional(array(integer({ ref: 'nodes' }))),
        nodebalancers: optional(array(integer({ ref: 'nodebalancers' }))),
      }),
    ),
    tags: optional(array(text())),
  }),
  reply: record(firewalls),
  shows: 'made',
  makes: firewalls,
  besides: [firewallDevices],
  emits: [{ event: 'firewall_create' }],
  // It is made with its devices, and may tell of them.
  stirs: ['firewall_device_add'],
  names: ({ body }) =>
    servicesIn(body).map(({ id, type }) => ({ table: type === 'node' ? nodes : nodebalancers, key: id })),
  draft: (plan) => ({
    body: {
      label: plan.name(),
      rules: rules(
        [
          { ...fullRule, ports: undefined },
          { ...http, ports: '443' },
        ].map(withoutUnset),
        [
          { ...fullRule, label: 'block-out', ports: undefined },
          { ...http, ports: '443' },
        ].map(withoutUnset),
      ),
    },
  }),
  sole: ['devices'],
  full: (plan) => ({
    body: {
      label: plan.name(),
      rules: rules(...fullRules),
      devices: { nodes: [calmNode(plan).id], nodebalancers: [plan.nodebalancer().id] },
      tags: [plan.tag('staging'), plan.tag('web'), plan.tag()],
    },
  }),
  refusals: [
    ...labelRefusals(namingNew),
    ...ruleRefusals(creating),
    {
      id: 'firewalls.create.device-grant',
      source: `${createBody}, devices`,
      text: 'A restricted caller needs read_write on each service that the firewall is assigned to.',
      when: ({ world, caller, body }) => or(...servicesIn(body).map((service) => lacksService(world, caller, service))),
      probe: (plan) => {
        const nodes = deniedNodes(plan)
        const nodebalancers = deniedNodebalancers(plan)
        for (const { id, as } of nodes) plan.probe('firewalls.create', { body: bodyFor(plan, { nodes: [id] }), as })
        for (const { id, as } of nodebalancers)
          plan.probe('firewalls.create', { body: bodyFor(plan, { nodebalancers: [id] }), as })
        // What the caller may write does not speak for what stands beside it.
        const half = halfGranted(plan)
        if (half)
          for (const devices of half.devices)
            plan.probe('firewalls.create', { body: bodyFor(plan, devices), as: half.as })
        plan.twin('firewalls.create', { body: bodyFor(plan, { nodes: nodes.map(({ id }) => id) }) })
        for (const { id } of nodebalancers)
          plan.twin('firewalls.create', { body: bodyFor(plan, { nodebalancers: [id] }) })
      },
    },
    owned('nodes'),
    owned('nodebalancers'),
    {
      id: 'firewalls.create.one-nodebalancer',
      source: `${createBody}, devices; Limits, "Firewall"`,
      text: 'A firewall is assigned to one node balancer at most.',
      fields: ['devices', 'nodebalancers'],
      when: ({ body }) => servicesIn(body).filter(({ type }) => type === 'nodebalancer').length > 1,
      probe: (plan) => {
        const ids = twoNodebalancers(plan).map(({ id }) => id)
        plan.probe('firewalls.create', { body: bodyFor(plan, { nodebalancers: ids }) })
        // Each of them takes a firewall: no other one was the reason.
        for (const id of ids) plan.twin('firewalls.create', { body: bodyFor(plan, { nodebalancers: [id] }) })
      },
    },
    {
      id: 'firewalls.create.one-active',
      source: 'Limits, "Firewall"; Errors, "enabling a firewall while another active firewall is assigned"',
      text: 'A service that an enabled firewall is assigned to takes no second one that is enabled, as a new one is.',
      ...inParts(activeOn),
      probe: (plan) => {
        const node = calmNode(plan)
        const nodebalancer = plan.nodebalancer()
        const devices = { nodes: [node.id] }
        const balanced = { nodebalancers: [nodebalancer.id] }
        const first = plan.make(firewalls, { devices: { ...devices, ...balanced } })
        const path = { firewallId: first.id }
        plan.probe('firewalls.create', { body: bodyFor(plan, devices) })
        plan.probe('firewalls.create', { body: bodyFor(plan, balanced) })
        plan.probe('firewalls.create', {
          body: bodyFor(plan, { nodes: [otherCalmNode(plan, node).id, node.id] }),
        })
        plan.call('firewalls.update', { path, body: { status: 'disabled' } })
        const second = plan.twin('firewalls.create', { body: bodyFor(plan, devices) })
        plan.probe('firewalls.create', { body: bodyFor(plan, devices) })
        plan.call('firewalls.delete', { path: { firewallId: second.id } })
        plan.twin('firewalls.create', { body: bodyFor(plan, { ...devices, ...balanced }) })
      },
    },
    {
      id: 'firewalls.create.live-migration',
      source: `${states}; Errors, "firewall operations on nodes with an ongoing live migration"`,
      text: 'No firewall is created for a node with a live migration under way.',
      when: ({ world, body }) => or(...servicesIn(body).map((service) => isMigrating(world, service))),
      probe: (plan) => {
        const calm = calmNode(plan)
        const isThere = hasMigratingFixture(plan)
        const moving = isThere ? migratingNode(plan).id : otherCalmNode(plan, calm).id
        if (!isThere) plan.hook('setLiveMigration', moving, true)
        plan.probe('firewalls.create', { body: bodyFor(plan, { nodes: [moving] }) })
        plan.probe('firewalls.create', { body: bodyFor(plan, { nodes: [calm.id, moving] }) })
        if (!isThere) plan.hook('setLiveMigration', moving, false)
        plan.twin('firewalls.create', { body: bodyFor(plan, { nodes: [calm.id] }) })
        if (!isThere) plan.twin('firewalls.create', { body: bodyFor(plan, { nodes: [moving] }) })
      },
    },
  ],
  silences: [
    ...labelSilences(namingNew),
    ...ruleSilences(creating),
    {
      id: 'firewalls.create.tag-characters',
      source: `${createBody}, tags`,
      text: 'Which tags a firewall may carry, and how many, is not said.',
      fields: ['tags'],
      when: ({ body }) => !arePlainTags(body.tags),
      probe: (plan) => void plan.check('firewalls.create', { body: { ...bodyFor(plan), tags: [`${plan.tag()} B`] } }),
    },
    {
      id: 'firewalls.create.empty-devices',
      source: `${createBody}, devices`,
      text: 'Whether devices may be given without naming any service is not said.',
      fields: ['devices', 'nodes', 'nodebalancers'],
      when: ({ body: { devices } }) =>
        devices !== undefined &&
        [devices.nodes, devices.nodebalancers].some((ids, _, all) =>
          ids === undefined ? all.every((one) => one === undefined) : numbersIn(ids).length === 0,
        ),
      probe: (plan) => void plan.check('firewalls.create', { body: bodyFor(plan, { nodes: [] }) }),
    },
    {
      id: 'firewalls.create.repeated-devices',
      source: `${createBody}, devices`,
      text: 'Whether a service may be named twice is not said.',
      when: ({ body }) => repeatsService(body),
      probe: (plan) => {
        const { id } = calmNode(plan)
        plan.check('firewalls.create', { body: bodyFor(plan, { nodes: [id, id] }) })
      },
    },
    restrictedUse('firewalls.create'),
  ],
  statements: [
    ...ruleStatements(creating),
    {
      id: 'firewalls.create.enabled',
      source: states,
      text: 'A new firewall is enabled.',
      sets: { field: 'status', to: (status) => status === 'enabled' },
      holds: ({ reply }) => statusIs(reply, 'enabled'),
      probe: (plan) => void plan.check('firewalls.create', plan.draft('firewalls.create')),
    },
  ],
  apply: ({ world, body, made, account, caller }) => {
    const maker = caller.user && { maker: caller.user.name }
    const { inbound, outbound, inbound_policy, outbound_policy } = body.rules
    const firewall = {
      key: made,
      account,
      ...maker,
      label: body.label,
      status: 'enabled' as const,
      ...(body.tags && { tags: body.tags }),
      ...(inbound && { inbound }),
      inbound_policy,
      ...(outbound && { outbound }),
      outbound_policy,
      // Whether a service that is named twice has two devices is not said.
      devicesKnown: !repeatsService(body),
    }
    return servicesIn(body).reduce(
      (before, entity) =>
        put(before, firewallDevices, {
          key: `?${made}/${entity.type}/${entity.id}`,
          account,
          ...maker,
          firewallId: made,
          entity,
        }),
      put(mentionTags(world, account, body.tags), firewalls, firewall),
    )
  },
})

export const statusIs = (reply: unknown, wanted: string): Ternary => {
  const { status } = (reply ?? {}) as { readonly status?: unknown }
  return status === undefined ? undefined : status === wanted
}

const withoutUnset = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/**
 * A restricted user's token with sets of services: the user has read_write on one node of each set and on nothing else in it. Undefined
 * where the target file has none.
 */
const halfGranted = (plan: Plan) => {
  const { users, accounts, fixtures } = plan.environment
  const home = accounts[0]?.name
  const isOwn = ({ account }: { readonly account?: string }): boolean => account === undefined || account === home
  const calm = (fixtures.nodes ?? []).filter((node) => isOwn(node) && node.liveMigration !== true)
  for (const user of users.filter(({ restricted, account }) => restricted && account === home)) {
    const granted = calm.find(({ id }) => user.grants?.nodes?.[id] === 'read_write')
    const other = calm.find(({ id }) => user.grants && user.grants.nodes?.[id] !== 'read_write')
    const balancer = fixtures.nodebalancers?.find(
      (one) => isOwn(one) && user.grants && user.grants.nodebalancers?.[one.id] !== 'read_write',
    )
    const token = plan.environment.tokens.find((one) => one.user === user.name && one.scopes === '*')
    const devices = granted
      ? [
          ...(other ? [{ nodes: [granted.id, other.id] }] : []),
          ...(balancer ? [{ nodes: [granted.id], nodebalancers: [balancer.id] }] : []),
        ]
      : []
    if (token && devices.length > 0) return { devices, as: token.name }
  }
  return undefined
}
