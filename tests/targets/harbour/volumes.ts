// Volumes: what the document says under Volumes, and where it is silent; no other resource.
import { flag, type Json, listOf, object, text, whole } from './checks.js'
import {
  at,
  type Context,
  deny,
  granted,
  idOf,
  inTurn,
  mayWrite,
  mine,
  mint,
  missing,
  oddName,
  page,
  quota,
  type Reply,
  type Route,
  readBody,
  refuse,
  silence,
} from './context.js'
import type { Node, Volume } from './state.js'

const PREFIX = '/dev/disk/by-id/scsi-0Node_Volume_'

const label = text(1, 32)
const tags = listOf(text())
const creation = object({
  'label!': label,
  size: whole(),
  region: text(),
  node_id: whole(),
  config_id: whole(),
  tags,
})
const change = object({ label, tags })
const attachment = object({ 'node_id!': whole(), config_id: whole(), persist_across_boots: flag })
const copying = object({ 'label!': label })
const growth = object({ 'size!': whole() })

const dateTime = ({ options }: Context, moment: number): string => {
  const time = moment + options.clockMs
  const utc = new Date(time).toISOString()
  if (options.dates === 'utc') return utc.replace(/\.\d+/, '')
  if (options.dates === 'lower') return utc.toLowerCase()
  return new Date(time + 19_800_000).toISOString().replace('Z', '123+05:30')
}

/** Lets the volume settle where it is its time. */
const settled = ({ state, options, rules }: Context, volume: Volume): Volume => {
  const byTime = options.settling === 'slow' || options.settling === 'soon'
  if (volume.status === 'active' || (byTime ? Date.now() : state.requests) < volume.wakes) return volume
  if (rules.holds('volumes.settles')) volume.status = 'active'
  if (volume.comesTo !== null) Object.assign(volume, { node: volume.comesTo, profiled: true, comesTo: null })
  return volume
}

const busy = ({ state, options, rules }: Context, volume: Volume, status: Volume['status']): void => {
  const { settling } = options
  volume.status = settling === 'instant' && volume.comesTo === null ? 'active' : status
  const waits = {
    instant: 1,
    reads: Math.floor(rules.draw() * 4),
    restless: Math.floor(rules.draw() * 4),
    soon: 40,
    slow: 2000,
  }
  volume.wakes = waits[settling] + (settling === 'slow' || settling === 'soon' ? Date.now() : state.requests)
}

/** Which transitions there are is not shown: a restless target is busy for a while after any write. */
const touched = (context: Context, volume: Volume, changes = true): void => {
  if (changes || context.options.alwaysTouches) volume.updated = Date.now()
  if (context.options.settling === 'restless' && context.rules.draw() < 0.3)
    busy(context, volume, context.rules.draw() < 0.5 ? 'creating' : 'resizing')
}

export const showVolume = (context: Context, volume: Volume): Json => {
  const { options, rules, state } = context
  const { id, size, region, hardware, node } = settled(context, volume)
  const nodeLabel = node === null ? null : (state.nodes.get(node)?.label ?? null)
  return {
    id,
    label: volume.label,
    status: rules.holds('volumes.status') ? volume.status : 'offline',
    size: rules.holds('volumes.size') ? size : String(size),
    region,
    hardware_type: rules.holds('volumes.hardware') ? hardware : 'ssd',
    filesystem_path: `${rules.holds('volumes.path.prefix') ? PREFIX : '/dev/disk/'}${volume.pathLabel}`,
    node_id: node,
    node_label: node !== null && !rules.holds('volumes.node-label') ? null : nodeLabel,
    tags: options.order === 'made' ? volume.tags : volume.tags.toReversed(),
    created: rules.holds('volumes.created') ? dateTime(context, volume.created) : 'yesterday',
    updated: dateTime(context, volume.updated),
    ...(options.records === 'extra' && { encryption: 'none', io_ready: null, vessel: { id: 7 } }),
  }
}

const told = (context: Context, volume: Volume): Reply => ({ kind: 'exact', body: showVolume(context, volume) })

