// Creating a tag, with objects or without: "Endpoints / Tags", POST /tags.

import { lacksWrite, type Principal } from '../language/access.js'
import { drop, put } from '../language/changes.js'
import { known, or, type Ternary } from '../language/clause.js'
import { nodes } from '../language/facts.js'
import { aForeignFixture, aNode } from '../language/needs.js'
import { operation, record } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { isPlainTag } from '../language/promises.js'
import { array, integer, object, optional, text } from '../language/schema.js'
import { exists, find, type Table, type World } from '../language/world.js'
import { volumes } from '../volumes/record.js'
import { kinds } from './carriers.js'
import { endpoints, foreignScopes, type Kind, kindNames, ownId, retag } from './common.js'
import { mentionOf, tagKey, tags } from './record.js'

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
  plan.need(found !== undefined, aForeignFixture(kind, `an object of another account under fixtures.${kind}`))
  return found?.id ?? 0
}

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
    const foreign = foreignId(plan, kind)
    plan.probe('tags.create', { body: { label, ...beside, [kind]: [...others, foreign] } })
    if (kind !== 'volumes')
      plan.probe('tags.create', { body: { label, ...beside, [kind]: [ownId(plan, kind), foreign] } })
    // Not even what the caller may write has been tagged.
    plan.check('volumes.view', { path: { volumeId: volume.id } })
    plan.twin('tags.create', { body: { label, ...beside, [kind]: [...others, ownId(plan, kind)] } })
  },
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
      fields: ['label'],
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
        const node = plan.node(
          ({ liveMigration }) => liveMigration === true,
          aNode('a node under live migration', { liveMigration: true }),
        )
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
        const all = [plan.make(volumes), plan.make(volumes, { tags: [plan.name()] }), plan.make(volumes)]
        // No volume of another account is tagged.
        const solvent = { foreign: true, restricted: false, balance: 'positive', has: foreignScopes } as const
        const as = plan.attempt(() => plan.token(solvent))
        if (as !== undefined) plan.check('volumes.list', { as })
        plan.call('tags.create', { body: { label: plan.name(), volumes: all.map(({ id }) => id) } })
        for (const { id } of all) plan.check('volumes.view', { path: { volumeId: id } })
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
