// Quarry's firewalls, their rules and devices; no other resource.
import { isNetwork, type Json, listOf, networkOf, object, oneOf, orNull, readBody, text, whole } from './checks.js'
import type { Rules } from './options.js'
import {
  type Context,
  dress,
  idOf,
  mayWrite,
  missing,
  page,
  type Reply,
  type Route,
  refuse,
  restrictedMay,
} from './server.js'
import { type Device, type Firewall, newId, type Policy } from './state.js'

const path = '/networking/firewalls'

const goodLabel = (label: string): boolean =>
  /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(label) && !/[._-]{2}/.test(label)

const policy = oneOf('ACCEPT', 'DROP')
const rule = object({
  'action!': policy,
  'protocol!': oneOf('TCP', 'UDP', 'ICMP', 'IPENCAP'),
  'addresses!': object({ ipv4: listOf(text(0, 100, isNetwork(4)), 1), ipv6: listOf(text(0, 100, isNetwork(6)), 1) }),
  ports: orNull(text(0, 1000)),
  label: text(3, 32),
  description: text(1, 100),
})
const ruleset = (required: string) =>
  object({
    inbound: listOf(rule),
    [`inbound_policy${required}`]: policy,
    outbound: listOf(rule),
    [`outbound_policy${required}`]: policy,
  })
const tags = listOf(text())
const label = text(3, 32, goodLabel)
const creation = object({
  'label!': label,
  'rules!': ruleset('!'),
  devices: object({ nodes: listOf(whole()), nodebalancers: listOf(whole()) }),
  tags,
})
const change = object({ label, status: oneOf('enabled', 'disabled'), tags })
const device = object({ 'id!': whole(), 'type!': oneOf('node', 'nodebalancer') })

const badPorts = (ports: string, { holds, bound }: Rules): boolean => {
  let pieces = 0
  for (const part of ports.split(holds('ports.space') ? /, ?/ : ',')) {
    const ends = part.split('-')
    if (ends.length > 2 || ends.some((end) => !/^[1-9]\d{0,5}$/.test(end) || +end > bound('ports.highest', 65535))) {
      if (holds('ports.zeros') || !/^0\d+$/.test(part)) return true
    }
    if (ends.length === 2 && holds('ports.order') && Number(ends[1]) <= Number(ends[0])) return true
    pieces += holds('ports.range-is-two') ? ends.length : 1
  }
  return pieces > bound('ports.pieces', 15)
}

/** What the tables say of rules beyond the form of each member. */
const checkRules = (given: Json, prefix: string, { rules }: Context): void => {
  const of = (direction: string): readonly Json[] => (given[direction] as readonly Json[] | undefined) ?? []
  for (const direction of ['inbound', 'outbound'])
    for (const [index, one] of of(direction).entries()) {
      const at = (member: string): string =>
        rules.options.fields === 'leaf' ? member : `${prefix}${direction}[${index}].${member}`
      if (direction === 'inbound' && index > 0 && !rules.holds('rules.later-inbound')) continue
      const { ipv4, ipv6 } = one.addresses as { ipv4?: readonly string[]; ipv6?: readonly string[] }
      if (!ipv4 && !ipv6 && rules.holds('addresses.some')) refuse(at('addresses'), 'must hold ipv4 or ipv6')
      if ((ipv4?.length ?? 0) + (ipv6?.length ?? 0) > rules.bound('addresses.most', 255))
        refuse(at('addresses'), 'too many')
      if (typeof one.ports !== 'string') continue
      if (!['TCP', 'UDP'].includes(String(one.protocol)) && rules.holds('ports.protocol'))
        refuse(at('ports'), 'not for this protocol')
      const isSpared = one.protocol === 'UDP' && !rules.holds('ports.udp')
      if (!isSpared && badPorts(one.ports, rules)) refuse(at('ports'), 'is no port string')
    }
  const both = of('inbound').length + (rules.holds('rules.both') ? of('outbound').length : 0)
  if (both > rules.bound('rules.most', 25)) refuse(rules.options.noField, 'more than 25 rules')
}

const keep = (given: Json, before: Partial<Policy>, { options, rules }: Context): Policy => {
  const side = (direction: 'inbound' | 'outbound'): readonly unknown[] => {
    const list = (given[direction] ??
      (rules.silent('omitted rules stay') ? before[direction] : undefined) ??
      []) as readonly Json[]
    const kept = list.map((one) => normal(one, options.normalises))
    return rules.holds('rules.order') ? kept : kept.toReversed()
  }
  const policies = {
    inbound_policy: given.inbound_policy ?? before.inbound_policy,
    outbound_policy: given.outbound_policy ?? before.outbound_policy,
  }
  return {
    inbound: side('inbound'),
    outbound: side('outbound'),
    ...(policies as Pick<Policy, 'inbound_policy' | 'outbound_policy'>),
  }
}

