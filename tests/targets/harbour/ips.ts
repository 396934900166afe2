// Addresses, IPv6 ranges and pools, and VLANs; no firewall.
import { isIP } from 'node:net'
import { canonical, flag, type Json, listOf, object, oneOf, orNull, text, whole } from './checks.js'
import {
  at,
  type Context,
  deny,
  dress,
  mine,
  missing,
  page,
  quota,
  type Reply,
  type Route,
  readBody,
  refuse,
  restrictedMay,
  shown,
  silence,
} from './context.js'
import { hash } from './options.js'
import { type Address, defaultRdns, defaultSsh, type Node, type Range } from './state.js'

const allocation = object({ 'node_id!': whole(), 'public!': flag, 'type!': oneOf('ipv4') })
const assignment = object({
  'assignments!': listOf(object({ 'address!': text(), 'node_id!': whole() })),
  'region!': text(),
})
const sharing = object({ 'ips!': listOf(text()), 'node_id!': whole() })
const naming = object({ 'rdns!': orNull(text()) })
const rangeCreation = object({
  'prefix_length!': oneOf(56, 64),
  node_id: whole(),
  route_target: text(0, 100, (value) => isIP(value) === 6),
})

const nodeOf = ({ state, user, rules }: Context, id: unknown): Node | undefined => {
  const node = state.nodes.get(Number(id))
  return node && (node.account === user.account || !rules.holds('nodes.isolation')) ? node : undefined
}

const ownNode = (context: Context, id: unknown, field = 'node_id'): Node =>
  nodeOf(context, id) ?? refuse(field, 'is unknown')

const ownAddresses = (context: Context): Address[] => mine(context, context.state.addresses, 'ips')

const ownRanges = (context: Context): Range[] => mine(context, context.state.ranges, 'ipv6-ranges')

const show = (one: Address, { options }: Context, hideV6 = false): Json =>
  dress(
    {
      address: shown(one.id, options),
      rdns: one.version === 6 && hideV6 ? null : options.normalises && one.rdns ? `${one.rdns}.` : one.rdns,
      node_id: one.node,
      public: one.public,
      type: `ipv${one.version}`,
      region: one.region,
    },
    options,
    ['address', 'rdns'],
  )

const list = (context: Context): Reply => {
  const { rules, query } = context
  const wanted = (context.body as Json | undefined)?.skip_ipv6_rdns === true || query.get('skip_ipv6_rdns') === 'true'
  const given = query.has('skip_ipv6_rdns') || (context.body as Json | undefined)?.skip_ipv6_rdns !== undefined
  const hidden = (wanted && rules.holds('ips.list.skip')) || (given && !rules.holds('ips.list.skip.false'))
  const plain = new URLSearchParams(query)
  plain.delete('skip_ipv6_rdns')
  const seen = ownAddresses(context).filter((one) => one.public || !rules.holds('ips.list.private'))
  return page(
    { ...context, query: plain },
    seen,
    (one) => show(one, context, hidden),
    ({ id }) => id,
  )
}

/** An address that nobody has; the lowest there is where addresses that were given up are allocated again. */
const fresh = ({ state, options }: Context, publicly: boolean): string => {
  for (let lowest = 1; ; lowest += 1) {
    state.counter += 1
    const number = options.reusesAddresses ? lowest : state.counter
    const [third, last] = [Math.floor(number / 250) % 250, (number % 250) + 2]
    const address = publicly ? `198.18.${third}.${last}` : `192.168.${100 + third}.${last}`
    if (!state.addresses.has(address)) return address
  }
}

const privates = ({ state }: Context, node: Node): number =>
  [...state.addresses.values()].filter((one) => one.node === node.id && !one.public).length

const allocate = (context: Context): Reply => {
  const { state, token, rules } = context
  restrictedMay(context)
  const body = readBody(context, allocation)
  // A fault may let either be left out, which then is taken for what is likeliest.
  const node = ownNode(context, body.node_id ?? [...state.nodes.values()].find(({ extra }) => extra)?.id)
  const isSpared = body.public === false && !rules.holds('ips.allocate.extra.private')
  if (!node.extra && !isSpared && rules.holds('ips.allocate.extra')) refuse('node_id', 'takes no extra addresses')
  const publicly = rules.holds('ips.allocate.public') ? body.public !== false : true
  if (!publicly && privates(context, node) > 0 && rules.holds('ips.allocate.one-private'))
    deny(context, 'has a private address')
  quota(context, ownAddresses(context).filter(({ maker }) => maker !== '').length)
  const address = fresh(context, publicly)
  const made: Address = {
    id: address,
    maker: token.name,
    node: node.id,
    region: node.region,
    account: node.account,
    public: publicly,
    version: 4,
    natted: false,
    rdns: publicly ? defaultRdns(address) : null,
  }
  if (rules.holds('ips.allocate.kept')) state.addresses.set(address, made)
  return { kind: 'creation', body: show(made, context) }
}

