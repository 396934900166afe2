// Listing the addresses of an account: "Endpoints / Networking", GET /networking/ips; no other operation.

import { put } from '../language/changes.js'
import { aFixture, aNode, exclusiveNeed, someSlaac, together } from '../language/needs.js'
import { operation, page } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { boolean, object, optional } from '../language/schema.js'
import { type Entity, find, isLatent, live, type WireRecord, type World } from '../language/world.js'
import { endpoints, isLinkLocal, isPrivateRange, recordsOf, restricted } from './common.js'
import { insider, namedIpv6 } from './fixtures.js'
import { addressKey, type Ip, ips, isIpv4, isIpv6, type Listed, listings, sameHost } from './record.js'

interface Listing {
  readonly query: object
  readonly body: { readonly skip_ipv6_rdns?: boolean }
}

/** Where the list is asked to leave out the reverse names of IPv6 addresses. */
const skipsIn = ({ query, body }: Listing): readonly ('query' | 'body')[] => [
  ...('skip_ipv6_rdns' in query && query.skip_ipv6_rdns === 'true' ? (['query'] as const) : []),
  ...(body.skip_ipv6_rdns === true ? (['body'] as const) : []),
]

const skipSource = `${endpoints}, GET /networking/ips, skip_ipv6_rdns`

/** Gives an IPv6 address a reverse name where the fixtures allow it, so that there is something to leave out. */
const nameIpv6 = (plan: Plan): void => {
  const entry = namedIpv6(plan)
  if (!entry) return
  const path = { address: entry.address }
  plan.check('ips.update', { path, body: { rdns: entry.name } })
  plan.restore('ips.update', { path, body: { rdns: null } })
}

/** All IPv4 addresses of a list that is on one page. */
const wholeOf = (reply: unknown): readonly string[] | undefined => {
  const { page: number, pages } = (reply ?? {}) as WireRecord
  if (number !== 1 || pages !== 1) return undefined
  const all = recordsOf(reply).map((one) => (isIpv4(one.address) ? addressKey(one.address) : undefined))
  return all.flatMap((key) => key ?? [])
}

/** An address that came into being since the last list, and that no call allocated. */
const uncalledFor = (world: World, account: string, reply: unknown): string | undefined => {
  const before: readonly string[] | undefined = find(world, listings, account)?.addresses
  return before && wholeOf(reply)?.find((key) => !before.includes(key) && !find(world, ips, key))
}

