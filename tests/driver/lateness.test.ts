// A target that shows changes only after a while: no finding, and a finding where it never shows them or shows them by turns.
import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { locksOf } from '../../driver/locks.js'
import { runProgram } from '../../driver/programs.js'
import { runJobs } from '../../driver/schedule.js'
import type { SessionOptions } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import type { Job } from '../../driver/units.js'
import type { RecordLine } from '../../history/record.js'
import type { Outcome } from '../../history/wire.js'
import { operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import type { Environment } from '../../models/language/environment.js'
import type { Program } from '../../models/language/plan.js'
import { createTag } from '../../models/tags/create.js'
import { listTags } from '../../models/tags/tags.js'
import { createAfar } from '../../reference/afar.js'
import type { EmbeddedOptions, Late } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { refuses } from '../models/faulty.js'
import { shownAgain, shownIn } from '../oracle/shown.js'
import { firstLine } from '../oracle/traffic.js'

interface Situation extends Partial<EmbeddedOptions> {
  /** Clauses by how their ids begin, one in so many. */
  readonly clauses: RegExp
  readonly oneIn?: number
  readonly width?: number
  readonly more?: Partial<Environment>
  readonly adapt?: (options: SessionOptions) => SessionOptions
}

/** Probes on a target that is a millisecond away. */
const linesOf = async ({ clauses, oneIn = 1, width = 1, more, adapt, ...options }: Situation) => {
  const afar = createAfar(() => 1)
  const environment = { ...embeddedEnvironment(), ...more }
  const clock = (): number => Date.UTC(2026, 0, 1) + afar.now()
  const { session, lines } = inProcess({ environment, clock, ...options }, 'ts-t', (plain) => {
    const far = afar.adapt({ ...plain, settleMs: 5000 })
    return adapt ? adapt(far) : far
  })
  await survey(session)
  const some = operations.flatMap(clausesOf).filter(({ id }) => clauses.test(id))
  const jobs = some.flatMap((clause, i): readonly Job[] => {
    const plan = (): Program | undefined => {
      const probe = probeFor(clause, session.context)
      return probe.kind === 'program' && probe.program.missing.length === 0 ? probe.program : undefined
    }
    const program = i % oneIn === 0 ? plan() : undefined
    if (!program) return []
    const { steps, restore = [] } = program
    const locks = locksOf([...steps, ...restore], environment)
    return [
      {
        name: clause.id,
        locks,
        cost: steps.length,
        waits: 0,
        least: steps.length,
        tells: 1,
        run: (own) => runProgram(own, plan() ?? program, clause),
      },
    ]
  })
  if (width > 1) await runJobs(session, jobs, { width, isOver: () => false, onEnd: () => undefined })
  else for (const { run } of jobs) await run(session)
  return lines
}

const findings = (lines: readonly RecordLine[]): readonly string[] =>
  lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : []))
const assumed = (lines: readonly RecordLine[]): readonly string[] =>
  lines.flatMap((line) => (line.type === 'step' ? (line.assumed ?? []) : []))
const troubles = (lines: readonly RecordLine[]): readonly RecordLine[] => lines.filter(({ type }) => type === 'trouble')

/** Milliseconds from the first call to the last, by the clock of the test. */
const lasted = (lines: readonly RecordLine[]): number => {
  const moments = lines.flatMap((line) => (line.type === 'step' && line.at !== undefined ? [line.at] : []))
  return Math.max(...moments) - Math.min(...moments)
}

const isMade = (outcome: Outcome): boolean => 'status' in outcome && outcome.status < 300
const labelIn = (line: RecordLine): unknown =>
  line.type === 'step' && line.call.operation === 'firewalls.create'
    ? (line.call.body as { label?: unknown } | undefined)?.label
    : undefined

const tags = { clauses: /^tags\./, oneIn: 4 }