const find = (context: Context): Address => {
  const address = canonical(decodeURIComponent(context.params.address ?? ''))
  const found = ownAddresses(context).find((one) => one.id === address)
  if (!found) throw missing(context, 'address')
  return found
}

const name = (context: Context): Reply => {
  const { rules } = context
  restrictedMay(context)
  const one = find(context)
  const { rdns } = readBody(context, naming)
  if (typeof rdns === 'string') {
    const exact = context.fixtures.dns.some((each) => each.name === rdns && canonical(each.address) === one.id)
    const isSpared = one.version === 6 && !rules.holds('ips.rdns.forward.ipv6')
    if (!exact && !isSpared && rules.holds('ips.rdns.forward')) refuse('rdns', 'has no forward entry')
    if (rules.holds('ips.rdns')) one.rdns = rdns
  } else if (one.public && one.version === 4) {
    if (rules.holds('ips.rdns.reset')) one.rdns = rules.holds('ips.rdns.default') ? defaultRdns(one.id) : null
  } else if (rules.silent('no rdns')) one.rdns = null
  else refuse('rdns', 'must be a name')
  return { kind: 'change', body: show(one, context) }
}

interface Move {
  readonly thing: Address | Range
  readonly to: Node
  readonly at: string
}

const sharers = ({ state }: Context, written: string): Node[] =>
  [...state.nodes.values()].filter(({ shares }) => shares.includes(written))

const written = (thing: Address | Range): string => thing.id

const thingOf = (context: Context, address: string, at: string): Address | Range => {
  const [bare = '', prefix] = address.split('/')
  if (isIP(bare) === 4 && prefix === undefined) {
    const found = ownAddresses(context).find((one) => one.id === bare)
    return found ?? refuse(at, 'is not accessible')
  }
  if (isIP(bare) === 6 && (['56', '64'].includes(prefix ?? '') || !context.rules.holds('ips.assign.prefix'))) {
    const range = ownRanges(context).find(
      (one) => one.id === canonical(bare) && (prefix === undefined || one.prefix === Number(prefix)),
    )
    return range ?? refuse(at, 'is not accessible')
  }
  return refuse(at, 'is no IPv4 address and no IPv6 range with its prefix length')
}

const assign = (context: Context): Reply => {
  const { rules, options } = context
  restrictedMay(context)
  const body = readBody(context, assignment, 'ips.assign')
  const given = body.assignments as readonly Json[]
  const region = body.region as string | undefined
  const moveOf = (each: Json, index: number): Move => ({
    thing: thingOf(context, String(each.address), at(context, 'assignments', index, 'address')),
    to: ownNode(context, each.node_id, at(context, 'assignments', index, 'node_id')),
    at: at(context, 'assignments', index, 'address'),
  })
  // One after the other, so that those before a refused one have taken place.
  if (!options.atomicMoves)
    for (const [index, each] of given.entries()) {
      const move = moveOf(each, index)
      checkMoves(context, [move], region)
      settle(context, move.thing, move.to)
    }
  else {
    const moves = given.map(moveOf)
    const apply = (): void => {
      for (const { thing, to } of rules.holds('ips.assign.all') ? moves : moves.slice(0, 1)) settle(context, thing, to)
    }
    if (!rules.holds('ips.assign.nothing-done')) apply()
    checkMoves(context, moves, region)
    apply()
  }
  return { kind: 'change', body: {} }
}

