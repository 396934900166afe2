// Addresses and networks in IP/mask notation, read three-valued and compared whatever their spelling; not single addresses.
import ipaddr from 'ipaddr.js'
import type { Ternary } from './clause.js'
import { canonicalAddress, parseAddress } from './formats.js'

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
export const isIpv4Network = (text: string): Ternary => {
  const { address, mask } = split(text)
  if (mask === undefined || hasZone(text)) return false
  const isAddress = parseAddress(address)?.kind() === 'ipv4' || (ipaddr.IPv4.isValid(address) ? undefined : false)
  return combine(text, isAddress, isPrefix(mask, 32))
}

/** The same for IPv6, whatever zone id it carries. */
export const isIpv6Network = (text: string): Ternary => {
  const { address, mask } = split(text)
  if (mask === undefined) return false
  const isAddress = parseAddress(address)?.kind() === 'ipv6' && (address.includes('.') ? undefined : true)
  return combine(text, isAddress, isPrefix(mask, 128))
}

/** One spelling for equal networks: no bit set behind the mask, the mask as a prefix length; the text where it is none. */
export const canonicalNetwork = (text: string): string => {
  const { address, mask } = split(text)
  const parsed = parseAddress(address)
  if (!parsed) return text
  const bits = parsed.kind() === 'ipv4' ? 32 : 128
  const prefix = mask === undefined ? bits : (prefixOfDotted(mask) ?? (/^\d+$/.test(mask) ? Number(mask) : -1))
  if (prefix < 0 || prefix > bits) return text
  const family = bits === 32 ? ipaddr.IPv4 : ipaddr.IPv6
  return `${family.networkAddressFromCIDR(`${parsed.toString()}/${prefix}`).toString()}/${prefix}`
}

/** Addresses that follow each other, the first and the last of them as numbers. */
type Stretch = readonly [first: bigint, last: bigint]

const stretchOf = (network: string, bits: number): Stretch => {
  const [address = '', prefix] = network.split('/')
  const bytes = parseAddress(address)?.toByteArray() ?? []
  const first = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n)
  return [first, first + 2n ** BigInt(bits - Number(prefix)) - 1n]
}

/** The fewest stretches, in their order. */
const joined = (stretches: readonly Stretch[]): readonly Stretch[] => {
  const all: Stretch[] = []
  for (const [first, last] of [...stretches].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const before = all.at(-1)
    if (before && first <= before[1] + 1n) all[all.length - 1] = [before[0], last > before[1] ? last : before[1]]
    else all.push([first, last])
  }
  return all
}

/** How many networks it takes to name every address of a stretch. */
const networksFor = ([first, last]: Stretch): number => {
  let count = 0
  for (let from = first; from <= last; count += 1) {
    let size = 1n
    while (from % (size * 2n) === 0n && from + size * 2n - 1n <= last) size *= 2n
    from += size
  }
  return count
}

/** What networks stand for together, whatever is written twice, lies in another one or could be written as one. */
interface Cover {
  /** One spelling for equal sets of addresses. */
  readonly spelling: string
  /** How many networks it takes at least. */
  readonly size: number
}

export const coverOf = (networks: readonly string[]): Cover => {
  const all = [...new Set(networks.map(canonicalNetwork))]
  const isOf = (bits: number) => (text: string) => (bits === 32 ? isIpv4Network : isIpv6Network)(text) === true
  const others = all.filter((text) => !isOf(32)(text) && !isOf(128)(text)).sort()
  const stretches = [32, 128].map((bits) => joined(all.filter(isOf(bits)).map((text) => stretchOf(text, bits))))
  return {
    spelling: [...stretches.map((some) => some.map(([a, b]) => `${a}-${b}`).join(',')), ...others].join(' '),
    size: stretches.flat().reduce((sum, one) => sum + networksFor(one), others.length),
  }
}
