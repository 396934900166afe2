// Quarry's addresses, IPv6 ranges and pools, and VLANs; no firewall.
import { isIP } from 'node:net'
import { canonical, flag, type Json, listOf, object, oneOf, orNull, readBody, text, whole } from './checks.js'
import { hash } from './options.js'
import { type Context, dress, missing, page, type Reply, type Route, refuse, restrictedMay } from './server.js'
import { type Address, defaultRdns, defaultSsh, type Node, type Range, shown } from './state.js'

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
  return node && (node.account === user.account || !rules.holds('ips.isolation')) ? node : undefined
}

const ownNode = (context: Context, id: unknown, field = 'node_id'): Node =>
  nodeOf(context, id) ?? refuse(field, 'is unknown')

const ownAddresses = ({ state, user, rules }: Context): Address[] =>
  [...state.addresses.values()].filter(({ account }) => account === user.account || !rules.holds('ips.isolation'))

const ownRanges = ({ state, user }: Context): Range[] =>
  [...state.ranges.values()].filter(({ account }) => account === user.account)

const show = (one: Address, { options }: Context, hideV6 = false): Json =>
  dress(
    {
      address: shown(one.address, options),
      rdns: one.version === 6 && hideV6 ? null : options.normalises && one.rdns ? `${one.rdns}.` : one.rdns,
      ...(options.records === 'bare'
        ? {}
        : { node_id: one.node, public: one.public, type: `ipv${one.version}`, region: one.region }),
    },
    options,
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
    seen.map((one) => show(one, context, hidden)),
    ({ address }: Address) => address,
  )
}

const fresh = ({ state }: Context, publicly: boolean): string => {
  for (;;) {
    state.counter += 1
    const [third, last] = [Math.floor(state.counter / 250) % 250, (state.counter % 250) + 2]
    const address = publicly ? `198.18.${third}.${last}` : `192.168.${100 + third}.${last}`
    if (!state.addresses.has(address)) return address
  }
}

const privates = ({ state }: Context, node: Node): number =>
  [...state.addresses.values()].filter((one) => one.node === node.id && !one.public).length

const allocate = (context: Context): Reply => {
  const { state, options, rules } = context
  restrictedMay(context)
  const body = readBody(context.body, allocation, 'ips', rules)
  const node = ownNode(context, body.node_id)
  const isSpared = body.public === false && !rules.holds('ips.allocate.extra.private')
  if (!node.extra && !isSpared && rules.holds('ips.allocate.extra')) refuse('node_id', 'takes no extra addresses')
  const publicly = rules.holds('ips.allocate.public') ? body.public === true : true
  if (!publicly && privates(context, node) > 0 && rules.holds('ips.allocate.one-private'))
    refuse(options.noField, 'has a private address')
  if (options.quota > 0 && ownAddresses(context).length > options.quota) refuse(options.noField, 'too many addresses')
  const address = fresh(context, publicly)
  const made: Address = {
    address,
    node: node.id,
    region: node.region,
    account: node.account,
    public: publicly,
    version: 4,
    natted: false,
    rdns: publicly ? defaultRdns(address) : null,
  }
  if (rules.holds('ips.allocate')) state.addresses.set(address, made)
  return { kind: 'creation', body: show(made, context) }
}

const find = (context: Context): Address => {
  const address = canonical(decodeURIComponent(context.params.address ?? ''))
  const found = ownAddresses(context).find((one) => one.address === address)
  if (!found) throw missing(context, 'address')
  return found
}

const name = (context: Context): Reply => {
  const { state, rules, options } = context
  restrictedMay(context)
  const one = find(context)
  const { rdns } = readBody(context.body, naming, 'ips', rules)
  if (typeof rdns === 'string') {
    const exact = state.fixtures.dns.some((each) => each.name === rdns && canonical(each.address) === one.address)
    const isSpared = one.version === 6 && !rules.holds('ips.rdns.forward.ipv6')
    if (!exact && !isSpared && rules.holds('ips.rdns.forward')) refuse('rdns', 'has no forward entry')
    if (rules.holds('ips.rdns')) one.rdns = rdns
  } else if (one.public && one.version === 4) {
    if (rules.holds('ips.rdns.reset')) one.rdns = rules.holds('ips.rdns.default') ? defaultRdns(one.address) : null
  } else if (rules.silent('no rdns')) one.rdns = null
  else refuse('rdns', 'must be a name')
  return { kind: 'change', body: options.records === 'bare' ? {} : show(one, context) }
}

interface Move {
  readonly thing: Address | Range
  readonly to: Node
  readonly at: string
}

const sharers = ({ state }: Context, written: string): Node[] =>
  [...state.nodes.values()].filter(({ shares }) => shares.includes(written))

const written = (thing: Address | Range): string => ('range' in thing ? thing.range : thing.address)