const checkMoves = (context: Context, moves: readonly Move[], region: string | undefined): void => {
  const { state, rules } = context
  silence(context, new Set(moves.map(({ thing }) => thing)).size < moves.length, 'assignments', 'duplicates')
  for (const { thing, to, at } of moves) {
    const isElsewhere =
      region !== undefined && rules.holds('ips.assign.region.named')
        ? thing.region !== region || to.region !== region
        : thing.region !== to.region
    if (isElsewhere && rules.holds('ips.assign.region')) refuse('region', 'must hold every node and address')
    if (thing.node === to.id && rules.silent('to itself')) continue
    if (sharers(context, written(thing)).length > 0 && rules.holds('ips.assign.shared')) refuse(at, 'is shared')
    if ('natted' in thing && thing.natted && thing.node !== to.id && rules.holds('ips.assign.natted'))
      refuse(at, 'has a 1:1 NAT')
  }
  const after = new Map<Address | Range, number | null>(
    [...state.addresses.values(), ...state.ranges.values()].map((one) => [one, one.node]),
  )
  const involved = new Set<number>()
  for (const { thing, to } of moves) {
    const isLater = thing !== moves[0]?.thing && !rules.holds('ips.assign.public-source.later')
    if (thing.node !== null && !isLater && rules.holds('ips.assign.public-source')) involved.add(thing.node)
    involved.add(to.id)
    after.set(thing, to.id)
  }
  for (const id of involved) {
    const held = [...after].filter(([, node]) => node === id).map(([thing]) => thing)
    const publics = held.filter((one) => 'version' in one && one.version === 4 && one.public).length
    if (publics < rules.bound('ips.assign.public', 1)) deny(context, 'every node needs a public address')
    if (held.filter((one) => 'public' in one && !one.public).length > 1 && rules.holds('ips.assign.one-private'))
      deny(context, 'one private address')
    if (held.filter((one) => 'prefix' in one).length > 1) deny(context, 'one range')
  }
}

const settle = ({ state, rules }: Context, thing: Address | Range, to: Node): void => {
  const from = thing.node === null ? undefined : state.nodes.get(thing.node)
  if (from && from !== to && 'version' in thing && canonical(from.ssh.ip) === thing.id && rules.holds('ips.assign.ssh'))
    from.ssh = { ...defaultSsh(), ...(!rules.holds('ips.assign.ssh.port') && { port: from.ssh.port }) }
  if (!rules.holds('prefix' in thing ? 'ips.assign.ranges' : 'ips.assign.moves')) return
  thing.node = to.id
  if ('prefix' in thing && rules.holds('ips.assign.target')) thing.target = to.slaac
}

const share = (context: Context): Reply => {
  const { rules, options } = context
  restrictedMay(context)
  const body = readBody(context, sharing, 'ips.share')
  const node = ownNode(context, body.node_id)
  const things = (body.ips as readonly string[]).map((given, index): Address | Range => {
    const place = at(context, 'ips', index)
    const bare = rules.holds('ips.share.prefix') ? given : (given.split('/')[0] ?? given)
    const one = [...ownAddresses(context).filter(({ version }) => version === 4), ...ownRanges(context)].find(
      (each) => written(each) === canonical(bare),
    )
    if (!one) return refuse(place, 'is not accessible')
    if (one.region !== node.region && rules.holds('ips.share.region')) refuse(place, 'is in another region')
    if ('natted' in one && one.natted && rules.holds('ips.share.natted')) refuse(place, 'has a 1:1 NAT')
    silence(context, one.node === node.id, place, 'sharing with itself')
    return one
  })
  const names = (rules.holds('ips.share.first') ? things : things.slice(0, 1)).map(written)
  silence(context, new Set(names).size < names.length, 'ips', 'duplicates')
  if (names.length === 0)
    node.shares = node.shares.filter(
      (one) => !rules.holds('ips.share.clear') || (one.includes(':') && !rules.holds('ips.share.clear.ranges')),
    )
  else if (rules.holds('ips.share'))
    node.shares = options.shareExtends ? [...new Set([...node.shares, ...names])] : names
  return { kind: 'change', body: {} }
}

const showRange = (one: Range, { options }: Context): Json =>
  dress({ range: shown(one.id, options), prefix: one.prefix, region: one.region, route_target: one.target }, options, [
    'range',
  ])

const createRange = (context: Context): Reply => {
  const { state, user, token, rules, options } = context
  restrictedMay(context)
  const body = readBody(context, rangeCreation)
  const [byNode, byTarget] = [body.node_id !== undefined, body.route_target !== undefined]
  if (byNode && byTarget && rules.holds('ipv6-ranges.both')) deny(context, 'node_id or route_target, not both')
  if (!byNode && !byTarget && rules.holds('ipv6-ranges.neither')) refuse('node_id', 'node_id or route_target')
  const target = byTarget ? canonical(String(body.route_target)) : ''
  const any = !byNode && !byTarget
  const node = [...state.nodes.values()].find(
    (one) => one.account === user.account && (any || (byNode ? one.id === body.node_id : one.slaac === target)),
  )
  if (!node) return refuse(byNode ? 'node_id' : 'route_target', 'is unknown')
  const others = [...state.ranges.values()].filter(({ account }) => account === user.account)
  if (others.some(({ region }) => region === node.region) && rules.holds('ipv6-ranges.one-per-region'))
    deny(context, 'one range in a region')
  if (others.some((one) => one.node === node.id) && rules.holds('ipv6-ranges.one-per-node'))
    deny(context, 'one range to a node')
  state.counter += 1
  const range = canonical(
    `2001:db8:${(hash(`${options.seed} ${state.counter}`) % 60_000).toString(16)}:${(state.counter % 250).toString(16)}00::`,
  )
  const region = rules.holds('ipv6-ranges.region') ? node.region : 'elsewhere'
  const made: Range = {
    id: range,
    maker: token.name,
    prefix: Number(body.prefix_length),
    region,
    account: user.account,
    node: node.id,
    target: node.slaac,
  }
  if (rules.holds('ipv6-ranges.create')) state.ranges.set(range, made)
  return { kind: 'creation', body: showRange(made, context) }
}

