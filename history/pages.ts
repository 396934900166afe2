// What a reply lists, and whether its list goes on; read with care, for a target may say anything.

import isEqual from 'fast-deep-equal'
import { isObject } from '../models/language/objects.js'

type Listed = Readonly<Record<string, unknown>>

/** What an array or a page holds; anything else, also among its items, is left out. */
export const listedIn = (body: unknown): readonly Listed[] => {
  const items: unknown = isObject(body) ? body.data : body
  return Array.isArray(items) ? items.filter(isObject) : []
}

/** The records that a reply shows: those of an array or a page, or the one that it is. */
export const recordsIn = (body: unknown): readonly Listed[] =>
  isObject(body) && !Array.isArray(body.data) ? [body] : listedIn(body)

/** Longer lists are not walked to their end. */
export const mostPages = 1000

/** So many records show whether they can be told apart. */
const mostTold = 1000

/** Whether records can be told apart: those that show nothing of their own are alike on every page. */
const isTelling = (listed: readonly Listed[]): boolean => {
  const some = listed.slice(0, mostTold)
  const different = new Set(some.map((one) => JSON.stringify(one)))
  return different.size === some.length && !different.has('{}')
}

/** The number of the first page: where its bounds are not shown, pages may be counted from 0. */
export const firstPageOf = (body: unknown): 0 | 1 => (isObject(body) && body.page === 0 ? 0 : 1)

/**
 * Walks over the pages of a list: asks for the first without a number, then for each that follows.
 * @param bodyOf the page that a reply is; of undefined, the walk goes no further
 */
export async function* pagesOf<T>(
  ask: (query: { readonly page?: number }) => Promise<T>,
  bodyOf: (reply: T) => unknown,
): AsyncGenerator<T> {
  const goesOn = openWalk()
  let page: number | undefined
  do {
    const reply = await ask(page === undefined ? {} : { page })
    yield reply
    const body = bodyOf(reply)
    page = body === undefined ? undefined : goesOn(body)
  } while (page !== undefined)
}

/**
 * Tells after each page of a list the number of the next one to ask for. A page that holds nothing, or the very records of the one
 * before it, is the last, and so is one of a list that has grown to more than twice what its first page told.
 */
const openWalk = (): ((body: unknown) => number | undefined) => {
  let most = mostPages
  let before: readonly Listed[] | undefined
  let first = 1
  let page = 0
  return (body) => {
    const pages = isObject(body) && typeof body.pages === 'number' ? body.pages : 1
    const listed = listedIn(body)
    if (before === undefined) {
      most = Math.min(mostPages, 2 * pages + 10)
      first = firstPageOf(body)
    }
    page += 1
    const isNew = listed.length > 0 && !(isEqual(listed, before) && isTelling(listed))
    before = listed
    return page < pages && page < most && isNew ? first + page : undefined
  }
}
