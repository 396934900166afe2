// Managed: contacts, credentials, node settings, services, issues, statistics.
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
  text,
  whole,
} from './checks.js'
import {
  at,
  CALLED_PAGINATED,
  type Context,
  dress,
  idOf,
  mint,
  missing,
  mine as ofAccount,
  page,
  quota,
  type Reply,
  type Route,
  readBody,
  refuse,
  shown,
  silence,
} from './context.js'
import type { Options, Rules } from './options.js'
import { defaultSsh, type Made, type Node, type Ssh, type State } from './state.js'

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

const mine = (context: Context, kind: Kind): Made[] => ofAccount(context, context.state[kind], kind)

const find = (context: Context, kind: Kind): Made => {
  const name = `${kind.slice(0, -1)}Id`
  const id = idOf(context, name)
  const found = mine(context, kind).find((one) => one.id === id)
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
  credentials: ({ label, username }, { records }) => (records === 'extra' ? { label, username } : { label }),
  services: (body, { normalises }) => {
    const { address } = body
    const isUrl = typeof address === 'string' && URL.canParse(address) && address.includes('//')
    const rest = { body: null, consultation_group: '', credentials: [], notes: null, region: null }
    return normalises ? { ...rest, ...body, address: isUrl ? new URL(address).href : address } : body
  },
}

const KEPT = ['id', 'label', 'name', 'email', 'service_type', 'address', 'timeout']

const view = (one: Made, kind: Kind, context: Context): Json => {
  const { options, rules } = context
  const shownBody = { ...views[kind](one.body, options) }
  if (kind === 'credentials' && !rules.holds('credentials.secret')) shownBody.password = one.body.password
  return dress({ id: one.id, ...shownBody }, options, KEPT)
}

const list =
  (kind: Kind) =>
  (context: Context): Reply =>
    page(
      context,
      mine(context, kind),
      (one) => view(one, kind, context),
      ({ id }) => String(id),
    )

const one =
  (kind: Kind) =>
  (context: Context): Reply => ({ kind: 'view', body: view(find(context, kind), kind, context) })

const add = (context: Context, kind: Kind, body: Json): Reply => {
  const { state, user, token, rules } = context
  quota(context, mine(context, kind).length)
  const made: Made = { id: mint(context, kind), account: user.account, maker: token.name, body: { ...body } }
  if (rules.holds(`${kind}.create`)) state[kind].set(made.id, made)
  return { kind: 'creation', body: view(made, kind, context) }
}

const isNone = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const change = (context: Context, kind: Kind, found: Made, given: Json): Reply => {
  const { rules } = context
  if (rules.holds(`${kind}.update`))
    for (const [name, value] of Object.entries(given))
      if (rules.holds(`${kind}.update.${name}`) && (rules.holds(`${kind}.update.none`) || !isNone(value)))
        found.body[name] = value
  const body = rules.holds(`${kind}.update.fresh`)
    ? view(found, kind, context)
    : { ...view(found, kind, context), label: 'stale', name: 'stale' }
  return { kind: 'change', body }
}

const drop =
  (kind: Kind) =>
  (context: Context): Reply => {
    const { id, account, body } = find(context, kind)
    if (kind === 'credentials') context.state.revoked.add(`${account} ${body.label}`)
    if (kind === 'credentials' && !context.rules.holds('credentials.delete.services'))
      for (const each of mine(context, 'services')) each.body.credentials = []
    if (context.rules.holds(`${kind}.delete`)) context.state[kind].delete(id)
    if (!context.rules.holds(`${kind}.delete.only`)) context.state[kind].clear()
    const newest = mine(context, kind).at(-1)
    if (newest && !context.rules.holds(`${kind}.delete.newest`)) context.state[kind].delete(newest.id)
    return { kind: 'removal' }
  }

const unique = (context: Context, label: unknown, but?: Made): void => {
  const { rules, state, user, options } = context
  const taken = [...state.credentials.values()].some(
    (each, i) =>
      each !== but &&
      (each.account === user.account || !rules.holds('credentials.unique.per-account')) &&
      (each.body.label === label || (but && !rules.holds('credentials.unique.own-label'))) &&
      (i === 0 || rules.holds('credentials.unique.any')),
  )
  const isReserved = options.revokedLabelsReserved && state.revoked.has(`${user.account} ${label}`)
  if (
    (taken || isReserved) &&
    rules.holds(but ? 'managed-credentials.update.unique' : 'managed-credentials.create.unique')
  )
    refuse(at(context, 'label'), 'is taken')
}

