// Shortens a body: members and elements are left out as long as the call still deviates in the same way; sends nothing itself.

import { isObject } from '../models/language/objects.js'

/** A member or an element of a body. */
export interface Part {
  /** The names of members and the numbers of elements that lead to it. */
  readonly at: string
  readonly value: unknown
}

const childrenOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  Array.isArray(value) || isObject(value) ? Object.entries(value) : []

/** All parts, at any depth. */
const partsOf = (body: unknown): readonly Part[] => {
  const parts: Part[] = childrenOf(body).map(([name, value]) => ({ at: `/${name}`, value }))
  for (const { at, value } of parts)
    for (const [name, inner] of childrenOf(value)) parts.push({ at: `${at}/${name}`, value: inner })
  return parts
}

const without = (value: unknown, left: ReadonlySet<string>, at = ''): unknown => {
  if (Array.isArray(value))
    return value.flatMap((one, i) => (left.has(`${at}/${i}`) ? [] : [without(one, left, `${at}/${i}`)]))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => !left.has(`${at}/${name}`))
  return Object.fromEntries(kept.map(([name, one]) => [name, without(one, left, `${at}/${name}`)]))
}

/**
 * The body without the parts that are not needed: tries to leave out one after the other.
 * @param shows whether the call deviates in the same way with such a body; undefined ends the search
 */
export const slimmed = async (
  body: unknown,
  mayGo: (part: Part) => boolean,
  shows: (body: unknown) => Promise<boolean | undefined>,
): Promise<unknown> => {
  const left = new Set<string>()
  const isLeft = (at: string): boolean => [...left].some((gone) => at === gone || at.startsWith(`${gone}/`))
  for (const { at } of partsOf(body).filter(mayGo).sort(byNeed)) {
    if (isLeft(at)) continue
    const isShown = await shows(without(body, new Set([...left, at])))
    if (isShown === undefined) break
    if (isShown) left.add(at)
  }
  return without(body, left)
}

/** What holds others goes first, the largest of all; then numbers, which may name something else; texts are what a body needs most often. */
const byNeed = (one: Part, other: Part): number => needOf(one) - needOf(other)

const needOf = ({ value }: Part): number =>
  typeof value === 'object' && value !== null ? -JSON.stringify(value).length : typeof value === 'string' ? 1 : 0