/** Whether the user may at all see it: restricted users see what is granted. */
const visible = (context: Context): Volume[] =>
  mine(context, context.state.volumes, 'volumes').filter(({ id }) => granted(context, 'volumes', id) !== undefined)

const find = (context: Context, needs: 'read_only' | 'read_write' = 'read_only', isSpared = false): Volume => {
  const id = idOf(context, 'volumeId')
  const all = isSpared ? mine(context, context.state.volumes, 'volumes') : visible(context)
  const volume = all.find((one) => one.id === id)
  if (!volume) throw missing(context, 'volumeId')
  if (needs === 'read_write' && !isSpared && !mayWrite(context, 'volumes', id)) deny(context, 'needs read_write', 403)
  return settled(context, volume)
}

const needAdding = (context: Context): void => {
  const { restricted, grants } = context.user
  if (restricted && !grants.global.includes('add_volumes') && context.rules.holds(`${context.route.id}.grant`))
    deny(context, 'needs add_volumes', 403)
}

/** On what the document is silent where a volume is named or tagged. */
const oddities = (context: Context, given: Json, but?: Volume): void => {
  const own = mine(context, context.state.volumes, 'volumes')
  silence(
    context,
    given.label !== undefined && own.some((one) => one !== but && one.label === given.label),
    'label',
    'a label twice',
  )
  oddName(context, given.label, 'label', /^[a-z][a-z0-9-]*$/)
  const list = (given.tags ?? []) as readonly string[]
  silence(context, new Set(list).size < list.length, 'tags', 'a tag given twice')
  silence(context, !list.every((tag) => /^[a-z][a-z0-9-]{2,49}$/.test(tag)), 'tags', 'odd tags')
}

/** Refuses where no configuration profile of the node can be selected. */
const chooseConfig = (context: Context, node: Node, config: unknown): void => {
  const { rules, route } = context
  const isForeign = config !== undefined && !node.configs.includes(config as number)
  if (isForeign && rules.holds(`${route.id}.config`)) refuse(at(context, 'config_id'), 'not a profile of that node')
  if (node.configs.length === 0 && rules.holds(`${route.id}.selectable`)) deny(context, 'no profile')
}

const attachedTo = (context: Context, node: number): readonly Volume[] => {
  const all = mine(context, context.state.volumes, 'volumes')
  const everywhere = all.filter((one) => one.node !== null || one.comesTo !== null)
  return everywhere.filter((one) => one.node === node || one.comesTo === node)
}

const room = (context: Context, node: Node, profiled: boolean): void => {
  const { rules, state, user } = context
  let attached = attachedTo(context, node.id)
  if (!rules.holds('volumes.limit.over-nodes'))
    attached = [...state.volumes.values()].filter((one) => one.account === user.account && one.node !== null)
  if (!rules.holds('volumes.limit.detached-counted')) attached = [...attached, ...freed(context, node.id)]
  const standard = rules.bound('volumes.limit', 8)
  const { countsTogether } = context.options
  const inProfile = countsTogether === 'always' ? attached : attached.filter((one) => one.profiled)
  if (profiled && inProfile.length >= standard) deny(context, 'no more volumes there')
  const isLarge = node.memoryGiB >= rules.bound('volumes.limit.memory', 16) && rules.holds('volumes.limit.large')
  const most = rules.holds('volumes.limit.by-memory')
    ? Math.min(node.memoryGiB, rules.bound('volumes.limit.most', 64))
    : 16
  const counted = countsTogether === 'never' ? attached.filter((one) => !one.profiled) : attached
  if (!profiled && counted.length >= (isLarge ? most : 8)) deny(context, 'no more volumes there')
}

/** Volumes that once were at a node and are elsewhere now, as many as were detached. */
const freed = ({ state }: Context, node: number): readonly Volume[] =>
  [...state.volumes.values()].filter((one) => one.node === null && one.profiled && one.wakes === -node)

const knownNode = (context: Context, id: unknown, isSpared = false): Node => {
  const node = context.state.nodes.get(id as number)
  const isMine = node?.account === context.user.account || !context.rules.holds(`${context.route.id}.node-isolation`)
  if (!node || !isMine) return refuse(at(context, 'node_id'), 'is unknown')
  if (!isSpared && !mayWrite(context, 'nodes', node.id)) deny(context, 'not yours', 403)
  return node
}

