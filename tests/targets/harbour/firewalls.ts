// Firewalls, their rules and devices; no other resource.
import { isNetwork, type Json, listOf, networkOf, object, oneOf, orNull, text, whole } from './checks.js'
import {
  at,
  type Context,
  deny,
  dress,
  emit,
  idOf,
  mayWrite,
  mine,
  mint,
  missing,
  page,
  quota,
  type Reply,
  type Route,
  readBody,
  refuse,
  restrictedMay,
  silence,
} from './context.js'
import type { Rules } from './options.js'
import type { Device, Firewall, Policy } from './state.js'

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
  for (const part of ports.split(holds('rules.ports.space') ? /, ?/ : ',')) {
    const ends = part.split('-')
    if (
      ends.length > 2 ||
      ends.some((end) => !/^[1-9]\d{0,5}$/.test(end) || +end > bound('rules.ports.highest', 65535))
    ) {
      if (holds('rules.ports.zeros') || !/^0\d+$/.test(part)) return true
    }
    if (ends.length === 2 && holds('rules.ports.order') && Number(ends[1]) <= Number(ends[0])) return true
    pieces += holds('rules.ports.range-is-two') ? ends.length : 1
  }
  return pieces > bound('rules.ports.pieces', 15)
}

/** What the tables say of rules beyond the form of each member; `path` says where they stand in the body. */
const checkRules = (given: Json, path: readonly string[], context: Context, before?: Policy): void => {
  const { rules } = context
  const of = (direction: string): readonly Json[] => (given[direction] as readonly Json[] | undefined) ?? []
  for (const direction of ['inbound', 'outbound'])
    for (const [index, one] of of(direction).entries()) {
      const place = (member: string): string => at(context, ...path, direction, index, member)
      if (direction === 'inbound' && index > 0 && !rules.holds('rules.later-inbound')) continue
      // Nothing but a fault lets it be left out.
      if (one.addresses === undefined) continue
      const { ipv4, ipv6 } = one.addresses as { ipv4?: readonly string[]; ipv6?: readonly string[] }
      if (!ipv4 && !ipv6 && rules.holds('rules.addresses.some')) refuse(place('addresses'), 'must hold ipv4 or ipv6')
      const both = (ipv4?.length ?? 0) + (rules.holds('rules.addresses.both') ? (ipv6?.length ?? 0) : 0)
      if (both > rules.bound('rules.addresses.most', 255)) refuse(place('addresses'), 'too many')
      if (typeof one.ports !== 'string') continue
      if (!['TCP', 'UDP'].includes(String(one.protocol)) && rules.holds('rules.ports.protocol'))
        refuse(place('ports'), 'not for this protocol')
      const isSpared = one.protocol === 'UDP' && !rules.holds('rules.ports.udp')
      if (!isSpared && badPorts(one.ports, rules)) refuse(place('ports'), 'is no port string')
    }
  // Rules that a body leaves out may stay, and then they count.
  const count = (direction: 'inbound' | 'outbound'): number =>
    given[direction] === undefined && rules.silent('omitted rules stay')
      ? (before?.[direction].length ?? 0)
      : of(direction).length
  const both = count('inbound') + (rules.holds('rules.both') ? count('outbound') : 0)
  if (both > rules.bound('rules.most', 25)) deny(context, 'more than 25 rules', 400)
}

