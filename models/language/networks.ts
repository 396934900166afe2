// Addresses and networks in IP/mask notation, read three-valued and compared whatever their spelling; not single addresses.
import equal from 'fast-deep-equal'
import ipaddr from 'ipaddr.js'
import type { Ternary } from './clause.js'
import { canonicalAddress, parseAddress } from './formats.js'
import { memoisedByText } from './memoised.js'

/** An address and the mask behind the last slash, less the zone id. */
const split = (text: string): { readonly address: string; readonly mask: string | undefined } => {
  const plain = withoutZone(text.trim())
  const slash = plain.lastIndexOf('/')
  return slash < 0
    ? { address: plain, mask: undefined }
    : { address: plain.slice(0, slash), mask: plain.slice(slash + 1) }
}

const withoutZone = (text: string): string => text.replace(/%[^/]*/g, '')

/** Whether the text carries a zone id (RFC 4007). */
export const hasZone = (text: string): boolean => text.includes('%')

/** A prefix length in plain decimals; a dotted mask or leading zeros leave it undecided. */
const isPrefix = (mask: string, bits: number): Ternary => {
  if (/^(?:0|[1-9]\d*)$/.test(mask)) return Number(mask) <= bits
  if (/^0\d+$/.test(mask) && Number(mask) <= bits) return undefined
  return bits === 32 && prefixOfDotted(mask) !== undefined ? undefined : false
}

const prefixOfDotted = (mask: string): number | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(mask)
    ? (ipaddr.IPv4.parse(mask).prefixLengthFromSubnetMask() ?? undefined)
    : undefined

/** Whether no bit is set behind the mask; the document doesn't say that one may be. */
const isAligned = (text: string): boolean => {
  const { address, mask } = split(text)
  return canonicalNetwork(text) === `${canonicalAddress(address)}/${mask}`
}

const combine = (text: string, isAddress: Ternary, isMask: Ternary): Ternary => {
  if (isAddress === false || isMask === false) return false
  return isAddress && isMask && text === text.trim() && isAligned(withoutZone(text)) ? true : undefined
}

/** Whether a text is an IPv4 address or network in IP/mask notation. */
export const isIpv4Network = memoisedByText((text): Ternary => {
  const { address, mask } = split(text)
  if (mask === undefined || hasZone(text)) return false
  const isAddress = parseAddress(address)?.kind() === 'ipv4' || (ipaddr.IPv4.isValid(address) ? undefined : false)
  return combine(text, isAddress, isPrefix(mask, 32))
})

/** The same for IPv6, whatever zone id it carries. */
export const isIpv6Network = memoisedByText((text): Ternary => {
  const { address, mask } = split(text)
  if (mask === undefined) return false
  const isAddress = parseAddress(address)?.kind() === 'ipv6' && (address.includes('.') ? undefined : true)
  return combine(text, isAddress, isPrefix(mask, 128))
})

/** One spelling for equal networks: no bit set behind the mask, the mask as a prefix length; the text where it is none. */
export const canonicalNetwork = memoisedByText((text): string => {
  const { address, mask } = split(text)
  const parsed = parseAddress(address)
  if (!parsed) return text
  const bits = parsed.kind() === 'ipv4' ? 32 : 128
  const prefix = mask === undefined ? bits : (prefixOfDotted(mask) ?? (/^\d+$/.test(mask) ? Number(mask) : -1))
  if (prefix < 0 || prefix > bits) return text
  const family = bits === 32 ? ipaddr.IPv4 : ipaddr.IPv6
  return `${family.networkAddressFromCIDR(`${parsed.toString()}/${prefix}`).toString()}/${prefix}`
})

/** A range of consecutive addresses: its first and last as numbers. */
type Stretch = readonly [first: bigint, last: bigint]

const stretchOf = memoisedByText((network): Stretch => {
  const { address, mask } = split(network)
  const bytes = parseAddress(address)?.toByteArray() ?? []
  const first = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n)
  return [first, first + 2n ** BigInt(8 * bytes.length - Number(mask)) - 1n]
})

/** Merges ranges into the fewest, in order. */
const joined = (stretches: readonly Stretch[]): readonly Stretch[] => {
  const all: Stretch[] = []
  for (const [first, last] of [...stretches].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const before = all.at(-1)
    if (before && first <= before[1] + 1n) all[all.length - 1] = [before[0], last > before[1] ? last : before[1]]
    else all.push([first, last])
  }
  return all
}

/** How many networks it takes to cover a range. */
const networksFor = ([first, last]: Stretch): number => {
  let count = 0
  for (let from = first; from <= last; count += 1) from += largestAt(from, last - from + 1n)
  return count
}

/** The size of the largest network that starts at an address and has at most so many addresses. */
const largestAt = (from: bigint, most: bigint): bigint => {
  const fits = 1n << BigInt(most.toString(2).length - 1)
  const aligned = from & -from
  return aligned === 0n || aligned > fits ? fits : aligned
}

/** The addresses that a list of networks covers, however it is written: with repetitions, overlaps or splits. */
interface Cover {
  /** Those of IPv4 and those of IPv6. */
  readonly families: readonly (readonly Stretch[])[]
  /** Texts that are surely no network. */
  readonly others: readonly string[]
}

const coverOf = (networks: readonly string[]): Cover => {
  const all = [...new Set(networks.map(canonicalNetwork))]
  return {
    families: [isIpv4Network, isIpv6Network].map((isOne) =>
      joined(all.filter((text) => isOne(text) === true).map(stretchOf)),
    ),
    others: all.filter((text) => !isIpv4Network(text) && !isIpv6Network(text)).sort(),
  }
}

/** Whether two lists of networks cover the same addresses. */
export const sameAddresses = (one: readonly string[], other: readonly string[]): boolean =>
  equal(one, other) || equal(coverOf(one), coverOf(other))

/** The fewest networks that cover the same addresses. */
export const fewestFor = (networks: readonly string[]): number => {
  const { families, others } = coverOf(networks)
  return families.flat().reduce((sum, one) => sum + networksFor(one), others.length)
}
