import { expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { find } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { volumes } from '../../models/volumes/record.js'
import { type Belief, believe, type Observe, worldOf } from '../../oracle/belief.js'
import { surelyClauseOf } from '../../oracle/clauses.js'
import { createResent, followingRemovals } from '../../oracle/explanations/resent.js'
import { deviation, type Judgement } from '../../oracle/judgement.js'
import { noPast } from '../../oracle/past.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const removes = operationById('volumes.delete') as Operation
const call = buildCall(removes, { path: { volumeId: '601' }, as: 'owner' })
const gone = { status: 404, body: { errors: [{ field: '', reason: 'Not found' }] }, contentType: 'application/json' }

/** Whether the volume is there, in each world that may be after such a removal, and what was assumed. */
const after = (expects: Judgement['expects'], explanations: Record<string, boolean> = {}) => {
  const world = startWorld({ ...embeddedEnvironment(), explanations })
  const look: Observe = (belief) => ({ belief, judgement: { expects, accepted: false, world } as unknown as Judgement })
  const taken = followingRemovals(look)(believe(world), { op: removes, call, outcome: gone, n: 1 })
  return {
    there: taken.belief.hypotheses.map((one) => find(one.world, volumes, '601') !== undefined),
    assumed: taken.judgement.assumed,
  }
}

test('a removal that is answered 404 and might be refused is followed both ways, and the record says so', () => {
  expect(after('either')).toEqual({ there: [true, false], assumed: ['resent volumes.delete'] })
  expect(after('either', { resent: false })).toEqual({ there: [true], assumed: undefined })
})

test('one that was due is a deviation, and followed both ways whatever may be assumed', () => {
  expect(after('accept', { resent: false })).toEqual({ there: [true, false], assumed: undefined })
})

test('one that was to be refused changes nothing', () => {
  expect(after('refuse')).toEqual({ there: [true], assumed: undefined })
})

test('in a run of a program all that is removed twice is passed over, in a recording the first', () => {
  const world = startWorld(embeddedEnvironment())
  const look: Observe = (belief, { outcome }) => {
    const accepted = 'status' in outcome && outcome.status < 300
    return { belief, judgement: { expects: 'accept', accepted, world, deviations: [] } as unknown as Judgement }
  }
  const told = (instance: number | undefined) => {
    const take = createResent(look).lookAlone
    const send = (outcome: object, n: number) =>
      take(believe(world), { op: removes, call, outcome, n, instance, program: 'one' } as never).judgement.assumed
    for (let n = 0; n < 9; n += 1) send({ status: 200, body: {} }, n)
    return [10, 11].map((n) => send(gone, n))
  }
  expect(told(1)).toEqual([['resent volumes.delete'], ['resent volumes.delete']])
  expect(told(undefined)).toEqual([['resent volumes.delete'], undefined])
})

const [create, update, view, list] = ['create', 'update', 'view', 'list'].map((verb) =>
  operationById(`volumes.${verb}`),
) as [Operation, Operation, Operation, Operation]

test.each([
  ['is late at times', 300, undefined],
  ['has shown all at once', 0, ['resent volumes.update']],
])(
  'a read of what was before an update shows one that came twice only on a target that %s',
  (_, longestMs, assumed) => {
    const world = startWorld(embeddedEnvironment())
    const late = { by: update.id, changedAt: 0, ageMs: 5, hidden: [] }
    const look: Observe = (belief, { op, n }) => {
      const isOld = op === view && belief.past !== undefined
      const more = { ...(isOld && { late }), ...(op === create && { made: `${n}` }) }
      return { belief, judgement: { accepted: true, world, deviations: [], ...more } as unknown as Judgement }
    }
    const take = createResent(look).lookAlone
    const belief = { ...believe(world), past: { ...noPast, longestMs } }
    const send = (op: Operation, n: number, body?: { readonly label: string }) => {
      const sent = buildCall(op, { as: 'owner', path: { volumeId: '601' }, ...(body && { body }) })
      const outcome = { status: 200, body: { data: [{ id: n }] } }
      return take(belief, { op, call: sent, outcome, n, instance: 1, program: 'one' } as never).judgement.assumed
    }
    for (let n = 0; n < 10; n += 1) {
      send(create, n)
      send(list, n)
      send(update, n, { label: `l${n}` })
    }
    expect(send(view, 10)).toEqual(assumed)
  },
)

test.each([
  ['by itself', 'lookAlone'],
  ['beside others', 'noteBeside'],
] as const)(
  'a removal that was sent %s, and is refused for what may not show yet, may have had its effect',
  (_, way) => {
    const world = startWorld(embeddedEnvironment())
    const late = { by: create.id, changedAt: 0, ageMs: 5, hidden: [] }
    const isThere = (belief: Belief) => find(worldOf(belief), volumes, '601') !== undefined
    const unshown = { expects: 'accept', accepted: false, world, deviations: [], late } as unknown as Judgement
    const missed = deviation(surelyClauseOf(view, 'accepts'), 'refused', 'a volume', 'none')
    const look: Observe = (belief, { op }) => {
      const deviations = op === view && isThere(belief) ? [missed] : []
      return {
        belief,
        judgement:
          op === view ? ({ expects: 'accept', accepted: false, world, deviations } as unknown as Judgement) : unshown,
      }
    }
    const { lookAlone, noteBeside } = createResent(look)
    const told = { instance: 1, program: 'one', outcome: gone }
    const removal = { ...told, op: removes, call, n: 1 } as never
    if (way === 'noteBeside') noteBeside(believe(world), removal, unshown)
    else lookAlone(believe(world), removal)
    const viewed = buildCall(view, { as: 'owner', path: { volumeId: '601' } })
    const { judgement } = lookAlone(believe(world), { ...told, op: view, call: viewed, n: 2 } as never)
    expect([judgement.deviations, judgement.assumed]).toEqual([[], ['resent volumes.delete']])
  },
)

test.each([
  ['a run, which confirms it', 1, true],
  ['a recording', undefined, false],
])(
  'a removal that is passed over, since it may have come too early, counts as one that did nothing in %s',
  (_, instance, isNoted) => {
    const world = startWorld(embeddedEnvironment())
    const late = { by: create.id, changedAt: 0, ageMs: 5, hidden: [] }
    const refusal = deviation(surelyClauseOf(removes, 'accepts'), 'refused', 'a 2xx status', '404')
    const look: Observe = (belief, { op, n }) => {
      const isPatient = belief.past !== undefined
      const refused = { accepted: false, deviations: isPatient ? [] : [refusal], ...(isPatient && { late }) }
      const taken = { accepted: true, deviations: [], ...(op === create && { made: `${n}` }) }
      const told = { expects: 'accept', world, ...(op === removes ? refused : taken) }
      return { belief, judgement: told as unknown as Judgement }
    }
    const { lookAlone, proven } = createResent(look)
    const belief = { ...believe(world), past: noPast }
    const send = (op: Operation, n: number, outcome: object) => {
      const sent = buildCall(op, { as: 'owner', path: { volumeId: '601' } })
      return lookAlone(belief, { op, call: sent, outcome, n, instance, program: 'one' } as never).judgement.assumed
    }
    for (let n = 0; n < 10; n += 1) {
      send(create, n, { status: 200, body: {} })
      send(list, n, { status: 200, body: { data: [{ id: n }] } })
    }
    for (const n of [10, 11, 12])
      expect(send(removes, n, gone)).toEqual(n === 10 || isNoted ? ['resent volumes.delete'] : undefined)
    send(list, 13, { status: 200, body: { data: [{ id: 601 }] } })
    expect(proven()).toEqual(isNoted ? { n: 12, refusal } : undefined)
  },
)

test('a removal that was waited for in vain counts as such, though it may have been sent twice', () => {
  const world = startWorld(embeddedEnvironment())
  const vain = new Map([['volumes.delete.accepts:refused', 1]])
  const look: Observe = (belief) => ({
    belief: { ...belief, past: { ...noPast, vain } },
    judgement: { expects: 'accept', accepted: false, world, deviations: [] } as unknown as Judgement,
  })
  const entry = { op: removes, call, outcome: gone, n: 1, phase: 'clean-up', program: 'one', instance: 1 } as never
  const { belief, judgement } = createResent(look).lookAlone({ ...believe(world), past: noPast }, entry)
  expect([judgement.assumed, belief.past?.vain]).toEqual([['resent volumes.delete'], vain])
})
