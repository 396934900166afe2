import { describe, expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import { buckets } from '../../models/buckets/record.js'
import { operationById } from '../../models/index.js'
import { isShared, settle, shares, shareWith } from '../../models/ips/record.js'
import { drop, put, remaining } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { atLeast, close, find, type Gone, type World } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { type Belief, believe, worldOf } from '../../oracle/belief.js'
import { distinct } from '../../oracle/condensing.js'
import { observe } from '../../oracle/observe.js'
import { eitherWay } from '../../oracle/unfollowed.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const lost = { status: 502, text: 'bad gateway' }
const body = (label: string) => ({ body: { cluster: 'c1', label } })
const path = (bucket: string) => ({ path: { clusterId: 'c1', bucket } })

let n = 0
const step = (belief: Belief, id: string, args: Args, outcome: object) => {
  n += 1
  const op = operationById(id) as Operation
  const call = recorded(buildCall(op, { as: 'owner', ...args }))
  return observe(belief, { op, call, outcome: outcome as never, n })
}
const create = (belief: Belief, label: string, outcome: object): Belief =>
  step(belief, 'buckets.create', body(label), outcome).belief

const start = believe(close(startWorld(embeddedEnvironment(), { nonce: 'ts-n' }), buckets, 'main'))
const page = (...labels: readonly string[]) => ({
  status: 200,
  body: { data: labels.map((label) => ({ label, cluster: 'c1' })), page: 1, pages: 1, results: labels.length },
})
const fixtures = (embeddedEnvironment().fixtures.buckets ?? []).filter(({ cluster }) => cluster === 'c1')

/** A bucket whose deletion was lost, and then more lost calls than are followed. */
const deletedLongAgo = (): Belief => {
  const made = create(start, 'ts-n-old', { status: 200, body: { label: 'ts-n-old', cluster: 'c1' } })
  const deleted = step(made, 'buckets.delete', path('ts-n-old'), lost).belief
  return ['a', 'b', 'c', 'd', 'e'].reduce((belief, name) => create(belief, `ts-n-${name}`, lost), deleted)
}

describe('a lost call that is followed no longer', () => {
  test('leaves open whether what it was to delete is there', () => {
    expect(find(worldOf(deletedLongAgo()), buckets, 'c1/ts-n-old')?.stub).toBe(true)
  })
  test.each([
    ['gone', fixtures.map(({ label }) => label)],
    ['still there', [...fixtures.map(({ label }) => label), 'ts-n-old']],
  ])('makes no finding of a list in which it is %s', (_, labels) => {
    const { judgement } = step(deletedLongAgo(), 'buckets.list', {}, page(...labels))
    expect(judgement.deviations.filter((one) => one.level === 'must' && /ts-n-old/.test(JSON.stringify(one)))).toEqual(
      [],
    )
  })
  test('may have made what has the id of something deleted', () => {
    const labelled = { body: { label: 'ts-n-1' } }
    const removed = [
      ['object-keys.create', labelled, { status: 200, body: { id: 7, label: 'ts-n-1' } }] as const,
      ['object-keys.delete', { path: { keyId: 7 } }, { status: 200, body: {} }] as const,
      ['object-keys.create', { body: { label: 'ts-n-2' } }, lost] as const,
    ].reduce((belief, [id, args, outcome]) => step(belief, id, args, outcome).belief, start)
    const belief = ['a', 'b', 'c', 'd', 'e'].reduce((before, name) => create(before, `ts-n-${name}`, lost), removed)
    const data = [{ id: 7, label: 'ts-n-2' }]
    const { judgement } = step(
      belief,
      'object-keys.list',
      {},
      {
        status: 200,
        body: { data, page: 1, pages: 1, results: 1 },
      },
    )
    expect(judgement.deviations).toEqual([])
  })
  test('may have made a ticket that bears our name, which nothing removes', () => {
    const open = (belief: Belief, name: string, outcome: object) =>
      step(belief, 'tickets.create', { body: { summary: `ts-n-${name}`, description: 'ts-n' } }, outcome).belief
    const record = { summary: 'ts-n-a', description: 'ts-n', status: 'open' }
    const list = (belief: Belief) =>
      step(
        belief,
        'tickets.list',
        {},
        { status: 200, body: { data: [{ id: 7, ...record }], page: 1, pages: 1, results: 1 } },
      ).judgement.deviations.filter(({ clause }) => clause === 'tickets.list.only-live')
    const after = ['a', 'b', 'c', 'd', 'e', 'f'].reduce((belief, name) => open(belief, name, lost), start)
    expect(list(after)).toEqual([])
    expect(list(start)).toHaveLength(1)
  })
  test('may have made what is named by the id of something deleted, and nothing else may', () => {
    const one = { body: { label: 'ts-n-1' } }
    const made = step(start, 'object-keys.create', one, { status: 200, body: { id: 7, label: 'ts-n-1' } })
    const removed = step(made.belief, 'object-keys.delete', { path: { keyId: 7 } }, { status: 200, body: {} })
    const view = (belief: Belief) =>
      step(belief, 'object-keys.view', { path: { keyId: 7 } }, { status: 200, body: { id: 7, label: 'ts-n-2' } })
    const later = step(removed.belief, 'object-keys.create', { body: { label: 'ts-n-2' } }, lost)
    expect(view(later.belief).judgement.deviations).toEqual([])
    expect(view(removed.belief).judgement.verdict).toBe('finding')
  })
  test('does not excuse what it had nothing to do with', () => {
    const { judgement } = step(deletedLongAgo(), 'buckets.view', path('ts-n-never'), { status: 200, body: [] })
    expect(judgement.verdict).toBe('finding')
  })
})

test('what two possible states say in equal lists is known', () => {
  const sharing = (shared: readonly string[]) => {
    const world = startWorld(embeddedEnvironment(), { nonce: 'ts-n' })
    return put(world, shares, { key: '108', account: 'main', surely: shared, perhaps: [], released: [] } as never)
  }
  const known = (one: World): unknown => find(one, shares, '108')?.surely
  expect(known(eitherWay(sharing(['203.0.113.14']), sharing(['203.0.113.14'])))).toEqual(['203.0.113.14'])
  expect(known(eitherWay(sharing(['203.0.113.14']), sharing([])))).toBeUndefined()
})

describe('what a lost call may have shared or taken back', () => {
  const key = '203.0.113.250'
  const known = startWorld(embeddedEnvironment(), { nonce: 'ts-n' })
  const share = (world: World, ...keys: readonly string[]) => shareWith(world, 'main', 107, keys)
  const shared = share(known, key)
  test.each([
    ['shared at most', eitherWay(known, shared)],
    ['taken back at most', eitherWay(shared, share(shared))],
    ['shared beside something else', share(eitherWay(shared, share(shared)), '203.0.113.251')],
  ])('is not known to be shared where it was %s', (_, world) => expect(isShared(world, key)).toBeUndefined())
  test('may be shared since before the run if only one history moved it', () => {
    const { fixtures: given, ...environment } = embeddedEnvironment()
    const silent = (given.nodes ?? []).map(({ ipv4: { shared: _, ...ipv4 } = {}, ...node }) => ({ ...node, ipv4 }))
    const untold = startWorld({ ...environment, fixtures: { ...given, nodes: silent } }, { nonce: 'ts-n' })
    const own = silent.find(({ id }) => id === 101)?.ipv4.public?.[0] ?? ''
    expect(isShared(settle(untold, [own]), own)).toBe(false)
    expect(isShared(eitherWay(untold, settle(untold, [own])), own)).toBeUndefined()
  })
  test('is known again once all is taken back, or it is shared', () => {
    const open = eitherWay(shared, share(shared))
    expect(isShared(share(open), key)).toBe(false)
    expect(isShared(share(open, key), key)).toBe(true)
  })
})

describe('what was removed, and was shown since in one history alone', () => {
  const key = 'c1/ts-n-old'
  const empty = close(startWorld({ ...embeddedEnvironment(), fixtures: {} }, { nonce: 'ts-n' }), buckets, 'main')
  const made = put(empty, buckets, { key, account: 'main', label: 'ts-n-old', cluster: 'c1' } as never)
  const removed = drop(made, buckets, key)
  const seen = remaining(removed, buckets, removed.tables.get('buckets')?.gone[0] as Gone)
  const isAny = (world: World) => atLeast(world, buckets, 'main', 1, () => true)
  test('may be there still, whichever history is joined to the other', () => {
    expect(isAny(removed)).toBe(false)
    for (const world of [seen, eitherWay(removed, seen), eitherWay(seen, removed)]) expect(isAny(world)).toBeUndefined()
  })
  test('is told apart from what nobody has seen since', () => {
    const { hypotheses } = believe(removed)
    const both = { ...believe(removed), hypotheses: [...hypotheses, ...believe(seen).hypotheses] }
    expect(distinct(both).hypotheses).toHaveLength(2)
    expect(distinct({ ...both, hypotheses: [...hypotheses, ...hypotheses] }).hypotheses).toHaveLength(1)
  })
})

test('a removal that broke down each time may have had its effect or not, and is told as the same each time', () => {
  const brokenDown = { status: 500, body: { errors: [{ reason: 'Internal error', field: '' }] } }
  const view = { label: 'ts-n-b', cluster: 'c1' }
  const made = create(start, 'ts-n-b', { status: 200, body: view })
  const once = step(made, 'buckets.delete', path('ts-n-b'), brokenDown)
  const twice = step(once.belief, 'buckets.delete', path('ts-n-b'), brokenDown)
  for (const { judgement } of [once, twice])
    expect(judgement.deviations.map(({ clause, kind }) => `${clause}:${kind}`)).toEqual([
      'buckets.delete.accepts:server-error',
    ])
  for (const outcome of [
    page(...fixtures.map(({ label }) => label), 'ts-n-b'),
    page(...fixtures.map(({ label }) => label)),
  ])
    expect(
      step(twice.belief, 'buckets.list', { as: 'owner' }, outcome).judgement.deviations.filter(({ clause }) =>
        /only-live|complete/.test(clause),
      ),
    ).toEqual([])
})
