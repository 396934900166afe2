// The operations under /volumes.
import {
  type Answer,
  type Bounds,
  broken,
  type Call,
  checked,
  examine,
  extras,
  type Fields,
  type Handler,
  identifier,
  inTurn,
  mint,
  ordered,
  paged,
  quota,
  Refusal,
  type Route,
  type Rule,
  refuseIf,
  silence,
  type World,
} from './call.js'
import type { FaultName } from './faults.js'
import type { Account, Node, Volume } from './state.js'
import { regions } from './state.js'

const prefix = '/dev/disk/by-id/scsi-0Node_Volume_'

const labelRule = (world: World, required: boolean): Rule => ({
  type: 'string',
  required: required && !broken(world, 'volume-label-optional'),
  min: broken(world, 'volume-label-empty') ? 0 : 1,
  max: broken(world, 'volume-label-33') ? 33 : broken(world, 'volume-label-32-refused') ? 31 : 32,
})

const dateTime = ({ oddities: { dates } }: World, at: number): string => {
  const utc = new Date(at).toISOString()
  if (dates === 'utc') return utc.replace(/\.\d+/, '')
  if (dates === 'lower') return utc.toLowerCase()
  return new Date(at + 19_800_000).toISOString().replace('Z', '123+05:30')
}

/** Lets the volume settle where it is its time. */
const settled = (world: World, volume: Volume): Volume => {
  const now = world.oddities.settling === 'slow' ? Date.now() : world.state.requests
  if (volume.status !== 'active' && now >= volume.wakes) volume.status = 'active'
  return volume
}

/** Which transitions there are is not shown: a restless target is busy for a while after any write. */
const touched = (world: World, volume: Volume): void => {
  volume.updated = Date.now()
  if (world.oddities.settling === 'restless' && world.draw() < 0.3)
    busy(world, volume, world.draw() < 0.5 ? 'creating' : 'resizing')
}

const busy = (world: World, volume: Volume, status: Volume['status']): void => {
  const { settling } = world.oddities
  volume.status = settling === 'instant' ? 'active' : status
  volume.wakes = settling === 'slow' ? Date.now() + 40 : world.state.requests + Math.floor(world.draw() * 4)
}

const show = (world: World, volume: Volume): Fields => {
  const { id, size, region, status, hardware, node, tags } = settled(world, volume)
  const label = node === null ? null : (world.state.nodes.get(node)?.label ?? null)
  return {
    id,
    label: volume.label,
    status: broken(world, 'volume-status-unknown') ? 'offline' : status,
    size: broken(world, 'volume-size-text') ? String(size) : size,
    region,
    hardware_type: hardware,
    filesystem_path: `${broken(world, 'volume-path-prefix') ? '/dev/disk/' : prefix}${volume.pathLabel}`,
    node_id: node,
    node_label: node !== null && broken(world, 'volume-node-label-missing') ? null : label,
    tags: world.oddities.order === 'made' ? tags : [...tags].reverse(),
    created: dateTime(world, volume.created),
    updated: dateTime(world, volume.updated),
    ...(extras(world) && { encryption: 'none', io_ready: null, linode: { id: 7 } }),
  }
}

const reply = (call: Call, volume: Volume, status = 200): Answer => ({ status, body: show(call.world, volume) })

const granted = (call: Call, kind: 'volumes' | 'nodes', id: number): 'read_write' | 'read_only' | undefined =>
  call.caller.restricted ? call.caller[kind][id] : 'read_write'

const find = (call: Call, needs: 'read_only' | 'read_write' = 'read_only', checkGrant = true): Volume => {
  const id = identifier(call, 'volumeId')
  const { accounts } = call.world.state
  const foreign = () => [...accounts.values()].find(({ volumes }) => volumes.has(id))?.volumes.get(id)
  const own = call.account.volumes.get(id)
  const volume = own ?? (foreign() && broken(call.world, 'volume-isolation') ? foreign() : undefined)
  const grant = granted(call, 'volumes', id)
  if (!volume || (grant === undefined && checkGrant)) throw new Refusal([['volumeId', 'no such volume']], 404)
  if (needs === 'read_write' && grant !== 'read_write' && checkGrant)
    throw new Refusal([['volumeId', 'read_write is needed']], 403)
  return settled(call.world, volume)
}

