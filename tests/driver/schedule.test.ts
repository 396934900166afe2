// Programs side by side come to what they come to in turn.
import { setImmediate as underWay } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { liveOf } from '../../driver/locks.js'
import { runProgram } from '../../driver/programs.js'
import { runInTurn, runJobs } from '../../driver/schedule.js'
import type { Session, SessionOptions } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import type { Job } from '../../driver/units.js'
import { allTables, operations } from '../../models/index.js'
import { type Clause, clausesOf } from '../../models/language/derive.js'
import { isClosed, live, type World } from '../../models/language/world.js'
import { contacts } from '../../models/managed-contacts/record.js'
import { findingIdOf } from '../../oracle/judgement.js'
import { createAfar } from '../../reference/afar.js'
import type { EmbeddedOptions } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { type Mutant, mutantsOf } from '../../reference/mutants/mutants.js'
import { type VariationName, variations } from '../../reference/variations.js'
import { tasksOf } from '../../suites/catalog.js'
import type { Setting, Task } from '../../suites/tasks.js'
import { shownAgain, shownIn } from '../oracle/shown.js'
import { firstLine } from '../oracle/traffic.js'
import { partOf } from '../parts.js'
import { seed } from '../seed.js'
import { jobOf, wronglyRefused } from './jobs.js'

/** Clauses of some operations, one in so many. */
const clausesFrom = (prefix: string, oneIn: number): readonly Clause[] =>
  operations
    .filter(({ id }) => id.startsWith(prefix))
    .flatMap(clausesOf)
    .filter((_, i) => i % oneIn === 0)

/** Delays of up to 100 ms, drawn from a number. */
const delays = (from: number): (() => number) => {
  let state = from % 2147483647 || 1
  return () => {
    state = (state * 48271) % 2147483647
    return state % 100
  }
}

/** Tasks of the clauses, and those that cross the operations of the areas. */
const tasksOn = (clauses: readonly Clause[], areas: readonly string[] = []): readonly Task[] => {
  const resources = [...new Set(clauses.map(({ operation }) => operation.slice(0, operation.lastIndexOf('.'))))]
  const ids = new Set(clauses.map(({ id }) => id))
  const crossing = areas.length > 0 ? ['journeys', 'sequences', 'pagination', 'races', 'random'] : []
  return [
    ...crossing.flatMap(tasksOf),
    ...resources.flatMap(tasksOf).filter(({ clause }) => clause !== undefined && ids.has(clause.id)),
  ]
}

type Way = 'each by itself' | 'in turn' | 'side by side'

/** What a run of these tasks finds and shows. */
const outcome = async (
  options: Partial<EmbeddedOptions>,
  clauses: readonly Clause[],
  way: Way,
  areas: readonly string[] = [],
  { time = 1, width = 16 }: { readonly time?: number | undefined; readonly width?: number | undefined } = {},
) => {
  const afar = createAfar(delays(time))
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), ...options }, 'ts-t', afar.adapt)
  await survey(session)
  const setting: Setting = {
    session,
    options: {
      filters: { areas, operations: [], clauses: [], shard: [1, 1] },
      fuzz: false,
      seed: 1,
      programs: areas.length > 0 ? 2 : 0,
    },
    isEmbedded: true,
    width: way === 'side by side' ? width : 1,
    emit: () => undefined,
  }
  const jobs = tasksOn(clauses, areas).flatMap((task) => {
    const planned = task.plan(setting)
    return 'skip' in planned ? [] : planned
  })
  const untested: string[] = []
  const ended: string[] = []
  const onEnd = ({ name }: Job, { untested: reason }: { readonly untested?: string }): void => {
    ended.push(name)
    if (reason !== undefined) untested.push(name)
  }
  const asked = { width: setting.width, isOver: () => false, onEnd }
  if (way === 'side by side') await runJobs(session, jobs, asked)
  else if (way === 'in turn') await runInTurn(session, jobs, asked)
  else for (const job of jobs) onEnd(job, await job.run(session))
  expect(ended.sort()).toEqual(jobs.map(({ name }) => name).sort())
  const record = [firstLine(), ...lines]
  expect(shownAgain(record, 'ts-t')).toEqual(shownIn(record))
  const findings = lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : []))
  return {
    findings: findings.map(({ id }) => id).sort(),
    gating: findings.filter(({ level }) => level !== 'should').map(({ id }) => id),
    held: clauses.filter(({ id }) => session.isHeld(id)).map(({ id }) => id),
    untested: untested.sort(),
    left: lines.filter(({ type }) => type === 'left').length,
    troubles: lines.filter(({ type }) => type === 'trouble'),
    ms: afar.now(),
    requests: lines.filter(({ type }) => type === 'step').length,
  }
}