const make = (
  context: Context,
  given: Pick<Volume, 'label' | 'region' | 'size'>,
  more: Partial<Volume> = {},
): Volume => {
  const { state, user, rules, token } = context
  const volume: Volume = {
    ...given,
    id: mint(context, 'volumes'),
    account: user.account,
    maker: token.name,
    pathLabel: given.label,
    status: 'creating',
    hardware: rules.draw() < 0.5 ? 'hdd' : 'nvme',
    node: null,
    comesTo: null,
    profiled: false,
    tags: [],
    created: Date.now(),
    updated: Date.now(),
    migrating: false,
    wakes: 0,
    copies: 0,
    ...more,
  }
  busy(context, volume, 'creating')
  if (rules.holds(`${context.route.id}.kept`)) state.volumes.set(volume.id, volume)
  return volume
}

const create = (context: Context): Reply => {
  const { rules, options, fixtures, state } = context
  needAdding(context)
  const held = mine(context, state.volumes, 'volumes').length
  inTurn(context, 'state', () => quota(context, held))
  const body = readBody(context, creation)
  const { label, size = rules.holds('volumes.create.default-size') ? 20 : 10, region, node_id, config_id } = body
  if (region === undefined && node_id === undefined && rules.holds('volumes.create.region-or-node'))
    refuse(at(context, 'region'), 'required without node_id')
  if (region !== undefined && !fixtures.regions.some((one) => one.id === region))
    refuse(at(context, 'region'), 'is unknown')
  const node = node_id === undefined ? undefined : knownNode(context, node_id)
  silence(
    context,
    node !== undefined && region !== undefined && region !== node.region,
    at(context, 'region'),
    'region and node disagree',
  )
  const wrongConfig = node && config_id !== undefined && !node.configs.includes(config_id as number)
  if (wrongConfig && !rules.holds('volumes.create.refused-but-made'))
    make(context, { label: String(label), region: node.region, size: 20 })
  if (node) chooseConfig(context, node, config_id)
  silence(context, !node && config_id !== undefined, at(context, 'config_id'), 'a profile without a node')
  silence(context, Number(size) < 10 || Number(size) > 10_240, at(context, 'size'), 'odd sizes')
  oddities(context, body)
  inTurn(context, 'body', () => quota(context, held))
  if (node && (config_id === undefined || rules.holds('volumes.create.limit-named-config'))) room(context, node, true)
  const given = (body.tags ?? []) as readonly string[]
  const placed = node && rules.holds('volumes.create.attached')
  const volume = make(
    context,
    {
      label: String(label),
      region: node && rules.holds('volumes.create.region') ? node.region : String(region ?? fixtures.regions[0]?.id),
      size: node && !rules.holds('volumes.create.size-beside-node') ? 20 : Number(size),
    },
    {
      tags: rules.holds('volumes.create.tags')
        ? given.slice(0, rules.holds('volumes.create.all-tags') ? undefined : 1)
        : [],
      ...(placed && { ...(options.attachesLater ? { comesTo: node.id } : { node: node.id }), profiled: true }),
    },
  )
  return told(context, volume)
}

const list = (context: Context): Reply => {
  const { rules, options } = context
  const own = visible(context)
  const listed = own.length > 1 && !rules.holds('volumes.list.all') ? own.slice(0, -1) : own
  const size = options.volumePages === 'odd' ? ([1, 60, 7] as const) : ([1, 500, 100] as const)
  return page(
    context,
    listed,
    (one) => showVolume(context, one),
    ({ id }) => String(id),
    { size, firm: false },
  )
}

const view = (context: Context): Reply => {
  silence(
    context,
    [...context.query.keys()].some((name) => !/^page(_size)?$/.test(name)),
    '',
    'unknown query parameters',
  )
  return told(context, find(context))
}