const needAddVolumes = (call: Call, fault: 'volume-create-grant' | 'volume-clone-grant'): void => {
  const { restricted, global } = call.caller
  if (restricted && !global.includes('add_volumes') && !broken(call.world, fault))
    throw new Refusal([['', 'add_volumes is needed']], 403)
}

const oddLabel = (call: Call, label: unknown): void =>
  silence(call, typeof label === 'string' && !/^[a-z][a-z0-9-]*$/.test(label), 'label', 'odd characters')

const oddTags = (call: Call, tags: unknown): void => {
  const list = (tags ?? []) as readonly string[]
  silence(call, new Set(list).size < list.length, 'tags', 'a tag given twice')
  silence(call, !list.every((tag) => /^[a-z][a-z0-9-]{2,49}$/.test(tag)), 'tags', 'odd tags')
}

/** Refuses where no configuration profile of the node can be selected. */
const chooseConfig = (call: Call, node: Node, config: unknown): void => {
  const { world } = call
  if (config !== undefined && !node.configs.includes(config as number) && !broken(world, 'volume-config-foreign'))
    throw new Refusal([['config_id', 'not a profile of that node']])
  if (node.configs.length === 0 && !broken(world, 'volume-config-none')) throw new Refusal([['', 'no profile']], 409)
}

const attachedTo = (account: Account, node: number): readonly Volume[] =>
  [...account.volumes.values()].filter((volume) => volume.node === node)

const room = (call: Call, node: Node, profiled: boolean): void => {
  const { world, account } = call
  const everywhere = [...account.volumes.values()].filter((volume) => volume.node !== null)
  const attached = broken(world, 'volume-limit-over-nodes') ? everywhere : attachedTo(account, node.id)
  const standard = broken(world, 'volume-limit-9') ? 9 : broken(world, 'volume-limit-7') ? 7 : 8
  const ceiling = broken(world, 'volume-limit-65') ? 65 : 64
  const least = broken(world, 'volume-limit-above-16') ? 17 : 16
  const most = node.memoryGiB > 16 && broken(world, 'volume-limit-always-16') ? 16 : Math.min(node.memoryGiB, ceiling)
  const large = node.memoryGiB >= least && !broken(world, 'volume-limit-memory') ? most : 8
  const full = profiled ? attached.filter((volume) => volume.profiled).length >= standard : attached.length >= large
  if (full) throw new Refusal([['', 'no more volumes there']], 409)
}

const knownNode = (call: Call, id: unknown, checkGrant = true): Node => {
  const node = call.world.state.nodes.get(id as number)
  if (node?.account !== call.account.name) throw new Refusal([['node_id', 'no such node']])
  if (checkGrant && granted(call, 'nodes', node.id) !== 'read_write') throw new Refusal([['', 'not yours']], 403)
  return node
}