/** What it comes to each by itself and side by side, but for how long it takes. */
const both = async (
  options: () => Partial<EmbeddedOptions>,
  clauses: readonly Clause[],
  areas: readonly string[] = [],
) => {
  const { ms: longer, requests: more, ...apart } = await outcome(options(), clauses, 'each by itself', areas)
  const { ms: shorter, requests: fewer, ...beside } = await outcome(options(), clauses, 'side by side', areas)
  return { longer, more, shorter, fewer, apart, beside }
}

describe('programs side by side', () => {
  test.each(['volumes', 'tags', 'firewall', 'ip', 'managed-', 'object-keys', 'bucket', 'ticket'])(
    'show and find what they show and find by themselves, in less time, and their record the same: %s',
    async (prefix) => {
      const { longer, shorter, apart, beside } = await both(() => ({}), clausesFrom(prefix, 9))
      // A list may show what another program has made, so that more is held.
      expect(beside).toEqual({ ...apart, held: expect.arrayContaining([...apart.held]) })
      expect(beside.findings).toEqual([])
      expect(beside.held.length).toBeGreaterThan(1)
      expect(shorter).toBeLessThan(longer)
    },
  )

  test('walks, races and random walks come to what they do in turn', async () => {
    const { longer, shorter, apart, beside } = await both(() => ({}), clausesFrom('tags', 9), ['tags'])
    expect(beside).toEqual(apart)
    expect(beside.findings).toEqual([])
    expect(shorter).toBeLessThan(longer / 2)
  })

  test.each(partOf(Object.keys(variations) as VariationName[], 4))(
    'find nothing on a target that is %s',
    async (name) => {
      const { gating, held, troubles } = await outcome(variations[name], clausesFrom('', 149), 'side by side')
      expect(gating).toEqual([])
      expect(troubles).toEqual([])
      expect(held.length).toBeGreaterThan(5)
    },
  )
})

test('programs side by side find nothing where ids of what is being removed come again at once', async () => {
  const clauses = clausesFrom('managed-contacts.', 2)
  const { findings, left, held } = await outcome(variations['ids-again'], clauses, 'side by side')
  expect({ findings, left }).toEqual({ findings: [], left: 0 })
  expect(held.length).toBeGreaterThan(50)
})

describe('programs side by side where the id of what was removed is given to what is being made', () => {
  // Whether an id still names nothing when a call gives it depends on what has been made by then, as does how long a volume is busy.
  const clauses = clausesFrom('volumes.', 9).filter(({ kind, id }) => kind !== 'exists' && !id.endsWith('.active-only'))
  const again = (way: Way, time?: number, width?: number) =>
    outcome(variations['ids-again'], clauses, way, ['volumes'], { time, width })
  let before: Awaited<ReturnType<typeof again>>
  beforeAll(async () => {
    before = await again('in turn')
  })

  test.each([
    [8, seed],
    [16, seed],
    [16, 1],
  ])('come to what they come to in turn: %i at a time, delays drawn from %i', async (width, time) => {
    const { requests: _, ms: __, ...inTurn } = before
    const { requests: ___, ms: ____, ...beside } = await again('side by side', time, width)
    expect(inTurn).toMatchObject({ findings: [], troubles: [], left: 0 })
    expect(beside).toEqual({ ...inTurn, held: expect.arrayContaining([...inTurn.held]) })
  })
})

