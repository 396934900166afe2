// What an assignment would do: which address goes from which node to which, and what each node would hold then; no operation.

import { prefixOf, type Range, rangeKey, ranges, withoutPrefix } from '../ipv6-ranges/record.js'
import { and, known, not, or, type Part, type Ternary } from '../language/clause.js'
import type { NodeFixture } from '../language/environment.js'
import { nodes } from '../language/facts.js'
import { parseAddress } from '../language/formats.js'
import { type Entity, exists, find, gone, isClosed, live, type World } from '../language/world.js'
import { addressKey, type Ip, ips, isIpv4, isShared, sharedWith, shares } from './record.js'

export interface Assignment {
  readonly address?: string
  readonly node_id?: number
}

/** What the rules about an assignment look at. */
export interface Assigning {
  readonly world: World
  readonly account: string | undefined
  readonly body: { readonly assignments: readonly Assignment[]; readonly region: string }
}

/** What the text of an assigned address is; undefined where implementations may read it differently. */
export type Form = 'ipv4' | 'range' | 'wrong-prefix' | 'no-address' | undefined

const prefixLengths = [56, 64]

export const formOf = (text: string): Form => {
  if (parseAddress(text)?.kind() === 'ipv4') return 'ipv4'
  if (parseAddress(withoutPrefix(text))?.kind() === 'ipv6') {
    const prefix = prefixOf(text)
    if (prefix !== undefined) return prefixLengths.includes(prefix) ? 'range' : 'wrong-prefix'
    return text.includes('/') ? undefined : 'wrong-prefix'
  }
  return /^[\d.:/%[\]\sa-fA-F]+$/.test(text) ? undefined : 'no-address'
}

/** An address or range of the caller's on its way to a node. */
export interface Move {
  readonly key: string
  readonly to: number
  readonly from: number | undefined
  readonly ip?: Entity<Ip>
  readonly range?: Entity<Range>
}

const isOwn = (account: string | undefined, entity: { readonly account: string | undefined }): boolean =>
  account === undefined || entity.account === undefined || entity.account === account

const ownOnly = <E extends Entity<Ip> | Entity<Range>>(account: string | undefined, entity: E | undefined) =>
  entity && isOwn(account, entity) ? entity : undefined

const entityOf = (world: World, text: string): Entity<Ip> | Entity<Range> | undefined =>
  formOf(text) === 'ipv4' ? find(world, ips, addressKey(text)) : find(world, ranges, rangeKey(text))

/** The assignments of a call that may be ill-formed: what looks at its effect sees refused calls as well. */
const listOf = ({ assignments }: Partial<Assigning['body']>): readonly Assignment[] =>
  Array.isArray(assignments) ? assignments.filter((one) => typeof one === 'object' && one !== null) : []

/** The moves that are known: of the caller's own addresses and ranges. */
export const movesOf = ({ world, account, body }: Assigning): readonly Move[] =>
  listOf(body).flatMap(({ address, node_id: to }): Move[] => {
    if (typeof address !== 'string' || to === undefined) return []
    const form = formOf(address)
    const ip = form === 'ipv4' ? ownOnly(account, find(world, ips, addressKey(address))) : undefined
    if (ip) return [{ key: ip.key, to, from: ip.node_id, ip }]
    const range = form === 'range' ? ownOnly(account, find(world, ranges, rangeKey(address))) : undefined
    return range ? [{ key: range.key, to, from: range.node_id, range }] : []
  })

/** Whether the caller surely can't use what the text names: it is another account's, it is gone, or it is nowhere. */
export const isInaccessible = (world: World, account: string | undefined, text: string, isRange: boolean): Ternary => {
  const table = isRange ? ranges : ips
  const key = isRange ? rangeKey(text) : addressKey(text)
  const entity = isRange ? find(world, ranges, key) : find(world, ips, key)
  if (entity) return entity.stub ? undefined : !isOwn(account, entity)
  return (key !== undefined && gone(world, table, key) !== undefined) || isClosed(world, table, account) || undefined
}

const nodeOf = (world: World, id: number): Entity<NodeFixture> | undefined => find(world, nodes, id)

