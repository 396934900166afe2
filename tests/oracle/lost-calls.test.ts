// However many lost calls may have landed in whatever order, a reply is compared with so many of these worlds and no more.
import { describe, expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import { put } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { find } from '../../models/language/world.js'
import { contacts } from '../../models/managed-contacts/record.js'
import { startWorld } from '../../models/start.js'
import { type Belief, believe, patiently, worldOf } from '../../oracle/belief.js'
import { condensed } from '../../oracle/condensing.js'
import type { Observation } from '../../oracle/judgement.js'
import { observe } from '../../oracle/observe.js'
import type { Past } from '../../oracle/past.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const environment = embeddedEnvironment()
const phone = { primary: '+1-555-0100', secondary: null }
const before = { email: 'a@example.com', group: 'first', name: 'Ann', phone }
const path = { contactId: '5' }

/** Takes in calls one after another. */
const conversation = () => {
  let n = 0
  let belief: Belief = believe(startWorld(environment))
  return {
    take: (id: string, args: Args, outcome: object): readonly string[] => {
      n += 1
      const op = operationById(id) as Operation
      const call = recorded(buildCall(op, { as: 'owner', ...args }))
      const observed = observe(belief, { op, call, outcome: outcome as never, n })
      belief = observed.belief
      return observed.judgement.deviations.map(({ clause }) => clause)
    },
    multiply: (possibilities: number): void => {
      const { hypotheses } = belief
      belief = { ...belief, hypotheses: Array.from({ length: possibilities }, () => hypotheses).flat() }
    },
  }
}

/** What deviates in a look at a contact after five updates of it whose replies were lost, with so many equal possibilities. */
const deviating = (shown: object, possibilities: number): readonly string[] => {
  const { take, multiply } = conversation()
  take('managed-contacts.create', { body: before }, { status: 200, body: { id: 5, ...before } })
  for (const body of [
    { email: 'b@example.com' },
    { group: 'second' },
    { name: 'Bob' },
    { phone: { primary: '+1-555-0199', secondary: null } },
    { group: 'third' },
  ])
    take('managed-contacts.update', { path, body }, { lost: 'timeout' })
  multiply(possibilities)
  return take('managed-contacts.view', { path }, { status: 200, body: { id: 5, ...before, ...shown } })
}

const ofFour = { email: 'b@example.com', group: 'second', name: 'Bob', phone: { ...phone, primary: '+1-555-0199' } }

test.each([1, 8, 32])(
  'what four of five lost calls explain is no deviation, with %i possibilities',
  (possibilities) => {
    expect(deviating(ofFour, possibilities)).toEqual([])
  },
)

describe('after many other calls that were lost', () => {
  const loseOthers = (take: ReturnType<typeof conversation>['take']): void => {
    for (let i = 0; i < 8; i += 1) take('tags.create', { body: { label: `tag-${i}` } }, { lost: 'timeout' })
  }

  test('one that has not landed when it is looked for may still land, once and by what it does alone', () => {
    const { take } = conversation()
    const made = { id: 5, ...before }
    take('managed-contacts.create', { body: before }, { status: 200, body: made })
    take('managed-contacts.update', { path, body: { email: 'b@example.com' } }, { lost: 'timeout' })
    loseOthers(take)
    const look = (shown: object) =>
      take('managed-contacts.view', { path }, { status: 200, body: { ...made, ...shown } })
    expect(look({})).toEqual([])
    expect(look({ email: 'b@example.com' })).toEqual([])
    expect(look({})).toEqual(['managed-contacts.view.shows.email'])
    expect(look({ name: 'Zoe' })).not.toEqual([])
  })

  test('one whose effect has been seen has landed, and excuses no later update that is lost', () => {
    const { take } = conversation()
    const made = { id: 5, ...before }
    const [second, third] = ['b@example.com', 'c@example.com']
    const look = (email: string) => take('managed-contacts.view', { path }, { status: 200, body: { ...made, email } })
    take('managed-contacts.create', { body: before }, { status: 200, body: made })
    take('managed-contacts.update', { path, body: { email: second } }, { lost: 'timeout' })
    loseOthers(take)
    expect(look(second)).toEqual([])
    take('managed-contacts.update', { path, body: { email: third } }, { status: 200, body: { ...made, email: third } })
    expect(look(second)).toEqual(['managed-contacts.update.takes-effect'])
  })

  test('a creation excuses nothing that is deleted and still there', () => {
    const { take } = conversation()
    const made = { id: 5, ...before }
    take('managed-contacts.create', { body: before }, { status: 200, body: made })
    take('managed-contacts.create', { body: { ...before, name: 'Eve' } }, { lost: 'timeout' })
    loseOthers(take)
    take('managed-contacts.delete', { path }, { status: 200, body: {} })
    const look = take('managed-contacts.view', { path }, { status: 200, body: made })
    expect(look).toEqual(['managed-contacts.delete.takes-effect'])
  })

  test('several that have not landed may do so before the next look, and what none of them removed is missing', () => {
    const made = [5, 6, 7].map((id) => ({ id, ...before }))
    const showing = (left: readonly object[]): readonly string[] => {
      const { take } = conversation()
      const list = (data: readonly object[]) =>
        take('managed-contacts.list', {}, { status: 200, body: { data, page: 1, pages: 1, results: data.length } })
      for (const body of made) take('managed-contacts.create', { body: before }, { status: 200, body })
      for (const id of [5, 6]) take('managed-contacts.delete', { path: { contactId: `${id}` } }, { lost: 'timeout' })
      loseOthers(take)
      expect(list(made)).toEqual([])
      return list(left)
    }
    expect(showing(made.slice(2))).toEqual([])
    expect(showing([])).toEqual(['managed-contacts.list.complete'])
  })
})

describe('on a target that has shown changes a second late, a look at what a lost call may have done, and an accepted one had done before,', () => {
  const sentAt = (id: string, startedAt: number, args: Args, outcome: object): Observation => {
    const op = operationById(id) as Operation
    const call = recorded(buildCall(op, { as: 'owner', ...args }))
    return { op, call, outcome: outcome as never, n: startedAt, startedAt, endedAt: startedAt }
  }
  const update = (at: number, email: string, outcome: object = { status: 200, body: { id: 5, ...before, email } }) =>
    sentAt('managed-contacts.update', at, { path, body: { email } }, outcome)
  const look = (at: number, email: string) =>
    sentAt('managed-contacts.view', at, { path }, { status: 200, body: { id: 5, ...before, email } })
  const after = (...all: readonly Observation[]): Belief => {
    const belief = patiently(believe(startWorld(environment)))
    const late = { ...belief, past: { ...(belief.past as Past), longestMs: 1000 } }
    return all.reduce<Belief>((known, one) => observe(known, one).belief, late)
  }
  const lost = after(
    sentAt('managed-contacts.create', 1, { body: before }, { status: 200, body: { id: 5, ...before } }),
    update(10, 'b@example.com', { lost: 'reset' }),
    look(5000, before.email),
    update(6000, 'b@example.com'),
    update(6100, before.email),
  )

  test('tells nothing of the lost call while the accepted one may be late', () => {
    const { belief, judgement } = observe(lost, look(6200, 'b@example.com'))
    expect([judgement.verdict, judgement.late?.by]).toEqual(['inconclusive', 'managed-contacts.update'])
    expect(observe(belief, look(6300, before.email)).judgement.verdict).toBe('pass')
  })

  test('shows that the lost call has landed once nothing is late any more', () => {
    const { belief, judgement } = observe(lost, look(9000, 'b@example.com'))
    expect([judgement.verdict, judgement.assumed]).toEqual(['pass', ['landing managed-contacts.update 10']])
    expect(find(worldOf(belief), contacts, '5')?.email).toBe('b@example.com')
  })
})

test('what no lost call explains is told, however many were lost', () => {
  expect(deviating({ name: 'Zoe' }, 1)).toEqual(['managed-contacts.view.shows.name'])
})

test('of more possibilities than are followed from call to call, what differs is unknown', () => {
  const world = worldOf(believe(startWorld(environment)))
  const hypotheses = Array.from({ length: 12 }, (_, i) => ({
    world: put(world, contacts, { key: '5', account: 'main', name: `Ann ${i}`, group: 'first' }),
    pending: [],
    assumed: [],
  }))
  const few = condensed({ hypotheses, overflow: false })
  expect(few.hypotheses).toHaveLength(1)
  const known = worldOf(few).tables.get(contacts.name)?.live.get('5')
  expect(known).toMatchObject({ group: 'first' })
  expect(known).not.toHaveProperty('name')
})