test('reads in a row go together, and are told of in their order', async () => {
  const clause = clausesFrom('object-acl.view', 1).find(({ id }) => id.endsWith('.of-object')) as Clause
  const roles = async (each?: 'at once'): Promise<readonly string[]> => {
    const { session } = inProcess({ environment: embeddedEnvironment() })
    await survey(session)
    let most = 0
    const together: Partial<Session> = {
      each: (things, what) => {
        most = Math.max(most, things.length)
        return Promise.all(things.map(what))
      },
    }
    const probe = probeFor(clause, session.context)
    if (probe.kind !== 'program') return []
    const { sent, untested } = await runProgram({ ...session, ...(each && together) }, probe.program, clause)
    expect(untested).toBeUndefined()
    if (each) expect(most).toBe(2)
    return sent.map(({ role, op, call }) => `${role} ${op.id} ${JSON.stringify(call.query)}`)
  }
  expect(await roles('at once')).toEqual(await roles())
})

test('reads that follow a write go together with the looks after it', async () => {
  const clause = clausesFrom('bucket-certificates.delete', 1).find(({ id }) => id.endsWith('.of-uploaded')) as Clause
  const { session } = inProcess({ environment: embeddedEnvironment() })
  await survey(session)
  const begun: string[] = []
  const begin = async <T>(what: string, rest: () => Promise<T>): Promise<T> => {
    begun.push(what)
    await underWay()
    const done = await rest()
    begun.push('answered')
    return done
  }
  const together: Partial<Session> = {
    each: (things, what) => Promise.all(things.map(what)),
    send: (origin, op, args, role) => begin(`${role} ${op.method}`, () => session.send(origin, op, args, role)),
    sendReads: (origin, reads, first) =>
      reads.length === 0
        ? session.sendReads(origin, reads, first)
        : begin('look', () => session.sendReads(origin, reads, first)),
  }
  const probe = probeFor(clause, session.context)
  if (probe.kind !== 'program') throw new Error('it has a program')
  await runProgram({ ...session, ...together }, probe.program, clause)
  expect(begun.join(', ')).toContain('look, check GET')
})

test('a survey of lists by turns, page by page, closes what one after another closes', async () => {
  const closed = async (each?: Session['each']): Promise<readonly string[]> => {
    const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', halving)
    await survey({ ...session, ...(each && { each }) })
    return allTables().flatMap((table) => (isClosed(session.world(), table, 'main') ? [table.name] : []))
  }
  const inTurn = await closed()
  expect(inTurn).toContain('volumes')
  expect(await closed((things, what) => Promise.all(things.map(what)))).toEqual(inTurn)
})

/** Gives each list that has several records as two pages. */
const halving = (options: SessionOptions): SessionOptions => ({
  ...options,
  transport: {
    send: async ({ url, ...call }, step) => {
      const [path = '', page] = url.split('?page=')
      const outcome = await options.transport.send({ ...call, url: path, query: {} }, step)
      const { data } = ('body' in outcome ? outcome.body : {}) as { readonly data?: readonly unknown[] }
      await underWay()
      if (!('status' in outcome) || !data || data.length < 2) return outcome
      const half = Math.ceil(data.length / 2)
      const shown = page === '2' ? data.slice(half) : data.slice(0, half)
      return { ...outcome, body: { data: shown, page: Number(page ?? 1), pages: 2, results: data.length } }
    },
  },
})

