// What is asked of a clause by its id alone.
import { expect, test } from 'vitest'
import { allClauses } from '../../models/index.js'
import { isOfMember, isOneOf } from '../../oracle/clauses.js'

const ids = allClauses().map(({ id }) => id)

test('a slug is the whole of what follows the operation, and not the end of a longer one', () => {
  const field = ids.filter((id) => isOneOf(id, 'refusal.field', 'refusal.unchanged'))
  expect(field.length).toBeGreaterThan(0)
  expect(field.filter((id) => !/^[\w-]+\.[\w-]+\.refusal\.(?:field|unchanged)$/.test(id))).toEqual([])
  expect(isOneOf('volumes.list.pages', 'pages')).toBe(true)
  expect(isOneOf('volumes.list.query.page.pages', 'pages')).toBe(false)
  expect(isOneOf('no-such.operation.pages', 'pages')).toBe(false)
})

test('a clause is about a member that a reply shows by its kind', () => {
  expect(ids.filter(isOfMember)).toEqual(ids.filter((id) => id.includes('.shows.')))
})