const thingOf = (context: Context, address: string, at: string): Address | Range => {
  const [bare = '', prefix] = address.split('/')
  if (isIP(bare) === 4 && prefix === undefined) {
    const found = ownAddresses(context).find((one) => one.address === bare)
    return found ?? refuse(at, 'is not accessible')
  }
  if (isIP(bare) === 6 && (['56', '64'].includes(prefix ?? '') || !context.rules.holds('ips.assign.prefix'))) {
    const range = ownRanges(context).find(
      (one) => one.range === canonical(bare) && (prefix === undefined || one.prefix === Number(prefix)),
    )
    return range ?? refuse(at, 'is not accessible')
  }
  return refuse(at, 'is no IPv4 address and no IPv6 range with its prefix length')
}

const assign = (context: Context): Reply => {
  const { rules, options } = context
  restrictedMay(context)
  const body = readBody(context.body, assignment, 'ips.assign', rules)
  const moves = (body.assignments as readonly Json[]).map((each, index): Move => {
    const at = (member: string): string => (options.fields === 'leaf' ? member : `assignments[${index}].${member}`)
    return {
      thing: thingOf(context, String(each.address), at('address')),
      to: ownNode(context, each.node_id, at('node_id')),
      at: at('address'),
    }
  })
  const apply = (): void => {
    for (const { thing, to } of rules.holds('ips.assign.all') ? moves : moves.slice(0, 1)) settle(context, thing, to)
  }
  if (!rules.holds('ips.assign.atomic')) apply()
  checkMoves(context, moves, String(body.region))
  apply()
  return { kind: 'change', body: {} }
}

const checkMoves = (context: Context, moves: readonly Move[], region: string): void => {
  const { state, rules, options } = context
  if (new Set(moves.map(({ thing }) => thing)).size < moves.length && !rules.silent('duplicates'))
    refuse('assignments', 'twice')
  for (const { thing, to, at } of moves) {
    const isElsewhere = rules.holds('ips.assign.region.named')
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
    if (publics < rules.bound('ips.assign.public', 1)) refuse(options.noField, 'every node needs a public address')
    if (held.filter((one) => 'public' in one && !one.public).length > 1 && rules.holds('ips.assign.one-private'))
      refuse(options.noField, 'one private address')
    if (held.filter((one) => 'range' in one).length > 1 && rules.holds('ips.assign.one-range'))
      refuse(options.noField, 'one range')
  }
}

const settle = ({ state, rules }: Context, thing: Address | Range, to: Node): void => {
  const from = thing.node === null ? undefined : state.nodes.get(thing.node)
  if (
    from &&
    from !== to &&
    'address' in thing &&
    canonical(from.ssh.ip) === thing.address &&
    rules.holds('ips.assign.ssh')
  )
    from.ssh = { ...defaultSsh(), ...(!rules.holds('ips.assign.ssh.port') && { port: from.ssh.port }) }
  if (!rules.holds('range' in thing ? 'ips.assign.ranges' : 'ips.assign.moves')) return
  thing.node = to.id
  if ('range' in thing && rules.holds('ips.assign.target')) thing.target = to.slaac
}

const share = (context: Context): Reply => {
  const { rules, options } = context
  restrictedMay(context)
  const body = readBody(context.body, sharing, 'ips.share', rules)
  const node = ownNode(context, body.node_id)
  const things = (body.ips as readonly string[]).map((given, index): Address | Range => {
    const at = options.fields === 'leaf' ? 'ips' : `ips[${index}]`
    const bare = rules.holds('ips.share.prefix') ? given : (given.split('/')[0] ?? given)
    const one = [...ownAddresses(context).filter(({ version }) => version === 4), ...ownRanges(context)].find(
      (each) => written(each) === canonical(bare),
    )
    if (!one) return refuse(at, 'is not accessible')
    if (one.region !== node.region && rules.holds('ips.share.region')) refuse(at, 'is in another region')
    if ('natted' in one && one.natted && rules.holds('ips.share.natted')) refuse(at, 'has a 1:1 NAT')
    if (one.node === node.id && !rules.silent('sharing with itself')) refuse(at, 'is its own')
    return one
  })
  const names = (rules.holds('ips.share.first') ? things : things.slice(0, 1)).map(written)
  if (new Set(names).size < names.length && !rules.silent('duplicates')) refuse('ips', 'twice')
  if (names.length === 0)
    node.shares = node.shares.filter(
      (one) => !rules.holds('ips.share.clear') || (one.includes(':') && !rules.holds('ips.share.clear.ranges')),
    )
  else if (rules.holds('ips.share'))
    node.shares = options.shareExtends ? [...new Set([...node.shares, ...names])] : names
  return { kind: 'change', body: {} }
}

const showRange = (one: Range, { options }: Context): Json =>
  dress(
    options.records === 'bare'
      ? { range: shown(one.range, options) }
      : { range: shown(one.range, options), prefix: one.prefix, region: one.region, route_target: one.target },
    options,
  )

