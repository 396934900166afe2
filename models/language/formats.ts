// Three-valued text formats: surely well formed, surely not, or for an implementation to decide.
import ipaddr from 'ipaddr.js'
import type { Ternary } from './clause.js'
import { memoisedByText } from './memoised.js'

/** An address without prefix length or zone id, parsed; null where the text is none. IPv4 has four decimal parts. */
export const parseAddress = memoisedByText((text): ipaddr.IPv4 | ipaddr.IPv6 | null =>
  ipaddr.IPv4.isValidFourPartDecimal(text)
    ? ipaddr.IPv4.parse(text)
    : text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text)
      ? ipaddr.IPv6.parse(text)
      : null,
)

/** Whether no address stands in a text, be it with a mask, a zone or words around it. */
export const holdsNoAddress = (text: string): boolean => !text.split(/[^\w.:]+/).some((word) => parseAddress(word))

/** One spelling for equal addresses; the text itself where it is none. */
export const canonicalAddress = (text: string): string => parseAddress(text)?.toString() ?? text

/** The host of a URL or of `host:port`, without brackets; undefined where it can't be told apart for certain. */
export const hostOf = (address: string): string | undefined => {
  if (parseAddress(address)) return address
  const rest = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[/?#].*$/s, '')
  return /^\[([^\]]*)\](?::\d*)?$/.exec(rest)?.[1] ?? /^([^@:[\]\s]+)(?::\d*)?$/.exec(rest)?.[1]
}

const insideNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|test|invalid|arpa)$/i

/**
 * Whether a URL or `host:port` names a private IP, which is one of RFC 1918: the document speaks of private IPv4 addresses
 * alone. Undecided for ranges that only some call private (unique local, loopback, shared, reserved for documentation),
 * and for names that may stand for such.
 */
export const isPrivateAddress = (address: string): Ternary => {
  const host = hostOf(address)
  const range = host === undefined ? undefined : parseAddress(host)?.range()
  if (range !== undefined) return range === 'private' ? true : range === 'unicast' ? false : undefined
  return host !== undefined && /^(?:[a-z][a-z0-9-]*\.)+[a-z]{2,}$/i.test(host) && !insideNames.test(host)
    ? false
    : undefined
}

const isEmail = (text: string): Ternary =>
  /^[a-z0-9]+(?:[.+-][a-z0-9]+)*@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}$/.test(text)
    ? true
    : /^[^\s@]+@[^\s@]+$/.test(text)
      ? undefined
      : false

const isUri = (text: string): Ternary =>
  /^https?:\/\/[a-z0-9.-]+(?::\d+)?(?:\/[\w./-]*)?(?:\?[\w=&-]*)?$/.test(text)
    ? true
    : /\s/.test(text)
      ? false
      : undefined

const isPhone = (text: string): Ternary => (/^\+[1-9]\d{7,14}$/.test(text) ? true : /\d/.test(text) ? undefined : false)

const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/

const daysIn = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

/** RFC 3339; without an offset, or with a space for the T, it is still taken for one. */
const isDateTime = memoisedByText((text): Ternary => {
  const [year = 0, month = 0, day = 0] = (dateTime.exec(text) ?? []).slice(1).map(Number)
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
})

export const formats: Readonly<Record<string, (text: string) => Ternary>> = {
  email: isEmail,
  uri: isUri,
  phone: isPhone,
  'date-time': isDateTime,
  ip: (text) => parseAddress(text) !== null,
  'ip-or-any': (text) => text === 'any' || parseAddress(text) !== null,
  ipv4: (text) => parseAddress(text)?.kind() === 'ipv4',
  ipv6: (text) => parseAddress(text)?.kind() === 'ipv6',
}
