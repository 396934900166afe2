// What a reply lists, and whether its list goes on; read with care, for a target may say anything.

import isEqual from 'fast-deep-equal'
import { isObject } from '../models/language/objects.js'

type Listed = Readonly<Record<string, unknown>>

/** What an array or a page holds; anything else, also among its items, is left out. */
export const listedIn = (body: unknown): readonly Listed[] => {
  const items: unknown = isObject(body) ? body.data : body
  return Array.isArray(items) ? items.filter(isObject) : []
}

/** Longer lists are not walked to their end. */
export const mostPages = 1000

/** Whether records can be told apart: those that show nothing of their own are alike on every page. */
const isTelling = (listed: readonly Listed[]): boolean =>
  listed.every((one, i) => Object.keys(one).length > 0 && !listed.slice(0, i).some((other) => isEqual(one, other)))

/**
 * Follows a walk over the pages of a list; tells after each whether there is one more to ask for. A page that holds nothing, or the very
 * records of the one before it, is the last, and so is one of a list that has grown to more than twice what its first page told.
 */
export const openWalk = (): ((body: unknown, page: number) => boolean) => {
  let most = mostPages
  let before: readonly Listed[] | undefined
  return (body, page) => {
    const pages = isObject(body) && typeof body.pages === 'number' ? body.pages : 1
    const listed = listedIn(body)
    if (before === undefined) most = Math.min(mostPages, 2 * pages + 10)
    const isNew = listed.length > 0 && !(isEqual(listed, before) && isTelling(listed))
    before = listed
    return page < pages && page < most && isNew
  }
}