const createRange = (context: Context): Reply => {
  const { state, user, rules, options } = context
  restrictedMay(context)
  const body = readBody(context.body, rangeCreation, 'ranges', rules)
  const [byNode, byTarget] = [body.node_id !== undefined, body.route_target !== undefined]
  if (byNode && byTarget && rules.holds('ranges.both')) refuse(options.noField, 'node_id or route_target, not both')
  if (!byNode && !byTarget && rules.holds('ranges.neither')) refuse('node_id', 'node_id or route_target')
  const target = byTarget ? canonical(String(body.route_target)) : ''
  const any = !byNode && !byTarget
  const node = [...state.nodes.values()].find(
    (one) => one.account === user.account && (any || (byNode ? one.id === body.node_id : one.slaac === target)),
  )
  if (!node) return refuse(byNode ? 'node_id' : 'route_target', 'is unknown')
  const others = [...state.ranges.values()].filter(({ account }) => account === user.account)
  if (others.some(({ region }) => region === node.region) && rules.holds('ranges.one-per-region'))
    refuse(options.noField, 'one range in a region')
  if (others.some((one) => one.node === node.id) && rules.holds('ranges.one-per-node'))
    refuse(options.noField, 'one range to a node')
  state.counter += 1
  const range = canonical(
    `2001:db8:${(hash(`${options.seed} ${state.counter}`) % 60_000).toString(16)}:${(state.counter % 250).toString(16)}00::`,
  )
  const region = rules.holds('ranges.region') ? node.region : 'elsewhere'
  const made: Range = {
    range,
    prefix: Number(body.prefix_length),
    region,
    account: user.account,
    node: node.id,
    target: node.slaac,
  }
  if (rules.holds('ranges.create')) state.ranges.set(range, made)
  return { kind: 'creation', body: showRange(made, context) }
}

const findRange = (context: Context): Range => {
  const range = canonical(decodeURIComponent(context.params.range ?? ''))
  const found = ownRanges(context).find((one) => one.range === range)
  if (!found) throw missing(context, 'range')
  return found
}

const removeRange = (context: Context): Reply => {
  const { state, rules, options } = context
  restrictedMay(context)
  const range = findRange(context)
  if (sharers(context, range.range).length > 0 && rules.holds('ranges.delete.shared'))
    refuse(options.noField, 'is shared')
  if (rules.holds('ranges.delete')) state.ranges.delete(range.range)
  return { kind: 'removal' }
}

const R = ['ips:read_only']
const W = ['ips:read_write', 'nodes:read_write']

export const addressRoutes: readonly Route[] = [
  { method: 'GET', path: '/networking/ips', scopes: R, handle: list },
  { method: 'POST', path: '/networking/ips', scopes: W, handle: allocate },
  { method: 'POST', path: '/networking/ips/assign', scopes: W, handle: assign },
  { method: 'POST', path: '/networking/ips/share', scopes: W, handle: share },
  {
    method: 'GET',
    path: '/networking/ips/{address}',
    scopes: R,
    handle: (c) => ({ kind: 'view', body: show(find(c), c) }),
  },
  { method: 'PUT', path: '/networking/ips/{address}', scopes: ['ips:read_write'], handle: name },
  {
    method: 'POST',
    path: '/networking/ipv4/assign',
    scopes: W,
    handle: (c) => (c.rules.holds('ipv4.assign') ? assign(c) : { kind: 'change', body: {} }),
  },
  {
    method: 'POST',
    path: '/networking/ipv4/share',
    scopes: W,
    handle: (c) => (c.rules.holds('ipv4.share') ? share(c) : { kind: 'change', body: {} }),
  },
  {
    method: 'GET',
    path: '/networking/ipv6/pools',
    scopes: R,
    handle: (c) => page(c, [{ range: '2001:db8:aaaa::', prefix: 116 }], () => ''),
  },
  {
    method: 'GET',
    path: '/networking/ipv6/ranges',
    scopes: R,
    handle: (c) =>
      page(
        c,
        ownRanges(c).map((one) => showRange(one, c)),
        ({ range }: Range) => range,
      ),
  },
  { method: 'POST', path: '/networking/ipv6/ranges', scopes: W, handle: createRange },
  {
    method: 'GET',
    path: '/networking/ipv6/ranges/{range}',
    scopes: ['ips:read'],
    handle: (c) => ({ kind: 'view', body: showRange(findRange(c), c) }),
  },
  { method: 'DELETE', path: '/networking/ipv6/ranges/{range}', scopes: ['ips:read_write'], handle: removeRange },
  {
    method: 'GET',
    path: '/networking/vlans',
    scopes: ['nodes:read_only'],
    handle: (c) =>
      page(c, c.user.account === 'main' ? [...c.state.fixtures.vlans] : [], ({ label }: { label: string }) => label),
  },
]
