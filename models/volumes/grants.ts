// Which fixtures show the grants of restricted users on volumes and nodes; no rule about either.

import { principal } from '../language/access.js'
import type { Grants, NodeFixture, VolumeFixture } from '../language/environment.js'
import { aFixture, aNode, aToken, aUser, first, profiled, type TokenQuery, together } from '../language/needs.js'
import type { Plan } from '../language/plan.js'

/** Whether a volume can be attached to the node as to any other. */
export const calm = (node: NodeFixture): boolean => node.liveMigration !== true && node.configs?.length === 1

/** A token of a restricted user with read_write on the node, who has no grant on volumes that others make. */
export const nodeWriter = (plan: Plan, node: NodeFixture) => {
  const query: TokenQuery = {
    restricted: true,
    has: ['volumes:read_write', 'nodes:read_write'],
    permission: [{ kind: 'nodes', id: node.id, write: true }],
  }
  return plan.token(query, aToken(query, 'a token of a restricted user with read_write on a node'))
}

/** A token of a restricted user with read_write on some node who lacks a global grant, where there is one. */
export const nodeWriterWithout = (plan: Plan, name: string): string | undefined => {
  const { users, fixtures } = plan.environment
  const isWriter = (id: number): boolean =>
    users.some(
      ({ restricted, grants }) => restricted && grants?.nodes?.[id] === 'read_write' && !grants.global?.includes(name),
    )
  const node = fixtures.nodes?.find((one) => calm(one) && isWriter(one.id))
  return (
    node &&
    plan.attempt(() =>
      plan.token({
        restricted: true,
        grant: { name, held: false },
        has: ['volumes:read_write'],
        permission: [{ kind: 'nodes', id: node.id, write: true }],
      }),
    )
  )
}

/** A node on which the user of a token has read_write by a grant. */
export const writableNode = ({ environment }: Plan, token: string): NodeFixture | undefined => {
  const { user } = principal(environment, token)
  return environment.fixtures.nodes?.find((node) => calm(node) && user?.grants?.nodes?.[node.id] === 'read_write')
}

const what = 'a volume that is not migrating, with read_write for a restricted user'

/** Needs a volume on which somebody has read_write who has every scope and no other grant. */
export const writableVolume = together(
  what,
  aFixture('volumes', what),
  aUser(what, { name: 'restricted', account: first, restricted: true, grants: { volumes: { 0: 'read_write' } } }),
)

/** A volume and a node of its region on both of which a restricted user has read_write. */
export function grantedBoth(plan: Plan, grant?: TokenQuery['grant']) {
  const holders = plan.environment.users.filter(({ restricted, grants }) => restricted && grants)
  const pairs = holders.flatMap(({ grants }) =>
    (plan.environment.fixtures.nodes ?? [])
      .filter((node) => calm(node) && grants?.nodes?.[node.id] === 'read_write')
      .flatMap((node) =>
        (plan.environment.fixtures.volumes ?? [])
          .filter(
            ({ id, region, migrating }) =>
              region === node.region && migrating !== true && grants?.volumes?.[id] === 'read_write',
          )
          .map((volume) => ({ volume, node })),
      ),
  )
  const pair = pairs[0]
  plan.need(
    pair !== undefined,
    together(
      'a volume that is not migrating and a node of its region with one configuration profile, with read_write on both for a restricted user',
      aFixture('volumes', 'a volume'),
      aNode('a node', profiled),
      aToken({
        restricted: true,
        has: ['volumes:read_write', 'nodes:read_write'],
        permission: [
          { kind: 'nodes', id: 0, write: true },
          { kind: 'volumes', id: 0, write: true },
        ],
      }),
    ),
  )
  const { volume, node } = pair ?? { volume: { id: 0 }, node: { id: 0 } }
  const permission = pair && [
    { kind: 'nodes' as const, id: node.id, write: true },
    { kind: 'volumes' as const, id: volume.id, write: true },
  ]
  const as = plan.token({
    restricted: true,
    has: ['volumes:read_write', 'nodes:read_write'],
    ...(permission && { permission }),
    ...(grant && { grant }),
  })
  return { volume, node, as }
}

