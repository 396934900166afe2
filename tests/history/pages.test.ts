// Where a walk over the pages of a list ends.
import { describe, expect, it } from 'vitest'
import { pagesOf } from '../../history/pages.js'

/** The numbers of the pages that a walk asks for. */
const askedFor = async (bodyOf: (i: number) => unknown): Promise<readonly (number | undefined)[]> => {
  const asked: (number | undefined)[] = []
  const ask = async ({ page }: { readonly page?: number }): Promise<unknown> => bodyOf(asked.push(page) - 1)
  for await (const _ of pagesOf(ask, (body) => body));
  return asked
}

const page = (...data: readonly object[]) => ({ data, page: 1, pages: 4, results: 8 })

it.each([0, 1])('a walk asks for the pages after a first one that is called %i', async (first) => {
  const asked = await askedFor((i) => ({ data: [{ id: i }], page: first + i, pages: 3, results: 3 }))
  expect(asked).toEqual([undefined, first + 1, first + 2])
})

describe('a walk', () => {
  it.each([
    ['ends with a page that it has just seen', page({ id: 1 }, { id: 2 }), 2],
    ['goes on where records show nothing of their own', page({}, {}), 4],
    ['goes on where records are alike', page({ kind: 'tag' }, { kind: 'tag' }), 4],
    ['ends with an empty page', page(), 1],
    ['ends with what is no page', undefined, 1],
  ])('%s', async (_, body, length) => {
    expect(await askedFor(() => body)).toHaveLength(length)
  })
})