const normal = (one: Json, normalises: boolean): Json => {
  if (!normalises) return one
  const { ipv4 = null, ipv6 = null } = one.addresses as { ipv4?: readonly string[]; ipv6?: readonly string[] }
  const addresses = { ipv4: ipv4?.map(networkOf) ?? null, ipv6: ipv6?.map(networkOf) ?? null }
  const ports = typeof one.ports === 'string' ? one.ports.replaceAll(' ', '') : null
  return { label: 'rule', description: null, ...one, addresses, ports }
}

const mine = ({ state, user, options, rules }: Context): Firewall[] =>
  [...state.firewalls.values()].filter(
    ({ account, status }) =>
      (account === user.account || !rules.holds('firewalls.isolation')) &&
      (status !== 'deleted' || options.keepsDeleted),
  )

const find = (context: Context): Firewall => {
  const id = idOf(context, 'firewallId')
  const found = mine(context).find((one) => one.id === id)
  if (!found) throw missing(context, 'firewallId')
  return found
}

const live = (context: Context): Firewall => {
  const firewall = find(context)
  if (firewall.status === 'deleted') throw missing(context, 'firewallId')
  return firewall
}

const view = ({ id, label, status, tags, rules }: Firewall, { options }: Context): Json =>
  dress(options.records === 'bare' ? { id, label, status } : { id, label, status, tags, rules }, options)

const calm = (
  { devices }: { devices: readonly Pick<Device, 'entity' | 'type'>[] },
  { state, rules, options }: Context,
  what: string,
): void => {
  const moving = devices.some(({ entity, type }) => type === 'node' && state.nodes.get(entity)?.migrating)
  if (moving && rules.holds(`migration.${what}`)) refuse(options.noField, 'a node is migrating')
}

const guarded = (entity: number, type: string, but: Firewall | undefined, { state }: Context): boolean =>
  [...state.firewalls.values()].some(
    (one) =>
      one !== but &&
      one.status === 'enabled' &&
      one.devices.some((each) => each.entity === entity && each.type === type),
  )

const exists = ({ state, user }: Context, type: string, id: number): boolean => {
  if (type === 'node') return state.nodes.get(id)?.account === user.account
  return state.fixtures.nodebalancers.some((one) => one.id === id && (one.account ?? 'main') === user.account)
}

const admit = (context: Context, entity: number, type: string, field: string, what: string): void => {
  const { rules } = context
  if (!exists(context, type, entity)) refuse(field, 'is unknown')
  if (!mayWrite(context, type === 'node' ? 'nodes' : 'nodebalancers', entity) && rules.holds(`${what}.grant`))
    refuse(field, 'needs read_write')
}

const free = (context: Context, label: unknown, but?: Firewall): void => {
  const { rules, state, user, options } = context
  const kept = [...state.firewalls.values()].filter(
    ({ status, account }) =>
      account === user.account &&
      (status !== 'deleted' || options.keepsDeleted || !rules.holds('firewalls.label.freed')),
  )
  const same = (one: Firewall): boolean => one.label === label && one !== but
  if (kept.some(same) && rules.holds(but ? 'firewalls.update.unique' : 'firewalls.create.unique'))
    refuse('label', 'is taken')
}

const emit = ({ state, user, rules }: Context, kind: string): void => {
  if (rules.holds(`event ${kind}`)) state.events.push({ kind, account: user.account })
}

const create = (context: Context): Reply => {
  const { state, user, options, rules } = context
  restrictedMay(context)
  const body = readBody(context.body, creation, 'firewalls', rules)
  const given = body.rules as Json
  checkRules(given, options.fields === 'leaf' ? '' : 'rules.', context)
  free(context, body.label)
  const wanted = body.devices as { nodes?: readonly number[]; nodebalancers?: readonly number[] } | undefined
  const [nodes, balancers] = [wanted?.nodes ?? [], wanted?.nodebalancers ?? []]
  const field = (name: string): string => (options.fields === 'leaf' ? name : `devices.${name}`)
  if (balancers.length > rules.bound('firewalls.create.balancers', 1)) refuse(field('nodebalancers'), 'only one')
  if (new Set(nodes).size < nodes.length && !rules.silent('duplicates')) refuse(field('nodes'), 'twice')
  const entities = [
    ...[...new Set(nodes)].map((entity) => ({ entity, type: 'node' })),
    ...balancers.map((entity) => ({ entity, type: 'nodebalancer' })),
  ]
  for (const { entity, type } of entities) admit(context, entity, type, field(`${type}s`), 'firewalls.create')
  calm({ devices: entities }, context, 'create')
  for (const { entity, type } of entities)
    if (guarded(entity, type, undefined, context) && rules.holds('firewalls.create.one-active'))
      refuse(field(`${type}s`), 'has an active firewall')
  const held = mine(context).filter(({ status }) => status !== 'deleted').length
  if (options.quota > 0 && held >= options.quota) refuse(options.noField, 'too many firewalls')
  const kept = rules.holds('firewalls.create.devices') ? entities : []
  const firewall: Firewall = {
    id: newId(state, options),
    account: user.account,
    maker: user.name,
    label: String(body.label),
    status: rules.holds('firewalls.create.enabled') ? 'enabled' : 'disabled',
    tags: rules.holds('firewalls.create.tags') ? [...((body.tags as string[] | undefined) ?? [])] : [],
    rules: keep(given, {}, context),
    devices: [],
    assigned: 0,
  }
  firewall.devices = kept.map((one) => ({ ...one, id: deviceId(firewall, context) }))
  state.firewalls.set(firewall.id, firewall)
  emit(context, 'firewall_create')
  return { kind: 'creation', body: view(firewall, context) }
}

