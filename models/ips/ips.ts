// Allocating, viewing and naming IP addresses: "Endpoints / Networking" and "IP rules"; listing, assigning and sharing them stand apart.

import { forget, patch, put } from '../language/changes.js'
import { known, not, or, type Ternary } from '../language/clause.js'
import { nodes } from '../language/facts.js'
import { addressed, aNode, someSlaac } from '../language/needs.js'
import { isObject } from '../language/objects.js'
import { operation, record, ref } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { boolean, integer, nullable, object, oneOf, text, without } from '../language/schema.js'
import { type Entity, find, isLatent, live, type World } from '../language/world.js'
import { endpoints, isPrivateRange, restricted } from './common.js'
import { giver, hermit, insider, named, namedIpv6 } from './fixtures.js'
import { listIps } from './list.js'
import { addressKey, type Ip, ips, isIpv4, isIpv6, plainAddress, sameHost } from './record.js'

const rdnsRules = `${endpoints}, "IP rules", RDNS update`
/** What keeps the addresses of one account from the users of another. */
const ofTheAccount =
  'Endpoints / Networking, "IP addresses on the account"; IP assignment object, "accessible to the caller"'

const address = { address: ref(ips, { key: (path) => addressKey(path.address), field: 'address', type: 'string' }) }

/** Which IPv6 addresses are resources of their own, and in which spellings, is not said. */
const ipv6 = (id: string, body?: { readonly rdns: null }) => ({
  id: `${id}.ipv6`,
  source: `${endpoints}, {address}`,
  text: 'Which IPv6 addresses can be named, and in which spelling, is not said.',
  when: ({ path }: { readonly path: { readonly address: string } }) => isIpv6(path.address),
  probe: (plan: Plan) => {
    const { slaac } = plan.node(
      (n) => n.slaac !== undefined,
      aNode('a node whose SLAAC address is known', { slaac: someSlaac }),
    )
    plan.check(id, { path: { address: slaac ?? '::' }, ...(body && { body }) })
  },
})

