// Under which conditions an assignment is refused, or may be: sections "IP assignment object" and "IP rules"; no operation.

import { isRestricted } from '../language/access.js'
import { and, inParts, known, or, type Ternary } from '../language/clause.js'
import { nodes } from '../language/facts.js'
import { addressed, aNode } from '../language/needs.js'
import type { Plan } from '../language/plan.js'
import { find } from '../language/world.js'
import {
  assigning,
  away,
  bareNear,
  distant,
  distantRange,
  foreign,
  foreignRange,
  givenNear,
  giver,
  insider,
  insiderBeside,
  lengthFor,
  natted,
  otherOf,
  pair,
  poor,
  rangeOn,
  roomFor,
  taker,
  thirdNear,
} from './fixtures.js'
import {
  type Assigning,
  formOf,
  gainsUnasked,
  givesSecondPrivate,
  isBusy,
  isIdle,
  isInaccessible,
  isOddlyNamed,
  leavesNoPublic,
  movesNatted,
  movesOf,
  movesShared,
  secondRanges,
  swapsShared,
} from './moves.js'

const rules = 'Endpoints / Networking, "IP rules", Assignment'
const item = 'IP assignment object'

const isIncomplete = ({ body: { assignments } }: Assigning): boolean =>
  assignments.some(({ address, node_id: node }) => address === undefined || node === undefined)

const addressesOf = ({ body: { assignments } }: Assigning): readonly string[] =>
  assignments.flatMap(({ address }) => address ?? [])

const namesInaccessible = (facts: Assigning, wanted: 'ipv4' | 'range'): Ternary =>
  or(
    ...addressesOf(facts).map((address) => {
      const form = formOf(address)
      if (form === undefined) return undefined
      return form === wanted && isInaccessible(facts.world, facts.account, address, form === 'range')
    }),
  )

export const refusalsOf = (id: string) => [
  ...formRefusals(id),
  ...accessRefusals(id),
  ...regionRefusals(id),
  ...holdingRefusals(id),
  ...movingRefusals(id),
]

const formRefusals = (id: string) => [
  {
    id: `${id}.complete`,
    level: 'should' as const,
    source: item,
    text: 'An assignment has an address and a node_id.',
    fields: ['assignments', 'address', 'node_id'],
    when: isIncomplete,
    probe: (plan: Plan) => {
      const { body } = away(id)(plan)
      plan.probe(id, { body: { ...body, assignments: [{ address: body.assignments[0]?.address }] } })
      plan.probe(id, { body: { ...body, assignments: [{ node_id: body.assignments[0]?.node_id }] } })
      plan.twin(id, { body })
    },
  },
  {
    id: `${id}.address-form`,
    source: `${item}, address`,
    text: 'What is assigned is an IPv4 address or an IPv6 range.',
    fields: ['assignments', 'address'],
    when: (facts: Assigning) =>
      !isIncomplete(facts) && addressesOf(facts).some((address) => formOf(address) === 'no-address'),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const to = taker(plan, node)
      plan.restore(id, assigning(node.region, [address, node]))
      plan.probe(id, assigning(node.region, ['no-address', to]))
      plan.probe(id, assigning(node.region, [address, to], ['no-address', to]))
      plan.twin(id, assigning(node.region, [address, to]))
    },
  },
  {
    id: `${id}.prefix-length`,
    source: `${item}, address`,
    text: 'An IPv6 range is assigned with its prefix length, 56 or 64.',
    fields: ['assignments', 'address'],
    when: (facts: Assigning) =>
      !isIncomplete(facts) && addressesOf(facts).some((address) => formOf(address) === 'wrong-prefix'),
    probe: (plan: Plan) => {
      // Either length may be what is taken where none is given.
      const { from, to, range } = rangeOn(plan, 'node_id', lengthFor(id))
      const { node, address } = giver(plan, (n) => n.region === from.region, {
        what: ', in a region with a known SLAAC address',
      })
      plan.restore(id, assigning(node.region, [address, node]))
      plan.probe(id, assigning(from.region, [range.field('address'), to]))
      // Of the caller's own range: nothing else is wrong with it.
      for (const suffix of ['/60', '/128']) plan.probe(id, assigning(from.region, [{ ...range.id, suffix }, to]))
      plan.probe(id, assigning(from.region, [address, taker(plan, node)], [range.field('address'), to]))
      plan.twin(id, assigning(from.region, [range.field('network'), to]))
    },
  },
]

