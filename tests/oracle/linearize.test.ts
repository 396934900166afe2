import { describe, expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { find } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { volumes } from '../../models/volumes/record.js'
import { type Belief, believe, type Observe, worldOf } from '../../oracle/belief.js'
import { distinct } from '../../oracle/condensing.js'
import { overlapping } from '../../oracle/explanations/overlap.js'
import { linearize } from '../../oracle/linearize.js'
import { observe } from '../../oracle/observe.js'
import { judgeOverlaps } from '../../oracle/overlaps.js'
import type { TimedCall } from '../../oracle/precedence.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const record = (fields: object = {}) => ({ id: 7, label: 'a', status: 'active', size: 20, ...fields })
const full = (fields: object = {}) => {
  const shown = { region: 'r1', hardware_type: 'hdd', node_id: null, node_label: null, tags: [], ...record(fields) }
  const path = `/dev/disk/by-id/scsi-0Node_Volume_${shown.label}`
  return { ...shown, filesystem_path: path, created: '2026-01-01T00:00:00', updated: '2026-01-01T00:00:00' }
}

let n = 0
const call = (id: string, args: Args, startedAt: number, endedAt: number, outcome: object): TimedCall => {
  n += 1
  const op = operationById(id) as Operation
  const wire = recorded(buildCall(op, { as: 'owner', ...args }))
  return { observation: { op, call: wire, outcome: outcome as never, n }, startedAt, endedAt }
}
const ok = (fields: object = {}) => ({ status: 200, body: full(fields) })
const path = { volumeId: 7 }
const rename = (label: string, from: number, to: number, outcome: object = ok({ label })) =>
  call('volumes.update', { path, body: { label } }, from, to, outcome)
const view = (fields: object, from: number, to: number) => call('volumes.view', { path }, from, to, ok(fields))

const start = (environment = embeddedEnvironment()): Belief => {
  const made = call('volumes.create', { body: { label: 'a', region: 'r1', size: 20 } }, 0, 1, ok())
  return observe(believe(startWorld(environment)), made.observation).belief
}
const judge = (calls: readonly TimedCall[], options = {}) => judgeOverlaps(start(), calls, options)
/** With how often a reply was judged. */
const counted = (calls: readonly TimedCall[], options = {}) => {
  let looks = 0
  const look: Observe = (belief, one) => {
    looks += 1
    return observe(belief, one)
  }
  return { ...linearize(start(), calls, { ...options, observe: look }), looks }
}
const labels = ({ hypotheses }: Belief) => hypotheses.map(({ world }) => find(world, volumes, '7')?.label).sort()

describe('overlapping calls', () => {
  test('may take effect in either order, and both outcomes stay possible until one is seen', () => {
    const judged = judge([rename('b', 10, 20), rename('c', 10, 20)])
    expect(judged.verdict).toBe('linearizable')
    expect(labels(judged.belief)).toEqual(['b', 'c'])
    const seen = observe(judged.belief, view({ label: 'b' }, 30, 31).observation)
    expect(seen.judgement.deviations).toEqual([])
    expect(labels(seen.belief)).toEqual(['b'])
    const back = observe(seen.belief, view({ label: 'c' }, 40, 41).observation)
    expect(back.judgement.verdict).toBe('finding')
  })

  test('of a read that tells of what was unknown leave open whether it came before the write beside it', () => {
    const ip = { path: { address: '203.0.113.7' } }
    const name = 'host.example.org'
    const put = (rdns: string | null, from: number, to: number) =>
      call('ips.update', { ...ip, body: { rdns } }, from, to, { status: 200, body: {} })
    const seen = (rdns: string, from: number, to: number) =>
      call('ips.view', ip, from, to, { status: 200, body: { address: ip.path.address, rdns } })
    const reset = observe(believe(startWorld(embeddedEnvironment())), put(null, 0, 1).observation).belief
    const named = judgeOverlaps(reset, [put(name, 10, 20), seen(name, 10, 20)]).belief
    const again = observe(named, put(null, 30, 31).observation).belief
    const { judgement } = observe(again, seen('7.ip.example', 40, 41).observation)
    expect(judgement.deviations).toEqual([])
    expect(judgement.assumed ?? []).toEqual([])
  })

  test('of reads beside a write are put in order, be each a little newer than the one before', () => {
    const views = Array.from({ length: 6 }, (_, i) => view({ updated: `2026-01-01T00:00:0${i + 1}` }, 10, 20))
    const update = call('volumes.update', { path, body: { tags: [] } }, 10, 20, ok())
    expect(judge([update, ...views]).verdict).toBe('linearizable')
  })

  test('of more outcomes than are followed leave what all of these have in common', () => {
    const create = call('volumes.create', { body: { label: 'a', region: 'r1', size: 20 } }, 2, 3, ok({ id: 8 }))
    const both = observe(start(), create.observation).belief
    const renames = [7, 8].flatMap((volumeId) =>
      ['b', 'c', 'd'].map((label) =>
        call('volumes.update', { path: { volumeId }, body: { label } }, 10, 20, ok({ id: volumeId, label })),
      ),
    )
    const { verdict, belief } = linearize(both, renames)
    expect(verdict).toBe('linearizable')
    expect(belief.overflow).toBe(false)
    expect(labels(belief)).toContain(undefined)
    const told = (fields: object) => observe(belief, view(fields, 30, 31).observation).judgement.verdict
    expect([told({ label: 'z' }), told({ label: 'b', size: 30 })]).toEqual(['pass', 'finding'])
  })

  test('that are of no effect on each other leave one world, not one for every order', () => {
    const judged = judge([view({}, 10, 20), view({}, 10, 20), view({}, 10, 20), rename('b', 10, 20)])
    expect(judged.verdict).toBe('linearizable')
    expect(judged.belief.hypotheses).toHaveLength(1)
  })

  test('assume nothing of the target where one order makes a refusal due', () => {
    const refused = { status: 400, body: { errors: [{ field: 'size', reason: 'not larger' }] } }
    const resize = (size: number, outcome: object) => call('volumes.resize', { path, body: { size } }, 10, 20, outcome)
    const calls = [resize(22, refused), resize(24, ok({ size: 24 }))]
    const judged = judge(calls, { observe: overlapping(observe) })
    expect(judged.verdict).toBe('linearizable')
    expect(judged.order).toEqual([1, 0])
    expect(judged.judgements.flatMap(({ assumed }) => assumed ?? [])).toEqual([])
  })

  test('show a wrong content type all the same', () => {
    const shown = call('volumes.view', { path }, 10, 20, { ...ok({ label: 'a' }), contentType: 'text/html' })
    const judged = judge([rename('b', 10, 20), shown], { observe: overlapping(observe) })
    expect(judged.judgements.flatMap(({ deviations }) => deviations.map(({ kind }) => kind))).toEqual(['content-type'])
  })

  test('show an error of the server in place of a refusal that one of them makes due', () => {
    const broken = { status: 500, body: { errors: [{ field: 'size', reason: 'deadlock' }] } }
    const resize = (size: number, outcome: object) => call('volumes.resize', { path, body: { size } }, 10, 20, outcome)
    const calls = [resize(22, broken), resize(24, ok({ size: 24 }))]
    const { verdict, judgements } = judge(calls, { observe: overlapping(observe) })
    expect(verdict).toBe('linearizable')
    expect(judgements.map(({ deviations }) => deviations.map(({ clause, level }) => `${clause} ${level}`))).toEqual([
      ['volumes.resize.refusal.status should'],
      [],
    ])
  })

  test('may be refused beside each other, in the form of a refusal, unless the target file has them judged as if alone', () => {
    const told = (body: object, explanations = {}) => {
      const removal = call('volumes.delete', { path }, 10, 20, { status: 409, body })
      const before = start({ ...embeddedEnvironment(), explanations })
      const { judgements } = judgeOverlaps(before, [removal, rename('c', 10, 20)], { observe: overlapping(observe) })
      return judgements.flatMap(({ deviations }) => deviations.map(({ clause }) => clause))
    }
    const busy = { errors: [{ field: '', reason: 'busy' }] }
    expect(told(busy)).toEqual([])
    expect(told({ error: 'busy' })).toEqual(['volumes.delete.refusal.envelope'])
    expect(told(busy, { overlap: false })).toEqual(['volumes.delete.accepts'])
  })

  test('may be answered with what those beside them did later, and with nothing else', () => {
    const resized = { label: 'b', size: 30 }
    const told = (shown: object) => {
      const resize = call('volumes.resize', { path, body: { size: 30 } }, 10, 20, ok(resized))
      const { judgements } = judge([rename('b', 10, 20, ok(shown)), resize], { observe: overlapping(observe) })
      return judgements.map(({ deviations, assumed }) => [deviations.map(({ clause }) => clause), assumed])
    }
    expect(told(resized)).toEqual([
      [[], ['overlap volumes.update']],
      [[], ['overlap volumes.resize']],
    ])
    expect(told({ label: 'b', size: 31 })[0]).toEqual([['volumes.update.shows.size'], undefined])
    expect(told({ ...resized, node_id: 101 })[0]).toEqual([
      ['volumes.update.shows.size', 'volumes.update.shows.node_id'],
      undefined,
    ])
  })

  test('may show what follows from what came later, and each what the last of them set', () => {
    const onNode = { label: 'b', node_id: 101, node_label: 'web-1' }
    const attach = call('volumes.attach', { path, body: { node_id: 101 } }, 10, 20, ok(onNode))
    const both = judge([rename('b', 10, 20, ok(onNode)), attach], { observe: overlapping(observe) })
    expect(both.judgements.flatMap(({ deviations }) => deviations)).toEqual([])
    expect(both.judgements[0]?.held).not.toContain('volumes.update.shows.node_id')
    const renames = judge([rename('b', 10, 20, ok({ label: 'c' })), rename('c', 10, 20)], {
      observe: overlapping(observe),
    })
    expect(renames.judgements.flatMap(({ deviations }) => deviations)).toEqual([])
    expect(labels(renames.belief)).toContain('c')
  })

  test('have replies of their own form, whether they were taken beside a removal or not', () => {
    const removal = call('volumes.delete', { path }, 10, 20, { status: 200, body: {} })
    const told = (shown: object) =>
      judge([rename('b', 10, 20, shown), removal], { observe: overlapping(observe) }).judgements.flatMap(
        ({ deviations }) => deviations.map(({ clause }) => clause),
      )
    const { label: _, ...bare } = full({ label: 'b' })
    expect([told(ok({ label: 'b' })), told({ status: 200, body: bare })]).toEqual([
      [],
      ['volumes.update.reply.label.required'],
    ])
  })

  test('may each show the other, with times of any of them, whichever the order that is told', () => {
    const onNode = { label: 'b', node_id: 101, node_label: 'web-1' }
    const told = (renamed: object, attached: object) => {
      const attach = call('volumes.attach', { path, body: { node_id: 101 } }, 10, 20, ok({ ...onNode, ...attached }))
      const calls = [rename('b', 10, 20, ok({ ...onNode, ...renamed })), attach]
      const { judgements } = judge(calls, { observe: overlapping(observe) })
      return judgements.flatMap(({ deviations }) => deviations.map(({ clause }) => clause))
    }
    const [early, late] = [{ updated: '2026-01-01T00:00:01' }, { updated: '2026-01-01T00:00:10' }]
    expect([told(late, early), told(early, late)]).toEqual([[], []])
    expect(told({ ...late, size: 21 }, early)).toContain('volumes.update.shows.size')
  })

  test('of three may be answered with what stood between the others', () => {
    const resize = call('volumes.resize', { path, body: { size: 30 } }, 10, 20, ok({ label: 'b', size: 30 }))
    const attach = call(
      'volumes.attach',
      { path, body: { node_id: 101 } },
      10,
      20,
      ok({ node_id: 101, node_label: 'web-1', label: 'b', size: 30 }),
    )
    const told = (size: number) => {
      const renamed = rename('b', 10, 20, ok({ label: 'b', size }))
      return judge([renamed, resize, attach], { observe: overlapping(observe) }).judgements.flatMap(({ deviations }) =>
        deviations.map(({ clause }) => clause),
      )
    }
    expect(told(30)).toEqual([])
    expect(told(31)).toContain('volumes.update.shows.size')
  })

  test('of which one shows the other are explained in each world that is believed', () => {
    const both = judge([rename('b', 2, 9), rename('c', 2, 9)]).belief
    expect(labels(both)).toEqual(['b', 'c'])
    for (const label of ['b', 'c']) {
      const shown = ok({ label, tags: ['x'], size: 30 })
      const calls = [
        call('volumes.update', { path, body: { tags: ['x'] } }, 10, 20, shown),
        call('volumes.resize', { path, body: { size: 30 } }, 10, 20, shown),
      ]
      const { judgements, belief } = judgeOverlaps(both, calls, { observe: overlapping(observe) })
      expect(judgements.flatMap(({ deviations }) => deviations)).toEqual([])
      expect(labels(belief)).toEqual([label])
    }
  })

  test('that are too many to be told apart from their records are no finding', () => {
    const shown = ok({ label: 'f', tags: ['f'] })
    const writes = ['b', 'c', 'd', 'e', 'f'].map((label) =>
      call('volumes.update', { path, body: { label, tags: [label] } }, 10, 20, shown),
    )
    const deviations = (mostStates: number) =>
      judge(writes, { observe: overlapping(observe), mostStates }).judgements.flatMap((one) => one.deviations)
    expect([deviations(24), deviations(200)]).toEqual([[], []])
  })

  test('excuse no inference about a read, and those about a write', () => {
    const without = { status: 400, body: { errors: [{ reason: 'no' }] } }
    const missing = { status: 404, body: { errors: [{ reason: 'not found' }] } }
    const other = call('volumes.view', { path: { volumeId: 8 } }, 10, 20, missing)
    const resize = call('volumes.resize', { path, body: { size: 30 } }, 10, 20, without)
    const { judgements } = judge([rename('b', 10, 20), resize, other], { observe: overlapping(observe) })
    expect(judgements.map(({ deviations }) => deviations.map(({ clause }) => clause))).toEqual([
      [],
      [],
      ['volumes.view.refusal.field-present'],
    ])
  })

  test('lay no wrong record to a removal beside the view that shows it', () => {
    const removes = call('volumes.delete', { path }, 10, 20, { status: 200, body: {} })
    const shows = view({ label: 'other' }, 10, 20)
    for (const calls of [
      [removes, shows],
      [shows, removes],
    ]) {
      const told = judge(calls).judgements.flatMap(({ deviations }) => deviations.map(({ clause }) => clause))
      expect(told).toContain('volumes.view.shows.label')
      expect(told).not.toContain('volumes.delete.takes-effect')
    }
  })

  test('take effect in real-time order where they do not overlap', () => {
    expect(judge([rename('b', 10, 20), view({ label: 'a' }, 15, 25)]).verdict).toBe('linearizable')
    expect(judge([rename('b', 10, 20), view({ label: 'a' }, 21, 25)]).verdict).toBe('nonlinearizable')
    expect(judge([rename('b', 10, 20), rename('c', 21, 30)]).belief.hypotheses).toHaveLength(1)
  })

  test('are illegal where one reads the new value and a later one the old', () => {
    const judged = judge([rename('b', 10, 100), view({ label: 'b' }, 20, 30), view({ label: 'a' }, 40, 50)])
    expect(judged.verdict).toBe('nonlinearizable')
    const faulty = judged.judgements.filter(({ deviations }) => deviations.length > 0)
    expect(faulty).toHaveLength(1)
    expect(faulty[0]?.deviations[0]?.clause).toMatch(/^volumes\.(?:view\.shows\.label|update\.takes-effect)$/)
  })

  test('of which one is wrong in itself leave open what either order does', () => {
    const odd = { status: 200, body: { ...full({ label: 'b' }), hardware_type: 'tape' } }
    const judged = judge([rename('b', 10, 20, odd), rename('c', 10, 20)])
    expect(judged.verdict).toBe('nonlinearizable')
    expect(judged.judgements.map(({ deviations }) => deviations.map(({ clause }) => clause))).toEqual([
      ['volumes.update.reply.hardware_type.enum'],
      [],
    ])
    for (const label of ['b', 'c'])
      expect(observe(judged.belief, view({ label }, 30, 31).observation).judgement.deviations).toEqual([])
  })

  test('leave open what either order does, also where a later reply is wrong whichever it was', () => {
    const judged = judge([rename('b', 10, 20), rename('c', 10, 20)])
    const odd = call('volumes.list', {}, 30, 31, { status: 200, body: { data: [] } })
    const seen = observe(judged.belief, odd.observation)
    expect(seen.judgement.verdict).toBe('finding')
    expect(labels(seen.belief)).toEqual(['b', 'c'])
  })

  test('are told in the order of the calls given, whatever order explains them', () => {
    const { order, judgements } = judge([view({ label: 'b' }, 10, 50), rename('b', 10, 40)])
    expect(order).toEqual([1, 0])
    expect(judgements.map(({ held }) => held.some((id) => id.startsWith('volumes.view')))).toEqual([true, false])
  })

  test('of which one was lost may or may not have taken effect', () => {
    const judged = judge([rename('b', 10, 20, { lost: 'timeout' }), rename('c', 10, 20)])
    expect(judged.verdict).toBe('linearizable')
    for (const label of ['b', 'c'])
      expect(observe(judged.belief, view({ label }, 30, 31).observation).judgement.deviations).toEqual([])
    expect(observe(judged.belief, view({ label: 'a' }, 30, 31).observation).judgement.verdict).toBe('finding')
  })

  test('of which one deletes let another be accepted before it or refused after it', () => {
    const remove = () => call('volumes.delete', { path }, 10, 50, { status: 200, body: {} })
    const refused = { status: 404, body: { errors: [{ field: 'volumeId', reason: 'gone' }] } }
    expect(judge([remove(), rename('b', 20, 30)]).verdict).toBe('linearizable')
    expect(judge([remove(), rename('b', 20, 30, refused)]).verdict).toBe('linearizable')
    const unseen = () => call('volumes.view', { path }, 20, 30, refused)
    expect(judge([remove(), unseen(), view({}, 25, 35)]).verdict).toBe('linearizable')
    expect(judge([unseen(), view({}, 25, 35)]).verdict).toBe('nonlinearizable')
  })

  test('are six at least before it becomes inconclusive, and a long chain of pairs never does', () => {
    const six = Array.from({ length: 6 }, (_, i) => rename(`l${i}`, 10, 20))
    expect(judge(six).verdict).toBe('linearizable')
    expect(judge(Array.from({ length: 9 }, (_, i) => rename(`l${i}`, 10, 20))).verdict).toBe('inconclusive')
    const chain = Array.from({ length: 60 }, (_, i) => rename(`l${i}`, i * 10, i * 10 + 15))
    expect(judge(chain).verdict).toBe('linearizable')
  })

  test('that read or are refused need no order, however many they are', () => {
    const refused = { status: 400, body: { errors: [{ field: 'label', reason: 'no' }] } }
    const many = Array.from({ length: 30 }, (_, i) => (i % 2 ? view({}, 10, 20) : rename('', 10, 20, refused)))
    const judged = judge([...many, rename('b', 10, 20), view({ label: 'b' }, 10, 20)])
    expect(judged.verdict).toBe('linearizable')
    expect(labels(judged.belief)).toEqual(['b'])
  })

  test('that are none leave the belief as it was', () => {
    const belief = start()
    expect(worldOf(linearize(belief, []).belief)).toBe(worldOf(belief))
  })
})

describe('a view of what a creation beside it made', () => {
  const create = (outcome: object) =>
    call('volumes.create', { body: { label: 'b', region: 'r1', size: 20 } }, 10, 30, outcome)
  const shown = call('volumes.view', { path: { volumeId: 8 } }, 10, 20, ok({ id: 8, label: 'b' }))

  test('came after it, so that no other order is tried', () => {
    const { looks, verdict, order } = counted([shown, create(ok({ id: 8, label: 'b' }))])
    expect([verdict, order, looks]).toEqual(['linearizable', [1, 0], 2])
  })

  test('may have come before one that told no id', () => {
    expect(counted([shown, create({ status: 200, body: {} })]).looks).toBeGreaterThan(2)
  })
})

describe('a write whose reply was lost', () => {
  const before = start()
  const following = (...calls: readonly TimedCall[]): Belief =>
    calls.reduce((belief, { observation }) => observe(belief, observation).belief, before)

  test('is followed as one that may still come, once a later write hides whether it came', () => {
    const pending = following(rename('b', 10, 20, { lost: 'timeout' }), rename('c', 30, 40))
    const landed = following(rename('b', 10, 20), rename('c', 30, 40))
    const one = distinct({ ...pending, hypotheses: [...landed.hypotheses, ...pending.hypotheses] })
    expect(one.hypotheses.map((each) => each.pending.length)).toEqual([1])
    for (const label of ['b', 'c'])
      expect(observe(one, view({ label }, 50, 51).observation).judgement.deviations).toEqual([])
    expect(observe(one, view({ label: 'a' }, 50, 51).observation).judgement.verdict).toBe('finding')
  })

  test('is followed both ways while it tells something', () => {
    const pending = following(rename('b', 10, 20, { lost: 'timeout' }))
    const landed = following(rename('b', 10, 20))
    const both = { ...pending, hypotheses: [...landed.hypotheses, ...pending.hypotheses] }
    expect(distinct(both)).toEqual(both)
  })
})

describe('calls of clients that are never all idle', () => {
  const chain = Array.from({ length: 60 }, (_, i) => rename(`l${i}`, 10 + 2 * i, 13 + 2 * i))
  test('are put in order, however many they are', () => {
    const judged = judge(chain)
    expect(judged.verdict).toBe('linearizable')
    expect([...judged.order].sort((a, b) => a - b)).toEqual(chain.map((_, i) => i))
    expect(labels(judged.belief).every((label) => label === 'l59' || label === 'l58')).toBe(true)
  })
  test('are given up where that would take too long', () => {
    expect(judge(chain, { mostWorlds: 40 }).verdict).toBe('inconclusive')
  })
  test('are given up soon where those at the beginning have too many orders, however many follow', () => {
    const knot = Array.from({ length: 9 }, (_, i) => rename(`k${i}`, 0, 9))
    const most = 4000
    const { looks, verdict } = counted([...knot, ...Array.from({ length: 10 }, () => chain).flat()], {
      mostWorlds: most,
      mostStates: Number.POSITIVE_INFINITY,
    })
    expect(verdict).toBe('inconclusive')
    expect(looks).toBeLessThan(most / 8)
  })
})