const update = (context: Context): Reply => {
  const { options, rules } = context
  restrictedMay(context)
  const firewall = live(context)
  const body = readBody(context.body, change, 'firewalls.update', rules)
  if (body.tags !== undefined && !rules.holds('firewalls.update.tags-first')) firewall.tags = body.tags as string[]
  const isNamed = body.label !== undefined || body.status !== undefined
  const isSpared =
    (!isNamed && !rules.holds('migration.update.tags')) ||
    (firewall.status === 'disabled' && !rules.holds('migration.update.disabled'))
  if (!isSpared) calm(firewall, context, 'update')
  if (body.label !== undefined) free(context, body.label, firewall)
  const enabling = body.status === 'enabled' && (firewall.status !== 'enabled' || rules.silent('enabling again'))
  const looked = rules.holds('firewalls.update.one-active.first') ? firewall.devices : firewall.devices.slice(0, 1)
  const taken = looked.some(({ entity, type }) => guarded(entity, type, firewall, context))
  if (enabling && taken && rules.holds('firewalls.update.one-active'))
    refuse('status', 'another active firewall is assigned')
  if (body.label !== undefined && rules.holds('firewalls.update.label')) firewall.label = String(body.label)
  if (body.tags !== undefined && rules.holds('firewalls.update.tags'))
    firewall.tags = (body.tags as string[]).slice(0, rules.holds('firewalls.update.tags.all') ? undefined : 1)
  else if (body.tags === undefined && !rules.holds('firewalls.update.keeps-tags')) firewall.tags = []
  if (body.status !== undefined && body.status !== firewall.status) {
    emit(context, body.status === 'enabled' ? 'firewall_enable' : 'firewall_disable')
    if (rules.holds(`firewalls.update.${body.status}`)) firewall.status = String(body.status)
  }
  const stale = !rules.holds('firewalls.update.fresh')
  return {
    kind: 'change',
    body: options.records === 'bare' ? {} : { ...view(firewall, context), ...(stale ? { status: 'disabled' } : {}) },
  }
}

const remove = (context: Context): Reply => {
  restrictedMay(context)
  const firewall = live(context)
  const isSpared = firewall.status === 'disabled' && !context.rules.holds('migration.delete.disabled')
  if (!isSpared) calm(firewall, context, 'delete')
  if (context.rules.holds('firewalls.delete.devices')) firewall.devices = []
  if (context.rules.holds('firewalls.delete')) firewall.status = 'deleted'
  emit(context, 'firewall_delete')
  return { kind: 'removal' }
}

const showDevice = (one: Device, { options }: Context): Json =>
  dress(
    options.records === 'bare' ? { id: one.id } : { id: one.id, entity: { id: one.entity, type: one.type } },
    options,
  )

/** Ids of devices are small numbers of their firewall's own, or are drawn as all others. */
const deviceId = (firewall: Pick<Firewall, 'assigned'>, { state, options }: Context): number => {
  firewall.assigned += 1
  return options.ids === 'small' ? firewall.assigned : newId(state, options)
}

