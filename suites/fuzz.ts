// A night of random programs: those that found something before come first, then new ones and mutations of what reached something.
import type { StepSeed } from '../arbitraries/programs.js'
import type { ProgramOutcome } from '../driver/conduct.js'
import { undisturbed } from '../driver/disturbed.js'
import { reportRest } from '../driver/findings.js'
import { labelsOf } from '../driver/novelty.js'
import { randomWalk } from '../driver/random-walk.js'
import type { Finding } from '../history/record.js'
import { operations } from '../models/index.js'
import { type Corpus, openCorpus } from './corpus.js'
import { isOperationSelected } from './filter.js'
import { createSource } from './source.js'
import type { Worker } from './worker.js'

/** Runs until the programs asked for have been run, or the run is over; gives undefined where the run is no such night. */
export const fuzz = async (worker: Worker): Promise<readonly Finding[] | undefined> => {
  const { session, context } = worker
  const { corpus: folder, seed, filters, fuzz: isNight, programs } = context.options
  const selected = operations.filter((op) => isOperationSelected(filters, op))
  if (!isNight || selected.length === 0) return undefined
  const corpus = folder === undefined ? undefined : openCorpus(folder)
  const keep = keepIn(worker, corpus)
  const tell = createTeller(worker, corpus)
  const findings: Finding[] = []
  const next = createSource(selected, seed + filters.shard[0] * 1_000_003, corpus)
  for (let n = 1; n <= programs && worker.over() === undefined; n += 1) {
    await worker.keep(session)
    const steps = next(n)
    const outcome = await undisturbed(() => randomWalk(session, `everything, random program ${n}`, steps))
    findings.push(...outcome.findings)
    const ids = outcome.findings.map(({ id }) => id)
    const fresh = keep(steps, outcome, ids)
    worker.flush()
    tell({ programs: n, steps: outcome.sent.length, fresh, findings: findings.length })
  }
  return [...findings, ...(await reportRest(session))]
}

/** Keeps a program in the corpus, and tells how many things it was the first to reach. A folder that takes no more is told once, and does not end the night. */
const keepIn = ({ emit }: Worker, corpus: Corpus | undefined) => {
  let isTold = false
  return (steps: readonly StepSeed[], { sent }: ProgramOutcome, findings: readonly string[]): number => {
    try {
      return corpus?.take(steps, labelsOf(sent), findings) ?? 0
    } catch (error) {
      const text = `the corpus can't be written: ${error instanceof Error ? error.message : String(error)}; what this night reaches is not kept for the next one`
      if (!isTold) emit({ type: 'trouble', kind: 'inconclusive', text })
      isTold = true
      return 0
    }
  }
}

interface Done {
  readonly programs: number
  /** Of the last program. */
  readonly steps: number
  readonly fresh: number
  /** In all. */
  readonly findings: number
}

const minutes = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`

const [shortestPauseMs, longestPauseMs] = [10_000, 60_000]

/** How long a night that has lasted for so many milliseconds says nothing of how far it is: the longer, the longer it has lasted. */
export const pauseAfter = (ms: number): number => Math.min(longestPauseMs, Math.max(shortestPauseMs, ms / 20))

/** Says now and then how far the night is: time, programs, steps, what is new, findings. */
const createTeller = ({ session }: Worker, corpus: Corpus | undefined): ((done: Done) => void) => {
  let steps = 0
  let fresh = 0
  let toldAt = session.options.clock()
  return (done) => {
    steps += done.steps
    fresh += done.fresh
    const now = session.options.clock()
    if (now - toldAt < pauseAfter(now)) return
    const reached = corpus ? `, ${corpus.reached()} reached (${fresh} new)` : ''
    const found = done.findings === 0 ? 'no finding' : `${done.findings} findings`
    console.info(`touchstone: ${minutes(now)}, ${done.programs} programs, ${steps} steps${reached}, ${found}`)
    fresh = 0
    toldAt = now
  }
}
