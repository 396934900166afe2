import { expect, test } from 'vitest'
import { conversation, refusal, told } from './conversation.js'

const page = (...data: readonly unknown[]) => ({ data, page: 1, pages: 1, results: data.length })

test.each([
  ['without a credential', null],
  ['with a token that lacks a scope', 'without-object_storage-read_only'],
])('listing clusters %s may be refused or accepted', (_, as) => {
  expect(told(conversation().hear('clusters.list', { as }, refusal(), 401))).toEqual([])
  expect(told(conversation().hear('clusters.list', { as }, page({ id: 'c1' }, { id: 'c2' })))).toEqual([])
})

test.each([
  ['more than the target file names', page({ id: 'c1' }, { id: 'c2' }, { id: 'c9' }), []],
  ['records without an id', page({ region: 'r1' }, { region: 'r2' }), []],
  ['ids of another kind alone', page({ id: 1 }, { id: 2 }), []],
  ['one that the target file names left out', page({ id: 'c1' }), ['must clusters.list.available']],
  ['one of them twice', page({ id: 'c1' }, { id: 'c1' }, { id: 'c2' }), ['must clusters.list.no-duplicates']],
])('a list of clusters with %s is judged', (_, body, findings) => {
  expect(told(conversation().hear('clusters.list', {}, body))).toEqual(findings)
})

test('viewing a cluster that exists must be accepted, and shows that cluster', () => {
  const path = { clusterId: 'c1' }
  expect(told(conversation().hear('clusters.view', { path }, refusal(), 404))).toContain('must clusters.view.accepts')
  expect(told(conversation().hear('clusters.view', { path }, { id: 'c2' }))).toEqual(['must clusters.view.shows.id'])
})

test('a list of clusters that is null is no list, and nothing worse', () => {
  const judged = conversation().hear('clusters.list', {}, null)
  expect([told(judged), judged.defects]).toEqual([['must clusters.list.envelope'], undefined])
})

test('a refusal whose errors say nothing has no envelope', () => {
  const judged = conversation().hear('clusters.view', { path: { clusterId: 'c9' } }, { errors: [] }, 404)
  expect(told(judged)).toEqual(['must clusters.view.refusal.envelope'])
})
