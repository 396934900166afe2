// The four tag operations: sections "Endpoints / Tags", "Authentication", "Errors" and "Limits" of the document.

import { firewalls } from '../firewalls/record.js'
import { lacksWrite, type Principal } from '../language/access.js'
import { drop, loosen, patch, put } from '../language/changes.js'
import { known, or, type Ternary } from '../language/clause.js'
import { nodes } from '../language/facts.js'
import { isObject } from '../language/objects.js'
import { anything, operation, page, record, ref } from '../language/operation.js'
import { inferredPaging } from '../language/pagination.js'
import type { Plan, Ref } from '../language/plan.js'
import { isPlainTag } from '../language/promises.js'
import { array, integer, object, optional, text } from '../language/schema.js'
import { type Entity, exists, find, live, type Table, type WireRecord, type World } from '../language/world.js'
import { volumes } from '../volumes/record.js'
import { carriersOf, isCountable, kinds, leavesOf, listOf } from './carriers.js'
import { mentionOf, type Tag, taggedObjects, tagKey, tags } from './record.js'

const endpoints = 'Endpoints / Tags'
const tagLabel = {
  tagLabel: ref(tags, {
    key: (path, account) => tagKey(account, path.tagLabel ?? ''),
    type: 'string',
    field: 'label',
  }),
}

type Kind = keyof typeof kinds
const kindNames = Object.keys(kinds) as readonly Kind[]

/** What two labels may come to be the same by, if an implementation does not tell all characters apart. */
const folded = (label: unknown): string =>
  String(label)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

const isTaken = (world: World, account: string | undefined, label: string): Ternary =>
  exists(
    world,
    tags,
    account,
    (tag) => (tag.label === label ? true : known(tag.label, label, (a, b) => folded(a) === folded(b)) && undefined),
    label,
  )

/** Whether the caller surely lacks, or may lack, read_write on an object: another account's, or not granted. */
const lacksObject = (
  caller: Principal,
  kind: Kind,
  object: { readonly key: string; readonly account: string | undefined; readonly maker?: string } | undefined,
): Ternary =>
  or(
    object !== undefined && known(object.account ?? caller.account?.name, caller.account?.name, (a, b) => a !== b),
    lacksWrite(caller, kind, object),
  )

/** An object of another account: a fixture, or a volume that is made for it. */
const foreignId = (plan: Plan, kind: Kind) => {
  const home = plan.environment.accounts[0]?.name
  const found = plan.environment.fixtures[kind]?.find(({ account }) => account !== undefined && account !== home)
  if (kind === 'volumes' && !found)
    return plan.make(volumes, {}, { as: plan.token({ foreign: true, has: ['volumes:read_write'] }) }).id
  plan.need(found !== undefined, `an object of another account under fixtures.${kind}`)
  return found?.id ?? 0
}

/** An object of the caller's to tag. */
const ownId = (plan: Plan, kind: Kind) =>
  ({
    domains: () => plan.domain().id,
    nodes: () => plan.node((node) => node.liveMigration !== true, 'a node without live migration').id,
    nodebalancers: () => plan.nodebalancer().id,
    volumes: () => plan.make(volumes).id,
  })[kind]()

/** Two objects of the caller's to tag, or one where there are no more. */
const ownIds = (plan: Plan, kind: Kind) => {
  const first = ownId(plan, kind)
  if (kind === 'volumes') return [first, ownId(plan, kind)]
  const home = plan.environment.accounts[0]?.name
  const second = plan.environment.fixtures[kind]?.find(
    (other) =>
      other.id !== first &&
      (other.account ?? home) === home &&
      !('liveMigration' in other && other.liveMigration === true),
  )
  return second ? [first, second.id] : [first]
}

const foreignScopes = ['volumes:read_only', 'volumes:read_write', 'account:read_only', 'account:read_write']

const idsOf = (body: { readonly [K in Kind]?: readonly number[] | undefined }, kind: Kind): readonly number[] =>
  body[kind] ?? []

