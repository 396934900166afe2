// The worker's side of a run: one session against the target, shared by all suites; opened by the first test that needs it.

import { join } from 'node:path'
import type { Target } from '../config/target-file.js'
import { sideBySide } from '../driver/beside.js'
import { requestsToRemove } from '../driver/clean-up.js'
import { type Hold, holdAccount } from '../driver/mark.js'
import type { Session } from '../driver/session.js'
import { survey } from '../driver/survey.js'
import { requestsToSweep } from '../driver/sweep.js'
import type { Finding, RecordLine } from '../history/record.js'
import { allClauses } from '../models/index.js'
import { live } from '../models/language/world.js'
import { tags } from '../models/tags/record.js'
import { startEmbedded } from '../reference/serve.js'
import { gatesAt } from '../reports/verdicts.js'
import { absentText } from './absent.js'
import type { Tell } from './advance.js'
import { connect } from './connect.js'
import { isLentTo, isSelected } from './filter.js'
import { runsIn } from './ledger.js'
import type { RunContext, RunOptions } from './options.js'
import { targetOf } from './target.js'
import { type Duration, openTime } from './time.js'

export interface Worker {
  readonly session: Session
  readonly context: RunContext
  /** How many programs run at a time. */
  readonly width: number
  /** Requests a second at the most. */
  readonly perSecond: number | undefined
  /** Why nothing more is to be sent, where that is so. */
  readonly over: () => string | undefined
  /** Renews the mark of the run where that is due; to be called now and then, between calls of the session. */
  readonly keep: (session: Session) => Promise<void>
  readonly emit: (line: RecordLine) => void
  readonly flush: () => void
  /** A text without any secret that was sent or received. */
  readonly redact: (text: string) => string
  /** How far the run is. */
  readonly tell: Tell
  /** Findings that gate so far. */
  readonly gating: () => number
  /** All findings so far. */
  readonly findings: () => readonly Finding[]
}

const key = Symbol.for('touchstone.worker')
const shared = globalThis as unknown as Record<symbol, Promise<Worker> | undefined>

/** The worker of a run whose tests know no other way to it; the first that asks opens it. */
export const useWorker = (context: () => RunContext): Promise<Worker> => {
  shared[key] ??= openWorker(context())
  return shared[key]
}

/** Opens the worker of a run in this very thread; the tests of the thread use it from then on. */
export const openHere = (context: RunContext, tell?: Tell): Promise<Worker> => {
  shared[key] = openWorker(context, tell)
  return shared[key]
}

/** The embedded target, with its hooks. */
const startHere = async (target: Target, port: number, seed: number): Promise<Target> => {
  const { hooks } = await startEmbedded({ port, seed })
  return { ...target, hooks }
}

/** Below this a call takes no longer than what there is to do between two. */
const farMs = 10

/** Programs of a night learn from each other, and a test run of its user's own shows each test by itself. */
const mayBeWide = ({ options }: RunContext): boolean => !options.fuzz && !options.given

/** Of a target that answers at once, how long has been waited for other things before programs wait side by side. */
const longestInTurnMs = 2000

/** Whether a program may upload a certificate. */
const mayUpload = ({ filters }: RunOptions): boolean =>
  allClauses().some((clause) => clause.area === 'object-storage' && isSelected(filters, clause))

const openWorker = async (context: RunContext, tell: Tell = () => undefined): Promise<Worker> => {
  const { options, startedAt, embedded } = context
  const named = await targetOf(context)
  const target = embedded === undefined ? named : await startHere(named, embedded.port, options.seed)
  let used = (): number => 0
  const time = openTime(context, target, () => used())
  const { watch, findings, gating } = watchFindings(options)
  const { session, requests, flush, expired, redact } = await connect(
    target,
    join(options.out, 'run.ndjson'),
    join(options.out, 'ledger.ndjson'),
    {
      nonce: context.nonce,
      startedAt,
      seed: options.seed,
      targetFlag: options.target,
      watch,
      time,
      ...(context.credentials && { credentials: context.credentials }),
      certificates: mayUpload(options),
    },
  )
  used = () => (context.requests ?? 0) + requests() + requestsToEnd(session, context, target)
  const emit = session.options.emit
  const hold = holdFor(session, context)
  let cause: string | undefined
  const stop = ({ text, advice, kind }: End): string => {
    if (kind === 'as planned') return text
    cause = text
    emit({ type: 'trouble', kind, text, ...(advice !== undefined && { advice }) })
    flush()
    return text
  }
  const over = (): string | undefined => {
    if (cause !== undefined) return cause
    const end =
      endOfTime(time) ??
      endOfFindings(options, gating()) ??
      inconclusive(hold?.lost()) ??
      inconclusive(expired()) ??
      inconclusive(session.barred()) ??
      endOfAnswers(session, target)
    return end && stop(end)
  }
  const barred = inconclusive(await hold?.claim())
  if (context.unreachable !== undefined) stop({ text: context.unreachable, kind: 'unreachable' })
  else if (barred) stop(barred)
  else await survey(sideBySide(session, widthOf(context, session, target)))
  for (const one of context.absent ?? []) emit({ type: 'trouble', kind: 'inconclusive', text: absentText(one) })
  flush()
  return {
    session,
    context,
    get width() {
      return widthOf(context, session, target)
    },
    perSecond: target.pace.perSecond,
    over,
    keep: async (through) => hold?.renew(through),
    emit,
    flush,
    redact,
    tell,
    gating,
    findings,
  }
}