const accessRefusals = (id: string) => [
  {
    id: `${id}.accessible`,
    source: `${item}, address`,
    text: 'What is assigned is accessible to the caller.',
    fields: ['assignments', 'address'],
    when: (facts: Assigning) => namesInaccessible(facts, 'ipv4'),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const to = taker(plan, node)
      plan.probe(id, assigning(node.region, [foreign(plan, node), to]))
      plan.probe(id, assigning(node.region, [address, to], [foreign(plan, node), to]))
      plan.twin(id, assigning(node.region, [address, to]))
      plan.restore(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.accessible-range`,
    source: `${item}, address`,
    text: 'An IPv6 range that is assigned is accessible to the caller.',
    fields: ['assignments', 'address'],
    when: (facts: Assigning) => namesInaccessible(facts, 'range'),
    probe: (plan: Plan) => {
      const { from, to, range } = rangeOn(plan)
      plan.probe(id, assigning(from.region, [foreignRange(plan, from).field('network'), to]))
      plan.twin(id, assigning(from.region, [range.field('network'), to]))
    },
  },
]

/** Whether something is not in the region that a call names. Nothing is in the region of a call that names none. */
const isOutside = (region: string | undefined, named: unknown): Ternary => known(region, named ?? '', (a, b) => a !== b)

const regionRefusals = (id: string) => [
  {
    id: `${id}.region-of-nodes`,
    source: 'Endpoints / Networking, POST /networking/ips/assign, region',
    text: 'Every node that receives is in the region that the call names.',
    when: ({ world, body: { assignments, region } }: Assigning) =>
      or(
        ...assignments.map(({ node_id: node }) =>
          node === undefined ? false : isOutside(find(world, nodes, node)?.region, region),
        ),
      ),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const { a, b } = pair(plan)
      const far = distant(plan, node)
      plan.probe(id, assigning(node.region, [address, far]))
      plan.probe(id, assigning(a.node.region, [a.address, b.node], [b.address, distant(plan, a.node)]))
      // That all are in one region is not enough; it breaks two rules.
      plan.check(id, assigning(far.region, [address, taker(plan, node)]))
      plan.twin(id, assigning(node.region, [address, taker(plan, node)]))
      plan.restore(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.region-of-addresses`,
    source: 'Endpoints / Networking, POST /networking/ips/assign, region',
    text: 'Every address is in the region that the call names.',
    when: (facts: Assigning) =>
      or(...movesOf(facts).map(({ ip }) => (ip ? isOutside(ip.region, facts.body.region) : false))),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const far = distant(plan, node)
      const to = taker(plan, node)
      const strange = givenNear(plan, far)
      plan.probe(id, assigning(far.region, [address, far]))
      if (strange !== undefined) plan.probe(id, assigning(node.region, [address, to], [strange, to]))
      plan.twin(id, assigning(node.region, [address, to]))
      plan.restore(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.region-of-ranges`,
    source: 'Endpoints / Networking, POST /networking/ips/assign, region',
    text: 'Every IPv6 range is in the region that the call names.',
    when: (facts: Assigning) =>
      or(...movesOf(facts).map(({ range }) => (range ? isOutside(range.region, facts.body.region) : false))),
    probe: (plan: Plan) => {
      const { from, to, range } = rangeOn(plan)
      plan.probe(id, assigning(from.region, [distantRange(plan, from).field('network'), to]))
      plan.twin(id, assigning(from.region, [range.field('network'), to]))
    },
  },
]

/** What the nodes hold after the assignment as a whole. */
const holdingRefusals = (id: string) => [
  {
    id: `${id}.public-left`,
    source: rules,
    text: 'After the assignment, as a whole, every node involved has a public IPv4 address.',
    when: leavesNoPublic,
    probe: (plan: Plan) => {
      const rich = giver(plan)
      const { node, address } = poor(plan, rich.node)
      const { region } = node
      plan.probe(id, assigning(region, [address, rich.node]))
      // Nor does it where it is given a private address in the same call: the one that it has, or else that of another node.
      const own = node.ipv4?.private?.[0]
      const other = own ? undefined : plan.attempt(() => insider(plan, (n) => n.region === region))
      const inside = own ?? other?.address
      if (inside) plan.check(id, assigning(region, [address, rich.node], [inside, node]))
      if (other) plan.restore(id, assigning(region, [other.address, other.node]))
      const third = thirdNear(plan, node, rich.node)
      if (third) plan.probe(id, assigning(region, [rich.address, third], [address, third]))
      const bare = bareNear(plan, node)
      if (bare) {
        const inner = insider(
          plan,
          (n) => n.region === region,
          aNode('a node with a private address, near one with no address', addressed(1, 1)),
        )
        plan.probe(id, assigning(region, [inner.address, bare]))
      }
      plan.twin(id, assigning(region, [rich.address, node]))
      plan.twin(id, assigning(region, [rich.address, rich.node]))
      plan.restore(id, assigning(region, [address, node]))
      plan.restore(id, assigning(region, [rich.address, rich.node]))
    },
  },
  {
    id: `${id}.one-private`,
    source: rules,
    text: 'A node has at most one private IPv4 address.',
    when: givesSecondPrivate,
    probe: (plan: Plan) => {
      const { node, address } = insider(plan)
      const beside = insiderBeside(plan, node).node
      plan.probe(id, assigning(node.region, [address, beside]))
      const rich = plan.attempt(() =>
        giver(plan, (n) => n.region === node.region && n.id !== beside.id, { what: ', near it', nth: 2 }),
      )
      if (rich) plan.probe(id, assigning(node.region, [rich.address, beside], [address, beside]))
      plan.twin(id, assigning(node.region, [address, roomFor(plan, node)]))
      plan.restore(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.one-range`,
    source: rules,
    text: 'A node has at most one IPv6 range.',
    ...inParts(secondRanges),
    unprobed: 'an account has one IPv6 range in a region, and all that is assigned together is in one region',
  },
]

/** What does not move at all, or not in this way. */
const movingRefusals = (id: string) => [
  {
    id: `${id}.natted`,
    source: rules,
    text: 'An address with an active 1:1 NAT to a VPC interface address is not assigned to another node.',
    when: movesNatted,
    probe: (plan: Plan) => {
      const { node, address, other } = natted(plan)
      const first = giver(plan, (n) => n.region === node.region && n.id !== node.id, {
        what: ', beside one with 1:1 NAT',
        nth: 2,
      })
      const to = taker(plan, node, (n) => n.id !== first.node.id, { what: ', a third one', nth: 3 })
      plan.probe(id, assigning(node.region, [address, to]))
      plan.probe(id, assigning(node.region, [first.address, to], [address, to]))
      plan.twin(id, assigning(node.region, [other, to]))
      plan.restore(id, assigning(node.region, [other, node]))
    },
  },
  {
    id: `${id}.shared-swap`,
    source: rules,
    text: 'Shared addresses do not change places between nodes.',
    when: swapsShared,
    probe: (plan: Plan) => {
      // Shared and taken back by the path that goes with this one, so that either is held to what the other is.
      const share = id.replace('assign', 'share')
      const { a, b, third } = pair(plan)
      const swap = assigning(a.node.region, [a.address, b.node], [b.address, a.node])
      plan.call(share, { body: { ips: [a.address, b.address], node_id: third.id } })
      plan.restore(id, assigning(a.node.region, [a.address, a.node], [b.address, b.node]))
      plan.restore(share, { body: { ips: [], node_id: third.id } })
      const other = otherOf(plan, a.node, a.address)
      if (other !== undefined) {
        // That another address moves meanwhile takes nothing back.
        plan.restore(id, assigning(a.node.region, [other, a.node]))
        plan.call(id, assigning(a.node.region, [other, third]))
        plan.call(id, assigning(a.node.region, [other, a.node]))
      }
      plan.probe(id, swap)
      plan.call(share, { body: { ips: [], node_id: third.id } })
      plan.twin(id, swap)
    },
  },
]

export const silencesOf = (id: string) => [
  {
    id: `${id}.idle`,
    source: rules,
    text: 'Whether an assignment may be empty, name an address twice, or name the node that has it already, is not said.',
    when: isIdle,
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      plan.check(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.shared-move`,
    source: rules,
    text: 'Whether a shared address may be assigned to another node, other than in exchange for a shared one, is not said.',
    when: (facts: Assigning) => and(movesShared(facts), swapsShared(facts) !== true),
    probe: (plan: Plan) => {
      const share = id.replace('assign', 'share')
      const { a, b, third } = pair(plan)
      plan.call(share, { body: { ips: [a.address], node_id: third.id } })
      plan.restore(id, assigning(a.node.region, [a.address, a.node]))
      plan.restore(share, { body: { ips: [], node_id: third.id } })
      plan.check(id, assigning(a.node.region, [a.address, b.node]))
    },
  },
  {
    id: `${id}.extra-addresses`,
    source: 'Endpoints / Networking, POST /networking/ips',
    text: 'Whether a node must be configured for extra addresses to receive one by assignment is not said.',
    when: gainsUnasked,
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const closed = plan.node(
        (n) => n.extraAddresses === false && n.region === node.region && n.liveMigration !== true,
        aNode('a node that may not be given further addresses', { extraAddresses: false, liveMigration: false }),
      )
      plan.restore(id, assigning(node.region, [address, node]))
      plan.check(id, assigning(node.region, [address, closed]))
    },
  },
  {
    id: `${id}.busy-node`,
    source: rules,
    text: 'Whether addresses of a node under live migration can be assigned is not said.',
    when: isBusy,
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const busy = plan.node(
        (n) => n.liveMigration === true && n.region === node.region,
        aNode('a node under live migration', { liveMigration: true }),
      )
      plan.restore(id, assigning(node.region, [address, node]))
      plan.check(id, assigning(node.region, [address, busy]))
    },
  },
  {
    id: `${id}.range-spelling`,
    source: `${item}, address`,
    text: 'Whether a range may be named by another spelling, another prefix length or an address within it is not said.',
    unprobed: 'it takes another spelling of a range that only the run itself makes known',
    when: isOddlyNamed,
  },
  {
    id: `${id}.restricted`,
    source: 'Authentication, "Permission rules beyond scopes"',
    text: 'Which grants a restricted user needs to assign addresses is not said.',
    when: ({ caller }: { readonly caller: Parameters<typeof isRestricted>[0] }) => isRestricted(caller),
    probe: (plan: Plan) => {
      const as = plan.token({ restricted: true, has: ['ips:read_write', 'nodes:read_write'] })
      plan.check(id, { ...away(id)(plan), as })
    },
  },
]
