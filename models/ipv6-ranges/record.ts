// The IPv6 range as requests and the path name it, and how it is stored; its record is not shown by the document.
import { canonicalAddress, holdsNoAddress, parseAddress } from '../language/formats.js'
import type { Table, WireRecord } from '../language/world.js'

export interface Range {
  /** As the target spells it, with a prefix length or without. */
  range: string
  prefix_length: number
  /** Node that the range was created for or assigned to. */
  node_id: number
  /** SLAAC address that the range is routed to. */
  route_target: string
  region: string
  /** Model only: whether some node shares it. */
  shared: boolean
  /** Model only: its address as the target spells it, as a path and a share have to name it. */
  address: string
  /** Model only: the same with its prefix length, as an assignment has to name it. */
  network: string
}

/** An address without what follows a slash. What a faulty target has shown may be no text at all. */
export const withoutPrefix = (text: string): string => String(text).split('/')[0] as string

/** Key of the range that a text names, with a prefix length or without: its canonical address. */
export const rangeKey = (text: string): string => canonicalAddress(withoutPrefix(text))

/** Whether the text is an IPv6 address, with a prefix length or without. */
export const isRangeText = (text: unknown): text is string =>
  typeof text === 'string' && /^[^/]+(?:\/\d{1,3})?$/.test(text) && parseAddress(withoutPrefix(text))?.kind() === 'ipv6'

/** The prefix length that a text carries. */
export const prefixOf = (text: string): number | undefined => {
  const [, prefix] = String(text).split('/')
  return prefix !== undefined && /^\d{1,3}$/.test(prefix) ? Number(prefix) : undefined
}

/** How calls name a range: in the words in which the target has shown it. */
export const namedAs = (text: string, length: number | undefined): Pick<Range, 'address'> & Partial<Range> => {
  const address = withoutPrefix(text)
  return { address, ...(length !== undefined && { network: `${address}/${length}` }) }
}

const sameAddress = (known: string, seen: unknown): boolean =>
  isRangeText(known) && isRangeText(seen) ? rangeKey(seen) === rangeKey(known) : seen === known

export const ranges: Table<Range> = {
  name: 'ipv6-ranges',
  fields: ['range', 'prefix_length', 'node_id', 'route_target', 'region'],
  reasons: ['shared'],
  identify: ({ range }: WireRecord) => (isRangeText(range) ? rangeKey(range) : undefined),
  misnames: holdsNoAddress,
  same: {
    // Equal addresses may be spelled differently, and a prefix length may be written or left out, but not changed.
    range: (known: string, seen, { prefix_length: length }) =>
      sameAddress(known, seen) &&
      (length === undefined || !isRangeText(seen) || [undefined, length].includes(prefixOf(seen))),
    route_target: (known: string, seen) => sameAddress(known, seen),
  },
  bare: ({ range }) => ({ range }),
  change: { lasting: ['range', 'prefix_length', 'region'], outside: [], renewable: true },
  closable: true,
  mint: (dice) => {
    const n = 0x1000 + dice.next('ipv6-ranges')
    // Counted in the third group, then in the first half of the fourth: the second half is inside of the longest range.
    return canonicalAddress(`2001:db8:${(n & 0xffff).toString(16)}:${((n >> 16) << 8).toString(16)}::`)
  },
  draw: (_, { key }) => ({ range: key }),
  otherwise: (record, { key, prefix_length: length }) =>
    length === undefined ? record : { ...record, range: `${key}/${length}` },
}