const isMove = ({ from, to }: Move): Ternary => known(from, to, (a, b) => a !== b)

/** Whether something in the call goes where it already is, or is named twice, or nothing is named at all. */
export const isIdle = (facts: Assigning): Ternary => {
  const keys = facts.body.assignments.map(({ address = '' }) => addressKey(withoutPrefix(address)) ?? address)
  return or(new Set(keys).size < keys.length || keys.length === 0, ...movesOf(facts).map((move) => not(isMove(move))))
}

/** Nodes that receive or give; a giver that is not known is left out. */
export const involvedIn = (facts: Assigning): readonly number[] => [
  ...new Set(movesOf(facts).flatMap(({ to, from }) => (from === undefined ? [to] : [to, from]))),
]

/** Whether the call assigns something of which nothing is known. */
const isMurky = ({ world, body }: Assigning): boolean =>
  body.assignments.some(({ address = '' }) => {
    const entity = entityOf(world, address)
    return entity === undefined || entity.stub === true
  })

/** Whether an address would be on the node, were the call carried out. */
const isOnAfter = (facts: Assigning, node: number): ((ip: Entity<Ip>) => Ternary) => {
  const moves = movesOf(facts)
  return (ip) => {
    const move = moves.findLast(({ key }) => key === ip.key)
    return known(move?.to ?? ip.node_id, node, (a, b) => a === b)
  }
}

/** Whether the node would have at least `n` addresses of that kind; the target file's list of them counts as whole. */
const hasAfter = (facts: Assigning, node: number, n: number, isPublic: boolean): Ternary => {
  const { world, account } = facts
  const isOn = isOnAfter(facts, node)
  const all = live(world, ips, account).map((ip) =>
    and(
      isOn(ip),
      ip.address !== undefined && !isIpv4(ip.address) ? false : known(ip.public, isPublic, (a, b) => a === b),
    ),
  )
  const sure = all.filter((one) => one === true).length
  if (sure >= n) return true
  const listed = isPublic ? nodeOf(world, node)?.ipv4?.public : nodeOf(world, node)?.ipv4?.private
  const shared = sharedWith(find(world, shares, node))
  const mayHaveMore = shared.isOpen || shared.surely.length + shared.perhaps.length > 0
  const isOpen = isMurky(facts) || listed === undefined || (isPublic && mayHaveMore)
  return isOpen || sure + all.filter((one) => one === undefined).length >= n ? undefined : false
}

/** Whether a node involved would be left without a public IPv4 address. */
export const leavesNoPublic = (facts: Assigning): Ternary =>
  or(...involvedIn(facts).map((node) => not(hasAfter(facts, node, 1, true))))

/** Whether a node would be left without a public IPv4 address before it receives another one. */
export const emptiesMeanwhile = (facts: Assigning): Ternary =>
  or(
    ...involvedIn(facts).map((node) => {
      const assignments = facts.body.assignments.filter(({ node_id: to }) => to !== node)
      return assignments.length === facts.body.assignments.length
        ? false
        : and(
            not(hasAfter({ ...facts, body: { ...facts.body, assignments } }, node, 1, true)),
            movesOf(facts).some(({ ip, from }) => from === node && ip !== undefined),
          )
    }),
  )

/**
 * Whether a node that receives a private IPv4 address would have two. One that has two already may be refused whatever else it
 * gives or receives, since the sentence is about every node involved.
 */
export const givesSecondPrivate = (facts: Assigning): Ternary =>
  or(
    ...involvedIn(facts).map((node) => (hasAfter(facts, node, 2, false) === true ? undefined : false)),
    ...movesOf(facts)
      .filter(({ ip, from, to }) => ip !== undefined && from !== to)
      .map(({ ip, to }) => and(not(ip?.public), hasAfter(facts, to, 2, false))),
  )

