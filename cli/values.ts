// Reads the values of flags and environment variables strictly; what a flag is called is not decided here.

import { InvalidArgumentError, type Option } from 'commander'
import { longestMs } from '../config/schema-words.js'
import { parseRate } from '../config/target-file.js'
import { type Latency, mostLatencyMs } from '../reference/disturbances.js'
import type { Rest } from '../reference/embedded.js'
import { REPORT_KINDS } from '../reports/index.js'
import { type FilterKind, strayText, suggestion } from '../suites/stray-globs.js'
import { type Shard, shardOfEnvironment } from './shards.js'

type Parse<T> = (text: string) => T

/** A whole number in decimal digits. */
export const integerBetween =
  (least: number, most: number): Parse<number> =>
  (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
    return value
  }

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }

/** `90s`, `30m`, `1.5h`, in milliseconds; no more than a timer takes. */
export const duration: Parse<number> = (text) => {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|min|h)$/.exec(text) ?? []
  const ms = Number(count) * (unitsMs[unit] ?? 0)
  if (!(ms > 0)) throw new InvalidArgumentError('Expected a time with its unit, such as 90s, 30m or 2h.')
  return bounded(Math.round(ms))
}

const bounded = (ms: number, most = longestMs): number => {
  if (ms > most) throw new InvalidArgumentError(`Expected a time of at most ${most / 3_600_000}h.`)
  return ms
}

/** `5/s`, `300/min`, `5000/h`, in requests per second. */
export const rate: Parse<number> = (text) => {
  const perSecond = parseRate(text)
  if (perSecond === undefined) throw new InvalidArgumentError('Expected a rate such as 5/s, 300/min or 5000/h.')
  return perSecond
}

/** `2/4`: the second of four shards; `auto`: as the CI system tells it. */
export const shard: Parse<Shard> = (text) => {
  if (text === 'auto') return shardOfEnvironment(process.env)
  const [, first, second] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const [index, count] = [Number(first), Number(second)]
  if (!(index >= 1 && index <= count))
    throw new InvalidArgumentError('Expected a shard and their number, such as 1/4 for the first of four, or auto.')
  return [index, count]
}

/** `4` calls, `2s`, or `by-hand`. */
export const restAfter: Parse<Rest> = (text) => {
  if (text === 'by-hand') return 'by-hand'
  if (/^\d+$/.test(text)) return integerBetween(0, 1_000_000)(text)
  if (!/^[\d.]+[a-z]+$/.test(text))
    throw new InvalidArgumentError('Expected a number of calls, a time such as 2s, or by-hand.')
  return { ms: duration(text) }
}

/** `50ms` or `50ms±20`, the latter with a spread in the same unit; `+-` reads as `±`. */
export const latency: Parse<Latency> = (text) => {
  const [, ms = '', unit, spread] = /^(\d+(?:\.\d+)?)(ms|s)(?:(?:±|\+-)(\d+(?:\.\d+)?)(?:ms|s)?)?$/.exec(text) ?? []
  const scale = unit === 's' ? 1000 : 1
  if (ms === '') throw new InvalidArgumentError('Expected a time such as 50ms or 1.5s, with its spread: 50ms±20.')
  const scaled = (count: string): number => bounded(Number(count) * scale, mostLatencyMs)
  return { ms: scaled(ms), ...(spread !== undefined && { spreadMs: scaled(spread) }) }
}

export interface Listen {
  readonly host: string
  readonly port: number
}

/** `8080` or `:8080` on the own machine alone, `0.0.0.0:8080` for others too, `[::1]:8080`. */
export const listen: Parse<Listen> = (text) => {
  const [, , bracketed, host, port = ''] = /^((?:\[([\da-f:]+)\]|([\w.-]*)):)?(\d{1,5})$/i.exec(text) ?? []
  if (port === '' || Number(port) > 65_535)
    throw new InvalidArgumentError('Expected a port, or an address and a port, such as :8080 or 0.0.0.0:8080.')
  return { host: bracketed || host || '127.0.0.1', port: Number(port) }
}

/** `http://127.0.0.1:8080/v4`, without slashes at its end. */
export const serverUrl: Parse<string> = (text) => {
  if (!/^https?:\/\/[^/\s]/.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('Expected an http or https URL, such as http://127.0.0.1:8080/v4.')
  return text.replace(/\/+$/, '')
}

export const notEmpty: Parse<string> = (text) => {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a value, received an empty one.')
  return text
}

/** A file to be written, whose ending has to be the one by which it will be read. */
export const jsonFile: Parse<string> = (text) => {
  if (!/[^/\\]\.json$/.test(text)) throw new InvalidArgumentError('Expected a file whose name ends in .json.')
  return text
}

/**
 * Gives a flag of one value its reader. Commander hands over the value of an earlier use as well, which would otherwise be lost
 * in silence.
 */
export const once = (option: Option, read: Parse<unknown>): Option => {
  // A first value may be the one that holds by default.
  let isGiven = false
  return option.argParser((text: string, before: unknown) => {
    if (isGiven || before !== option.defaultValue) throw new InvalidArgumentError('It is there twice. Give it once.')
    isGiven = true
    return read(text)
  })
}

/** A list with commas between; later uses of the flag add to it. */
export const list =
  (check: (item: string) => void) =>
  (text: string, previous: readonly string[] = []): readonly string[] => {
    const items = text.split(',').map((item) => item.trim())
    for (const item of items) {
      if (item === '') throw new InvalidArgumentError('Expected values with a comma between each two.')
      check(item)
    }
    return [...new Set([...previous, ...items])]
  }

/** `html,junit`; later uses of the flag add to it. */
export const reportKinds = list((item) => {
  if ((REPORT_KINDS as readonly string[]).includes(item)) return
  throw new InvalidArgumentError(`Expected one or more of ${REPORT_KINDS.join(', ')}.${suggestion(item, REPORT_KINDS)}`)
})

/** One of a few words; commander's own message for a word that is none of them names no near one. */
export const oneOf =
  <Word extends string>(words: readonly Word[]): Parse<Word> =>
  (text) => {
    const word = words.find((one) => one === text)
    if (word === undefined)
      throw new InvalidArgumentError(`Expected one of ${words.join(', ')}.${suggestion(text, words)}`)
    return word
  }

/** Globs over areas, operations or clauses; one that matches nothing is an error, since nothing would be judged. */
export const globs = (kind: FilterKind) =>
  list((glob) => {
    const stray = strayText(kind, glob)
    if (stray !== undefined) throw new InvalidArgumentError(stray)
  })
