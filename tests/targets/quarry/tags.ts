// Quarry's tags, and as much of volumes as tagging needs.
import { type Json, listOf, object, readBody, text, whole } from './checks.js'
import { type Context, dress, idOf, mayWrite, missing, page, type Reply, type Route, refuse } from './server.js'
import { type Made, newId, type Tag } from './state.js'

const ids = listOf(whole())
const creation = object({ 'label!': text(3, 50), domains: ids, nodes: ids, nodebalancers: ids, volumes: ids })
const KINDS = ['domains', 'nodes', 'nodebalancers', 'volumes'] as const

const key = ({ user }: Context, label: string): string => `${user.account} ${label}`

const tagsOf = (volume: Made): readonly string[] => volume.body.tags as readonly string[]

const mineVolumes = ({ state, user }: Context): Made[] =>
  [...state.volumes.values()].filter(({ account }) => account === user.account)

const own = ({ state, user }: Context, kind: string, id: number): boolean => {
  if (kind === 'nodes') return state.nodes.get(id)?.account === user.account
  if (kind === 'volumes') return state.volumes.get(id)?.account === user.account
  return state.fixtures[kind as 'domains'].some((one) => one.id === id && (one.account ?? 'main') === user.account)
}

const put = ({ state, rules }: Context, tag: Tag, kind: string, id: number): void => {
  if (!rules.holds(`tags.create.${kind}`)) return
  const volume = kind === 'volumes' ? state.volumes.get(id) : undefined
  if (volume) volume.body.tags = [...new Set([...tagsOf(volume), tag.label])]
  else tag.objects.add(`${kind}:${id}`)
}

const create = (context: Context): Reply => {
  const { state, user, rules, options } = context
  const body = readBody(context.body, creation, 'tags', rules)
  const label = String(body.label)
  const before = state.tags.get(key(context, label))
  if (before && !rules.silent('tag again')) refuse('label', 'exists')
  const tag: Tag = before ?? { account: user.account, label, objects: new Set() }
  if (!rules.holds('tags.create.atomic')) state.tags.set(key(context, label), tag)
  for (const kind of KINDS)
    for (const id of (body[kind] as readonly number[] | undefined) ?? []) {
      const allowed = own(context, kind, id) && mayWrite(context, kind, id)
      if (!allowed && rules.holds(`tags.create.access.${kind}`)) refuse(kind, 'needs read_write')
    }
  if (rules.holds('tags.create')) state.tags.set(key(context, label), tag)
  for (const kind of KINDS)
    for (const id of (body[kind] as readonly number[] | undefined) ?? []) put(context, tag, kind, id)
  return { kind: 'creation', body: dress({ label }, options) }
}

const labels = (context: Context): string[] => {
  const { state, user, options, rules } = context
  const made = [...state.tags.values()].filter(
    ({ account }) => account === user.account || !rules.holds('tags.isolation'),
  )
  const protectors = [...state.firewalls.values()].filter((one) => one.account === user.account)
  const used = options.volumeTagsListed
    ? [...mineVolumes(context).flatMap(tagsOf), ...protectors.flatMap(({ tags }) => tags)]
    : []
  return [...new Set([...made.map(({ label }) => label), ...used])]
}

const labelOf = (context: Context): string => {
  const label = decodeURIComponent(context.params.tagLabel ?? '')
  const carried = mineVolumes(context).some((volume) => tagsOf(volume).includes(label))
  if (!labels(context).includes(label) && !(carried && context.rules.silent('tags known by volumes')))
    throw missing(context, 'tagLabel')
  return label
}

const objects = (context: Context): Reply => {
  const { state, rules, options } = context
  const label = labelOf(context)
  const others = [...(state.tags.get(key(context, label))?.objects ?? [])].map((each): Json => {
    const [kind = '', id] = each.split(':')
    return options.records === 'bare'
      ? { type: kind.slice(0, -1), data: { id: Number(id) } }
      : { type: kind.slice(0, -1), data: { id: Number(id), label: `${each}` } }
  })
  const volumes = mineVolumes(context)
    .filter((one) => (rules.holds('tags.view.first') ? tagsOf(one) : tagsOf(one).slice(0, 1)).includes(label))
    .map((one): Json => ({ type: 'volume', data: show(one, context) }))
  return page(
    context,
    [...(rules.holds('tags.view.others') ? others : []), ...(rules.holds('tags.view.volumes') ? volumes : [])],
    (one) => JSON.stringify(one),
  )
}

