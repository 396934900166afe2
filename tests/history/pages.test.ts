// Where a walk over the pages of a list ends.
import { describe, expect, it } from 'vitest'
import { openWalk } from '../../history/pages.js'

const page = (...data: readonly object[]) => ({ data, page: 1, pages: 4, results: 8 })
/** After how many pages a walk ends that meets the same one again and again. */
const lengthOf = (body: unknown): number => {
  const goesOn = openWalk()
  let at = 1
  while (goesOn(body) !== undefined) at += 1
  return at
}

it.each([0, 1])('a walk asks for the pages after a first one that is called %i', (first) => {
  const next = openWalk()
  const asked = [0, 1, 2].map((i) => next({ data: [{ id: i }], page: first + i, pages: 3, results: 3 }))
  expect(asked).toEqual([first + 1, first + 2, undefined])
})

describe('a walk', () => {
  it.each([
    ['ends with a page that it has just seen', page({ id: 1 }, { id: 2 }), 2],
    ['goes on where records show nothing of their own', page({}, {}), 4],
    ['goes on where records are alike', page({ kind: 'tag' }, { kind: 'tag' }), 4],
    ['ends with an empty page', page(), 1],
  ])('%s', (_, body, length) => {
    expect(lengthOf(body)).toBe(length)
  })
})