const create: Handler = (call) => {
  const { world, account } = call
  needAddVolumes(call, 'volume-create-grant')
  inTurn(call, 'state', () => quota(call, account.volumes.size))
  const { fields, issues } = examine(call, {
    label: labelRule(world, true),
    size: { type: 'integer' },
    region: { type: 'string' },
    node_id: { type: 'integer' },
    config_id: { type: 'integer' },
    tags: { type: 'strings' },
  })
  const { label, size, region, node_id, config_id, tags } = fields
  if (region === undefined && node_id === undefined && !broken(world, 'volume-region-optional'))
    issues.push(['region', 'required without node_id'])
  refuseIf(issues)
  if (region !== undefined && !(regions as readonly unknown[]).includes(region))
    throw new Refusal([['region', 'no such region']])
  const node = node_id === undefined ? undefined : knownNode(call, node_id)
  if (node) silence(call, region !== undefined && region !== node.region, 'region', 'region and node disagree')
  const half = node && config_id !== undefined && !node.configs.includes(config_id as number)
  if (half && broken(world, 'volume-refused-but-made')) make(call, { label: label as string, region: node.region })
  if (node && region === node.region && broken(world, 'volume-region-beside-node-refused'))
    throw new Refusal([['region', 'not beside node_id']])
  if (node) chooseConfig(call, node, config_id)
  silence(call, !node && config_id !== undefined, 'config_id', 'a profile without a node')
  silence(call, typeof size === 'number' && (size < 10 || size > 10_240), 'size', 'odd sizes')
  silence(
    call,
    [...account.volumes.values()].some((other) => other.label === label),
    'label',
    'a label twice',
  )
  oddLabel(call, label)
  oddTags(call, tags)
  inTurn(call, 'body', () => quota(call, account.volumes.size))
  if (node && !(config_id !== undefined && broken(world, 'volume-limit-named-config'))) room(call, node, true)
  const home =
    node && node.region !== regions[0] && broken(world, 'volume-create-region-of-node') ? regions[0] : node?.region
  const volume = make(call, { label: label as string, region: home ?? (region as string) })
  volume.size = (size as number | undefined) ?? (broken(world, 'volume-size-default') ? 10 : 20)
  if (node && volume.size !== 20 && broken(world, 'volume-create-size-beside-node')) volume.size = 20
  if (tags && !broken(world, 'volume-create-tags')) volume.tags = tags as readonly string[]
  volume.sizeAtFirst = volume.size
  if (volume.tags.length > 1 && broken(world, 'volume-create-one-tag')) volume.tags = firstOnly(volume.tags)
  if (node && !broken(world, 'volume-create-unattached')) Object.assign(volume, { node: node.id, profiled: true })
  return reply(call, volume, 201)
}

const make = (call: Call, { label, region }: { label: string; region: string }): Volume => {
  const { world, account } = call
  const id = mint(world)
  const volume: Volume = {
    id,
    label,
    pathLabel: label,
    size: 20,
    sizeAtFirst: 20,
    region,
    status: 'creating',
    hardware: world.draw() < 0.5 ? 'hdd' : 'nvme',
    node: null,
    profiled: false,
    tags: [],
    created: Date.now(),
    updated: Date.now(),
    migrating: false,
    wakes: 0,
  }
  busy(world, volume, 'creating')
  account.volumes.set(id, volume)
  return volume
}

const listBounds = (world: World): Bounds =>
  world.oddities.codes === 'odd' ? { page: [1, 1], size: [1, 60, 7] } : { page: [1, 1], size: [1, 500, 100] }

const list: Handler = (call) => {
  const { world, account, caller } = call
  const own = [...account.volumes.values()].filter(({ id }) => !caller.restricted || caller.volumes[id] !== undefined)
  const others = [...(world.state.accounts.get(account.name === 'main' ? 'other' : 'main')?.volumes.values() ?? [])]
  const listed = broken(world, 'volume-list-isolation') ? [...own, ...others] : own
  const kept = listed.length > 1 && broken(world, 'volume-list-omits') ? listed.slice(0, -1) : listed
  return paged(
    call,
    ordered(world, kept, ({ id }) => id).map((volume) => show(world, volume)),
    listBounds(world),
  )
}

const view: Handler = (call) => {
  silence(
    call,
    [...call.query.keys()].some((name) => !/^page(_size)?$/.test(name)),
    '',
    'unknown query parameters',
  )
  return reply(call, find(call))
}

const firstOnly = (tags: readonly string[]): readonly string[] => tags.slice(0, 1)

const updatedTags = (world: World, { tags: before }: Volume, tags: readonly string[]): readonly string[] => {
  if (broken(world, 'volume-update-adds-tags')) return [...new Set([...before, ...tags])]
  if (tags.length === 0 && before.length > 0 && broken(world, 'volume-update-empties-no-tags')) return before
  return tags.length > 1 && broken(world, 'volume-update-one-tag') ? firstOnly(tags) : tags
}

/** The tags after a call that has nothing to do with them. */
const keptTags = (world: World, { tags }: Volume, fault: FaultName): readonly string[] =>
  tags.length > 0 && broken(world, fault) ? [] : tags