const findRange = (context: Context): Range => {
  const range = canonical(decodeURIComponent(context.params.range ?? ''))
  const found = ownRanges(context).find((one) => one.id === range)
  if (!found) throw missing(context, 'range')
  return found
}

const removeRange = (context: Context): Reply => {
  const { state, rules } = context
  restrictedMay(context)
  const range = findRange(context)
  if (sharers(context, range.id).length > 0 && rules.holds('ipv6-ranges.delete.shared')) deny(context, 'is shared')
  if (rules.holds('ipv6-ranges.delete')) state.ranges.delete(range.id)
  return { kind: 'removal' }
}

const pools = (context: Context): Reply =>
  page(
    context,
    context.user.account === 'main' ? [{ range: '2001:db8:aaaa::', prefix: 116 }] : [],
    (one) => one,
    ({ range }) => range,
  )

const listRanges = (context: Context): Reply =>
  page(
    context,
    ownRanges(context),
    (one) => showRange(one, context),
    ({ id }) => id,
  )

const vlans = (context: Context): Reply => {
  const isMine = ({ account = 'main' }): boolean =>
    account === context.user.account || !context.rules.holds('vlans.isolation')
  const own = context.fixtures.vlans.filter(isMine).slice(context.rules.holds('vlans.list.all') ? 0 : 1)
  return page(
    context,
    own.map(({ label, region }) => ({ label, region })),
    (one) => one,
    ({ label }) => label,
  )
}

const assignV4 = (context: Context): Reply =>
  context.rules.holds('ipv4.assign') ? assign(context) : { kind: 'change', body: {} }
const shareV4 = (context: Context): Reply =>
  context.rules.holds('ipv4.share') ? share(context) : { kind: 'change', body: {} }
const viewAddress = (context: Context): Reply => ({ kind: 'view', body: show(find(context), context) })
const viewRange = (context: Context): Reply => ({ kind: 'view', body: showRange(findRange(context), context) })

const R = ['ips:read_only']
const W = ['ips:read_write', 'nodes:read_write']
const single = '/networking/ips/{address}'
const ranges = '/networking/ipv6/ranges'
const range = `${ranges}/{range}`

export const addressRoutes: readonly Route[] = [
  { id: 'ips.list', method: 'GET', path: '/networking/ips', scopes: R, handle: list },
  { id: 'ips.allocate', method: 'POST', path: '/networking/ips', scopes: W, handle: allocate },
  { id: 'ips.assign', method: 'POST', path: '/networking/ips/assign', scopes: W, handle: assign },
  { id: 'ips.share', method: 'POST', path: '/networking/ips/share', scopes: W, handle: share },
  { id: 'ips.view', method: 'GET', path: single, scopes: R, handle: viewAddress },
  { id: 'ips.update', method: 'PUT', path: single, scopes: ['ips:read_write'], handle: name },
  { id: 'ipv4.assign', method: 'POST', path: '/networking/ipv4/assign', scopes: W, handle: assignV4 },
  { id: 'ipv4.share', method: 'POST', path: '/networking/ipv4/share', scopes: W, handle: shareV4 },
  { id: 'ipv6-pools.list', method: 'GET', path: '/networking/ipv6/pools', scopes: R, handle: pools },
  { id: 'ipv6-ranges.list', method: 'GET', path: ranges, scopes: R, handle: listRanges },
  { id: 'ipv6-ranges.create', method: 'POST', path: ranges, scopes: W, handle: createRange },
  { id: 'ipv6-ranges.view', method: 'GET', path: range, scopes: ['ips:read'], handle: viewRange },
  { id: 'ipv6-ranges.delete', method: 'DELETE', path: range, scopes: ['ips:read_write'], handle: removeRange },
  { id: 'vlans.list', method: 'GET', path: '/networking/vlans', scopes: ['nodes:read_only'], handle: vlans },
]