const newTags = ({ rules }: Context, before: readonly string[], tags: readonly string[]): readonly string[] => {
  if (!rules.holds('volumes.update.tags-replaced')) return [...new Set([...before, ...tags])]
  if (tags.length === 0 && !rules.holds('volumes.update.no-tags')) return before
  return rules.holds('volumes.update.all-tags') ? tags : tags.slice(0, 1)
}

const update = (context: Context): Reply => {
  const { rules, state } = context
  const volume = find(context, 'read_write')
  const body = readBody(context, change)
  silence(context, Object.keys(body).length === 0, '', 'an update of nothing')
  oddities(context, body, volume)
  const before = { ...volume }
  const stale = showVolume(context, volume)
  if (body.label !== undefined) {
    volume.label = String(body.label)
    if (rules.holds('volumes.update.path')) volume.pathLabel = volume.label
    const neighbour = [...state.volumes.values()].find((one) => one !== volume && one.maker !== '')
    if (neighbour && !rules.holds('volumes.update.only')) neighbour.label = volume.label
  }
  if (body.tags !== undefined) volume.tags = newTags(context, volume.tags, body.tags as readonly string[])
  else if (context.options.tagsLeftOut === 'dropped') volume.tags = []
  touched(context, volume, volume.label !== before.label || volume.tags.join() !== before.tags.join())
  return rules.holds('volumes.update.fresh') ? told(context, volume) : { kind: 'exact', body: stale }
}

const remove = (context: Context): Reply => {
  const { rules, state } = context
  const volume = find(context, 'read_write')
  if (volume.migrating && rules.holds('volumes.delete.migrating')) deny(context, 'it is migrating')
  silence(context, volume.node !== null, '', 'deleting an attached volume')
  const shown = showVolume(context, volume)
  if (rules.holds('volumes.delete.kept')) state.volumes.delete(volume.id)
  return { kind: 'exact', body: rules.holds('volumes.delete.empty') ? {} : shown }
}

const keptTags = (context: Context, volume: Volume): readonly string[] =>
  context.rules.holds(`${context.route.id}.keeps-tags`) ? volume.tags : []

const attach = (context: Context): Reply => {
  const { rules, state, account } = context
  const onVolume = granted(context, 'volumes', idOf(context, 'volumeId'))
  const volume = find(context, 'read_write', onVolume === 'read_only' && !rules.holds('volumes.attach.volume-grant'))
  silence(context, volume.node !== null, '', 'attaching what is attached')
  const body = readBody(context, attachment)
  const known = state.nodes.get(Number(body.node_id))
  const onNode = known && known.account === account.name ? granted(context, 'nodes', known.id) : undefined
  const past = body.persist_across_boots === false
  const isSpared =
    (onNode === 'read_only' && !rules.holds('volumes.attach.node-grant')) ||
    (onNode === undefined && !rules.holds('volumes.attach.node-no-grant')) ||
    (past && !rules.holds('volumes.attach.node-grant-past-profile'))
  const node = knownNode(context, body.node_id, isSpared)
  const isElsewhere = node.region !== volume.region
  if (isElsewhere && !rules.holds('volumes.attach.nothing-done')) volume.node = node.id
  const ignored = (past && !rules.holds('volumes.attach.region-past-profile')) || !isElsewhere
  if (!ignored && rules.holds('volumes.attach.region')) refuse(at(context, 'node_id'), 'in another region')
  const profiled = (body.persist_across_boots ?? rules.holds('volumes.attach.default')) as boolean
  if (body.config_id !== undefined || profiled) chooseConfig(context, node, body.config_id)
  silence(context, volume.status !== 'active', '', 'attaching what is not active')
  if (volume.node !== node.id) room(context, node, profiled)
  Object.assign(volume, { node: node.id, profiled, tags: keptTags(context, volume) })
  touched(context, volume)
  return told(context, volume)
}