const addCredential = (context: Context): Reply => {
  const body = readBody(context, credential)
  unique(context, body.label)
  return add(context, 'credentials', body)
}

const relabel = (context: Context): Reply => {
  const found = find(context, 'credentials')
  const body = readBody(context, relabelling(context.rules))
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
    refuse(at(context, 'region'), 'is required for a private address')
  const isSpared =
    (all.service_type === 'tcp' && !rules.holds('services.region.barred.tcp')) ||
    (/^(?:172\.15|192\.169)\./.test(host) && !rules.holds('services.region.barred.near'))
  if (!isLocal && !isSpared && given.region !== undefined && rules.holds('services.region.barred'))
    refuse(at(context, 'region'), 'only for a private address')
  const ids = (given.credentials as readonly number[] | undefined) ?? []
  const known = ids.every((id) => state.credentials.get(id)?.account === user.account)
  silence(context, !known, at(context, 'credentials'), 'unknown credentials')
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
  const given = readBody(context, service('!'))
  return add(context, 'services', watch(context, given))
}

const changeService = (context: Context): Reply => {
  const found = find(context, 'services')
  const given = readBody(context, service(''))
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
    if (name === 'enable' && !context.rules.holds('services.enable.keeps')) found.body.timeout = 30
    if (name === 'disable' && !context.rules.holds('services.disable.keeps')) delete found.body.notes
    return { kind: 'change', body: view(found, 'services', context) }
  }

const nodes = (context: Context): Node[] =>
  ofAccount(context, context.state.nodes, 'settings').filter(({ id }) => id > 0)

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
  return dress({ id, node_id: id, label, group: 'cranes', ssh: { access, ...spelled } }, options, ['id', 'ssh'])
}

const addressOf = (state: State, node: Node, ip: string): boolean =>
  state.addresses.get(canonical(ip))?.node === node.id

const set = (context: Context): Reply => {
  const { state, rules } = context
  const node = findNode(context)
  const wanted = (context.body as { ssh?: Partial<Ssh> } | undefined)?.ssh?.access
  if (typeof wanted === 'boolean' && !rules.holds('settings.update.late')) node.ssh.access = wanted
  const { ssh } = readBody(context, settings) as { ssh?: Partial<Ssh> }
  const ip = ssh?.ip
  silence(
    context,
    ip !== undefined && ip !== 'any' && !addressOf(state, node, ip),
    at(context, 'ssh', 'ip'),
    "another's address",
  )
  const before = rules.silent('omitted settings stay') ? node.ssh : defaultSsh()
  for (const each of rules.holds('settings.update.only') ? [node] : nodes(context))
    if (rules.holds('settings.update')) each.ssh = { ...before, ...ssh }
  if (!rules.holds('settings.update.port')) node.ssh.port = 2022
  if (!rules.holds('settings.update.access')) node.ssh.access = true
  return { kind: 'change', body: showSettings(node, context) }
}

const issues = ({ fixtures, user, rules }: Context) =>
  fixtures.managedIssues.filter(({ account = 'main' }) => account === user.account || !rules.holds('issues.isolation'))

const issue = (context: Context): Reply => {
  const id = idOf(context, 'issueId')
  const found = issues(context).find((each) => each.id === id)
  if (!found) throw missing(context, 'issueId')
  return { kind: 'view', body: dress({ id: found.id }, context.options, ['id']) }
}

const stats = (): Reply => {
  const line = Array.from({ length: 24 }, (_, hour) => ({ x: 1_700_000_000_000 + hour * 3_600_000, y: hour / 7 }))
  return { kind: 'view', body: { data: { cpu: line, disk: line, swap: line, net_in: line, net_out: line } } }
}

const listSettings = (context: Context): Reply =>
  page(
    context,
    nodes(context).slice(context.rules.holds('settings.every') ? 0 : 1),
    (each) => showSettings(context.rules.holds('settings.list') ? each : { ...each, ssh: defaultSsh() }, context),
    ({ id }) => String(id),
  )