const writable = (kind: Kind) => ({
  id: `tags.create.${kind}-writable`,
  source: `${endpoints}, POST /tags; Authentication, "tagging objects needs read_write on each"; Errors, "tag create lacking read_write on a listed object"`,
  text: `Tagging ${kind} needs read_write on each of them; otherwise there is an error and no tag.`,
  // No member has a wrong value, so that any may be blamed, or none.
  instead: `body.${kind}[].exists`,
  when: ({
    world,
    caller,
    body,
  }: {
    readonly world: World
    readonly caller: Principal
    readonly body: { readonly [K in Kind]?: readonly number[] | undefined }
  }) => or(...idsOf(body, kind).map((id) => lacksObject(caller, kind, find(world, kinds[kind] as Table<object>, id)))),
  probe: (plan: Plan) => {
    const volume = plan.make(volumes)
    const label = plan.name()
    const others = kind === 'volumes' ? [volume.id] : []
    const beside = kind === 'volumes' ? {} : { volumes: [volume.id] }
    plan.probe('tags.create', { body: { label, ...beside, [kind]: [...others, foreignId(plan, kind)] } })
    // Not even what the caller may write has been tagged.
    plan.check('volumes.view', { path: { volumeId: volume.id } })
    plan.twin('tags.create', { body: { label, ...beside, [kind]: [...others, ownId(plan, kind)] } })
  },
})

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

