// The target's own reading of request values: types, bounds, formats; no rule that needs the state.
import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Rules } from './options.js'

export interface Fault {
  readonly field: string
  readonly reason: string
}

export type Json = { readonly [name: string]: unknown }

/** Where a value stands: the parts of its path below the body, and the name under which its rules can be broken. */
interface Place {
  readonly rules: Rules
  readonly name: string
  readonly path: readonly (string | number)[]
  readonly found: Fault[]
}

export type Check = (value: unknown, place: Place) => unknown

export class Refusal extends Error {
  constructor(
    readonly faults: readonly Fault[],
    readonly status = 400,
  ) {
    super('refused')
  }
}

/** @throws Refusal naming each member that is wrong */
export const readValue = (body: unknown, check: Check, name: string, rules: Rules): Json => {
  const found: Fault[] = []
  const read = check(body, { rules, name, path: [], found })
  if (found.length > 0) throw new Refusal(found)
  return read as Json
}

export const spell = (path: readonly (string | number)[], rules: Rules): string => {
  const names = path.filter((part) => typeof part === 'string')
  if (rules.options.fields === 'leaf') return names.at(-1) ?? rules.options.noField
  if (names.length === 0) return rules.options.noField
  if (rules.options.fields === 'dotted') return path.join('.')
  if (rules.options.fields === 'prefixed') return ['body', ...path].join('.')
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index > 0 ? `.${part}` : part)).join('')
}

const wrong = ({ found, path, rules }: Place, reason: string): undefined => {
  found.push({ field: spell(path, rules), reason })
  return undefined
}

const below = (place: Place, part: string | number): Place => ({
  ...place,
  name: typeof part === 'number' ? `${place.name}[]` : `${place.name}.${part}`,
  path: [...place.path, part],
})

export const whole =
  (min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): Check =>
  (value, place) => {
    const { rules, name } = place
    const number = taken(value, place)
    if (number === undefined) return wrong(place, 'must be a whole number')
    if (number < rules.bound(`${name}.minimum`, min)) return wrong(place, `must be at least ${min}`)
    if (number > rules.bound(`${name}.maximum`, max)) return wrong(place, `must be at most ${max}`)
    return number
  }

/** A whole number; 20.5 and "30" too where that sentence is broken. */
const taken = (value: unknown, { rules, name }: Place): number | undefined => {
  if (Number.isInteger(value)) return value as number
  if (typeof value === 'number' && !rules.holds(`${name}.fraction`)) return Math.trunc(value)
  if (typeof value === 'string' && /^\d+$/.test(value) && !rules.holds(`${name}.text`)) return Number(value)
  return undefined
}

export const text =
  (min = 0, max = Number.POSITIVE_INFINITY, fits?: (value: string) => boolean): Check =>
  (value, place) => {
    const { rules, name } = place
    if (typeof value !== 'string') return wrong(place, 'must be a string')
    const length =
      rules.fault !== `${name}.bytes` || rules.holds(`${name}.bytes`) ? [...value].length : Buffer.byteLength(value)
    if (length < rules.bound(`${name}.minLength`, min)) return wrong(place, `must have at least ${min} characters`)
    if (length > rules.bound(`${name}.maxLength`, max)) return wrong(place, `must have at most ${max} characters`)
    if (fits && rules.holds(`${name}.format`) && !fits(value)) return wrong(place, 'has the wrong form')
    if (/[^\n\x20-\x7e]/.test(value) && !rules.silent('odd characters')) return wrong(place, 'has odd characters')
    return value
  }

export const flag: Check = (value, place) => {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && !place.rules.holds(`${place.name}.text`)) return value === 'true'
  return wrong(place, 'must be true or false')
}

export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value, place) =>
    values.includes(value) || !place.rules.holds(`${place.name}.enum`)
      ? value
      : wrong(place, `must be one of ${values.join(', ')}`)

export const orNull =
  (check: Check): Check =>
  (value, place) =>
    value === null && place.rules.holds(`${place.name}.nullable`) ? null : check(value, place)

export const listOf =
  (check: Check, min = 0, max = Number.POSITIVE_INFINITY): Check =>
  (value, place) => {
    const { rules, name } = place
    if (!Array.isArray(value)) return wrong(place, 'must be an array')
    if (value.length < rules.bound(`${name}.minItems`, min)) return wrong(place, `must hold at least ${min}`)
    if (value.length > rules.bound(`${name}.maxItems`, max)) return wrong(place, `must hold at most ${max}`)
    return value.map((item, index) => check(item, below(place, index)))
  }

/** Members marked with `!` are required. */
export const object = (members: { readonly [name: string]: Check }): Check => {
  const checks = Object.entries(members).map(([key, check]) => ({
    key: key.replace('!', ''),
    required: key.endsWith('!'),
    check,
  }))
  return (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(place, 'must be an object')
    const given = value as Json
    const read: Record<string, unknown> = {}
    for (const { key, required, check } of checks) {
      const inner = below(place, key)
      if (Object.hasOwn(given, key) && !(given[key] === null && lenient(inner, required, check))) {
        const member = check(given[key], inner)
        if (member !== undefined) read[key] = member
      } else if (required && place.rules.holds(`${inner.name}.required`)) wrong(inner, 'is required')
    }
    const strange = Object.keys(given).find((key) => !checks.some((one) => one.key === key))
    if (strange !== undefined && !place.rules.silent('unknown members')) wrong(below(place, strange), 'is unknown')
    return read
  }
}

/** Whether null for a member that can't be null counts as leaving it out. */
const lenient = (place: Place, required: boolean, check: Check): boolean => {
  if (required || !place.rules.silent('null for optional')) return false
  return check(null, { ...place, found: [] }) === undefined
}

export const isAddress = (value: string): boolean => isIP(value) !== 0 && !value.includes('%')

export const isNetwork =
  (version: 4 | 6) =>
  (value: string): boolean => {
    const [address = '', mask = '', ...rest] = value.split('/')
    const most = version === 4 ? 32 : 128
    return (
      rest.length === 0 &&
      isIP(address) === version &&
      !address.includes('%') &&
      /^\d{1,3}$/.test(mask) &&
      +mask <= most
    )
  }

/** A network in one spelling, no bit set behind its mask. */
export const networkOf = (network: string): string => {
  const family = network.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4
  return `${family.networkAddressFromCIDR(network).toString()}/${network.split('/')[1]}`
}

export const isMail = (value: string): boolean => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(value)

/** One spelling for all spellings of an address, to compare by. */
export const canonical = (address: string): string => {
  if (isIP(address) === 0) return address.toLowerCase()
  return isIPv4(address) ? address : ipaddr.IPv6.parse(address).toRFC5952String()
}

export const isPrivate = (address: string): boolean =>
  isIPv4(address) && ipaddr.IPv4.parse(address).range() === 'private'

export const expanded = (address: string): string =>
  isIP(address) === 6 ? ipaddr.IPv6.parse(address).toNormalizedString() : address