/** A volume on which a restricted user has read_write, and a node of its region on which that user has not. */
export const grantedVolume = (plan: Plan) => {
  const holders = plan.environment.users.filter(({ restricted, grants }) => restricted && grants)
  const holds = (kind: 'volumes' | 'nodes', id: number) =>
    holders.filter(({ grants }) => grants?.[kind]?.[id] === 'read_write')
  const volume = plan.volumeFixture(
    ({ id, region, migrating }) => region !== undefined && migrating !== true && holds('volumes', id).length > 0,
    writableVolume,
  )
  const node = plan.node(
    (candidate) =>
      candidate.region === volume.region &&
      calm(candidate) &&
      holds('volumes', volume.id).some((user) => !holds('nodes', candidate.id).includes(user)),
    aNode(
      'a node with one configuration profile in the region of that volume, without read_write for that user',
      profiled,
    ),
  )
  const as = plan.token(
    {
      restricted: true,
      has: ['volumes:read_write', 'nodes:read_write'],
      permission: [
        { kind: 'nodes', id: node.id, write: false },
        { kind: 'volumes', id: volume.id, write: true },
      ],
    },
    together(
      'a token of a restricted user with read_write on a volume but not on a node of its region',
      writableVolume,
    ),
  )
  return { volume, node, as }
}

/** Whether a volume can be attached to a node if its profile is named. */
const takesNamed = ({ liveMigration, configs = [] }: NodeFixture): boolean =>
  liveMigration !== true && configs.length > 0

type Grant = 'read_only' | 'read_write' | undefined

interface GrantedPair {
  readonly volume: VolumeFixture
  readonly node: NodeFixture
  /** The token of a restricted user who has those grants. */
  readonly as: string
}

/** Volumes and nodes of their region on which one restricted user has just these grants; none is a grant as well. */
export const pairsFor = (plan: Plan, onVolume: Grant, onNode: Grant): readonly GrantedPair[] =>
  grantees(plan).flatMap(({ grants, as }) => {
    const nodes = (plan.environment.fixtures.nodes ?? [])
      .filter((node) => isHome(plan, node) && takesNamed(node) && grants.nodes?.[node.id] === onNode)
      .toSorted((a, b) => Number(calm(b)) - Number(calm(a)))
    return volumesWith(plan, grants, onVolume).flatMap((volume) =>
      nodes.filter(({ region }) => region === volume.region).map((node) => ({ volume, node, as })),
    )
  })

/** Volumes on which a restricted user has that grant. */
export const lentVolumes = (plan: Plan, held: Grant): readonly Omit<GrantedPair, 'node'>[] =>
  grantees(plan).flatMap(({ grants, as }) => volumesWith(plan, grants, held).map((volume) => ({ volume, as })))

/** The restricted users of the first account whose grants are known, with a token of each that has every scope. */
const grantees = ({ environment }: Plan) => {
  const { users, tokens, accounts } = environment
  return users.flatMap(({ name, account, restricted, grants }) => {
    const token = tokens.find(({ user, scopes }) => user === name && scopes === '*')
    return token && restricted && grants && account === accounts[0]?.name ? [{ grants, as: token.name }] : []
  })
}

export const isHome = ({ environment }: Plan, { account }: { readonly account?: string }): boolean =>
  account === undefined || account === environment.accounts[0]?.name

const volumesWith = (plan: Plan, grants: Grants, held: Grant): readonly VolumeFixture[] =>
  (plan.environment.fixtures.volumes ?? []).filter(
    (volume) => isHome(plan, volume) && volume.migrating !== true && grants.volumes?.[volume.id] === held,
  )

/** Nodes on which read_write is lacking in the other way than here: may be read, or no grant is there at all. */
export const otherNodes = (plan: Plan, here: { readonly node: { readonly id: number }; readonly as: string }) =>
  ([undefined, 'read_only'] as const).flatMap((level) => {
    const pairs = pairsFor(plan, 'read_write', level)
    return pairs.some(({ node, as }) => node.id === here.node.id && as === here.as) ? [] : pairs.slice(0, 1)
  })

export const attaching = ({ volume, node, as }: GrantedPair) => ({
  path: { volumeId: volume.id },
  body: { node_id: node.id, ...(!calm(node) && { config_id: node.configs?.[0] }) },
  as,
})

/** A volume that is attached is not detached by a user who lacks a grant, and is by one who does not. */
export const lackingDetach = (plan: Plan, pair: GrantedPair): void => {
  const { path, body, as } = attaching(pair)
  plan.call('volumes.attach', { path, body })
  plan.probe('volumes.detach', { path, as })
  plan.twin('volumes.detach', { path })
}
