// In which worlds a list is known to deviate without being judged there.
import { expect, test } from 'vitest'
import { operationById } from '../../models/index.js'
import { drop, put } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import { close, emptyWorld, idIn, type World } from '../../models/language/world.js'
import { contacts } from '../../models/managed-contacts/record.js'
import { inEarlier } from '../../oracle/earlier.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const environment = embeddedEnvironment()
const account = environment.accounts[0]?.name ?? ''
const other = environment.accounts[1]?.name ?? ''
const contact = (id: string) => ({ key: id, account, name: `name-${idIn(id)}`, email: `n${idIn(id)}@example.org` })

/** The worlds after each of several changes, the first one with nothing in it. */
const worldsOf = (...changes: readonly ((world: World) => World)[]): readonly World[] => {
  const worlds = [close(emptyWorld(environment), contacts, account)]
  for (const change of changes) worlds.push(change({ ...(worlds.at(-1) as World), step: worlds.length }))
  return worlds
}
const makes = (id: string) => (world: World) => put(world, contacts, contact(id) as never)
const removes = (id: string) => (world: World) => drop(world, contacts, id)
const makesOther = (id: string) => (world: World) =>
  put(world, contacts, { key: id, account: other, name: `other-${id}`, email: `o${id}@example.org` } as never)
/** What was made while the other account had something of that id. */
const own = `1 in account ${account}`

const op = operationById('managed-contacts.list') as Operation
const call = { operation: op.id, method: 'GET', url: '/managed/contacts', as: 'owner', path: {}, query: {} } as const
const listing = (...ids: readonly string[]) => {
  const data = ids.map((id) => ({ id: Number(id), name: `name-${id}`, email: `n${id}@example.org` }))
  const outcome = {
    status: 200,
    body: { data, page: 1, pages: 1, results: ids.length },
    contentType: 'application/json',
  }
  return inEarlier({ op, call, outcome, n: 9, startedAt: 9 }, outcome)
}

const cases = [
  ['lacks what was made', [makes('1'), makes('2'), makes('3')], []],
  ['holds what was removed', [makes('1'), makes('2'), removes('1'), makes('3')], ['1', '2', '3']],
  ['shows the past', [makes('1'), makes('2'), makes('3'), removes('1')], ['1', '2']],
  [
    'holds what was removed under an id that another account had',
    [makesOther('1'), makes(own), removes('1'), removes(own), makes('2')],
    ['1'],
  ],
] as const

test.each(cases)('a list that %s deviates in no fewer worlds than it is known to', (_, changes, ids) => {
  const { judgedIn, isSurely } = listing(...ids)
  const isWrong = (world: World): boolean => judgedIn(world).deviations.length > 0
  const all = worldsOf(...changes).toReversed()
  for (const judged of all) {
    judgedIn(judged)
    for (const world of all) {
      judgedIn(judged)
      if (isSurely(world)) expect(isWrong(world)).toBe(true)
    }
  }
})

test('a list that lacks what was made is known to lack it in each world since then', () => {
  const [before, ...since] = worldsOf(makes('1'), makes('2'), makes('3')) as [World, ...World[]]
  const { judgedIn, isSurely } = listing()
  judgedIn(since.at(-1) as World)
  expect([...since, before].map((world) => isSurely(world))).toEqual([true, true, true, false])
})

test('a list that holds what was removed is known to hold it in each world since then', () => {
  const worlds = worldsOf(makes('1'), makes('2'), removes('1'), removes('2'))
  const { judgedIn, isSurely } = listing('1')
  judgedIn(worlds.at(-1) as World)
  expect(worlds.map((world) => isSurely(world))).toEqual([false, false, false, true, true])
})