export const createTag = operation({
  id: 'tags.create',
  area: 'tags',
  method: 'POST',
  path: '/tags',
  reach: { in: 'tags', alone: false, lent: false },
  source: endpoints,
  summary: 'Creates a tag and tags objects with it.',
  scopes: ['account:read_write'],
  unrestrictedOnly: true,
  params: {},
  undone: kindNames.map((kind) => `tags.create.${kind}-writable`),
  body: object({
    label: text({ min: 3, max: 50 }),
    domains: optional(array(integer({ ref: 'domains' }))),
    nodes: optional(array(integer({ ref: 'nodes' }))),
    nodebalancers: optional(array(integer({ ref: 'nodebalancers' }))),
    volumes: optional(array(integer({ ref: 'volumes' }))),
  }),
  reply: record(tags),
  shows: 'made',
  makes: tags,
  keys: ({ account, body }) => (isPlainTag(body.label) ? tagKey(account, body.label) : undefined),
  remakes: ({ world, account, body }) =>
    !isPlainTag(body.label) || find(world, tags, tagKey(account, body.label)) !== undefined,
  names: ({ body }) => kindNames.flatMap((kind) => idsOf(body, kind).map((key) => ({ table: kinds[kind], key }))),
  draft: (plan) => ({ body: { label: plan.name() } }),
  full: (plan) => ({
    body: { label: plan.name(), ...Object.fromEntries(kindNames.map((kind) => [kind, [ownId(plan, kind)]])) },
  }),
  refusals: kindNames.map(writable),
  silences: [
    {
      id: 'tags.create.label-characters',
      source: `${endpoints}, POST /tags`,
      text: 'Which characters a label may have is not said.',
      fields: ['label'],
      when: ({ body }) => !isPlainTag(body.label),
      probe: (plan) => void plan.check('tags.create', { body: { label: `${plan.name()} Ä/b` } }),
    },
    {
      id: 'tags.create.label-reused',
      source: endpoints,
      text: 'What creating a tag means whose label exists already is not said.',
      when: ({ world, account, body }) => isTaken(world, account, body.label),
      probe: (plan) => {
        const label = plan.name()
        plan.make(tags, { label })
        plan.check('tags.create', { body: { label } })
      },
    },
    {
      id: 'tags.create.objects-repeated',
      source: `${endpoints}, POST /tags`,
      text: 'Whether an object may be listed twice is not said.',
      fields: kindNames,
      when: ({ body }) => kindNames.some((kind) => new Set(idsOf(body, kind)).size < idsOf(body, kind).length),
      probe: (plan) => {
        const { id } = plan.make(volumes)
        plan.check('tags.create', { body: { label: plan.name(), volumes: [id, id] } })
      },
    },
    {
      id: 'tags.create.objects-none',
      source: `${endpoints}, POST /tags`,
      text: 'Whether an array of objects may be empty is not said.',
      when: ({ body }) => kindNames.some((kind) => body[kind]?.length === 0),
      probe: (plan) => void plan.check('tags.create', { body: { label: plan.name(), volumes: [] } }),
    },
    {
      id: 'tags.create.object-state',
      source: `${endpoints}; Volume status`,
      text: 'Whether a volume that is not at rest, one of many tags, or a node under live migration can be tagged is not said.',
      when: ({ world, body }) =>
        or(
          ...idsOf(body, 'volumes').map((id) => {
            const volume = find(world, volumes, id)
            return volume
              ? or(
                  volume.migrating,
                  known(volume.status, 'active', (a, b) => a !== b),
                  (volume.tags?.length ?? 0) >= 5,
                )
              : false
          }),
          ...idsOf(body, 'nodes').map((id) => find(world, nodes, id)?.liveMigration === true),
        ),
      probe: (plan) => {
        const node = plan.node(({ liveMigration }) => liveMigration === true, 'a node under live migration')
        plan.check('tags.create', { body: { label: plan.name(), nodes: [node.id] } })
      },
    },
  ],
  effects: [
    {
      id: 'tags.create.tags-volumes',
      source: `${endpoints}, POST /tags, "to tag immediately"`,
      text: 'A volume listed in the creation carries the tag among its tags.',
      table: volumes,
      field: 'tags',
      probe: (plan) => {
        const bare = plan.make(volumes)
        const tagged = plan.make(volumes, { tags: [plan.name()] })
        // No volume of another account is tagged.
        const solvent = { foreign: true, restricted: false, balance: 'positive', has: foreignScopes } as const
        const as = plan.attempt(() => plan.token(solvent))
        if (as !== undefined) plan.check('volumes.list', { as })
        plan.call('tags.create', { body: { label: plan.name(), volumes: [bare.id, tagged.id] } })
        plan.check('volumes.view', { path: { volumeId: bare.id } })
        plan.check('volumes.view', { path: { volumeId: tagged.id } })
        if (as !== undefined) plan.check('volumes.list', { as })
      },
    },
  ],
  apply: ({ world, body, made, account, caller }) => {
    const before = find(world, tags, made)
    const union = (kind: 'domains' | 'nodes' | 'nodebalancers') => [
      ...new Set([...(before?.[kind] ?? []), ...idsOf(body, kind)]),
    ]
    return put(
      idsOf(body, 'volumes').reduce((tagging, id) => retag(tagging, id, body.label, true), withoutMention(world, made)),
      tags,
      {
        key: made,
        account,
        ...(caller.user && { maker: caller.user.name }),
        label: body.label,
        // Each account has tags of its own: where it is not known whose this one is, it is no more than one that may be there.
        ...(account === undefined && { stub: true as const }),
        created: account !== undefined,
        objectsKnown: account !== undefined && (before === undefined || before.objectsKnown === true),
        domains: union('domains'),
        nodes: union('nodes'),
        nodebalancers: union('nodebalancers'),
      },
    )
  },
})

/** Where a tag is created under a label that was mentioned, that is the tag which the label may have become. */
const withoutMention = (world: World, made: string): World => {
  const mention = mentionOf(made)
  return find(world, tags, mention) ? drop(world, tags, mention) : world
}

/** Puts a label among the tags of a volume or takes it away; what an odd label looks like there stays open. */
const retag = (world: World, id: number | string, label: string, on: boolean): World => {
  const volume = find(world, volumes, id)
  if (!Array.isArray(volume?.tags)) return world
  const others = volume.tags.filter((tag) => tag !== label)
  const next = patch(world, volumes, id, { tags: on ? [...others, label] : others })
  return volume.loose?.includes('tags') || !isPlainTag(label) ? loosen(next, volumes, id, ['tags']) : next
}

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