const update: Handler = (call) => {
  const { world, account } = call
  const volume = find(call, 'read_write')
  const { label, tags } = checked(call, { label: labelRule(world, false), tags: { type: 'strings' } })
  silence(call, label === undefined && tags === undefined, '', 'an update of nothing')
  silence(
    call,
    [...account.volumes.values()].some((other) => other !== volume && other.label === label),
    'label',
    'twice',
  )
  oddLabel(call, label)
  oddTags(call, tags)
  const before = show(world, volume)
  if (label !== undefined) {
    volume.label = label as string
    if (!broken(world, 'volume-update-path')) volume.pathLabel = volume.label
    const neighbour = [...account.volumes.values()].find((other) => other !== volume && other.id > 1_000)
    if (neighbour && broken(world, 'volume-update-neighbour')) neighbour.label = volume.label
  }
  if (tags !== undefined) volume.tags = updatedTags(world, volume, tags as readonly string[])
  touched(world, volume)
  return broken(world, 'volume-update-stale-reply') ? { status: 200, body: before } : reply(call, volume)
}

const remove: Handler = (call) => {
  const { world, account } = call
  const volume = find(call, 'read_write')
  if (volume.migrating && !broken(world, 'volume-delete-migrating')) throw new Refusal([['', 'it is migrating']], 409)
  silence(call, volume.node !== null, '', 'deleting an attached volume')
  const shown = show(world, volume)
  if (!broken(world, 'volume-delete-lost')) account.volumes.delete(volume.id)
  return { status: 200, body: broken(world, 'volume-delete-body') ? shown : {} }
}

const attach: Handler = (call) => {
  const { world } = call
  const onVolume = granted(call, 'volumes', identifier(call, 'volumeId'))
  const readable = onVolume === 'read_only' && broken(world, 'volume-attach-readable')
  const volume = find(call, 'read_write', !readable)
  silence(call, volume.node !== null, '', 'attaching what is attached')
  const { node_id, config_id, persist_across_boots } = checked(call, {
    node_id: { type: 'integer', required: true },
    config_id: { type: 'integer' },
    persist_across_boots: { type: 'boolean' },
  })
  const known = world.state.nodes.get(node_id as number)
  const onNode = granted(call, 'nodes', known?.id ?? 0)
  const unchecked =
    (onNode === 'read_only' && broken(world, 'volume-attach-node-grant')) ||
    (onNode === undefined && broken(world, 'volume-attach-node-no-grant')) ||
    (persist_across_boots === false && broken(world, 'volume-attach-node-grant-past-profile'))
  const node = knownNode(call, node_id, !unchecked)
  const elsewhere = node.region !== volume.region
  if (elsewhere && broken(world, 'volume-attach-partial')) volume.node = node.id
  const past = persist_across_boots === false
  if (
    elsewhere &&
    !(past && broken(world, 'volume-attach-region-past-profile')) &&
    !broken(world, 'volume-attach-region')
  )
    throw new Refusal([['node_id', 'in another region']])
  const profiled = (persist_across_boots ?? !broken(world, 'volume-attach-persist-default')) as boolean
  if (config_id !== undefined || profiled) chooseConfig(call, node, config_id)
  silence(call, volume.status !== 'active', '', 'attaching what is not active')
  if (volume.node !== node.id) room(call, node, profiled)
  Object.assign(volume, { node: node.id, profiled, tags: keptTags(world, volume, 'volume-attach-tags') })
  touched(world, volume)
  return reply(call, volume)
}

const detach: Handler = (call) => {
  const { world, account } = call
  const id = identifier(call, 'volumeId')
  const unchecked = granted(call, 'volumes', id) !== 'read_write' && broken(world, 'volume-detach-grant')
  const volume = find(call, 'read_write', !unchecked)
  silence(call, volume.node === null, '', 'detaching what is not attached')
  const onNode = volume.node === null ? 'read_write' : granted(call, 'nodes', volume.node)
  if (onNode !== 'read_write' && !(onNode === undefined && broken(world, 'volume-detach-node-no-grant')))
    throw new Refusal([['', 'read_write on the node is needed']], 403)
  silence(call, volume.status !== 'active', '', 'detaching what is not active')
  const also = volume.node !== null && broken(world, 'volume-detach-all') ? attachedTo(account, volume.node) : []
  for (const one of [volume, ...also]) if (!broken(world, 'volume-detach-lost')) one.node = null
  volume.tags = keptTags(world, volume, 'volume-detach-tags')
  touched(world, volume)
  return { status: 200, body: broken(world, 'volume-detach-body') ? show(world, volume) : {} }
}