describe('programs that arrange the same', () => {
  test('tell what was accepted among others, though it is refused by then for having been', async () => {
    const clauses = ['label-ends', 'live-migration', 'label-unique'].map((slug) => `firewalls.create.${slug}`)
    const mutant = operations.flatMap(mutantsOf).find(({ id }) => id === `firewalls.create: drops ${clauses[1]}`)
    const options = { fault: mutant?.arm().fault ?? {} }
    const { findings } = await outcome(
      options,
      clausesFrom('firewalls.create', 1).filter(({ id }) => clauses.includes(id)),
      'in turn',
    )
    expect(findings).toEqual([`${clauses[1]}:accepted`])
  })

  test.each(['managed-contacts', 'volumes.update', 'ips.assign', 'ipv6-ranges.create', 'tags.view'])(
    'show all that they show by themselves, in fewer requests: %s',
    async (prefix) => {
      const clauses = clausesFrom(prefix, 1)
      const { requests: more, ms: _, ...apart } = await outcome({}, clauses, 'each by itself')
      const { requests: fewer, ms: __, ...together } = await outcome({}, clauses, 'in turn')
      expect(together).toEqual(apart)
      expect(fewer).toBeLessThan(more * 0.9)
    },
  )
})

const refusingContacts = (when: (facts: { readonly world: World }) => boolean): Fault => {
  const rule = { id: 'managed-contacts.create.quota', source: 'none', text: 'No more.', unprobed: '', when }
  return {
    operation: (op) => (op.id === 'managed-contacts.create' ? { ...op, refusals: [...(op.refusals ?? []), rule] } : op),
  }
}

/** Refuses to create more contacts than so many, removed ones included. */
const upTo = (most: number): Fault => {
  let turn = 0
  return refusingContacts(() => turn++ >= most)
}

test('programs side by side fill a quota that counts what was ever made', async () => {
  const { findings, held, troubles } = await outcome(
    { fault: upTo(16) },
    clausesFrom('managed-contacts.create', 1),
    'side by side',
  )
  expect(findings).toEqual([])
  expect(held).toContain('managed-contacts.create.takes-effect')
  expect(troubles).toMatchObject([{ text: expect.stringContaining('managed-contacts.create was refused') }])
})

/** Refuses to create a contact while there are so many. */
const atATime = (most: number): Fault => refusingContacts(({ world }) => live(world, contacts).length >= most)

test('programs side by side that together fill a quota are not held against the target, nor do they leave a doubt', async () => {
  const { findings, held, troubles } = await outcome(
    // As many as a single program needs.
    { fault: atATime(6) },
    clausesFrom('managed-contacts.', 2),
    'side by side',
  )
  expect(findings).toEqual([])
  expect(troubles).toEqual([])
  expect(held.length).toBeGreaterThan(50)
})

/** One mutant of a few operations in so many. */
const sample: readonly Mutant[] = ['volumes.resize', 'tags.create', 'firewalls.update', 'managed-contacts.update']
  .flatMap((id) => operations.filter((op) => op.id === id))
  .flatMap(mutantsOf)
  .filter((_, i) => i % 29 === 5)

describe('programs side by side on a target that breaks one sentence', () => {
  test.each(partOf(sample, 3).map((mutant) => [mutant.id, mutant] as const))(
    'find what they find by themselves: %s',
    async (_, mutant) => {
      const own = clausesFrom(mutant.operation, 1)
      const near = clausesFrom(mutant.operation.slice(0, mutant.operation.lastIndexOf('.')), 9)
      const clauses = [...new Set([...own, ...near])]
      const fault = () => ({ fault: mutant.arm().fault })
      const { apart, beside } = await both(fault, clauses)
      const { findings } = await outcome(fault(), clauses, 'in turn')
      expect(beside.findings).toEqual(apart.findings)
      // A refusal that is told already is not told once more for each program that meets it, whichever comes first.
      const plainly = (ids: readonly string[]): readonly string[] =>
        ids.filter((id) => !id.endsWith(':refused-within') || !ids.some((one) => one.endsWith('.accepts:refused')))
      expect(plainly(findings)).toEqual(plainly(apart.findings))
    },
  )
})

