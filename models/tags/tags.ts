// The four tag operations: sections "Endpoints / Tags", "Authentication", "Errors" and "Limits" of the document.
import { firewalls } from '../firewalls/record.js'
import { drop, loosen } from '../language/changes.js'
import { isObject, leavesOf } from '../language/objects.js'
import { anything, operation, page } from '../language/operation.js'
import { inferredPaging } from '../language/pagination.js'
import type { Plan, Ref } from '../language/plan.js'
import { isPlainTag } from '../language/promises.js'
import { type Entity, live, type WireRecord, type World } from '../language/world.js'
import { volumes } from '../volumes/record.js'
import { carriersOf, isCountable, listOf } from './carriers.js'
import { endpoints, foreignScopes, kindNames, ownId, ownIds, retag, tagLabel } from './common.js'
import { createTag } from './create.js'
import { type Tag, taggedObjects, tags } from './record.js'

/** A tag that no tag creation made, but that was set on an object or was there before. */
const implicit = (id: string) => ({
  id: `${id}.implicit`,
  source: 'Volume, tags; Firewall, tags',
  text: 'Whether a label that was only set on an object exists as a tag is not said.',
  unprobed: 'a refusal shows nothing where the tag may not be there at all',
  when: ({ refs }: { readonly refs: { readonly tagLabel: Entity<Tag> } }) =>
    refs.tagLabel.created ? false : undefined,
})

const oddLabel = (id: string) => ({
  id: `${id}.label-characters`,
  source: `${endpoints}, {tagLabel}`,
  text: 'How a label of other than plain characters is written in a path is not said.',
  probe: (plan: Plan) => {
    const label = `${plan.name()} b`
    plan.call('tags.create', { body: { label } })
    plan.check(id, { path: { tagLabel: label } })
  },
  when: ({ path }: { readonly path: { readonly tagLabel: string } }) => !isPlainTag(path.tagLabel),
})