export const allocateIp = operation({
  id: 'ips.allocate',
  area: 'networking',
  method: 'POST',
  path: '/networking/ips',
  reach: { in: 'addresses', alone: false, lent: 'allocations' },
  source: endpoints,
  summary: 'Allocates an IPv4 address to a node.',
  scopes: ['ips:read_write', 'nodes:read_write'],
  params: {},
  body: object({ node_id: integer({ ref: 'nodes' }), public: boolean(), type: without(oneOf('ipv4'), 'ipv6') }),
  reply: record(ips),
  shows: 'made',
  makes: ips,
  names: ({ body }) => [{ table: nodes, key: body.node_id }],
  guarded: 'an address cannot be given back, and costs money',
  // What is allocated stays. So it goes to a node that never has to be one with a single address.
  draft: (plan) => ({ body: { node_id: giver(plan).node.id, public: true, type: 'ipv4' } }),
  refusals: [
    {
      id: 'ips.allocate.extra-addresses',
      source: `${endpoints}, POST /networking/ips`,
      text: 'The node must be configured to allow extra addresses.',
      when: ({ world, body }) => not(find(world, nodes, body.node_id)?.extraAddresses),
      probe: (plan) => {
        const closed = plan.node(
          (n) => n.extraAddresses === false && n.liveMigration !== true,
          aNode('a node that may not be given further addresses', { extraAddresses: false, liveMigration: false }),
        )
        const { body } = plan.draft('ips.allocate')
        plan.probe('ips.allocate', { body: { ...body, node_id: closed.id } })
        plan.probe('ips.allocate', { body: { ...body, node_id: closed.id, public: false } })
        plan.twin('ips.allocate', { body: { ...body } })
      },
    },
    {
      id: 'ips.allocate.one-private',
      level: 'should',
      source: `${endpoints}, "IP rules", Assignment, "at most one private IPv4 address"`,
      text: 'A node that has a private IPv4 address is not given a second one.',
      when: ({ world, account, body }) =>
        body.public
          ? false
          : or(
              ...live(world, ips, account).map((ip) =>
                ip.public === false ? known(ip.node_id, body.node_id, (a, b) => a === b) : false,
              ),
            ),
      probe: (plan) => {
        const { node } = giver(plan, (n) => n.ipv4?.private?.length === 1, {
          what: ', with a private address',
          like: addressed(2, 1),
        })
        const body = { node_id: node.id, type: 'ipv4' }
        plan.probe('ips.allocate', { body: { ...body, public: false } })
        plan.twin('ips.allocate', { body: { ...body, public: true } })
      },
    },
  ],
  silences: [
    {
      id: 'ips.allocate.private-unknown',
      source: `${endpoints}, "IP rules", Assignment, "at most one private IPv4 address"`,
      text: 'Whether a node has a private address already is told by the target file alone.',
      unprobed: 'an address that is given cannot be given back, so a node of which nothing is told is left alone',
      when: ({ world, body }) => !body.public && find(world, nodes, body.node_id)?.ipv4?.private === undefined,
    },
    {
      id: 'ips.allocate.busy-node',
      source: `${endpoints}, POST /networking/ips`,
      text: 'Whether a node under live migration can be given an address is not said.',
      unprobed: 'an address that is given cannot be given back',
      when: ({ world, body }) => find(world, nodes, body.node_id)?.liveMigration === true,
    },
    restricted('ips.allocate'),
  ],
  statements: [
    {
      id: 'ips.allocate.ipv4',
      source: `${endpoints}, POST /networking/ips`,
      text: 'What is allocated is an IPv4 address.',
      holds: ({ reply }) =>
        isObject(reply) && reply.address !== undefined ? isIpv4(plainAddress(reply.address)) : undefined,
      probe: (plan) => {
        const path = { address: plan.check('ips.allocate', plan.draft('ips.allocate')).id }
        // Its name is the default of the provider, which a reset leaves it.
        plan.call('ips.view', { path })
        plan.check('ips.update', { path, body: { rdns: null } })
        plan.check('ips.view', { path })
      },
    },
    {
      id: 'ips.allocate.private',
      source: `${endpoints}, POST /networking/ips, public`,
      text: 'A node that has no private IPv4 address can be given one.',
      holds: ({ body }) => !body.public || undefined,
      probe: (plan) =>
        void plan.check('ips.allocate', { body: { node_id: hermit(plan).id, public: false, type: 'ipv4' } }),
    },
    {
      id: 'ips.allocate.public',
      level: 'should',
      source: `${endpoints}, POST /networking/ips, public`,
      text: 'A public address is none of those reserved for private use, and a private one is.',
      holds: ({ body, reply }) =>
        known(isPrivateRange(isObject(reply) ? reply.address : undefined), body.public, (a, b) => a !== b),
      probe: (plan) => {
        const draft = plan.draft('ips.allocate')
        const { region } = giver(plan).node
        // In another region than all others are, where there is such a node.
        const far = plan.attempt(() => giver(plan, (node) => node.region !== region))
        plan.check('ips.allocate', { body: { ...draft.body, ...(far && { node_id: far.node.id }) } })
      },
    },
  ],
  apply: ({ world, body, made, account, caller }) => {
    const region = find(world, nodes, body.node_id)?.region
    return put(world, ips, {
      key: made,
      account,
      ...(caller.user && { maker: caller.user.name }),
      ...(!isLatent(made) && { address: made }),
      public: body.public,
      type: body.type,
      node_id: body.node_id,
      ...(region !== undefined && { region }),
      natted: false,
      untold: false,
      // A name that nobody has set yet is the provider's.
      isDefault: true,
    })
  },
})