const detach = (context: Context): Reply => {
  const { rules } = context
  const isSpared =
    !mayWrite(context, 'volumes', idOf(context, 'volumeId')) && !rules.holds('volumes.detach.volume-grant')
  const volume = find(context, 'read_write', isSpared)
  silence(context, volume.node === null, '', 'detaching what is not attached')
  const onNode = volume.node === null ? 'read_write' : granted(context, 'nodes', volume.node)
  const known =
    onNode === undefined ? rules.holds('volumes.detach.node-no-grant') : rules.holds('volumes.detach.node-grant')
  if (onNode !== 'read_write' && known) deny(context, 'needs read_write on the node', 403)
  silence(context, volume.status !== 'active', '', 'detaching what is not active')
  const also = volume.node !== null && !rules.holds('volumes.detach.only') ? attachedTo(context, volume.node) : []
  const left = volume.node
  for (const one of [volume, ...also]) if (rules.holds('volumes.detach.kept')) one.node = null
  volume.tags = keptTags(context, volume)
  touched(context, volume)
  // What counts on at a node that it has left, where that sentence is broken.
  if (rules.fault === 'volumes.limit.detached-counted' && left !== null) volume.wakes = -left
  return { kind: 'exact', body: rules.holds('volumes.detach.empty') ? {} : showVolume(context, volume) }
}

const clone = (context: Context): Reply => {
  const { rules, options, state } = context
  needAdding(context)
  const source = find(context)
  const active = (): void => {
    if (source.status !== 'active' && rules.holds('volumes.clone.active')) deny(context, 'not active')
  }
  inTurn(context, 'state', active)
  const body = readBody(context, copying)
  inTurn(context, 'body', active)
  oddities(context, body)
  quota(context, mine(context, state.volumes, 'volumes').length)
  const isSame = rules.holds('volumes.clone.size') && (source.copies === 0 || rules.holds('volumes.clone.of-clone'))
  const copy = make(
    context,
    { label: String(body.label), region: source.region, size: isSame ? source.size : 20 },
    { tags: options.cloneTags ? source.tags : [], copies: source.copies + 1 },
  )
  if (!rules.holds('volumes.clone.renames')) source.label = copy.label
  return told(context, copy)
}

const resize = (context: Context): Reply => {
  const { rules } = context
  const volume = find(context, 'read_write')
  const active = (): void => {
    if (volume.status !== 'active' && rules.holds('volumes.resize.active')) deny(context, 'not active')
  }
  inTurn(context, 'state', active)
  const size = Number(readBody(context, growth).size)
  const allowed =
    size > volume.size ||
    (size === volume.size && !rules.holds('volumes.resize.larger')) ||
    (size < volume.size && !rules.holds('volumes.resize.only-up'))
  if (!allowed) refuse(at(context, rules.holds('volumes.resize.field') ? 'size' : 'label'), 'volumes only grow')
  inTurn(context, 'body', active)
  silence(context, size > 10_240, at(context, 'size'), 'odd sizes')
  const body = { ...showVolume(context, volume), size }
  volume.tags = keptTags(context, volume)
  if (rules.holds('volumes.resize.kept')) volume.size = size
  busy(context, volume, 'resizing')
  volume.updated = Date.now()
  return {
    kind: 'exact',
    body: {
      ...body,
      tags: showVolume(context, volume).tags,
      status: volume.status,
      updated: dateTime(context, volume.updated),
    },
  }
}

const R = ['volumes:read_only']
const W = ['volumes:read_write']
const both = ['volumes:read_write', 'nodes:read_write']
const path = '/volumes/{volumeId}'

export const volumeRoutes: readonly Route[] = [
  { id: 'volumes.list', method: 'GET', path: '/volumes', scopes: R, handle: list },
  { id: 'volumes.create', method: 'POST', path: '/volumes', scopes: W, handle: create },
  { id: 'volumes.view', method: 'GET', path, scopes: R, handle: view },
  { id: 'volumes.update', method: 'PUT', path, scopes: W, handle: update },
  { id: 'volumes.delete', method: 'DELETE', path, scopes: W, handle: remove },
  { id: 'volumes.attach', method: 'POST', path: `${path}/attach`, scopes: both, handle: attach },
  { id: 'volumes.detach', method: 'POST', path: `${path}/detach`, scopes: both, handle: detach },
  { id: 'volumes.clone', method: 'POST', path: `${path}/clone`, scopes: W, handle: clone },
  { id: 'volumes.resize', method: 'POST', path: `${path}/resize`, scopes: W, handle: resize },
]
