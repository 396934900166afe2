// Tags on domains, nodes, node balancers and volumes; no other resource.
import { type Json, listOf, object, text, whole } from './checks.js'
import {
  CALLED_PAGINATED,
  type Context,
  dress,
  mayWrite,
  mine,
  missing,
  page,
  type Reply,
  type Route,
  readBody,
  refuse,
} from './context.js'
import type { State, Tag, Volume } from './state.js'
import { showVolume } from './volumes.js'

const ids = listOf(whole())
const creation = object({ 'label!': text(3, 50), domains: ids, nodes: ids, nodebalancers: ids, volumes: ids })
const KINDS = ['domains', 'nodes', 'nodebalancers', 'volumes'] as const
type Kind = (typeof KINDS)[number]

const key = ({ user }: Context, label: string): string => `${user.account} ${label}`

const ownVolumes = (context: Context): Volume[] => mine(context, context.state.volumes, 'volumes')

const isOwn = ({ state, user, fixtures }: Context, kind: Kind, id: number): boolean => {
  if (kind === 'nodes' || kind === 'volumes') return state[kind].get(id)?.account === user.account
  return fixtures[kind].some((one) => one.id === id && (one.account ?? 'main') === user.account)
}

const put = ({ state, rules }: Context, tag: Tag, kind: Kind, id: number): void => {
  if (!rules.holds(`tags.create.${kind}.kept`)) return
  const volume = kind === 'volumes' ? state.volumes.get(id) : undefined
  if (!volume) tag.objects.add(`${kind}:${id}`)
  else volume.tags = rules.holds('tags.create.keeps-tags') ? [...new Set([...volume.tags, tag.label])] : [tag.label]
}

const create = (context: Context): Reply => {
  const { state, user, rules, token } = context
  const body = readBody(context, creation)
  const label = String(body.label)
  const before = state.tags.get(key(context, label))
  if (before && !rules.silent('a tag again')) refuse('label', 'exists')
  const tag: Tag = before ?? {
    id: key(context, label),
    account: user.account,
    maker: token.name,
    label,
    objects: new Set(),
  }
  if (!rules.holds('tags.create.atomic')) state.tags.set(tag.id, tag)
  const wanted = KINDS.flatMap((kind) =>
    ((body[kind] as readonly number[] | undefined) ?? []).map((id) => ({ kind, id })),
  )
  for (const { kind, id } of wanted) {
    if (!rules.holds('tags.create.objects-first')) put(context, tag, kind, id)
    const isAllowed = mayWrite(context, kind, id) || !rules.holds(`tags.create.${kind}.grant`)
    const isThere = isOwn(context, kind, id) || !rules.holds(`tags.create.${kind}.own`)
    if (!isAllowed || !isThere) refuse(kind, 'needs read_write')
  }
  if (rules.holds('tags.create.kept')) state.tags.set(tag.id, tag)
  for (const { kind, id } of wanted) put(context, tag, kind, id)
  return { kind: 'creation', body: dress({ label }, context.options, ['label']) }
}

const labels = (context: Context): string[] => {
  const { state, user, options } = context
  const made = mine(context, state.tags, 'tags').map(({ label }) => label)
  return [...new Set([...made, ...(options.carriedTagsListed ? carried(state, user.account) : [])])]
}

/** What volumes and firewalls of an account are tagged with. */
const carried = (state: State, owner: string): readonly string[] =>
  [...state.volumes.values(), ...state.firewalls.values()].flatMap(({ account, tags }) =>
    account === owner ? tags : [],
  )

const objects = (context: Context): Reply => {
  const { state, rules, options, user } = context
  const label = decodeURIComponent(context.params.tagLabel ?? '')
  const isKnown =
    labels(context).includes(label) ||
    (carried(state, user.account).includes(label) && rules.silent('tags known by volumes'))
  if (!isKnown && options.unknownTag === 'refused') throw missing(context, 'tagLabel')
  const tagged = mine(context, state.tags, 'tags').find((one) => one.label === label)
  const others = [...(tagged?.objects ?? [])].map((each): Json => {
    const [kind = '', id] = each.split(':')
    const data = options.records === 'bare' ? { id: Number(id) } : { id: Number(id), label: each }
    return { type: kind.slice(0, -1), data }
  })
  const volumes = ownVolumes(context)
    .filter(({ tags }) =>
      (rules.holds('tags.view.first') ? tags : tags.slice(0, 1)).some(
        (tag) => tag === label || (tag.startsWith(label) && !rules.holds('tags.view.longer')),
      ),
    )
    .map((one): Json => ({ type: 'volume', data: showVolume(context, one) }))
  const all = [...(rules.holds('tags.view.others') ? others : []), ...(rules.holds('tags.view.volumes') ? volumes : [])]
  return page(
    context,
    all,
    (one) => one,
    (one) => JSON.stringify([one.type, (one.data as Json).id]),
    CALLED_PAGINATED,
  )
}

const remove = (context: Context): Reply => {
  const { state, rules, user } = context
  const label = decodeURIComponent(context.params.tagLabel ?? '')
  if (!labels(context).includes(label)) throw missing(context, 'tagLabel')
  if (rules.holds('tags.delete.kept')) state.tags.delete(key(context, label))
  for (const tag of [...state.tags.values()]) {
    const isLonger = tag.account === user.account && tag.label !== label && tag.label.startsWith(label)
    if (isLonger && !rules.holds('tags.delete.longer')) state.tags.delete(tag.id)
    const isTheirs = tag.account !== user.account && tag.label === label
    if (isTheirs && !rules.holds('tags.delete.own-tag')) state.tags.delete(tag.id)
  }
  const without = (tags: readonly string[]): readonly string[] => tags.filter((one) => one !== label)
  const isTaken = (account: string): boolean => account === user.account || !rules.holds('tags.delete.only-own')
  for (const one of state.firewalls.values())
    if (isTaken(one.account) && rules.holds('tags.delete.firewalls')) one.tags = without(one.tags)
  for (const one of state.volumes.values())
    if (isTaken(one.account) && rules.holds('tags.delete.volumes'))
      one.tags = rules.holds('tags.delete.only-this') ? without(one.tags) : []
  return { kind: 'removal' }
}

const list = (context: Context): Reply =>
  page(
    context,
    labels(context),
    (label) => dress({ label }, context.options, ['label']),
    (label) => label,
    CALLED_PAGINATED,
  )

const R = ['account:read_only']
const W = ['account:read_write']
const shared = { unrestricted: true }
const one = '/tags/{tagLabel}'

export const tagRoutes: readonly Route[] = [
  { ...shared, id: 'tags.list', method: 'GET', path: '/tags', scopes: R, handle: list },
  { ...shared, id: 'tags.create', method: 'POST', path: '/tags', scopes: W, handle: create },
  { ...shared, id: 'tags.view', method: 'GET', path: one, scopes: R, handle: objects },
  { ...shared, id: 'tags.delete', method: 'DELETE', path: one, scopes: W, handle: remove },
]