describe('a target that shows changes late', () => {
  test.each([
    [1500, 'every second read', /^volumes\.(?:update|create|delete|resize)/],
    [3000, 'every second read', /^firewalls\./],
    [4000, 'every second read', /^firewalls\./],
  ] as const)(
    'conforms where it takes %i ms for %s, with eight programs at a time, of which one alone sees it first',
    async (ms, to, clauses) => {
      expect(findings(await linesOf({ clauses, oneIn: 6, width: 8, late: { ms, to } }))).toEqual([])
    },
  )

  test('conforms where every third reply of a list is lost', async () => {
    let lists = 0
    const adapt = (plain: SessionOptions): SessionOptions => ({
      ...plain,
      transport: {
        send: async (call, step) => {
          const outcome = await plain.transport.send(call, step)
          if (call.operation !== 'tags.list') return outcome
          lists += 1
          return lists % 3 === 0 ? { lost: 'reset' } : outcome
        },
      },
    })
    const lines = await linesOf({ ...tags, width: 4, late: { ms: 300, to: 'all' }, adapt })
    expect(lists).toBeGreaterThan(20)
    expect(findings(lines)).toEqual([])
  })

  test('is not what one is taken for that had no room for a while: no other write waits for that', async () => {
    let fullUntil: number | undefined
    const full = { status: 409, body: { errors: [{ field: '', reason: 'full' }] }, contentType: 'application/json' }
    const adapt = (plain: SessionOptions): SessionOptions => ({
      ...plain,
      transport: {
        send: async (call, step) => {
          if (call.operation === 'firewalls.update') fullUntil ??= plain.clock() + 1500
          const isFull = call.operation === 'firewalls.create' && plain.clock() < (fullUntil ?? 0)
          return isFull ? full : plain.transport.send(call, step)
        },
      },
    })
    const lines = await linesOf({ clauses: /^firewalls\.(create\.one-active|update\.status)/, adapt })
    const ends = lines.flatMap((line) => (line.type === 'step' ? [[line.at, line.at + line.ms]] : [])) as [
      number,
      number,
    ][]
    const waits = ends.filter(([begun], i) => begun - (ends[i - 1]?.[1] ?? begun) > 500)
    expect(fullUntil).toBeDefined()
    expect(findings(lines)).toEqual([])
    expect(waits.length).toBeLessThan(5)
    // Nor is it made once more when it was made at last.
    const made = lines.flatMap((line) =>
      line.type === 'step' && line.call.operation === 'firewalls.create' && isMade(line.outcome) ? [line] : [],
    )
    const again = lines.filter((line) =>
      made.some((one) => line.type === 'step' && line.n > one.n && labelIn(line) === labelIn(one)),
    )
    expect(again).toEqual([])
  })

  test('is not what one is taken for that refuses a call, and then loses its reply', async () => {
    let sent = 0
    const adapt = (plain: SessionOptions): SessionOptions => ({
      ...plain,
      transport: {
        send: async (call, step) => {
          const outcome = await plain.transport.send(call, step)
          if (call.operation !== 'ticket-replies.create') return outcome
          sent += 1
          return sent === 4 ? { lost: 'reset' } : outcome
        },
      },
    })
    const fault = refuses('ticket-replies.create', () => true)
    const lines = await linesOf({ clauses: /^ticket-replies\.create\.accepts$/, fault, adapt })
    expect([sent, findings(lines)]).toEqual([4, []])
  })

  test.each<readonly [Late['to'], number]>([
    ['reads', 1],
    ['lists', 1],
    ['every second read', 1],
    ['all', 1],
    ['reads', 8],
    ['lists', 8],
  ])('conforms where it does so for %s, with %i programs at a time', async (to, width) => {
    const lines = await linesOf({ ...tags, width, late: { ms: 300, to } })
    expect([findings(lines), troubles(lines)]).toEqual([[], []])
    expect(assumed(lines)).toEqual(expect.arrayContaining([expect.stringMatching(/^lag tags\./)]))
    const record = [firstLine(), ...lines]
    expect(shownAgain(record, 'ts-t')).toEqual(shownIn(record))
  })

  test('is not waited for before every write where a volume refuses some for a moment, long after it was made', async () => {
    let now = 0
    const adapt = (plain: SessionOptions): SessionOptions => ({
      ...plain,
      transport: {
        send: async (call, step) => {
          now = plain.clock()
          const isBusy = /^volumes\.(?:attach|detach)$/.test(call.operation) && now % 4000 < 400
          return isBusy
            ? { status: 409, body: { errors: [{ field: '', reason: 'is busy' }] } }
            : plain.transport.send(call, step)
        },
      },
    })
    const lines = await linesOf({ clauses: /^volumes\.attach\.sixty-four$/, adapt })
    expect([findings(lines), troubles(lines)]).toEqual([[], []])
    expect(now - Date.UTC(2026, 0, 1)).toBeLessThan(300_000)
  })

  test('is waited for in the area alone that does so', async () => {
    const clauses = /^(?:volumes\.update|managed-contacts)\./
    const lines = await linesOf({ clauses, oneIn: 3, late: { ms: 1500, to: 'reads', area: 'volumes' } })
    expect([findings(lines), troubles(lines)]).toEqual([[], []])
    expect(assumed(lines)).toContain('lag volumes.update')
    const moments = lines.flatMap((line) =>
      line.type === 'step' && line.program?.startsWith('managed-contacts.') ? [line.at] : [],
    )
    expect(moments.length).toBeGreaterThan(50)
    expect(Math.max(...moments.slice(1).map((at, i) => at - (moments[i] ?? 0)))).toBeLessThan(1000)
  })

  test('is waited for as long as it was seen to take, however many effects that were lost were waited for in vain', async () => {
    const losing = ['managed-contacts.update', 'firewalls.update']
    const adapt = (plain: SessionOptions): SessionOptions => ({
      ...plain,
      transport: {
        send: async (call, step) =>
          losing.includes(call.operation) && call.as === 'owner'
            ? { status: 200, body: {} }
            : plain.transport.send(call, step),
      },
    })
    const clauses = /^(?:firewalls|managed-contacts)\.(?:update|create)\.(?!refusal)/
    const lines = await linesOf({ clauses, oneIn: 12, late: { ms: 1900, to: 'every second read' }, adapt })
    const found = findings(lines)
    expect(found.filter((id) => id.includes('.update.')).length).toBeGreaterThan(3)
    // What shows where a creation or a removal of a firewall is looked for: it was seen to be late by then.
    expect(found.filter((id) => /^firewalls\.(?:list|view\.accepts)/.test(id))).toEqual([])
  })

  test('is waited for as long as may be where only other effects, which were lost, were waited for in vain before', async () => {
    const adapt = (plain: SessionOptions): SessionOptions => ({
      ...plain,
      transport: {
        send: async (call, step) =>
          call.operation === 'volumes.update' && call.as === 'owner'
            ? { status: 200, body: {} }
            : plain.transport.send(call, step),
      },
    })
    const late = { ms: 3500, to: 'reads', area: 'networking' } as const
    const lines = await linesOf({ clauses: /^(?:volumes\.update|firewalls\.update)\.body/, oneIn: 5, late, adapt })
    const found = findings(lines)
    expect(found.some((id) => id.startsWith('volumes.update.'))).toBe(true)
    expect(found.filter((id) => id.startsWith('firewalls.'))).toEqual([])
    expect(assumed(lines)).toContain('lag firewalls.update')
  })

  test.each([1, 4])(
    'conforms where its lists come from a cache for most of the time allowed, with %i programs at a time',
    async (width) => {
      let hits = 0
      const cached = new Map<string, { readonly outcome: Outcome; readonly until: number }>()
      const adapt = (plain: SessionOptions): SessionOptions => ({
        ...plain,
        transport: {
          send: async (call, step) => {
            if (!call.operation.endsWith('.list')) return plain.transport.send(call, step)
            const key = JSON.stringify([call.operation, call.path, call.query, call.as])
            const known = cached.get(key)
            if (known && plain.clock() < known.until) {
              hits += 1
              return known.outcome
            }
            const outcome = await plain.transport.send(call, step)
            cached.set(key, { outcome, until: plain.clock() + 3500 })
            return outcome
          },
        },
      })
      const lines = await linesOf({ clauses: /^(?:tags|volumes)\./, oneIn: 4, width, adapt })
      expect(hits).toBeGreaterThan(10)
      expect(findings(lines)).toEqual([])
    },
  )

  test('is told where the target file says that nothing is late', async () => {
    const lines = await linesOf({ ...tags, late: { ms: 300, to: 'reads' }, more: { explanations: { lag: false } } })
    expect(findings(lines)).toContain('tags.list.complete:missing')
    expect(assumed(lines).filter((text) => text.startsWith('lag'))).toEqual([])
  })
})

