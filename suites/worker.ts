// The worker's side of a run: one session against the target, shared by all suites; opened by the first test that needs it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Target } from '../config/target-file.js'
import { survey } from '../driver/upkeep.js'
import type { RecordLine } from '../history/record.js'
import { allClauses } from '../models/index.js'
import { startEmbedded } from '../reference/serve.js'
import { type Agenda, openAgenda, type Setting } from './agenda.js'
import { connect } from './connect.js'
import { isSelected, suitesFor } from './filter.js'
import type { RunContext } from './options.js'
import { targetOf } from './target.js'
import { stagesOf, suites } from './tasks.js'

export interface Worker extends Setting {
  readonly agenda: Agenda
  /** Findings that gate so far. */
  readonly gating: () => number
}

const key = Symbol.for('touchstone.worker')
const shared = globalThis as unknown as Record<symbol, Promise<Worker> | undefined>

/** The run's worker. A suite's programs begin when the first of its tests asks; those of all suites, where no other worker has some. */
export const useWorker = async (suite: string): Promise<Worker> => {
  shared[key] ??= openWorker(inject('run'))
  const worker = await shared[key]
  const { workers, filters } = worker.context.options
  worker.agenda.begin(stagesOf(workers === 1 ? suitesFor(filters) : [suite]))
  return worker
}

/** The names that one of several workers makes are told from those of the others. */
const nonceOf = ({ nonce, options }: RunContext): string =>
  options.workers === 1 ? nonce : `${nonce}${(process.env.VITEST_POOL_ID ?? '').padStart(2, '0')}`

/** The embedded target, whose hooks need no HTTP here. */
const startHere = async (target: Target, port: number, seed: number): Promise<Target> => {
  const { hooks } = await startEmbedded({ port, seed })
  return { ...target, hooks }
}

const openWorker = async (context: RunContext): Promise<Worker> => {
  const { options, startedAt, embedded } = context
  const named = await targetOf(context)
  const target = embedded?.port === undefined ? named : await startHere(named, embedded.port, options.seed)
  let gating = 0
  let cause: string | undefined
  const gates = options.level === 'should' ? ['must', 'pinned', 'should'] : ['must', 'pinned']
  const watch = (line: RecordLine): void => {
    if (line.type === 'finding' && gates.includes(line.finding.level)) gating += 1
  }
  const { session, flush } = await connect(
    target,
    join(options.out, 'run.ndjson'),
    join(options.out, 'ledger.ndjson'),
    {
      nonce: nonceOf(context),
      startedAt,
      watch,
      certificates: allClauses().some(
        (clause) => clause.area === 'object-storage' && isSelected(options.filters, clause),
      ),
    },
  )
  const emit = session.options.emit
  const stop = (reason: string, kind: 'cut-short' | 'unreachable'): string => {
    cause = reason
    emit({ type: 'trouble', kind, text: reason })
    flush()
    return reason
  }
  const over = (): string | undefined => {
    if (cause !== undefined) return cause
    if (existsSync(context.stopFile)) return stop('the run was interrupted', 'cut-short')
    if (options.maxTimeMs !== undefined && Date.now() - startedAt > options.maxTimeMs) {
      // Fuzzing is meant to end this way; a conformance run is not.
      const reason = 'the time given with --max-time is over'
      return options.fuzz ? reason : stop(reason, 'cut-short')
    }
    if (options.maxFindings !== undefined && gating >= options.maxFindings)
      return stop(`${gating} findings, as many as --max-findings allows`, 'cut-short')
    if (session.unanswered() >= 5)
      return stop(
        `${target.baseUrl} gave no answer to the last ${session.unanswered()} calls (${session.lastLoss()}): see that it is up, then run again`,
        'unreachable',
      )
    return undefined
  }
  await survey(session)
  flush()
  const setting: Setting = { session, context, over, emit, flush }
  return { ...setting, agenda: openAgenda(setting, suites), gating: () => gating }
}