export const listIps = operation({
  id: 'ips.list',
  area: 'networking',
  method: 'GET',
  path: '/networking/ips',
  reach: { in: 'addresses', alone: false, lent: 'looks' },
  source: endpoints,
  summary: 'Lists the IP addresses of the account but the private ones.',
  scopes: ['ips:read_only'],
  params: {},
  body: object({ skip_ipv6_rdns: optional(boolean()) }),
  reply: page(ips, 'not-shown'),
  // A shared address has several nodes, and may have a record for each.
  apart: 'node_id',
  // Whether SLAAC addresses are listed is not said.
  lists: (_, ip: Entity<Ip>) => (isLatent(ip.key) ? false : isIpv6(ip.key) ? undefined : ip.public),
  shownAs: (facts, ip: Entity<Ip>) => (skipsIn(facts).length > 0 && isIpv6(ip.key) ? { rdns: null } : undefined),
  undecided: { 'refusal.field': 'what stands in the body of a GET need not be read at all' },
  // Remembered is only what was listed, so that a later list can be held against it.
  notes: ({ world, account, caller, chosen }) => {
    const addresses = caller.user?.restricted === false ? wholeOf(chosen) : undefined
    return account === undefined || !addresses
      ? world
      : put(world, listings, { key: account, account, addresses } satisfies Entity<Listed>)
  },
  draft: () => ({}),
  full: () => ({ body: { skip_ipv6_rdns: true } }),
  silences: [
    {
      id: 'ips.list.skip-sent',
      source: skipSource,
      text: 'A request body of a GET has no defined meaning, and a query parameter is not shown, so neither need be taken.',
      when: ({ query, body }) => body.skip_ipv6_rdns !== undefined || 'skip_ipv6_rdns' in query,
      probe: (plan) => {
        nameIpv6(plan)
        plan.check('ips.list', { body: { skip_ipv6_rdns: true } })
        plan.check('ips.list', { query: { skip_ipv6_rdns: true } })
      },
    },
    restricted('ips.list', (plan) => {
      const as = plan.token({ restricted: true, has: ['ips:read_only'] })
      plan.check('ips.list', { as })
    }),
  ],
  statements: [
    {
      id: 'ips.list.allocated',
      level: 'should',
      source: `${endpoints}, POST /networking/ips`,
      text: 'Where nobody else changes the account, an IPv4 address that was not listed before is one that was allocated.',
      holds: ({ world, account, caller, reply }) => {
        if (!world.environment.exclusive || account === undefined || caller.user?.restricted !== false) return undefined
        // What was allocated without its address being told may be any.
        if (live(world, ips, account).some(({ key }) => isLatent(key))) return undefined
        if (!find(world, listings, account) || !wholeOf(reply)) return undefined
        const stray = uncalledFor(world, account, reply)
        return stray === undefined || `${stray} was neither listed before nor allocated since`
      },
      probe: (plan) => {
        plan.need(plan.environment.exclusive, exclusiveNeed())
        plan.check('ips.list')
        plan.check('ips.list')
      },
    },
    {
      id: 'ips.list.no-private',
      source: `${endpoints}, GET /networking/ips, "excluding private addresses"`,
      text: 'Private addresses are not listed.',
      holds: ({ world, account, reply }) => {
        const listed = recordsOf(reply).find(
          ({ address, public: isPublic }) =>
            (isPublic === false && !isLinkLocal(address)) || isPrivateRange(address) === true,
        )
        if (listed) return `${String(listed.address)} is listed`
        return live(world, ips, account).some((ip) => ip.account === account && ip.public === false) || undefined
      },
      probe: (plan) => {
        insider(plan)
        plan.check('ips.list')
      },
    },
    {
      id: 'ips.list.ipv6-rdns',
      source: 'Resources whose response fields are not fully given, "IPv6 address records carry an rdns property"',
      text: 'Every record of an IPv6 address carries rdns.',
      holds: ({ reply }) => {
        const all = recordsOf(reply).filter((one) => isIpv6(one.address))
        return all.length === 0 ? undefined : all.every((one) => one.rdns !== undefined)
      },
      probe: (plan) => void plan.check('ips.list'),
    },
    {
      id: 'ips.list.skip-ipv6-rdns',
      source: skipSource,
      text: 'When skip_ipv6_rdns is true, rdns of IPv6 addresses is null.',
      holds: (facts) => {
        // Asked for in both places: in which of them it belongs is read differently.
        if (skipsIn(facts).length < 2) return undefined
        const all = recordsOf(facts.reply).filter((one) => isIpv6(one.address))
        return all.length === 0 ? undefined : all.every(({ rdns }) => rdns === null || rdns === undefined)
      },
      probe: (plan) => {
        nameIpv6(plan)
        plan.check('ips.list', { query: { skip_ipv6_rdns: true }, body: { skip_ipv6_rdns: true } })
        // What is left out of one list is still there.
        plan.check('ips.list')
      },
    },
    {
      id: 'ips.list.keeps-ipv6-rdns',
      source: `${skipSource}, "default false"`,
      text: 'Where skip_ipv6_rdns is not true, IPv6 addresses are listed with their reverse names.',
      holds: (facts) => {
        if (skipsIn(facts).length > 0) return undefined
        const told = recordsOf(facts.reply).flatMap((one) => {
          const known = isIpv6(one.address) ? find(facts.world, ips, addressKey(one.address))?.rdns : undefined
          return typeof known === 'string' && one.rdns !== undefined ? [sameHost(known, one.rdns)] : []
        })
        return told.length === 0 ? undefined : told.every(Boolean)
      },
      probe: (plan) => {
        plan.need(
          namedIpv6(plan) !== undefined,
          together(
            'a forward DNS entry for the SLAAC address of a node',
            aFixture('dns', 'an entry', { address: someSlaac }),
            aNode('a node', { slaac: someSlaac }),
          ),
        )
        nameIpv6(plan)
        plan.check('ips.list')
        plan.check('ips.list', { query: { skip_ipv6_rdns: false }, body: { skip_ipv6_rdns: false } })
      },
    },
  ],
  choices: [
    {
      id: 'ips.list.skip-place',
      text: 'Where skip_ipv6_rdns is heeded: in the query, or in the body of the GET.',
      source: skipSource,
      values: ['query', 'not in the query', 'body', 'not in the body'],
      observe: (facts) => {
        const [place, both] = skipsIn(facts)
        const named = recordsOf(facts.reply).filter(
          (one) => isIpv6(one.address) && typeof find(facts.world, ips, addressKey(one.address))?.rdns === 'string',
        )
        if (place === undefined || both !== undefined || named.length === 0) return undefined
        return named.every(({ rdns }) => rdns === null || rdns === undefined) ? place : `not in the ${place}`
      },
    },
  ],
})
