// `npm run bench`, third part: how long a run takes on a target that is far away or slow to come to rest, in time that passes only while nothing is to be done; what was waited for; nothing is measured by the clock on the wall.
import { parseArgs } from 'node:util'
import { nodeDeletion } from '../arbitraries/journeys.js'
import { sideBySide } from '../driver/beside.js'
import { runJobs } from '../driver/schedule.js'
import { survey } from '../driver/survey.js'
import type { Job } from '../driver/units.js'
import type { RecordLine } from '../history/record.js'
import type { Area } from '../models/language/operation.js'
import { createAfar } from '../reference/afar.js'
import type { EmbeddedOptions } from '../reference/embedded.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { inProcess } from '../reference/in-process.js'
import { stagesOf, tasksOf } from '../suites/catalog.js'
import { suitesFor } from '../suites/filter.js'
import type { Setting } from '../suites/tasks.js'

const width = 24
const settleMs = 60_000
const epoch = Date.UTC(2026, 0, 1)

/** A program that was run, with the time that it took the last time. */
interface Span {
  readonly job: Job
  readonly times: number
  readonly from: number
  readonly until: number
}

interface Setup {
  /** How long a call or a reply is on its way. */
  readonly delayMs: number
  /** How long what was changed takes to come to rest; some calls when left out. */
  readonly restMs: number | undefined
  readonly seed: number
  readonly areas: readonly Area[]
}

/** The job, which tells when it begins. */
const watched = (job: Job, tell: () => void): Job => {
  const { begin, shares } = job
  const told = <A extends readonly unknown[], R>(what: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      tell()
      return what(...args)
    }
  }
  return {
    ...job,
    run: told(job.run),
    ...(begin && { begin: told(begin) }),
    ...(shares && { shares: { ...shares, take: told(shares.take) } }),
  }
}

const runFar = async ({ delayMs, restMs, seed, areas }: Setup) => {
  const afar = createAfar(() => delayMs)
  const spans: Span[] = []
  const begun = new Map<Job, { readonly times: number; readonly from: number }>()
  const counts = { requests: 0, findings: 0, troubles: 0, held: 0, unshown: 0 }
  const hear = ({ type }: RecordLine): void => {
    if (type === 'step') counts.requests += 1
    if (type === 'finding') counts.findings += 1
    if (type === 'trouble') counts.troubles += 1
  }
  const options: EmbeddedOptions = {
    environment: embeddedEnvironment(),
    seed,
    ...(restMs !== undefined && { restAfter: { ms: restMs }, clock: () => epoch + afar.now() }),
  }
  const { session } = inProcess(options, 'ts-t', (plain) => ({ ...afar.adapt(plain), settleMs, emit: hear }))
  await survey(sideBySide(session, width))
  const filters = { areas, operations: [], clauses: [], shard: [1, 1] } as const
  const setting: Setting = {
    session,
    options: { filters, fuzz: false, seed, programs: 8 },
    isEmbedded: true,
    width,
    emit: () => undefined,
  }
  for (const suites of stagesOf(suitesFor(filters))) {
    const jobs = suites.flatMap(tasksOf).flatMap((task) => {
      const planned = task.plan(setting)
      if ('skip' in planned) return []
      return planned.map((job) => {
        const own: Job = watched(job, () =>
          begun.set(own, { times: (begun.get(own)?.times ?? 0) + 1, from: afar.now() }),
        )
        return own
      })
    })
    await runJobs(session, jobs, {
      width,
      isOver: () => false,
      onEnd: (job, { untested, exercised }) => {
        spans.push({ job, ...(begun.get(job) ?? { times: 0, from: 0 }), until: afar.now() })
        if (exercised) counts.held += 1
        if (untested !== undefined) counts.unshown += 1
      },
    })
  }
  return { ...counts, ms: afar.now(), spans }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`.padStart(8)

/** How long what is had by one at a time was had in all, and by whom it was had longest. */
const tellLocks = (spans: readonly Span[]): void => {
  const byKey = new Map<string, Map<string, Span>>()
  for (const span of spans)
    for (const { key, amount, capacity } of span.job.locks) {
      if (2 * amount <= capacity) continue
      const known = byKey.get(key) ?? new Map<string, Span>()
      // What is run as one has it once.
      byKey.set(key, known.set(`${span.from} ${span.until}`, span))
    }
  const rows = [...byKey]
    .map(([key, holders]) => ({ key, holders: [...holders.values()].sort((a, b) => lengthOf(b) - lengthOf(a)) }))
    .map((row) => ({ ...row, ms: row.holders.reduce((sum, span) => sum + lengthOf(span), 0) }))
    .sort((one, other) => other.ms - one.ms)
  for (const { key, holders, ms } of rows.slice(0, 12)) {
    const last = Math.max(...holders.map(({ until }) => until))
    const longest = holders.slice(0, 3).map((span) => `${span.job.name} ${seconds(lengthOf(span)).trim()}`)
    process.stdout.write(`  ${seconds(ms)} until ${seconds(last)}  ${key}: ${longest.join(', ')}\n`)
  }
}

/** What could not go beside another for a lock that both want. */
const hindered = (before: Span, after: Span): readonly string[] =>
  after.job.locks.flatMap(({ key, amount, capacity }) =>
    before.job.locks.some((one) => one.key === key && one.amount + amount > capacity) ? [key] : [],
  )

/** What ended last, what it had waited for before it began, and so on. */
const tellChain = (spans: readonly Span[]): void => {
  const byEnd = spans.toSorted((one, other) => other.until - one.until)
  let [at] = byEnd
  for (let n = 0; at && n < 12; n += 1) {
    const { job, from, until } = at
    process.stdout.write(`  ${seconds(from)} to ${seconds(until)}  ${job.name}\n`)
    const now = at
    at = byEnd.find((one) => one.until <= now.from && one.from < now.from && hindered(one, now).length > 0)
    if (at) process.stdout.write(`${' '.repeat(26)}after ${hindered(at, now).join(', ')}\n`)
  }
}

const lengthOf = ({ from, until }: Span): number => until - from

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string', default: '7' } },
  allowPositionals: true,
})
const [delay = '50', rest = '-', ...areas] = positionals
const restMs = rest === '-' ? undefined : Number(rest)
const { ms, requests, held, unshown, findings, troubles, spans } = await runFar({
  delayMs: Number(delay),
  restMs,
  seed: Number(values.seed),
  areas: areas as Area[],
})
const again = spans.filter(({ times }) => times > 1)
process.stdout.write(
  `${delay} ms each way${restMs === undefined ? '' : `, at rest after ${restMs} ms`}, ${width} at a time, seed ${values.seed}: ${seconds(ms).trim()}, ${requests} requests, ${held} programs held, ${unshown} showed nothing, ${findings} findings, ${troubles} troubles\n`,
)
process.stdout.write(
  `run again: ${again.map(({ job, until }) => `${job.name} until ${seconds(until).trim()}`).join(', ') || 'none'}\n`,
)
const plainly = spans.filter(({ times }) => times === 1)
for (const stage of [plainly.filter(({ job }) => job.name !== nodeDeletion.clause), spans]) {
  process.stdout.write('ended last, and what it waited for:\n')
  tellChain(stage)
}
process.stdout.write('had longest by one at a time:\n')
tellLocks(spans)