test.each(['in turn', 'side by side'] as const)(
  'a program, %s, that a gateway disturbs the second time too runs once more when the others are over',
  async (way) => {
    const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t')
    const listing = operations.find(({ id }) => id === 'tags.list')
    const away = { status: 421, body: undefined, text: '<h1>421</h1>' } as const
    const sent = listing
      ? [{ ...(await session.send(session.originOf('a call'), listing, {}, 'read')), outcome: away }]
      : []
    const order: string[] = []
    const job = (name: string, disturbances: number): Job => {
      let times = 0
      const run = async () => {
        order.push(name)
        times += 1
        return times <= disturbances
          ? { findings: [], exercised: false, untested: 'no reply decided it', sent, doubts: [] }
          : { findings: [], exercised: true, sent: [], doubts: [] }
      }
      return jobOf(run, { name })
    }
    const untested: string[] = []
    const options = {
      isOver: () => false,
      onEnd: ({ name }: Job, outcome: { readonly untested?: string }) => {
        if (outcome.untested !== undefined) untested.push(name)
      },
    }
    const jobs = [job('disturbed', way === 'in turn' ? 2 : 3), job('other', 0)]
    await (way === 'in turn' ? runInTurn(session, jobs, options) : runJobs(session, jobs, { ...options, width: 2 }))
    expect([untested, order.at(-1)]).toEqual([[], 'disturbed'])
  },
)

test('What waits to be confirmed is told as it comes, and told to be none when it has been decided', async () => {
  const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t')
  const doubt = wronglyRefused('tags.list', '404')
  let times = 0
  const job = jobOf(async () => {
    times += 1
    return { findings: [], exercised: true, sent: [], doubts: times === 1 ? [doubt] : [] }
  })
  const told: (readonly string[])[] = []
  await runJobs(session, [job], {
    width: 2,
    isOver: () => false,
    onEnd: () => void told.push(['ended']),
    onDoubt: (ids) => void told.push(ids),
  })
  expect(told).toEqual([['tags.list.accepts:refused'], ['ended'], []])
})

test.each([
  ['it does not show again alone', false, ['quota volumes.create.accepts:refused']],
  ['it shows again alone, which assumes nothing', true, []],
])('What a full quota explains beside others is recorded as assumed only where: %s', async (_, shows, assumed) => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment() }, 'ts-t')
  const doubt = wronglyRefused('volumes.create', '403')
  let times = 0
  const job = jobOf(async () => {
    times += 1
    if (shows && times > 1) session.found.add('volumes.create.accepts:refused')
    return { findings: [], exercised: true, sent: [], doubts: times === 1 ? [doubt] : [] }
  })
  await runJobs(session, [job], { width: 2, isOver: () => false, onEnd: () => undefined })
  expect(times).toBe(2)
  expect(lines.flatMap((line) => (line.type === 'assumed' ? [line.assumed] : []))).toEqual(assumed)
  expect(lines.filter(({ type }) => type === 'trouble')).toEqual([])
})

test('What tells only while events are counted call by call begins before what holds up others', async () => {
  const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t')
  const begun: string[] = []
  const job = (name: string, cost: number, others: Partial<Job> = {}): Job => {
    const run = async () => {
      begun.push(name)
      return { findings: [], exercised: true, sent: [], doubts: [] }
    }
    return jobOf(run, { name, cost, ...others })
  }
  const jobs = [job('cheap', 1), job('dear', 50), job('early', 2, { isEarly: true })]
  await runJobs(session, jobs, { width: 1, isOver: () => false, onEnd: () => undefined })
  expect(begun).toEqual(['early', 'dear', 'cheap'])
})

test('The programs that call without a credential what emits an event are early', () => {
  const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t')
  const filters = { areas: [], operations: [], clauses: [], shard: [1, 1] as const }
  const options = { filters, fuzz: false, seed: 1, programs: 0 }
  const setting: Setting = { session, options, isEmbedded: true, width: 16, emit: () => undefined }
  const early = tasksOn(clausesFrom('', 1).filter(({ kind }) => kind === 'token')).flatMap((task) => {
    const planned = task.plan(setting)
    return 'skip' in planned ? [] : planned.filter(({ isEarly }) => isEarly).map(({ about }) => about)
  })
  expect(early.toSorted()).toEqual(operations.flatMap(({ id, emits }) => (emits ? [id] : [])).toSorted())
})

