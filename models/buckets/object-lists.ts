// Pages of an object list: what a reply holds, and how far a walk through the pages has come; no rule about either.

import { isObject } from '../language/objects.js'
import type { Entity, WireRecord } from '../language/world.js'
import type { Bucket, Walk } from './record.js'

export interface ListQuery {
  readonly marker?: string
  readonly delimiter?: string
  readonly prefix?: string
  readonly page_size?: number
}

/** The objects on a page: the envelope is not shown, so an array, one in `data`, or else the only one of named things is taken for them. */
export const entriesOf = (reply: unknown): readonly unknown[] | undefined => {
  if (Array.isArray(reply)) return reply
  if (!isObject(reply)) return undefined
  if (Array.isArray(reply.data)) return reply.data
  const [named, ...more] = arraysIn(reply).filter((array) => array.length > 0 && array.every(isNamed))
  return more.length === 0 ? named : undefined
}

const arraysIn = (value: WireRecord): readonly (readonly unknown[])[] =>
  Object.values(value).flatMap((inner) => (Array.isArray(inner) ? [inner] : isObject(inner) ? arraysIn(inner) : []))

const isNamed = (entry: unknown): boolean => isObject(entry) && typeof entry.name === 'string'

/** Names of the objects on a page; undefined where not every one tells its name, or one may be encoded as in a URL. */
export const namesIn = (reply: unknown): readonly string[] | undefined => {
  const names = entriesOf(reply)?.map((entry) => (isObject(entry) ? entry.name : undefined))
  return names?.every((name) => typeof name === 'string' && !isEncoded(name)) ? (names as readonly string[]) : undefined
}

/** Every text in a reply, names of members too: what a name is cut to may stand anywhere. Undefined where one may be encoded as in a URL. */
const textsIn = (reply: unknown): ReadonlySet<string> | undefined => {
  const texts = textsBelow(reply)
  return texts.some(isEncoded) ? undefined : new Set(texts)
}

const textsBelow = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsBelow)
  return isObject(value) ? Object.entries(value).flatMap(([name, inner]) => [name, ...textsBelow(inner)]) : []
}

const isEncoded = (text: string): boolean => /%[0-9a-f]{2}/i.test(text)

/** What a name may be shown as where it is cut at a delimiter: sought from its start or after the prefix, and kept or left out. */
export const cutsOf = (name: string, prefix: string, delimiter: string): readonly string[] =>
  [0, prefix.length]
    .map((from) => name.indexOf(delimiter, from))
    .flatMap((at) => (at < 0 ? [] : [name.slice(0, at), name.slice(0, at + delimiter.length)]))

/** What stands for a name that holds the delimiter: what it may be cut to, or all of it where nothing is to be cut after the prefix. */
export const shownAs = (name: string, prefix: string, delimiter: string): readonly string[] => [
  ...cutsOf(name, prefix, delimiter),
  ...(name.includes(delimiter, prefix.length) ? [] : [name]),
]

interface WholeList {
  /** The objects that begin with the prefix. */
  readonly objects: readonly string[]
  /** Every text that stood in the list. */
  readonly texts: ReadonlySet<string>
}

/** A list cut at one character, on the page with which all of it has been told. */
export const wholeList = (bucket: Entity<Bucket>, query: ListQuery, reply: unknown): WholeList | undefined => {
  const { prefix = '', delimiter = '' } = query
  const before = query.marker === undefined ? [] : walkedBefore(bucket, query)
  const texts = textsIn(reply)
  if (!bucket.objects || !before || !texts || !namesIn(reply) || [...delimiter].length !== 1) return undefined
  return isLastPage(reply)
    ? {
        objects: bucket.objects.filter((name) => name.startsWith(prefix)),
        texts: new Set([...before, ...texts]),
      }
    : undefined
}

/** What all pages before this one held; undefined where not all of them are known. */
const walkedBefore = (bucket: Entity<Bucket>, query: ListQuery): readonly string[] | undefined =>
  takesUp(bucket, query) && bucket.walk?.whole ? bucket.walk.names : undefined

/** How often pages may hold a name: once for each object that it may stand for, which may be several where names are cut. */
export const mostOf = (
  { objects = [] }: Entity<Bucket>,
  { prefix = '', delimiter }: ListQuery,
  name: string,
): number => {
  if (delimiter === undefined) return 1
  const isOf = (one: string): boolean => one === name || cutsOf(one, prefix, delimiter).includes(name)
  return ([...delimiter].length === 1 && objects.filter(isOf).length) || Number.POSITIVE_INFINITY
}

/** Whether a reply says that nothing follows; undefined for an array, which cannot. */
export const isLastPage = (reply: unknown): boolean | undefined =>
  Array.isArray(reply) ? undefined : markerOf(reply) === undefined

/** The next_marker that a reply tells, wherever in the reply it stands; undefined on the last page. */
export const markerOf = (reply: unknown): string | undefined => {
  if (!isObject(reply)) return undefined
  if (typeof reply.next_marker === 'string' && reply.next_marker !== '') return reply.next_marker
  return Object.values(reply)
    .map(markerOf)
    .find((marker) => marker !== undefined)
}

/** What makes two queries ask for the same list. */
const listOf = ({ prefix = '', delimiter = '' }: ListQuery): string => JSON.stringify([prefix, delimiter])

/** Whether a call takes up the list where the latest page of the bucket ended. */
export const takesUp = (bucket: Entity<Bucket>, query: ListQuery): boolean =>
  query.marker !== undefined && query.marker === bucket.nextMarker && bucket.walk?.of === listOf(query)

/** How far the listing has come after a reply. */
export const nextWalk = (
  bucket: Entity<Bucket>,
  query: ListQuery,
  reply: unknown,
): { readonly nextMarker?: string; readonly walk?: Walk } => {
  const nextMarker = markerOf(reply)
  if (nextMarker === undefined) return {}
  const names = namesIn(reply)
  const before = takesUp(bucket, query) ? bucket.walk : undefined
  const whole = names !== undefined && (query.marker === undefined || before?.whole === true)
  return { nextMarker, walk: { of: listOf(query), names: [...(before?.names ?? []), ...(names ?? [])], whole } }
}

/** The page that the embedded target shows, in the order of code units. */
export const pageFor = (
  objects: readonly string[],
  { marker = '', delimiter, prefix = '', page_size: size = 100 }: ListQuery,
): WireRecord => {
  const cut = (name: string): string => {
    const at = delimiter ? name.indexOf(delimiter, prefix.length) : -1
    return at < 0 ? name : name.slice(0, at + 1)
  }
  const all = [...new Set(objects.filter((name) => name.startsWith(prefix)).map(cut))].sort()
  const rest = all.filter((name) => name > marker)
  const names = rest.slice(0, size)
  return {
    data: names.map((name) => ({ name })),
    next_marker: rest.length > size ? names.at(-1) : null,
  }
}