export const viewIp = operation({
  id: 'ips.view',
  area: 'networking',
  method: 'GET',
  path: '/networking/ips/{address}',
  reach: { in: 'addresses', alone: false, lent: 'looks' },
  source: endpoints,
  summary: 'Shows one IP address.',
  scopes: ['ips:read_only'],
  params: address,
  owned: ofTheAccount,
  reply: record(ips),
  shows: 'address',
  draft: (plan) => ({ path: { address: giver(plan).address } }),
  silences: [
    ipv6('ips.view'),
    {
      id: 'ips.view.private',
      source: `${endpoints}, GET /networking/ips, "excluding private addresses"`,
      text: 'Whether a private address, which the list leaves out, can be viewed is not said.',
      when: ({ refs }) => (isIpv6(refs.address.key) ? false : not(refs.address.public)),
      probe: (plan) => void plan.check('ips.view', { path: { address: insider(plan).address } }),
    },
    restricted('ips.view'),
  ],
  statements: [
    {
      id: 'ips.view.ipv6-rdns',
      source: 'Resources whose response fields are not fully given, "IPv6 address records carry an rdns property"',
      text: 'The record of an IPv6 address carries rdns.',
      holds: ({ path, reply }) =>
        isIpv6(path.address) && isObject(reply) && isIpv6(reply.address) ? reply.rdns !== undefined : undefined,
      probe: (plan) => {
        const { slaac } = plan.node(
          (n) => n.slaac !== undefined,
          aNode('a node whose SLAAC address is known', { slaac: someSlaac }),
        )
        plan.check('ips.view', { path: { address: slaac ?? '::' } })
      },
    },
  ],
})

/** Names that surely do not exist: RFC 6761 keeps this domain empty. */
const isNowhere = (name: string): boolean => /(?:^|\.)invalid\.?$/i.test(name)

/** Whether the address has that reverse name already; null stands for the default. */
const isSet = ({ rdns, isDefault }: Entity<Ip>, wanted: string | null): Ternary =>
  wanted === null ? isDefault : known(rdns, wanted, (present, next) => present !== null && sameHost(present, next))

const isPublicIpv4 = (ip: Entity<Ip>): Ternary => (isIpv6(ip.key) ? false : ip.public)