/** A run that has all of the account to itself, so far as runs see each other. */
const holdFor = (session: Session, { options, embedded, unreachable }: RunContext): Hold | undefined => {
  const isMarked = !embedded && isLentTo(options.filters)
  if (!isMarked || unreachable !== undefined) return undefined
  const say = (text: string): void => console.info(`touchstone: ${text}`)
  return holdAccount(session, { over: runsIn(join(options.out, 'ledger.ndjson')), now: Date.now, say })
}

/** How many programs run at a time now. */
const widthOf = (context: RunContext, session: Session, { pace }: Target): number => {
  if (!mayBeWide(context)) return 1
  const { options, embedded, quickestMs = 0 } = context
  const isWorthIt = quickestMs >= farMs || (!embedded && session.waitedMs() > longestInTurnMs)
  return options.workers !== undefined || isWorthIt ? pace.concurrency : 1
}

/** About how many requests the end takes: removals, one for each program under way, and looks whether all is gone. */
const requestsToEnd = (session: Session, context: RunContext, target: Target): number => {
  const made = session.standing()
  const removals = made.reduce((sum, table) => sum + requestsToRemove(table), 0)
  // Tags that came to be with what bears them are removed as well.
  const named = live(session.world(), tags).filter(({ label }) => String(label).startsWith(context.nonce)).length
  const implicit = Math.max(0, named - made.filter((table) => table === tags).length)
  const looks = context.embedded ? 0 : requestsToSweep(target, session.kinds)
  return Math.ceil((removals + implicit) * withLosses) + widthOf(context, session, target) + looks
}

/** One call in eight may have no reply, which takes a look and another call. */
const withLosses = 1 + 2 / 8

/** Keeps the findings that are recorded, and counts those that gate. */
const watchFindings = ({ level }: Pick<RunOptions, 'level'>) => {
  const findings = new Map<string, Finding>()
  return {
    watch: (line: RecordLine): void => {
      if (line.type === 'withdrawn') findings.delete(line.finding)
      if (line.type === 'finding') findings.set(line.finding.id, line.finding)
    },
    findings: () => [...findings.values()],
    gating: () => [...findings.values()].filter((one) => gatesAt(one.level, level)).length,
  }
}

/** Why a run sends nothing more. */
interface End {
  readonly text: string
  readonly advice?: string
  readonly kind: 'as planned' | 'cut-short' | 'unreachable' | 'inconclusive'
}

const endOfTime = (time: Duration): End | undefined => {
  const ending = time.ending()
  if (!ending) return undefined
  const { reason, isMeant, ...advised } = ending
  return { text: reason, ...advised, kind: isMeant ? 'as planned' : 'cut-short' }
}

const endOfFindings = ({ maxFindings }: RunOptions, gating: number): End | undefined =>
  maxFindings !== undefined && gating >= maxFindings
    ? { text: `${gating} findings, as many as --max-findings allows`, kind: 'cut-short' }
    : undefined

const inconclusive = (text: string | undefined): End | undefined =>
  text === undefined ? undefined : { text, kind: 'inconclusive' }

const endOfAnswers = (session: Session, { baseUrl }: Target): End | undefined => {
  const gone = session.gone()
  return gone === undefined
    ? undefined
    : {
        text: `${baseUrl} ${gone}, then run again`,
        kind: 'unreachable',
      }
}