const listServices = (context: Context): Reply => {
  const { rules, options } = context
  const listed = mine(context, 'services').filter(
    ({ body }) => body.status !== 'disabled' || rules.holds('services.list.disabled'),
  )
  const all = listed.map((each) => view(each, 'services', context))
  if (options.records === 'bare') return { kind: 'view', body: all }
  if (!rules.silent('services have pages')) return { kind: 'view', body: { data: all } }
  return page(
    context,
    listed,
    (each) => view(each, 'services', context),
    ({ id }) => String(id),
    CALLED_PAGINATED,
  )
}

const listIssues = (context: Context): Reply =>
  page(
    context,
    issues(context),
    ({ id }) => dress({ id }, context.options, ['id']),
    ({ id }) => String(id),
  )

const addContact = (context: Context): Reply => add(context, 'contacts', readBody(context, contact))
const changeContact = (c: Context): Reply => change(c, 'contacts', find(c, 'contacts'), readBody(c, contact))

const changePassword = (context: Context): Reply => {
  const found = find(context, 'credentials')
  const { password, username } = readBody(context, secrets)
  Object.assign(found.body, { password }, username === undefined ? {} : { username })
  if (!context.rules.holds('credentials.update-password.label')) found.body.label = `${found.body.label}-new`
  return { kind: 'change', body: {} }
}

const sshKey = ({ rules }: Context): Reply => ({
  kind: 'view',
  body: rules.holds('credentials.ssh-key') ? { ssh_key: 'ssh-rsa AAAAB3NzaC1yc2E managed@harbour' } : {},
})
const viewSettings = (context: Context): Reply => ({ kind: 'view', body: showSettings(findNode(context), context) })

const R = ['account:read_only']
const W = ['account:read_write']
const to = (
  id: string,
  method: Route['method'],
  path: string,
  scopes: readonly string[],
  handle: Route['handle'],
): Route => ({
  id: `managed-${id}`,
  method,
  path: `/managed/${path}`,
  scopes,
  unrestricted: true,
  handle,
})

export const managedRoutes: readonly Route[] = [
  to('contacts.list', 'GET', 'contacts', R, list('contacts')),
  to('contacts.create', 'POST', 'contacts', W, addContact),
  to('contacts.view', 'GET', 'contacts/{contactId}', W, one('contacts')),
  to('contacts.update', 'PUT', 'contacts/{contactId}', W, changeContact),
  to('contacts.delete', 'DELETE', 'contacts/{contactId}', W, drop('contacts')),
  to('credentials.list', 'GET', 'credentials', R, list('credentials')),
  to('credentials.create', 'POST', 'credentials', W, addCredential),
  to('credentials.ssh-key', 'GET', 'credentials/sshkey', R, sshKey),
  to('credentials.view', 'GET', 'credentials/{credentialId}', W, one('credentials')),
  to('credentials.update', 'PUT', 'credentials/{credentialId}', W, relabel),
  to('credentials.revoke', 'POST', 'credentials/{credentialId}/revoke', W, drop('credentials')),
  to('credentials.update-password', 'POST', 'credentials/{credentialId}/update', W, changePassword),
  to('issues.list', 'GET', 'issues', R, listIssues),
  to('issues.view', 'GET', 'issues/{issueId}', R, issue),
  to('node-settings.list', 'GET', 'linode-settings', R, listSettings),
  to('node-settings.view', 'GET', 'linode-settings/{nodeId}', R, viewSettings),
  to('node-settings.update', 'PUT', 'linode-settings/{nodeId}', W, set),
  to('services.list', 'GET', 'services', R, listServices),
  to('services.create', 'POST', 'services', W, addService),
  to('services.view', 'GET', 'services/{serviceId}', R, one('services')),
  to('services.update', 'PUT', 'services/{serviceId}', W, changeService),
  to('services.delete', 'DELETE', 'services/{serviceId}', W, drop('services')),
  to('services.disable', 'POST', 'services/{serviceId}/disable', W, toggle('disable')),
  to('services.enable', 'POST', 'services/{serviceId}/enable', W, toggle('enable')),
  to('stats.view', 'GET', 'stats', R, stats),
]