export const updateIp = operation({
  id: 'ips.update',
  area: 'networking',
  method: 'PUT',
  path: '/networking/ips/{address}',
  reach: { in: 'addresses', alone: false, lent: 'names' },
  source: endpoints,
  summary: 'Sets the reverse DNS name of an address, or resets it.',
  scopes: ['ips:read_write'],
  params: address,
  owned: ofTheAccount,
  body: object({ rdns: nullable(text()) }),
  reply: record(ips),
  shows: 'address',
  // Whether the reply to a reset shows the default already is not said.
  shownAs: ({ body }) => (body.rdns === null ? { rdns: undefined } : undefined),
  draft: (plan) => {
    const { name, address: own } = named(plan)
    plan.restore('ips.update', { path: { address: own }, body: { rdns: null } })
    return { path: { address: own }, body: { rdns: name } }
  },
  refusals: [
    {
      id: 'ips.update.forward-dns',
      source: rdnsRules,
      text: 'A reverse name is set only where forward DNS exists already.',
      fields: ['rdns'],
      when: ({ world, body, refs }) => {
        const { rdns } = body
        if (rdns === null) return false
        if (isNowhere(rdns)) return true
        return (
          world.environment.fixtures.dns?.some(
            (entry) => entry.name === rdns && addressKey(entry.address) === refs.address.key,
          ) !== true && undefined
        )
      },
      probe: (plan) => {
        const { path, body } = plan.draft('ips.update')
        plan.probe('ips.update', { path: { ...path }, body: { rdns: `${plan.name()}.invalid` } })
        const slaac = namedIpv6(plan)?.address
        // A check, as the address may be refused as well.
        if (slaac !== undefined)
          plan.check('ips.update', { path: { address: slaac }, body: { rdns: `${plan.name()}.invalid` } })
        plan.twin('ips.update', { path: { ...path }, body: { ...body } })
      },
    },
  ],
  silences: [
    {
      id: 'ips.update.private',
      source: rdnsRules,
      text: 'Whether a private address can have a reverse name is not said.',
      when: ({ refs }) => (isIpv6(refs.address.key) ? false : not(refs.address.public)),
      probe: (plan) => {
        const { address: own } = insider(plan)
        plan.check('ips.update', { path: { address: own }, body: { rdns: null } })
      },
    },
    {
      id: 'ips.update.same-again',
      source: rdnsRules,
      text: 'Whether a name can be set that is set already, or reset where it is the default, is not said.',
      when: ({ body, refs }) => (isPublicIpv4(refs.address) === false ? false : isSet(refs.address, body.rdns)),
      probe: (plan) => {
        const args = plan.draft('ips.update')
        plan.check('ips.update', args)
        plan.check('ips.update', args)
      },
    },
    ipv6('ips.update', { rdns: null }),
    restricted('ips.update'),
  ],
  statements: [
    {
      id: 'ips.update.resets',
      source: rdnsRules,
      text: 'Null on a public IPv4 address brings back the default of the provider.',
      holds: ({ body, refs, reply }) => {
        const { defaultRdns } = refs.address
        const seen = isObject(reply) ? reply.rdns : undefined
        if (body.rdns !== null || typeof defaultRdns !== 'string' || typeof seen !== 'string') return undefined
        return isPublicIpv4(refs.address) === true ? sameHost(defaultRdns, seen) : undefined
      },
      probe: (plan) => {
        const { path, body } = plan.draft('ips.update')
        const beside = plan.attempt(() => named(plan, (address) => address !== path?.address))
        if (beside) {
          const there = { path: { address: beside.address } }
          plan.restore('ips.update', { ...there, body: { rdns: null } })
          plan.check('ips.update', { ...there, body: { rdns: beside.name } })
        }
        // Another name than other programs set: one that a lost reset has left behind is no default.
        const other = plan.environment.fixtures.dns?.find(
          ({ name, address: own }) => own === path?.address && name !== (body as { readonly rdns?: unknown }).rdns,
        )
        // One name takes the place of another.
        for (const rdns of other ? [(body as { readonly rdns?: string }).rdns, other.name] : [])
          plan.check('ips.update', { path: { ...path }, body: { rdns } })
        plan.check('ips.update', { path: { ...path }, body: { rdns: null } })
        plan.check('ips.view', { path: { ...path } })
        // The name of another address stays.
        if (beside) plan.check('ips.view', { path: { address: beside.address } })
        // Of two different names at most one is the default.
        plan.call('ips.update', { path: { ...path }, body: { ...body } })
        plan.check('ips.update', { path: { ...path }, body: { rdns: null } })
        plan.check('ips.view', { path: { ...path } })
      },
    },
  ],
  apply: ({ world, body, refs: { address: ip } }) =>
    body.rdns === null ? reset(world, ip) : rename(world, ip, body.rdns),
  // What a name is reset to is the target's own choice, also where no call has shown the default before.
  draws: ({ body, refs: { address: ip } }, dice) => (body.rdns === null ? { rdns: ips.draw?.(dice, ip).rdns } : {}),
})

const reset = (world: World, ip: Entity<Ip>): World => {
  if (isPublicIpv4(ip) === true && ip.isDefault === true && typeof ip.rdns === 'string') return world
  if (isPublicIpv4(ip) !== true || ip.defaultRdns === undefined)
    return patch(forget(world, ips, ip.key, ['rdns']), ips, ip.key, { isDefault: true })
  return patch(world, ips, ip.key, { rdns: ip.defaultRdns, isDefault: true })
}

/** Notes the default that the name replaces, where it is known to be one. */
const rename = (world: World, ip: Entity<Ip>, rdns: string): World =>
  patch(world, ips, ip.key, {
    rdns,
    isDefault: false,
    ...(ip.isDefault === true && ip.rdns !== undefined && { defaultRdns: ip.rdns }),
  })

export const ipOperations = [listIps, allocateIp, viewIp, updateIp]