describe('how long a change takes to show', () => {
  const update = { clauses: /^tags\.create\./, late: { ms: 300, to: 'reads' } } as const
  const pinned = (ms: number) => ({ ...update, more: { pins: { 'tags.create.lag': ms } } })

  test('is observed as a choice', async () => {
    const lines = await linesOf(update)
    const seen = lines.flatMap((line) => (line.type === 'choice' && line.id === 'tags.create.lag' ? [line.value] : []))
    expect(seen).not.toEqual([])
    expect(seen.every((value) => /^within (300|1000) ms$/.test(value))).toBe(true)
    const record = [firstLine(), ...lines]
    expect(shownAgain(record, 'ts-t')).toEqual(shownIn(record))
  })

  test('is held to what the target file pins', async () => {
    expect(findings(await linesOf(pinned(1000)))).toEqual([])
    expect(findings(await linesOf(pinned(100)))).toContain('tags.list.complete:missing')
  })
})

const mutants = operations.flatMap(mutantsOf)
const fault = (what = 'loses its effect'): Fault =>
  mutants.find(({ id }) => id === `volumes.update: ${what}`)?.arm().fault as Fault

describe('a target that goes on showing what was before', () => {
  const updates = { clauses: /^volumes\.update\./, oneIn: 3 }

  test.each([undefined, { ms: 300, to: 'reads' } as const])(
    'is caught, be it late besides or not: %j',
    async (late) => {
      const lines = await linesOf({ ...updates, fault: fault(), ...(late && { late }) })
      expect(findings(lines).filter((id) => id.startsWith('volumes.update.'))).not.toEqual([])
    },
  )

  test('is waited for once as long as may be, and not again where it was learnt meanwhile', async () => {
    const lost = mutants.find(({ id }) => id === 'managed-contacts.update: loses its effect')?.arm().fault as Fault
    const lines = await linesOf({ clauses: /^managed-contacts\./, oneIn: 3, width: 8, fault: lost })
    expect(findings(lines).some((id) => id.startsWith('managed-contacts.update.'))).toBe(true)
    // By the clock of the test: a few times as long as one change may take to show.
    expect(lasted(lines)).toBeLessThan(6 * 5000)
  })

  test('is caught where it blames another member, writes being late besides', async () => {
    const lines = await linesOf({
      clauses: /^volumes\.update\.body/,
      fault: fault('blames another field'),
      late: { ms: 150, to: 'all' },
    })
    expect(findings(lines)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^volumes\.update\.refusal\.field:/)]),
    )
  })

  /** Every other look at a volume shows what the first one did. */
  const byTurns = (options: SessionOptions): SessionOptions => {
    const first = new Map<string, Outcome>()
    let looks = 0
    return {
      ...options,
      transport: {
        send: async (call, step) => {
          const outcome = await options.transport.send(call, step)
          if (call.operation !== 'volumes.view' || !('status' in outcome) || outcome.status !== 200) return outcome
          looks += 1
          const before = first.get(call.url)
          first.set(call.url, before ?? outcome)
          return before && looks % 2 === 0 ? before : outcome
        },
      },
    }
  }

  /** Lists of tags show the first creation later than may be, the next ones at once, and soon those after the first removal. */
  const lateOnce = (options: SessionOptions): SessionOptions => {
    let made: unknown
    let until = 0
    let lateMs = 8000
    const without = (outcome: Outcome): Outcome => {
      const { data } = (outcome as { readonly body: { readonly data: readonly { readonly label: unknown }[] } }).body
      const left = data.filter(({ label }) => label !== made)
      return { status: 200, body: { data: left, page: 1, pages: 1, results: left.length } }
    }
    return {
      ...options,
      transport: {
        send: async (call, step) => {
          const outcome = await options.transport.send(call, step)
          if (call.operation === 'tags.create' && isMade(outcome)) {
            made = (call.body as { readonly label: unknown }).label
            until = options.clock() + lateMs
            lateMs = 0
          }
          if (call.operation === 'tags.delete') lateMs = 800
          return call.operation === 'tags.list' && options.clock() < until ? without(outcome) : outcome
        },
      },
    }
  }

  test('is not confirmed where it shows in time when it is tried once more', async () => {
    const lines = await linesOf({ clauses: /^tags\.create\.accepts$/, adapt: lateOnce })
    const told = lines.flatMap((line) => (line.type === 'finding' ? [[line.finding.id, line.finding.confirmed]] : []))
    expect(told).toEqual([['tags.list.complete:missing', false]])
  })

  test('is caught where it does so by turns', async () => {
    const lines = await linesOf({ ...updates, adapt: byTurns })
    expect(findings(lines).filter((id) => /^volumes\.(?:update|view)\./.test(id))).not.toEqual([])
  })

  test('is not waited for any more once it does so by turns when nothing may be late', async () => {
    const clauses = /^volumes\.(?:update|attach|resize|detach)\./
    const lines = await linesOf({ clauses, oneIn: 2, width: 8, adapt: byTurns })
    expect(findings(lines)).not.toEqual([])
    // Of a look after a refused call it is as likely that the call has changed something.
    const ofLooks = /^volumes\.(?:view\.|\w+\.refusal\.unchanged:)/
    expect(findings(lines).filter((id) => !ofLooks.test(id))).toEqual([])
    // By the clock of the test: a few times as long as one change may take to show.
    expect(lasted(lines)).toBeLessThan(6 * 5000)
  })

  test('is not waited for as long each time where it shows the change at times, once the target was seen to be behind', async () => {
    const first = new Map<string, Outcome>()
    let begun: number | undefined
    let looks = 0
    const adapt = (plain: SessionOptions): SessionOptions => ({
      ...plain,
      settleMs: 60_000,
      transport: {
        send: async (call, step) => {
          const outcome = await plain.transport.send(call, step)
          begun ??= plain.clock()
          const isView = call.operation === 'managed-contacts.view' && 'status' in outcome && outcome.status === 200
          if (!isView || plain.clock() - begun < 20_000) return outcome
          looks += 1
          const before = first.get(call.url)
          first.set(call.url, before ?? outcome)
          return before && looks % 4 !== 0 ? before : outcome
        },
      },
    })
    const clauses = /^managed-contacts\./
    const lines = await linesOf({ clauses, oneIn: 2, late: { ms: 1500, to: 'every second read' }, adapt })
    expect(findings(lines)).not.toEqual([])
    // By the clock of the test: it took twice as long where each wait lasted as long as may be.
    expect(lasted(lines)).toBeLessThan(15 * 60_000)
  })

  test('is told of where the run ends before it is clear that nothing is late', async () => {
    const adapt = (plain: SessionOptions): SessionOptions => ({
      ...plain,
      time: { isOver: () => plain.clock() > 2000, isSpent: () => false },
    })
    const lines = await linesOf({ ...updates, fault: fault(), adapt })
    expect(findings(lines)).toEqual([])
    const texts = troubles(lines).map((line) => ('text' in line ? line.text : ''))
    expect(texts).toEqual([expect.stringMatching(/^volumes\.\w+ did not show what volumes\.update had changed/)])
  })

  test('is not told where the run ended before it could show, though calls are sent to clean up', async () => {
    const afar = createAfar(() => 1)
    let isOver = false
    const late = { ms: 300, to: 'lists' } as const
    const { session, lines } = inProcess(
      { environment: embeddedEnvironment(), clock: afar.now, late },
      'ts-t',
      (plain) => ({
        ...afar.adapt({ ...plain, settleMs: 5000, time: { isOver: () => isOver, isSpent: () => false } }),
        sleep: async () => undefined,
      }),
    )
    const origin = session.originOf('cleaning')
    await session.send(origin, createTag, { as: 'owner', body: { label: 'ts-t-late' } }, 'arrange')
    isOver = true
    await session.send({ ...origin, phase: 'clean-up' }, listTags, { as: 'owner' }, 'read')
    const verdicts = lines.flatMap((line) => (line.type === 'step' ? [line.verdict] : []))
    expect(new Set(verdicts)).toEqual(new Set(['pass', 'inconclusive']))
    expect(troubles(lines)).toHaveLength(1)
  })
})