const remove = (context: Context): Reply => {
  const { state, rules } = context
  const label = labelOf(context)
  if (rules.holds('tags.delete')) state.tags.delete(key(context, label))
  for (const one of state.firewalls.values()) one.tags = one.tags.filter((each) => each !== label)
  if (rules.holds('tags.delete.objects'))
    for (const volume of mineVolumes(context)) volume.body.tags = tagsOf(volume).filter((each) => each !== label)
  return { kind: 'removal' }
}

const volumeCreation = object({
  'label!': text(1, 32),
  size: whole(1, 10_240),
  region: text(),
  node_id: whole(),
  config_id: whole(),
  tags: listOf(text()),
})
const volumeChange = object({ label: text(1, 32), tags: listOf(text()) })

const show = ({ id, body }: Made, { options }: Context): Json => {
  const when = options.offsetDates ? '2024-02-29T23:30:00.123+05:30' : '2024-02-29T18:00:00Z'
  return {
    id,
    ...body,
    filesystem_path: `/dev/disk/by-id/scsi-0Node_Volume_${body.label}`,
    hardware_type: id % 2 === 0 ? 'hdd' : 'nvme',
    status: 'active',
    node_id: null,
    node_label: null,
    created: when,
    updated: when,
    ...(options.records === 'extra' ? { quarry: true } : {}),
  }
}

const makeVolume = (context: Context): Reply => {
  const { state, user, options, rules } = context
  const { label, size = 20, region, tags = [], node_id } = readBody(context.body, volumeCreation, 'volumes', rules)
  if (node_id !== undefined) refuse('node_id', 'is beyond this implementation')
  if (!state.fixtures.regions.some((one) => one.id === region)) refuse('region', 'is unknown')
  if (options.quota > 0 && mineVolumes(context).length >= options.quota) refuse(options.noField, 'too many volumes')
  const volume: Made = {
    id: newId(state, options),
    account: user.account,
    created: state.counter,
    body: { label, size, region, tags },
  }
  state.volumes.set(volume.id, volume)
  return { kind: 'volume', body: show(volume, context) }
}

const findVolume = (context: Context): Made => {
  const id = idOf(context, 'volumeId')
  const found = mineVolumes(context).find((one) => one.id === id)
  if (!found) throw missing(context, 'volumeId')
  return found
}

const changeVolume = (context: Context): Reply => {
  const volume = findVolume(context)
  Object.assign(volume.body, readBody(context.body, volumeChange, 'volumes', context.rules))
  return { kind: 'volume', body: show(volume, context) }
}

const dropVolume = (context: Context): Reply => {
  context.state.volumes.delete(findVolume(context).id)
  return { kind: 'volume', body: {} }
}

const A = { unrestricted: true, path: '/tags' }
const V = ['volumes:read_only']
const VW = ['volumes:read_write']

export const tagRoutes: readonly Route[] = [
  {
    ...A,
    method: 'GET',
    scopes: ['account:read_only'],
    handle: (c) =>
      page(
        c,
        labels(c).map((label) => dress({ label }, c.options)),
        ({ label }: Tag) => label,
      ),
  },
  { ...A, method: 'POST', scopes: ['account:read_write'], handle: create },
  { ...A, path: '/tags/{tagLabel}', method: 'GET', scopes: ['account:read_only'], handle: objects },
  { ...A, path: '/tags/{tagLabel}', method: 'DELETE', scopes: ['account:read_write'], handle: remove },
  {
    method: 'GET',
    path: '/volumes',
    scopes: V,
    handle: (c) =>
      page(
        c,
        mineVolumes(c).map((one) => show(one, c)),
        ({ id }: Made) => String(id),
      ),
  },
  { method: 'POST', path: '/volumes', scopes: VW, handle: makeVolume },
  {
    method: 'GET',
    path: '/volumes/{volumeId}',
    scopes: V,
    handle: (c) => ({ kind: 'volume', body: show(findVolume(c), c) }),
  },
  { method: 'PUT', path: '/volumes/{volumeId}', scopes: VW, handle: changeVolume },
  { method: 'DELETE', path: '/volumes/{volumeId}', scopes: VW, handle: dropVolume },
]