const keep = (given: Json, before: Partial<Policy>, { options, rules }: Context): Policy => {
  const side = (direction: 'inbound' | 'outbound'): readonly unknown[] => {
    const list = (given[direction] ??
      (rules.silent('omitted rules stay') ? before[direction] : undefined) ??
      []) as readonly Json[]
    const kept = list.map((one) => normal(one, options))
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

const normal = (one: Json, { normalises, rulesShown }: Context['options']): Json => {
  const { ipv4 = null, ipv6 = null } = (one.addresses ?? {}) as { ipv4?: readonly string[]; ipv6?: readonly string[] }
  const spelled = normalises
    ? { ipv4: ipv4?.map(networkOf) ?? null, ipv6: ipv6?.map(networkOf) ?? null }
    : one.addresses
  const ports = normalises && typeof one.ports === 'string' ? { ports: one.ports.replaceAll(' ', '') } : {}
  const whole = rulesShown === 'whole' ? { label: null, description: null, ports: null } : {}
  return { ...whole, ...one, addresses: spelled, ...ports }
}

const own = (context: Context): Firewall[] =>
  mine(context, context.state.firewalls, 'firewalls').filter(
    ({ status }) => status !== 'deleted' || context.options.keepsDeleted,
  )

const find = (context: Context): Firewall => {
  const id = idOf(context, 'firewallId')
  const found = own(context).find((one) => one.id === id)
  if (!found) throw missing(context, 'firewallId')
  return found
}

const live = (context: Context): Firewall => {
  const firewall = find(context)
  if (firewall.status === 'deleted') throw missing(context, 'firewallId')
  return firewall
}

const view = ({ id, label, status, tags, rules }: Firewall, { options, rules: { holds } }: Context): Json =>
  dress(
    {
      id,
      label,
      ...(holds('firewalls.shows.status') ? { status } : {}),
      ...(holds('firewalls.shows.tags') ? { tags } : {}),
      rules,
    },
    options,
    ['id', 'label', 'status', 'tags'],
  )

const calm = (
  { devices }: { devices: readonly Pick<Device, 'entity' | 'type'>[] },
  context: Context,
  what: string,
): void => {
  const { state, rules } = context
  const looked = rules.holds('migration.any-device') ? devices : devices.slice(0, 1)
  const moving = looked.some(({ entity, type }) => type === 'node' && state.nodes.get(entity)?.migrating)
  if (moving && rules.holds(`migration.${what}`)) deny(context, 'a node is migrating')
}

const guarded = (entity: number, type: string, but: Firewall | undefined, { state, rules }: Context): boolean =>
  [...state.firewalls.values()].some(
    (one) =>
      one !== but &&
      (one.status === 'enabled' || !rules.holds('firewalls.disabled-counted')) &&
      one.devices.some((each) => each.entity === entity && each.type === type),
  )

const exists = ({ state, user, fixtures }: Context, type: string, id: number): boolean => {
  if (type === 'node') return state.nodes.get(id)?.account === user.account
  return fixtures.nodebalancers.some((one) => one.id === id && (one.account ?? 'main') === user.account)
}

const admit = (context: Context, entity: number, type: string, field: string, what: string): void => {
  const { rules } = context
  if (!exists(context, type, entity) && rules.holds(`${what}.own`)) refuse(field, 'is unknown')
  if (!mayWrite(context, type === 'node' ? 'nodes' : 'nodebalancers', entity) && rules.holds(`${what}.grant`))
    refuse(field, 'needs read_write')
}

const free = (context: Context, label: unknown, but?: Firewall): void => {
  const { rules, state, user, options } = context
  const kept = [...state.firewalls.values()].filter(
    ({ status, account }) => account === user.account && (status !== 'deleted' || options.keepsDeleted),
  )
  const same = (one: Firewall): boolean => one.label === label && one !== but
  if (kept.some(same) && rules.holds(but ? 'firewalls.update.unique' : 'firewalls.create.unique'))
    refuse('label', 'is taken')
}

const create = (context: Context): Reply => {
  const { state, user, token, rules } = context
  restrictedMay(context)
  const body = readBody(context, creation)
  const given = (body.rules ?? {}) as Json
  checkRules(given, ['rules'], context)
  free(context, body.label)
  const wanted = body.devices as { nodes?: readonly number[]; nodebalancers?: readonly number[] } | undefined
  const [nodes, balancers] = [wanted?.nodes ?? [], wanted?.nodebalancers ?? []]
  const field = (name: string): string => at(context, 'devices', name)
  if (balancers.length > rules.bound('firewalls.create.balancers', 1)) refuse(field('nodebalancers'), 'only one')
  silence(context, new Set(nodes).size < nodes.length, field('nodes'), 'duplicates')
  const entities = [
    ...[...new Set(nodes)].map((entity) => ({ entity, type: 'node' })),
    ...balancers.map((entity) => ({ entity, type: 'nodebalancer' })),
  ]
  for (const { entity, type } of entities) admit(context, entity, type, field(`${type}s`), 'firewalls.create')
  calm({ devices: entities }, context, 'create')
  for (const { entity, type } of entities)
    if (guarded(entity, type, undefined, context) && rules.holds('firewalls.create.one-active'))
      refuse(field(`${type}s`), 'has an active firewall')
  quota(context, own(context).filter(({ status }) => status !== 'deleted').length)
  const kept = rules.holds('firewalls.create.devices') ? entities : []
  const firewall: Firewall = {
    id: mint(context, 'firewalls'),
    account: user.account,
    maker: token.name,
    creator: user.name,
    label: String(body.label),
    status: rules.holds('firewalls.create.enabled') ? 'enabled' : 'disabled',
    tags: rules.holds('firewalls.create.tags') ? [...((body.tags as string[] | undefined) ?? [])] : [],
    rules: keep(given, {}, context),
    devices: [],
    assigned: 0,
  }
  firewall.devices = kept.map((one) => ({ ...one, id: deviceId(firewall, context) }))
  if (rules.holds('firewalls.create.kept')) state.firewalls.set(firewall.id, firewall)
  emit(context, 'firewall_create', 'firewall', firewall.id)
  return { kind: 'creation', body: view(firewall, context) }
}

const update = (context: Context): Reply => {
  const { rules } = context
  restrictedMay(context)
  const firewall = live(context)
  const body = readBody(context, change)
  if (body.tags !== undefined && !rules.holds('firewalls.update.tags-first')) firewall.tags = body.tags as string[]
  const isNamed = body.label !== undefined || body.status !== undefined
  const isSpared =
    (!isNamed && !rules.holds('migration.update.tags')) ||
    (firewall.status === 'disabled' && !rules.holds('migration.update.disabled'))
  if (!isSpared) calm(firewall, context, 'update')
  if (body.label !== undefined) free(context, body.label, firewall)
  const enabling = body.status === 'enabled' && (firewall.status !== 'enabled' || rules.silent('enabling again'))
  const looked = rules.holds('firewalls.update.one-active.any') ? firewall.devices : firewall.devices.slice(0, 1)
  const taken = looked.some(({ entity, type }) => guarded(entity, type, firewall, context))
  if (enabling && taken && rules.holds('firewalls.update.one-active'))
    refuse('status', 'another active firewall is assigned')
  if (body.label !== undefined && rules.holds('firewalls.update.label')) firewall.label = String(body.label)
  if (body.tags !== undefined && rules.holds('firewalls.update.tags'))
    firewall.tags = (body.tags as string[]).slice(0, rules.holds('firewalls.update.tags.all') ? undefined : 1)
  else if (body.tags === undefined && context.options.tagsLeftOut === 'dropped') firewall.tags = []
  const isOther = body.status !== undefined && body.status !== firewall.status
  if (isOther || (body.status !== undefined && !rules.holds('firewalls.update.event-of-change')))
    emit(context, body.status === 'enabled' ? 'firewall_enable' : 'firewall_disable', 'firewall', firewall.id)
  if (isOther) {
    if (body.status === 'enabled' && !rules.holds('firewalls.update.enabling-keeps'))
      firewall.rules.inbound_policy = 'DROP'
    if (body.status === 'disabled' && !rules.holds('firewalls.update.disabling-keeps')) firewall.devices = []
    if (rules.holds(`firewalls.update.${body.status}`)) firewall.status = String(body.status)
  }
  const stale = !rules.holds('firewalls.update.fresh')
  return {
    kind: 'change',
    body: { ...view(firewall, context), ...(stale ? { status: 'disabled' } : {}) },
  }
}

const remove = (context: Context): Reply => {
  restrictedMay(context)
  const firewall = live(context)
  const isSpared = firewall.status === 'disabled' && !context.rules.holds('migration.delete.disabled')
  if (!isSpared) calm(firewall, context, 'delete')
  firewall.devices = []
  if (context.rules.holds('firewalls.delete.kept')) firewall.status = 'deleted'
  if (firewall.status === 'deleted' && !context.options.keepsDeleted) context.state.firewalls.delete(firewall.id)
  emit(context, 'firewall_delete', 'firewall', firewall.id)
  return { kind: 'removal' }
}

const showDevice = (one: Device, { options }: Context): Json =>
  dress({ id: one.id, entity: { id: one.entity, type: one.type } }, options, ['id'])

/** Ids of devices are small numbers of their firewall's own, or are drawn as all others. */
const deviceId = (firewall: Pick<Firewall, 'assigned'>, context: Context): number => {
  firewall.assigned += 1
  return context.options.ids === 'counting' || context.options.ids === 'per kind'
    ? firewall.assigned
    : mint(context, 'devices')
}

const addDevice = (context: Context): Reply => {
  const { options, rules, user } = context
  restrictedMay(context)
  const firewall = live(context)
  const body = readBody(context, device)
  const [entity, type] = [Number(body.id), String(body.type)]
  const isTrusted = firewall.creator === user.name && !rules.holds('devices.create.grant.own')
  if (!isTrusted) admit(context, entity, type, 'id', 'devices.create')
  const isSpared = firewall.status === 'enabled' && !rules.holds('migration.devices.create.enabled')
  if (!isSpared) calm({ devices: [...firewall.devices, { entity, type }] }, context, 'devices.create')
  const same = firewall.devices.find((one) => one.entity === entity && one.type === type)
  if (same && options.sameDevice) return { kind: 'creation', body: showDevice(same, context) }
  if (same) refuse(at(context, 'id'), 'is assigned already')
  if (
    type === 'nodebalancer' &&
    firewall.devices.some((one) => one.type === type) &&
    rules.holds('devices.one-balancer')
  )
    deny(context, 'only one node balancer')
  const active = firewall.status === 'enabled' || !rules.holds('devices.disabled-allowed')
  if (active && guarded(entity, type, firewall, context) && rules.holds('devices.one-active'))
    refuse('id', 'has an active firewall')
  const made = { id: deviceId(firewall, context), entity, type }
  if (rules.holds('devices.create')) firewall.devices.push(made)
  emit(context, 'firewall_device_add', 'firewall', firewall.id)
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
  emit(context, 'firewall_device_remove', 'firewall', firewall.id)
  return { kind: 'removal' }
}

const replaceRules = (context: Context): Reply => {
  const { rules } = context
  restrictedMay(context)
  const firewall = live(context)
  const body = readBody(context, ruleset(''))
  checkRules(body, [], context, firewall.rules)
  const isFull = (body.inbound as readonly Json[] | undefined)?.length !== 0
  if (isFull || rules.holds('migration.rules.update.outbound')) calm(firewall, context, 'rules.update')
  const before = firewall.rules
  firewall.rules = keep(body, before, context)
  if (!rules.holds('rules.update.replaces')) firewall.rules.inbound = [...before.inbound, ...firewall.rules.inbound]
  if (!rules.holds('rules.update.outbound')) firewall.rules.outbound = before.outbound
  if (!rules.holds('rules.update.policy')) firewall.rules.inbound_policy = before.inbound_policy
  if (!rules.holds('rules.update.enables')) firewall.status = 'enabled'
  return { kind: 'change', body: showRules(firewall, context) }
}

const showRules = ({ rules }: Firewall, { options }: Context): Json =>
  dress({ ...rules }, options, ['inbound', 'outbound', 'inbound_policy', 'outbound_policy'])

const list = (context: Context): Reply =>
  page(
    context,
    own(context),
    (one) => view(one, context),
    ({ id }) => String(id),
  )

const viewOne = (context: Context): Reply => {
  const firewall = find(context)
  const { devices } = firewall
  const withDevices = !context.rules.holds('firewalls.view.omits-devices')
  return { kind: 'view', body: { ...view(firewall, context), ...(withDevices ? { devices } : {}) } }
}

const listDevices = (context: Context): Reply =>
  page(
    context,
    find(context).devices,
    (one) => showDevice(one, context),
    ({ id }) => String(id),
  )

const viewDevice = (context: Context): Reply => ({
  kind: 'view',
  body: showDevice(findDevice(context, find(context)), context),
})

const viewRules = (context: Context): Reply => ({ kind: 'view', body: showRules(find(context), context) })

const R = ['firewall:read_only']
const W = ['firewall:read_write']
const one = `${path}/{firewallId}`
const deviceOne = `${one}/devices/{deviceId}`

export const firewallRoutes: readonly Route[] = [
  { id: 'firewalls.list', method: 'GET', path, scopes: R, handle: list },
  { id: 'firewalls.create', method: 'POST', path, scopes: W, handle: create },
  { id: 'firewalls.view', method: 'GET', path: one, scopes: R, handle: viewOne },
  { id: 'firewalls.update', method: 'PUT', path: one, scopes: W, handle: update },
  { id: 'firewalls.delete', method: 'DELETE', path: one, scopes: W, handle: remove },
  { id: 'firewall-devices.list', method: 'GET', path: `${one}/devices`, scopes: R, handle: listDevices },
  { id: 'firewall-devices.create', method: 'POST', path: `${one}/devices`, scopes: W, handle: addDevice },
  { id: 'firewall-devices.view', method: 'GET', path: deviceOne, scopes: R, handle: viewDevice },
  { id: 'firewall-devices.delete', method: 'DELETE', path: deviceOne, scopes: W, handle: removeDevice },
  { id: 'firewall-rules.view', method: 'GET', path: `${one}/rules`, scopes: R, handle: viewRules },
  { id: 'firewall-rules.update', method: 'PUT', path: `${one}/rules`, scopes: W, handle: replaceRules },
]
