// Quarry's Managed: contacts, credentials, node settings, services, issues, statistics.
import { isIP } from 'node:net'
import {
  canonical,
  flag,
  isAddress,
  isMail,
  isPrivate,
  type Json,
  listOf,
  object,
  oneOf,
  orNull,
  readBody,
  text,
  whole,
} from './checks.js'
import type { Options, Rules } from './options.js'
import { type Context, dress, idOf, missing, page, type Reply, type Route, refuse } from './server.js'
import { defaultSsh, type Made, type Node, newId, type Ssh, type State, shown } from './state.js'

type Kind = 'contacts' | 'credentials' | 'services'

const phone = orNull(text(0, 60, (value) => /^\+?[0-9 ().-]{3,}$/.test(value)))
const contact = object({
  email: text(0, 300, isMail),
  group: orNull(text(2, 50)),
  name: text(2, 64),
  phone: object({ primary: phone, secondary: phone }),
})
const credential = object({ 'label!': text(2, 75), 'password!': text(), username: text(0, 5000) })
const relabelling = (rules: Rules) =>
  object(rules.silent('label on credential update') ? { label: text(2, 75) } : { 'label!': text(2, 75) })
const secrets = object({ 'password!': text(), username: text(0, 5000) })
const settings = object({
  ssh: object({
    access: flag,
    ip: text(0, 60, (value) => value === 'any' || isAddress(value)),
    port: orNull(whole(1, 65535)),
    user: orNull(text(0, 32)),
  }),
})
const isUrl = (value: string): boolean => URL.canParse(value) || /^[\w.-]+(:\d+)?$/.test(value)
const service = (required: string) =>
  object({
    [`label${required}`]: text(3, 64),
    [`service_type${required}`]: oneOf('url', 'tcp'),
    [`address${required}`]: text(3, 100, isUrl),
    [`timeout${required}`]: whole(1, 255),
    body: orNull(text(0, 100)),
    consultation_group: text(0, 50),
    credentials: listOf(whole()),
    notes: orNull(text()),
    region: text(),
  })

const mine = ({ state, user, rules }: Context, kind: Kind): Made[] =>
  [...state[kind].values()].filter(({ account }) => account === user.account || !rules.holds(`${kind}.isolation`))

const find = (context: Context, kind: Kind): Made => {
  const name = `${kind.slice(0, -1)}Id`
  const id = idOf(context, name)
  const all = context.rules.holds(`${kind}.find.isolation`) ? mine(context, kind) : [...context.state[kind].values()]
  const found = all.find((one) => one.id === id)
  if (!found) throw missing(context, name)
  return found
}

const views: { readonly [kind in Kind]: (body: Json, options: Options) => Json } = {
  contacts: (body, { normalises }) => {
    if (!normalises) return body
    const phone = { primary: null, secondary: null, ...(body.phone as Json | undefined) }
    const email = typeof body.email === 'string' ? body.email.replace(/@.*/, (host) => host.toLowerCase()) : null
    return { group: null, name: null, ...body, email, phone }
  },
  credentials: ({ label }) => ({ label }),
  services: (body, { records, normalises }) => {
    const { label, service_type, address, timeout } = body
    if (records === 'bare') return { label, service_type, address, timeout }
    const isUrl = typeof address === 'string' && URL.canParse(address) && address.includes('//')
    const rest = { body: null, consultation_group: '', credentials: [], notes: null, region: null }
    return normalises ? { ...rest, ...body, address: isUrl ? new URL(address).href : address } : body
  },
}

const view = (one: Made, kind: Kind, { options }: Context): Json =>
  dress({ id: one.id, ...views[kind](one.body, options) }, options)

const list =
  (kind: Kind) =>
  (context: Context): Reply =>
    page(
      context,
      mine(context, kind).map(({ first, ...one }) =>
        view(context.rules.holds(`${kind}.list.fresh`) ? one : { ...one, body: { ...first } }, kind, context),
      ),
      ({ id }: Made) => String(id),
    )

