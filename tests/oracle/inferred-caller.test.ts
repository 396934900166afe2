import { describe, expect, test } from 'vitest'
import { type Exchange, gating, judgeExchanges, page, told } from './traffic.js'

const as = 'stranger'
const refusal = { errors: [{ field: '', reason: 'no' }] }
const path = { contactId: 3 }
const crew = { id: 3, name: 'crew' }
const creates = told('managed-contacts.create', { as, body: { name: 'crew' } }, 200, crew)
const lists = told('managed-contacts.list', { as }, 200, page(crew))
const refused = told('managed-contacts.delete', { as, path }, 400, refusal)
const tags = told('tags.list', { as }, 404, refusal)
const found = (...exchanges: readonly Exchange[]) => gating(judgeExchanges(exchanges))

describe('a caller of whom no target file tells', () => {
  test('lacks no right that was enough before and after', () => {
    expect(found(creates, refused, lists)).toEqual([])
    expect(
      found(creates, refused, told('managed-contacts.update', { as, path, body: { name: 'crew' } }, 200, crew)),
    ).toEqual(['managed-contacts.delete.accepts:refused'])
  })
  test('may have been given a right later, or have lost it', () => {
    expect(found(creates, refused)).toEqual([])
    expect(found(told('managed-contacts.view', { as, path }, 200, crew), refused, { ...lists, as: 'another' })).toEqual(
      [],
    )
  })
  test('may not reach a part of the interface that never answered', () => {
    expect(found(creates, lists, tags, creates, lists)).toEqual([])
  })
})