test('two targets that answer by turns and share nothing are soon told as that, not asked on, and what was found of what they show holds no more', async () => {
  const { session: other } = inProcess({ environment: embeddedEnvironment(), seed: 1 })
  let n = 0
  let isByTurns = false
  const afar = createAfar(() => 1)
  const { session, lines } = inProcess(
    { environment: embeddedEnvironment(), clock: afar.now, fault: fault() },
    'ts-t',
    (plain) => {
      const send: typeof plain.transport.send = async (call, step) => {
        n += 1
        const outcome = await (n % 2 === 0 || !isByTurns ? plain : other.options).transport.send(call, step)
        return isByTurns || call.operation !== 'tags.create' ? outcome : { ...outcome, contentType: 'text/html' }
      }
      return afar.adapt({ ...plain, settleMs: 10_000, transport: { send } })
    },
  )
  await survey(session)
  const show = async (id: string): Promise<void> => {
    const clause = operations.flatMap(clausesOf).find((one) => one.id === id)
    const probe = clause && probeFor(clause, session.context)
    if (probe?.kind === 'program') await runProgram(session, probe.program, clause)
  }
  await show('volumes.update.accepts')
  const found = findings(lines)
  await show('tags.create.accepts')
  const ofForm = findings(lines).filter((id) => id.endsWith(':content-type'))
  isByTurns = true
  for (const id of ['tags.create.accepts', 'volumes.create.accepts', 'volumes.update.accepts', 'tags.delete.accepts'])
    await show(id)
  expect(session.gone()).toMatch(/^shows .* and .* as changed at one look and not at the next/)
  const withdrawn = lines.flatMap((line) => (line.type === 'withdrawn' ? [line.finding] : []))
  expect(found).not.toEqual([])
  expect(ofForm).not.toEqual([])
  expect(withdrawn).toEqual(findings(lines).filter((id) => !ofForm.includes(id)))
  expect(afar.now()).toBeLessThan(60_000)
})