const addDevice = (context: Context): Reply => {
  const { options, rules, user } = context
  restrictedMay(context)
  const firewall = live(context)
  const body = readBody(context.body, device, 'devices', rules)
  const [entity, type] = [Number(body.id), String(body.type)]
  const isTrusted = firewall.maker === user.name && !rules.holds('devices.create.grant.own')
  if (!isTrusted) admit(context, entity, type, 'id', 'devices.create')
  const isSpared = firewall.status === 'enabled' && !rules.holds('migration.devices.create.enabled')
  if (!isSpared) calm({ devices: [...firewall.devices, { entity, type }] }, context, 'devices.create')
  if (firewall.devices.some((one) => one.entity === entity && one.type === type)) refuse('id', 'is assigned already')
  if (
    type === 'nodebalancer' &&
    firewall.devices.some((one) => one.type === type) &&
    rules.holds('devices.one-balancer')
  )
    refuse(options.noField, 'only one node balancer')
  const active = firewall.status === 'enabled' || !rules.holds('devices.disabled-allowed')
  if (active && guarded(entity, type, firewall, context) && rules.holds('devices.one-active'))
    refuse('id', 'has an active firewall')
  const made = { id: deviceId(firewall, context), entity, type }
  if (rules.holds('devices.create')) firewall.devices.push(made)
  emit(context, 'firewall_device_add')
  return { kind: 'creation', body: showDevice(made, context) }
}

const findDevice = (context: Context, firewall: Firewall): Device => {
  const id = idOf(context, 'deviceId')
  const found = firewall.devices.find((one) => one.id === id)
  if (!found) throw missing(context, 'deviceId')
  return found
}

const removeDevice = (context: Context): Reply => {
  restrictedMay(context)
  const firewall = live(context)
  const gone = findDevice(context, firewall)
  const { holds } = context.rules
  const isSpared = firewall.status === 'enabled' && !holds('migration.devices.delete.enabled')
  if (!isSpared) calm(firewall, context, 'devices.delete')
  if (!holds('devices.delete.others'))
    for (const other of context.state.firewalls.values())
      other.devices = other.devices.filter((one) => one.entity !== gone.entity)
  else if (!holds('devices.delete.only')) firewall.devices = []
  else if (holds('devices.delete')) firewall.devices = firewall.devices.filter((one) => one !== gone)
  emit(context, 'firewall_device_remove')
  return { kind: 'removal' }
}

const replaceRules = (context: Context): Reply => {
  const { rules } = context
  restrictedMay(context)
  const firewall = live(context)
  const body = readBody(context.body, ruleset(''), 'rules', rules)
  checkRules(body, '', context)
  const isFull = (body.inbound as readonly Json[] | undefined)?.length !== 0
  if (isFull || rules.holds('migration.rules.update.outbound')) calm(firewall, context, 'rules.update')
  const before = firewall.rules
  firewall.rules = keep(body, before, context)
  if (!rules.holds('rules.update.replaces')) firewall.rules.inbound = [...before.inbound, ...firewall.rules.inbound]
  if (!rules.holds('rules.update.outbound')) firewall.rules.outbound = before.outbound
  if (!rules.holds('rules.update.policy')) firewall.rules.inbound_policy = before.inbound_policy
  return { kind: 'change', body: dress({ ...firewall.rules }, context.options) }
}

const R = ['firewall:read_only']
const W = ['firewall:read_write']

export const firewallRoutes: readonly Route[] = [
  {
    method: 'GET',
    path,
    scopes: R,
    handle: (c) =>
      page(
        c,
        mine(c).map((one) => view(one, c)),
        ({ id }: Device) => String(id),
      ),
  },
  { method: 'POST', path, scopes: W, handle: create },
  {
    method: 'GET',
    path: `${path}/{firewallId}`,
    scopes: R,
    handle: (c) => ({
      kind: 'view',
      body: c.rules.holds('firewalls.view.devices')
        ? view(find(c), c)
        : { ...view(find(c), c), devices: find(c).devices },
    }),
  },
  { method: 'PUT', path: `${path}/{firewallId}`, scopes: W, handle: update },
  { method: 'DELETE', path: `${path}/{firewallId}`, scopes: W, handle: remove },
  {
    method: 'GET',
    path: `${path}/{firewallId}/devices`,
    scopes: R,
    handle: (c) =>
      page(
        c,
        find(c).devices.map((one) => showDevice(one, c)),
        ({ id }: Device) => String(id),
      ),
  },
  { method: 'POST', path: `${path}/{firewallId}/devices`, scopes: W, handle: addDevice },
  {
    method: 'GET',
    path: `${path}/{firewallId}/devices/{deviceId}`,
    scopes: R,
    handle: (c) => ({ kind: 'view', body: showDevice(findDevice(c, find(c)), c) }),
  },
  { method: 'DELETE', path: `${path}/{firewallId}/devices/{deviceId}`, scopes: W, handle: removeDevice },
  {
    method: 'GET',
    path: `${path}/{firewallId}/rules`,
    scopes: R,
    handle: (c) => ({ kind: 'view', body: dress({ ...find(c).rules }, c.options) }),
  },
  { method: 'PUT', path: `${path}/{firewallId}/rules`, scopes: W, handle: replaceRules },
]