const one =
  (kind: Kind) =>
  (context: Context): Reply => ({ kind: 'view', body: view(find(context, kind), kind, context) })

const add = (context: Context, kind: Kind, body: Json): Reply => {
  const { state, user, options, rules } = context
  if (options.quota > 0 && mine(context, kind).length >= options.quota) refuse(options.noField, `too many ${kind}`)
  const id = newId(state, options)
  const made: Made = { id, account: user.account, created: state.counter, first: body, body: { ...body } }
  if (rules.holds(`${kind}.create`)) state[kind].set(made.id, made)
  return { kind: 'creation', body: view(made, kind, context) }
}

const isNone = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const change = (context: Context, kind: Kind, found: Made, given: Json): Reply => {
  const { rules, options } = context
  if (rules.holds(`${kind}.update`))
    for (const [name, value] of Object.entries(given))
      if (rules.holds(`${kind}.update.${name}`) && (rules.holds(`${kind}.update.none`) || !isNone(value)))
        found.body[name] = value
  const body = rules.holds(`${kind}.update.fresh`)
    ? view(found, kind, context)
    : { ...view(found, kind, context), label: 'stale', name: 'stale' }
  return { kind: 'change', body: options.records === 'bare' ? {} : body }
}

const drop =
  (kind: Kind) =>
  (context: Context): Reply => {
    const { id } = find(context, kind)
    if (context.rules.holds(`${kind}.delete`)) context.state[kind].delete(id)
    if (!context.rules.holds(`${kind}.delete.only`)) context.state[kind].clear()
    const newest = mine(context, kind).at(-1)
    if (newest && !context.rules.holds(`${kind}.delete.newest`)) context.state[kind].delete(newest.id)
    return { kind: 'removal' }
  }

const unique = (context: Context, label: unknown, but?: Made): void => {
  const { rules, state, user } = context
  const taken = [...state.credentials.values()].some(
    (each, i) =>
      each !== but &&
      each.account === user.account &&
      each.body.label === label &&
      (i === 0 || rules.holds('credentials.unique.first')) &&
      (each.first?.label === label || rules.holds('credentials.unique.renamed')),
  )
  if (taken && rules.holds(but ? 'credentials.update.unique' : 'credentials.unique')) refuse('label', 'is taken')
}

const addCredential = (context: Context): Reply => {
  const body = readBody(context.body, credential, 'credentials', context.rules)
  unique(context, body.label)
  return add(context, 'credentials', body)
}

const relabel = (context: Context): Reply => {
  const found = find(context, 'credentials')
  const body = readBody(context.body, relabelling(context.rules), 'credentials', context.rules)
  if (body.label !== undefined) unique(context, body.label, found)
  return change(context, 'credentials', found, body)
}

const hostOf = (address: string): string => {
  const host = URL.canParse(address) && address.includes('//') ? new URL(address).host : (address.split('/')[0] ?? '')
  return host.replace(/:\d+$/, '')
}

const watch = (context: Context, given: Json, found?: Made): Json => {
  const { rules, user, state } = context
  const all = { ...found?.body, ...given }
  const host = hostOf(String(all.address))
  const isLocal = isIP(host) === 4 && isPrivate(host)
  const isWaived = all.service_type === 'tcp' && !rules.holds('services.region.needed.tcp')
  if (isLocal && all.region === undefined && !isWaived && rules.holds('services.region.needed'))
    refuse('region', 'is required for a private address')
  const isSpared =
    (all.service_type === 'tcp' && !rules.holds('services.region.barred.tcp')) ||
    (/^(?:172\.15|192\.169)\./.test(host) && !rules.holds('services.region.barred.near'))
  if (!isLocal && !isSpared && given.region !== undefined && rules.holds('services.region.barred'))
    refuse('region', 'only for a private address')
  const ids = (given.credentials as readonly number[] | undefined) ?? []
  const known = ids.every((id) => state.credentials.get(id)?.account === user.account)
  if (!known && !rules.silent('unknown credentials')) refuse('credentials', 'is unknown')
  const address = typeof given.address === 'string' ? { address: kept(given.address, rules) } : {}
  const named = given.credentials && !rules.holds('services.credentials.all') ? { credentials: ids.slice(0, 1) } : {}
  return { ...given, ...address, ...named }
}