test.each(['in turn', 'side by side'] as const)(
  "the mark of a run is seen to within a long program, %s, and nothing of that is the program's to remove",
  async (way) => {
    const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t')
    const clauses = clausesFrom('volumes.attach', 1).filter(({ id }) => id === 'volumes.attach.eight-per-node')
    const setting: Setting = {
      session,
      options: {
        filters: { areas: [], operations: [], clauses: [], shard: [1, 1] },
        fuzz: false,
        seed: 1,
        programs: 0,
      },
      isEmbedded: true,
      width: 1,
      emit: () => undefined,
    }
    const jobs = tasksOn(clauses).flatMap((task) => {
      const planned = task.plan(setting)
      return 'skip' in planned ? [] : planned
    })
    const keepers = new Set<unknown>()
    let times = 0
    const options = {
      isOver: () => false,
      onEnd: () => undefined,
      upkeep: async ({ creations }: typeof session) => {
        times += 1
        keepers.add(creations)
      },
    }
    await (way === 'in turn' ? runInTurn(session, jobs, options) : runJobs(session, jobs, { ...options, width: 2 }))
    expect([jobs.length, times > 10, keepers.size, keepers.has(session.creations)]).toEqual([1, true, 1, false])
  },
)

/** In what order a program with a pause and another one go, where each makes so many of five volumes that there may be. */
const orderOf = async (before: number, meanwhile: number): Promise<readonly string[]> => {
  const { session } = inProcess({ environment: embeddedEnvironment(), seed: 1 })
  const order: string[] = []
  const came = (what: string) => {
    order.push(what)
    return { findings: [], exercised: true, sent: [], doubts: [] }
  }
  const job = (name: string, amount: number): Job =>
    jobOf(async () => came(`${name} runs`), { name, locks: [{ key: liveOf('volumes'), amount, capacity: 5 }] })
  const begin = async () => {
    came('slow begins')
    return { end: async () => came('slow ends') }
  }
  const jobs = [{ ...job('slow', before), begin }, job('other', meanwhile)]
  await runInTurn(session, jobs, { isOver: () => false, onEnd: () => undefined })
  return order
}

test('a program with a pause begins before others only if its resources leave room for theirs', async () => {
  expect(await orderOf(2, 3)).toEqual(['slow begins', 'other runs', 'slow ends'])
  expect((await orderOf(2, 4)).toSorted()).toEqual(['other runs', 'slow runs'])
})

test.each([
  ['is run again by itself', 0, 2, []],
  ['is not run again where finding things again has taken too long', 10 * 60_000, 1, ['b']],
])('What showed beside others only what was found meanwhile %s', async (_, tookMs, expected, untested) => {
  let now = 0
  const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => ({
    ...plain,
    clock: () => now,
  }))
  const doubt = wronglyRefused('tags.list', '403')
  const times = { a: 0, b: 0 }
  const job = (name: 'a' | 'b', about: string | undefined): Job =>
    jobOf(
      async () => {
        times[name] += 1
        if (name === 'a' && times.a === 2) {
          session.found.add(findingIdOf(doubt))
          await session.memory.budget.during(
            () => now,
            async () => {
              now += tookMs
            },
          )
        }
        return { findings: [], exercised: false, sent: [], doubts: times[name] === 1 ? [doubt] : [] }
      },
      { name, ...(about !== undefined && { about }) },
    )
  const told: string[] = []
  await runJobs(session, [job('a', 'tags.list.accepts'), job('b', undefined)], {
    width: 2,
    isOver: () => false,
    onEnd: ({ name }, { untested: reason }) => void (reason !== undefined && told.push(name)),
  })
  expect(times).toEqual({ a: 2, b: expected })
  expect(told).toEqual(untested)
})