export const listTags = operation({
  id: 'tags.list',
  area: 'tags',
  method: 'GET',
  path: '/tags',
  reach: { in: 'tags', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the tags of the account.',
  scopes: ['account:read_only'],
  unrestrictedOnly: true,
  params: {},
  query: inferredPaging,
  reply: page(tags, 'not-shown'),
  draft: () => ({}),
})

const objectKinds: readonly string[] = ['domain', 'node', 'nodebalancer', 'volume', 'firewall']

/** A text, and what a uniform resource name is made of. */
const withParts = (text: string): readonly string[] => (/^urn:/i.test(text) ? [text, ...text.split(':')] : [text])

export const viewTag = operation({
  id: 'tags.view',
  area: 'tags',
  method: 'GET',
  path: '/tags/{tagLabel}',
  reach: { in: 'tags', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the objects that carry a tag, of all kinds.',
  scopes: ['account:read_only'],
  unrestrictedOnly: true,
  params: tagLabel,
  query: inferredPaging,
  reply: page(taggedObjects, 'not-shown'),
  vacant: true,
  fill: (plan, records) => {
    const label = plan.make(tags).field('label')
    for (let made = 0; made < records; made += 1) plan.make(volumes, { tags: [label, plan.tag()] }, { unwatched: true })
    return { path: { tagLabel: label } }
  },
  draft: (plan) => ({ path: { tagLabel: plan.make(tags).field('label') } }),
  silences: [implicit('tags.view'), oddLabel('tags.view')],
  statements: [
    {
      id: 'tags.view.all-objects',
      source: `${endpoints}, GET /tags/{tagLabel}`,
      text: 'The collection holds all objects that carry the tag, and nothing else.',
      holds: ({ world, account, path, refs, reply }) => {
        const results = isObject(reply) ? reply.results : undefined
        if (typeof results !== 'number' || !isPlainTag(path.tagLabel) || !refs.tagLabel.created) return undefined
        const carriers = carriersOf(world, account, path.tagLabel)
        const least = carriers.filter(({ sure }) => sure).length
        const most = isCountable(world, account, path.tagLabel) ? carriers.length : Number.POSITIVE_INFINITY
        if (results >= least && results <= most) return least === most ? true : undefined
        return `${results} results; the tag is carried by ${listOf(carriers)}`
      },
      probe: (plan) => {
        const label = plan.name()
        const later = plan.make(volumes)
        const listed = Object.fromEntries(kindNames.map((kind) => [kind, ownIds(plan, kind)]))
        plan.call('tags.create', { body: { label, ...listed } })
        // A tag that begins with this one is another, and so is what carries it.
        plan.call('tags.create', { body: { label: `${label}-b`, volumes: [later.id] } })
        // What another account calls so is none of them either.
        plan.attempt(() =>
          plan.make(volumes, { tags: [label] }, { as: plan.token({ foreign: true, for: 'volumes.create' }) }),
        )
        // Wherever a volume is.
        const last = listed.volumes?.at(-1) as Ref
        const node = plan.attempt(() =>
          plan.node((n) => n.liveMigration !== true && n.configs?.length === 1 && n.region === plan.region().id),
        )
        if (node) plan.check('volumes.attach', { path: { volumeId: last }, body: { node_id: node.id } })
        plan.check('tags.view', { path: { tagLabel: label } })
        // However a volume came to be.
        const clone = plan.call('volumes.clone', { path: { volumeId: later.id }, body: { label: plan.name() } })
        plan.call('volumes.update', { path: { volumeId: clone.id }, body: { tags: [label] } })
        plan.check('tags.view', { path: { tagLabel: label } })
        plan.call('volumes.update', { path: { volumeId: later.id }, body: { tags: [plan.name(), label] } })
        plan.check('tags.view', { path: { tagLabel: label }, query: { page: 1, page_size: 25 } })
        plan.call('volumes.update', { path: { volumeId: later.id }, body: { tags: [] } })
        plan.check('tags.view', { path: { tagLabel: label } })
        const [doomed] = listed.volumes as readonly Ref[]
        plan.call('volumes.delete', { path: { volumeId: doomed as Ref } })
        plan.check('tags.view', { path: { tagLabel: label } })
        // Deletion takes it from all objects, so a new tag of that label is on none of them.
        plan.call('tags.delete', { path: { tagLabel: label } })
        plan.make(tags, { label })
        plan.check('tags.view', { path: { tagLabel: label } })
      },
    },
    {
      id: 'tags.view.names-objects',
      overPages: true,
      level: 'should',
      source: `${endpoints}, GET /tags/{tagLabel}`,
      text: 'Every object that carries the tag is told by its id or label in some record.',
      holds: ({ world, account, path, refs, reply }) => {
        if (!isPlainTag(path.tagLabel) || !refs.tagLabel.created) return undefined
        const data = isObject(reply) && Array.isArray(reply.data) ? reply.data : undefined
        const sure = carriersOf(world, account, path.tagLabel).filter((carrier) => carrier.sure)
        if (!data || data.length !== (reply as WireRecord).results || sure.length === 0) return undefined
        const leaves = data.map((item) => new Set(leavesOf(item).flatMap(withParts)))
        const hidden = sure.filter(
          ({ id, label }) =>
            !leaves.some((found) => found.has(String(id)) || (label !== undefined && found.has(label))),
        )
        // What a record tells is not shown, so it may tell nothing, or no more than the kind.
        const mute = leaves.filter((found) => [...found].every((leaf) => objectKinds.includes(leaf))).length
        if (hidden.length > 0 && hidden.length <= mute) return undefined
        return hidden.length === 0 ? true : `no record names ${listOf(hidden)}`
      },
      probe: (plan) => {
        const label = plan.name()
        const listed = Object.fromEntries(kindNames.map((kind) => [kind, [ownId(plan, kind)]]))
        plan.call('tags.create', { body: { label, ...listed } })
        plan.check('tags.view', { path: { tagLabel: label } })
      },
    },
  ],
  render: ({ after, account, path, query }) => {
    const number = typeof query.page === 'number' ? query.page : 1
    const size = typeof query.page_size === 'number' ? query.page_size : 100
    const all = carriersOf(after, account, path.tagLabel).filter(({ sure }) => sure)
    const data = all
      .slice((number - 1) * size, number * size)
      .map(({ type, id, label }) => ({ type, data: { id: Number(id), ...(label !== undefined && { label }) } }))
    return { data, page: number, pages: Math.ceil(all.length / size) || 1, results: all.length }
  },
})

export const deleteTag = operation({
  id: 'tags.delete',
  area: 'tags',
  method: 'DELETE',
  path: '/tags/{tagLabel}',
  reach: { in: 'tags', alone: false, lent: false },
  source: endpoints,
  summary: 'Removes a tag from all objects and deletes it.',
  scopes: ['account:read_write'],
  unrestrictedOnly: true,
  params: tagLabel,
  reply: anything,
  removes: 'tagLabel',
  draft: (plan) => ({ path: { tagLabel: plan.make(tags).field('label') } }),
  silences: [implicit('tags.delete'), oddLabel('tags.delete')],
  effects: [
    {
      id: 'tags.delete.untags-volumes',
      source: `${endpoints}, DELETE /tags/{tagLabel}`,
      text: 'The tag is removed from all volumes that carry it, and their other tags stay.',
      table: volumes,
      field: 'tags',
      probe: (plan) => {
        const label = plan.name()
        const first = plan.make(volumes)
        const second = plan.make(volumes, { tags: [plan.name(), `${label}-b`] })
        const last = plan.make(volumes)
        // Another account may have a tag of that label, which is not the one that is deleted.
        const as = plan.attempt(() => plan.token({ foreign: true, restricted: false, has: foreignScopes }))
        const theirs = as === undefined ? undefined : plan.make(volumes, { tags: [label] }, { as })
        if (as !== undefined) plan.call('tags.create', { body: { label: `${label}-d` }, as })
        for (const end of ['c', 'd']) plan.make(tags, { label: `${label}-${end}` })
        plan.make(tags, { label, volumes: [first.id, second.id] })
        plan.call('volumes.update', { path: { volumeId: last.id }, body: { tags: [label] } })
        for (const end of ['', '-d']) plan.call('tags.delete', { path: { tagLabel: `${label}${end}` } })
        for (const volume of [first, second, last]) plan.check('volumes.view', { path: { volumeId: volume.id } })
        plan.check('tags.view', { path: { tagLabel: `${label}-c` } })
        if (as !== undefined && theirs) {
          plan.check('volumes.view', { path: { volumeId: theirs.id }, as })
          plan.check('tags.view', { path: { tagLabel: `${label}-d` }, as })
        }
      },
    },
  ],
  apply: ({ world, account, path, refs }) => {
    const carries = (entity: { readonly account: string | undefined; readonly tags?: readonly string[] }): boolean =>
      entity.account === account && Array.isArray(entity.tags) && entity.tags.includes(path.tagLabel)
    const untag = (before: World, key: string): World =>
      account === undefined ? loosen(before, volumes, key, ['tags']) : retag(before, key, path.tagLabel, false)
    const untagged = live(world, volumes, account)
      .filter(carries)
      .reduce((before, { key }) => untag(before, key), world)
    // Whether firewalls are among the objects of tags is not said.
    const doubted = live(untagged, firewalls, account)
      .filter(carries)
      .reduce((before, { key }) => loosen(before, firewalls, key, ['tags']), untagged)
    return account === undefined ? doubted : drop(doubted, tags, refs.tagLabel.key)
  },
})

export const tagOperations = [listTags, createTag, viewTag, deleteTag]