const clone: Handler = (call) => {
  const { world, account } = call
  needAddVolumes(call, 'volume-clone-grant')
  const source = find(call)
  const active = (): void => {
    if (source.status !== 'active' && !broken(world, 'volume-clone-inactive'))
      throw new Refusal([['', 'not active']], 409)
  }
  inTurn(call, 'state', active)
  const { label } = checked(call, { label: labelRule(world, true) })
  inTurn(call, 'body', active)
  silence(
    call,
    [...account.volumes.values()].some((other) => other.label === label),
    'label',
    'a label twice',
  )
  oddLabel(call, label)
  quota(call, account.volumes.size)
  const copy = make(call, { label: label as string, region: source.region })
  copy.size = source.size !== 20 && broken(world, 'volume-clone-size') ? 20 : source.size
  if (source.size !== source.sizeAtFirst && broken(world, 'volume-clone-first-size')) copy.size = source.sizeAtFirst
  copy.sizeAtFirst = copy.size
  copy.tags = world.draw() < 0.5 ? source.tags : []
  if (broken(world, 'volume-clone-renames')) source.label = copy.label
  return reply(call, copy, 201)
}

const resize: Handler = (call) => {
  const { world } = call
  const volume = find(call, 'read_write')
  const active = (): void => {
    if (volume.status !== 'active' && !broken(world, 'volume-resize-inactive'))
      throw new Refusal([['', 'not active']], 409)
  }
  inTurn(call, 'state', active)
  const { size } = checked(call, { size: { type: 'integer', required: true } }) as { size: number }
  const field = broken(world, 'volume-resize-field') ? 'label' : 'size'
  const allowed =
    size > volume.size ||
    (size > volume.sizeAtFirst && broken(world, 'volume-resize-above-first')) ||
    (size === volume.size && broken(world, 'volume-resize-equal')) ||
    (size < volume.size && broken(world, 'volume-resize-down'))
  if (!allowed) throw new Refusal([[field, 'volumes only grow']])
  inTurn(call, 'body', active)
  silence(call, size > 10_240, 'size', 'odd sizes')
  volume.tags = keptTags(world, volume, 'volume-resize-tags')
  const answer = { ...show(world, volume), size }
  const isLost = volume.size !== volume.sizeAtFirst && broken(world, 'volume-resize-again-lost')
  if (!isLost && !broken(world, 'volume-resize-lost')) volume.size = size
  busy(world, volume, 'resizing')
  volume.updated = Date.now()
  return { status: 200, body: { ...answer, status: volume.status, updated: dateTime(world, volume.updated) } }
}

const both = ['volumes:read_write', 'nodes:read_write']

export const volumeRoutes = (world: World): readonly Route[] => [
  { method: 'GET', path: '/volumes', scopes: ['volumes:read_only'], handle: list },
  { method: 'POST', path: '/volumes', scopes: ['volumes:read_write'], handle: create },
  { method: 'GET', path: '/volumes/:volumeId', scopes: ['volumes:read_only'], handle: view },
  { method: 'PUT', path: '/volumes/:volumeId', scopes: ['volumes:read_write'], handle: update },
  {
    method: 'DELETE',
    path: '/volumes/:volumeId',
    scopes: [world.oddities.fault === 'volume-delete-scope' ? 'volumes:read_only' : 'volumes:read_write'],
    handle: remove,
  },
  {
    method: 'POST',
    path: '/volumes/:volumeId/attach',
    scopes: world.oddities.fault === 'volume-attach-scope' ? ['volumes:read_write'] : both,
    handle: attach,
  },
  { method: 'POST', path: '/volumes/:volumeId/detach', scopes: both, handle: detach },
  { method: 'POST', path: '/volumes/:volumeId/clone', scopes: ['volumes:read_write'], handle: clone },
  { method: 'POST', path: '/volumes/:volumeId/resize', scopes: ['volumes:read_write'], handle: resize },
]