const kept = (address: string, { holds }: Rules): string => {
  const bare = holds('services.fragment') ? address.replace(/#.*/, '') : address
  const [path, query = ''] = bare.split('?')
  if (query !== '' && !holds('services.query.case')) return `${path}?${query.toLowerCase()}`
  if (query !== '' && !holds('services.query.twice'))
    return `${path}?${new URLSearchParams(Object.fromEntries(new URLSearchParams(query)))}`
  return holds('services.query') ? bare : bare.replace(/\?.*/, '')
}

const addService = (context: Context): Reply => {
  const given = readBody(context.body, service('!'), 'services', context.rules)
  return add(context, 'services', watch(context, given))
}

const changeService = (context: Context): Reply => {
  const found = find(context, 'services')
  const given = readBody(context.body, service(''), 'services', context.rules)
  const read = watch(context, given, found)
  if (typeof given.address === 'string' && !isPrivate4(hostOf(given.address))) delete found.body.region
  return change(context, 'services', found, read)
}

const isPrivate4 = (host: string): boolean => isIP(host) === 4 && isPrivate(host)

const toggle =
  (name: string) =>
  (context: Context): Reply => {
    const found = find(context, 'services')
    found.body.status = name === 'disable' ? 'disabled' : 'pending'
    return { kind: 'change', body: context.options.records === 'bare' ? {} : view(found, 'services', context) }
  }

const nodes = ({ state, user, rules }: Context): Node[] =>
  [...state.nodes.values()].filter(({ account }) => account === user.account || !rules.holds('settings.isolation'))

const findNode = (context: Context): Node => {
  const id = idOf(context, 'nodeId')
  const node = nodes(context).find((each) => each.id === id)
  if (!node) throw missing(context, 'nodeId')
  return node
}

const showSettings = ({ id, label, ssh }: Node, { options }: Context): Json => {
  const { access, ip, port, user } = ssh
  const spelled = options.normalises
    ? { ip: shown(ip, options), port: port ?? 22, user: user ?? 'root' }
    : { ip, port, user }
  return dress(
    { id, ...(options.records === 'bare' ? {} : { node_id: id, label, group: 'quarry' }), ssh: { access, ...spelled } },
    options,
  )
}

const addressOf = (state: State, node: Node, ip: string): boolean =>
  state.addresses.get(canonical(ip))?.node === node.id

const set = (context: Context): Reply => {
  const { state, rules, options } = context
  const node = findNode(context)
  const wanted = (context.body as { ssh?: Partial<Ssh> } | undefined)?.ssh?.access
  if (typeof wanted === 'boolean' && !rules.holds('settings.update.late')) node.ssh.access = wanted
  const { ssh } = readBody(context.body, settings, 'settings', rules) as { ssh?: Partial<Ssh> }
  const ip = ssh?.ip
  if (ip !== undefined && ip !== 'any' && !addressOf(state, node, ip) && !rules.silent("another's address"))
    refuse('ip', "is not the node's")
  const before = rules.silent('omitted settings stay') ? node.ssh : defaultSsh()
  for (const each of rules.holds('settings.update.only') ? [node] : nodes(context))
    if (rules.holds('settings.update')) each.ssh = { ...before, ...ssh }
  if (!rules.holds('settings.update.port')) node.ssh.port = 2022
  if (!rules.holds('settings.update.access')) node.ssh.access = true
  return { kind: 'change', body: options.records === 'bare' ? {} : showSettings(node, context) }
}

const issues = ({ state, user }: Context) =>
  state.fixtures.managedIssues.filter(({ account = 'main' }) => account === user.account)

const issue = (context: Context): Reply => {
  const id = idOf(context, 'issueId')
  const found = issues(context).find((each) => each.id === id)
  if (!found) throw missing(context, 'issueId')
  return { kind: 'view', body: dress({ id: found.id }, context.options) }
}

const stats = (): Reply => {
  const line = Array.from({ length: 24 }, (_, hour) => ({ x: 1_700_000_000_000 + hour * 3_600_000, y: hour / 7 }))
  return { kind: 'view', body: { data: { cpu: line, disk: line, swap: line, net_in: line, net_out: line } } }
}

const R = ['account:read_only']
const W = ['account:read_write']
const at = (method: Route['method'], path: string, scopes: readonly string[], handle: Route['handle']): Route => ({
  method,
  path: `/managed/${path}`,
  scopes,
  unrestricted: true,
  handle,
})

export const managedRoutes: readonly Route[] = [
  at('GET', 'contacts', R, list('contacts')),
  at('POST', 'contacts', W, (c) => add(c, 'contacts', readBody(c.body, contact, 'contacts', c.rules))),
  at('GET', 'contacts/{contactId}', W, one('contacts')),
  at('PUT', 'contacts/{contactId}', W, (c) =>
    change(c, 'contacts', find(c, 'contacts'), readBody(c.body, contact, 'contacts', c.rules)),
  ),
  at('DELETE', 'contacts/{contactId}', W, drop('contacts')),
  at('GET', 'credentials', R, list('credentials')),
  at('POST', 'credentials', W, addCredential),
  at('GET', 'credentials/sshkey', R, () => ({
    kind: 'view',
    body: { ssh_key: 'ssh-rsa AAAAB3NzaC1yc2E managed@quarry' },
  })),
  at('GET', 'credentials/{credentialId}', W, one('credentials')),
  at('PUT', 'credentials/{credentialId}', W, relabel),
  at('POST', 'credentials/{credentialId}/revoke', W, drop('credentials')),
  at('POST', 'credentials/{credentialId}/update', W, (c) => {
    find(c, 'credentials')
    readBody(c.body, secrets, 'credentials.update', c.rules)
    return { kind: 'change', body: {} }
  }),
  at('GET', 'issues', R, (c) => page(c, issues(c), ({ id }: Made) => String(id))),
  at('GET', 'issues/{issueId}', R, issue),
  at('GET', 'linode-settings', R, (c) =>
    page(
      c,
      (c.rules.holds('settings.every') ? nodes(c) : nodes(c).slice(1)).map((each) =>
        showSettings(c.rules.holds('settings.list') ? each : { ...each, ssh: defaultSsh() }, c),
      ),
      ({ id }: Node) => String(id),
    ),
  ),
  at('GET', 'linode-settings/{nodeId}', R, (c) => ({ kind: 'view', body: showSettings(findNode(c), c) })),
  at('PUT', 'linode-settings/{nodeId}', W, set),
  at('GET', 'services', R, (c) => {
    const listed = mine(c, 'services').filter(
      ({ body }) => body.status !== 'disabled' || c.rules.holds('services.list.disabled'),
    )
    const all = listed.map((each) => view(each, 'services', c))
    if (c.options.records === 'bare') return { kind: 'view', body: all }
    return c.rules.silent('services have pages')
      ? { kind: 'view', body: { data: all, page: 1, pages: 1, results: all.length } }
      : { kind: 'view', body: { data: all } }
  }),
  at('POST', 'services', W, addService),
  at('GET', 'services/{serviceId}', R, one('services')),
  at('PUT', 'services/{serviceId}', W, changeService),
  at('DELETE', 'services/{serviceId}', W, drop('services')),
  at('POST', 'services/{serviceId}/disable', W, toggle('disable')),
  at('POST', 'services/{serviceId}/enable', W, toggle('enable')),
  at('GET', 'stats', R, stats),
]
