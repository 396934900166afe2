// What deviates once beside others and not again alone has only those run again that may have caused it.
import { expect, test } from 'vitest'
import type { Claim } from '../../driver/admission.js'
import { claimOf } from '../../driver/admission.js'
import { createCauses } from '../../driver/causes.js'
import { runJobs } from '../../driver/schedule.js'
import type { SessionOptions } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import type { Job } from '../../driver/units.js'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { startWorld } from '../../models/start.js'
import type { Deviation } from '../../oracle/judgement.js'
import { undecided } from '../../oracle/judgement.js'
import { createAfar } from '../../reference/afar.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { tasksOf } from '../../suites/catalog.js'
import type { Setting } from '../../suites/tasks.js'
import { jobOf } from './jobs.js'

const world = startWorld(embeddedEnvironment())

const callOf = (id: string, path: Record<string, string>) => {
  const op = operationById(id) as Operation
  return { op, call: recorded(buildCall(op, { path, as: 'owner', body: {} }, 'file')) }
}

const claim = (id: string, path: Record<string, string> = {}): Claim => {
  const { op, call } = callOf(id, path)
  return claimOf(world, op, call)
}

const doubt = (clause: string): Deviation => ({
  clause,
  operation: 'volumes.view',
  level: 'must',
  source: '',
  requires: '',
  kind: 'label',
  expected: '',
  received: '',
  because: [],
})

/** A view of a volume at that time, with what deviates in it. */
const viewAt = (at: number, ...deviations: readonly Deviation[]) => ({
  ...callOf('volumes.view', { volumeId: '7' }),
  outcome: { status: 200, body: {}, headers: {} } as never,
  deviations,
  judgement: undecided(world),
  startedAt: at,
  endedAt: at + 1,
})

test('Only writes to the same thing may have caused what deviates, and only those since it was right.', () => {
  const causes = createCauses<string>()
  const same = { volumeId: '7' }
  causes.note(['before it was right'], [claim('volumes.resize', same)], 0, 5)
  causes.note(['the same'], [claim('volumes.resize', same)], 20, 25)
  causes.note(['a read of the same'], [claim('volumes.view', same)], 20, 25)
  causes.note(['another'], [claim('volumes.resize', { volumeId: '8' })], 20, 25)
  causes.note(['of another kind'], [claim('managed-contacts.update', { contactId: '7' })], 20, 25)
  causes.note(['a hook'], ['everything'], 20, 25)
  causes.note(['after it'], [claim('volumes.resize', same)], 40, 45)
  const all = [
    'before it was right',
    'the same',
    'a read of the same',
    'another',
    'of another kind',
    'a hook',
    'after it',
  ]
  const spotted = doubt('volumes.view.shows.label')
  const sent = [viewAt(10), viewAt(30, spotted)]
  expect([...causes.among(all, [spotted], sent, 0)]).toEqual(['the same', 'a hook'])
  expect([...causes.among(all, [spotted], sent, 10)]).toEqual(['before it was right', 'the same', 'a hook'])
  expect([...causes.among(all, [], sent, 0)]).toEqual([])
  // Where it is not known which call deviated, any write may be the reason.
  expect([...causes.among(all, [spotted], [], 0)]).toEqual(all.filter((name) => name !== 'a read of the same'))
})

test('A write of programs that ran as one is compared once for all of them.', () => {
  const causes = createCauses<number>()
  const all = Array.from({ length: 300 }, (_, i) => i)
  let compared = 0
  const another = claim('volumes.resize', { volumeId: '8' }) as Exclude<Claim, string>
  const counted = new Proxy(another, {
    get: (target, name) => {
      if (name === 'gone') compared += 1
      return Reflect.get(target, name)
    },
  })
  causes.note(all, [counted], 20, 25)
  const spotted = doubt('volumes.view.shows.label')
  expect([...causes.among(all, [spotted], [viewAt(10), viewAt(30, spotted)], 0)]).toEqual([])
  expect(compared).toBeLessThan(10)
  causes.note(all, [claim('volumes.resize', { volumeId: '7' })], 20, 25)
  expect([...causes.among(all.slice(0, 250), [spotted], [viewAt(10), viewAt(30, spotted)], 0)]).toEqual(
    all.slice(0, 250),
  )
})

test.each([
  ['goes on', false, 1],
  ['is over', true, 0],
])('What may have caused a deviation is worked out where the run %s: %s', async (_, isOver, times) => {
  const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t')
  const spotted = doubt('volumes.view.shows.label')
  const ends = { isOver: false, lookedFor: 0 }
  const shown = viewAt(30, spotted)
  const sent = {
    ...shown,
    get deviations() {
      ends.lookedFor += 1
      return shown.deviations
    },
  } as never
  const job = jobOf(async (own) => {
    ends.isOver = isOver
    return { findings: [], exercised: true, sent: [sent], doubts: own.isBeside ? [spotted] : [] }
  })
  await runJobs(session, [job], { width: 2, isOver: () => ends.isOver, onEnd: () => undefined })
  expect(ends.lookedFor).toBe(times)
})

const lent = new Set(embeddedEnvironment().fixtures.volumes?.map(({ id }) => String(id)))

/**
 * A target that shows a volume in another region once in so many times, as long as programs run side by side; none that is lent, which
 * many programs might have changed.
 */
const wrongAtTimes =
  (oneIn: number, isAlone: () => boolean, adapt: (options: SessionOptions) => SessionOptions) =>
  (plain: SessionOptions): SessionOptions => {
    let views = 0
    return adapt({
      ...plain,
      transport: {
        send: async (call, step) => {
          const outcome = await plain.transport.send(call, step)
          if (call.operation !== 'volumes.view' || !('status' in outcome) || outcome.status !== 200) return outcome
          if (lent.has(call.path.volumeId ?? '')) return outcome
          views += 1
          return views % oneIn === 0 && !isAlone()
            ? { ...outcome, body: { ...(outcome.body as object), region: 'r-wrong' } }
            : outcome
        },
      },
    })
  }

test('A deviation that is seen at times beside others, and not again alone, has few programs run again.', async () => {
  const afar = createAfar(() => 20)
  const runs = { beside: 0, alone: 0 }
  const { session, lines } = inProcess(
    { environment: embeddedEnvironment() },
    'ts-t',
    wrongAtTimes(73, () => runs.alone > 0, afar.adapt),
  )
  await survey(session)
  const setting: Setting = {
    session,
    options: {
      filters: { areas: ['volumes'], operations: [], clauses: [], shard: [1, 1] },
      fuzz: false,
      seed: 1,
      programs: 1,
    },
    isEmbedded: true,
    width: 16,
    emit: () => undefined,
  }
  const counted = (job: Job): Job => ({
    ...job,
    run: (own) => {
      runs[own.isBeside ? 'beside' : 'alone'] += 1
      return job.run(own)
    },
  })
  const jobs = tasksOf('volumes').flatMap((task) => {
    const planned = task.plan(setting)
    return 'skip' in planned ? [] : planned.map(counted)
  })
  const untested: string[] = []
  await runJobs(session, jobs, {
    width: 16,
    isOver: () => false,
    onEnd: ({ name }, outcome) => {
      if (outcome.untested !== undefined) untested.push(name)
    },
  })
  expect(lines.filter(({ type }) => type === 'finding')).toEqual([])
  const told = lines.flatMap((line) => (line.type === 'trouble' ? [line.text] : []))
  expect(told.filter((text) => text.includes('was seen in')).length).toBeGreaterThan(0)
  expect(untested).toEqual([])
  expect(runs.alone).toBeLessThan(runs.beside)
})