/** Of each range that goes to another node, whether that node would have two: it depends on the node and on what else moves. */
export const secondRanges = (facts: Assigning): readonly Part[] => {
  const { world, account } = facts
  const moves = movesOf(facts)
  const wouldBeSecond = (key: string, to: number): Ternary =>
    exists(world, ranges, account, (other) => {
      if (other.key === key) return false
      const move = moves.findLast((one) => one.key === other.key)
      const slaac = nodeOf(world, to)?.slaac
      if (move) return move.to === to
      return other.node_id === undefined
        ? known(other.route_target, slaac, (a, b) => rangeKey(a) === rangeKey(b))
        : other.node_id === to
    })
  return moves
    .filter(({ range, from, to }) => range !== undefined && from !== to)
    .map(({ key, to }) => ({
      part: [to, moves.flatMap((one) => (one.key === key ? [] : [[one.key, one.to]]))],
      isDue: wouldBeSecond(key, to),
    }))
}

/** Whether an address under 1:1 NAT would go to another node. */
export const movesNatted = (facts: Assigning): Ternary =>
  or(...movesOf(facts).map((move) => (move.ip ? and(move.ip.natted, isMove(move)) : false)))

const swaps = (moves: readonly Move[]): readonly (readonly [Move, Move, Ternary])[] =>
  moves.flatMap((a, i) =>
    moves.slice(i + 1).flatMap((b): (readonly [Move, Move, Ternary])[] => {
      const isSwap = and(
        known(a.from, b.to, (from, to) => from === to),
        known(b.from, a.to, (from, to) => from === to),
        a.to !== b.to,
      )
      return isSwap === false ? [] : [[a, b, isSwap]]
    }),
  )

/** Whether two shared addresses would change places. */
export const swapsShared = (facts: Assigning): Ternary =>
  or(
    ...swaps(movesOf(facts)).map(([a, b, isSwap]) =>
      and(isSwap, isShared(facts.world, a.key), isShared(facts.world, b.key)),
    ),
  )

/** Whether two nodes exchange the only public, or private, IPv4 address that each is known to have. */
export const exchangesAll = (facts: Assigning, isPublic: boolean): boolean =>
  swaps(movesOf(facts)).some(
    ([a, b, isSwap]) =>
      isSwap === true &&
      [a, b].every(
        ({ ip, from }) =>
          ip?.public === isPublic &&
          live(facts.world, ips, facts.account).filter(
            (one) =>
              one.public === isPublic && one.node_id === from && (one.address === undefined || isIpv4(one.address)),
          ).length === 1,
      ),
  )

/** Keys of addresses that change places with another. */
export const swappedIn = (facts: Assigning): readonly string[] => [
  ...new Set(swaps(movesOf(facts)).flatMap(([a, b, isSwap]) => (isSwap === true ? [a.key, b.key] : []))),
]

/** Whether something shared would move. */
export const movesShared = (facts: Assigning): Ternary =>
  or(...movesOf(facts).map((move) => and(isMove(move), isShared(facts.world, move.key))))

/** Whether a node would gain IPv4 addresses that is not known to be configured for further ones. */
export const gainsUnasked = (facts: Assigning): Ternary => {
  const moves = movesOf(facts).filter(({ ip }) => ip !== undefined)
  return or(
    ...involvedIn(facts).map((node) => {
      const gained = moves.filter(({ to, from }) => to === node && from !== node).length
      const given = moves.filter(({ to, from }) => from === node && to !== node).length
      return gained > given ? not(nodeOf(facts.world, node)?.extraAddresses) : false
    }),
  )
}

/** Whether a node involved is under live migration. */
export const isBusy = (facts: Assigning): Ternary =>
  or(
    ...[...involvedIn(facts), ...facts.body.assignments.flatMap(({ node_id: id }) => id ?? [])].map(
      (node) => nodeOf(facts.world, node)?.liveMigration === true,
    ),
  )

/** Whether a range is named otherwise than by its own address and prefix length in the customary spelling. */
export const isOddlyNamed = ({ world, body }: Assigning): Ternary =>
  or(
    ...body.assignments.map(({ address = '' }) =>
      formOf(address) === 'range'
        ? known(find(world, ranges, rangeKey(address))?.network, address, (a, b) => a !== b)
        : false,
    ),
  )
