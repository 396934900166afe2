// One run against one target: sends calls, keeps the belief, writes the record, and turns deviations into findings.

import { setImmediate as underWay } from 'node:timers/promises'
import { mainToken, type PlanContext } from '../arbitraries/plan.js'
import { buildCall, recorded, type SendableCall } from '../history/calls.js'
import type { CallEntry, EndedEntry, Origin, Role, WalkedEntry } from '../history/entry.js'
import { redactCall, redactOutcome } from '../history/masking.js'
import type { Outcome, RecordLine, WireCall } from '../history/record.js'
import type { Environment } from '../models/language/environment.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args, HookName } from '../models/language/plan.js'
import type { AnyEntity, World } from '../models/language/world.js'
import { type Conclusion, type Fold, open } from '../oracle/fold.js'
import type { Judged } from '../oracle/judgement.js'
import { createAnswers, type RunTime } from './answers.js'
import { noteCreation, type Own } from './creations.js'
import { createEventWatch } from './events.js'
import { createEvidence } from './evidence.js'
import { HookError } from './hooks.js'
import { createLateness } from './lateness.js'
import { isLost, type Lost } from './lost.js'
import { createOwnership } from './ownership.js'

/** What a session reaches the target through. */
export interface Transport {
  readonly send: (call: SendableCall, step: number) => Promise<Outcome>
}

export interface SessionOptions {
  readonly environment: Environment
  readonly transport: Transport
  readonly emit: (line: RecordLine) => void
  /** Notes a creation before it is sent, and what became of it. */
  readonly ledger: (line: LedgerLine) => void
  readonly hooks: Partial<Record<HookName, (...args: never[]) => Promise<unknown>>> & {
    readonly readEvents?: (since: Date) => Promise<readonly { readonly action: string }[]>
    readonly reset?: () => Promise<void>
  }
  readonly nonce: string
  readonly settleMs: number
  /** How long a change may take to show in lists. */
  readonly listLagMs: number
  /** Waits; not much longer than the run goes on. */
  readonly sleep: (ms: number) => Promise<void>
  /** Tells whoever waits what takes so long. */
  readonly say?: (text: string) => void
  /** How long calls are sent; as long as the session is used when left out. */
  readonly time?: RunTime
  /** Milliseconds since the start of the run. */
  readonly clock: () => number
  readonly certificate: PlanContext['certificate']
  /** What people write; names stand for it where it is left out. */
  readonly prose?: PlanContext['prose']
  readonly attachmentField: string
  /** The command that replays a finding. */
  readonly replayLine: (findingId: string) => string
}

export interface LedgerLine {
  /** `run` begins the lines of a run; `refused` says that a creation made nothing; `proven` where the target has shown that a thing is of the run's making. */
  readonly event: 'run' | 'creating' | 'created' | 'refused' | 'proven' | 'removed' | 'left'
  readonly step: number
  readonly kind: string
  readonly operation: string
  readonly key?: string
  readonly url?: string
  /** Of a run, the address of its target. */
  readonly baseUrl?: string
  /** The sent body, by which an item whose key never came back is recognised. */
  readonly body?: unknown
}

/** A call that was sent, with what came of it and was made of it. */
export interface Sent extends Judged {
  /** The read that was sent on its heels, before it was judged. */
  readonly begun?: Promise<Exchanged>
}

/** What this run made, and how to find it again. */
export interface Creation {
  readonly table: AnyTable
  /** Changes when the target tells the id at last. */
  readonly key: () => string
  readonly path: Readonly<Record<string, string>>
  readonly as: string | null
  /** What a list showed of it, where the belief does not know it. */
  readonly entity?: AnyEntity
}

/** An operation and the values to call it with. */
export interface Planned {
  readonly op: Operation
  readonly args: Args
}

export interface Session {
  readonly options: SessionOptions
  readonly context: PlanContext
  /** Judges whatever happens, as the record of the run is judged again. */
  readonly fold: Fold
  readonly world: () => World
  /** Where the calls of one more run of a program come from. */
  readonly originOf: (program: string) => ProgramOrigin
  /** Sends a call, judges it and records it; the read that follows in any case, if one does, is sent before it is judged. */
  readonly send: (
    origin: Origin,
    op: Operation,
    args: Args,
    role: Role,
    follow?: (call: WireCall, outcome: Outcome) => Planned | undefined,
  ) => Promise<Sent>
  /** Sends reads one after another, each judged while the next is under way; one that has begun comes first. */
  readonly sendReads: (origin: Origin, reads: readonly Planned[], begun?: Sent['begun']) => Promise<readonly Sent[]>
  /** Sends lanes of calls at the same time, and judges them together: some order of them must explain every reply. */
  readonly sendTogether: (origin: Origin, lanes: readonly (readonly Planned[])[]) => Promise<readonly Sent[]>
  /** Does something with each of several things that have nothing to do with each other: in turn, or at once where programs run side by side. */
  readonly each: <T, R>(things: readonly T[], what: (thing: T) => Promise<R>) => Promise<readonly R[]>
  readonly callHook: (origin: Origin, name: HookName, args: readonly unknown[]) => Promise<void>
  /** Records that all of an account has been looked at. */
  readonly surveyed: (account: string) => void
  /** Records which calls walked a list. */
  readonly walked: (entry: Omit<WalkedEntry, 'kind'>) => void
  /** The same run, belief and record, with what is made from now on kept apart. */
  readonly branch: () => Session
  /** As `branch`, but calls are not sent again where they may have come too early; `patient` makes them so. */
  readonly hasty: () => Session
  readonly patient: (session: Session) => Session
  /** What came of several calls together, done again until nothing of it is amiss, or nothing may be late any more. */
  readonly untilShown: <T>(first: T, isAmiss: (one: T) => boolean, again: () => Promise<T>) => Promise<T>
  /** Whether other programs run beside those of this session. */
  readonly isBeside: boolean
  /** Records that a program is over. */
  readonly end: (entry: Omit<EndedEntry, 'kind'>) => Conclusion
  readonly creations: Creation[]
  /** Creations whose reply was lost, and that may have made something. */
  readonly lost: Lost[]
  /** Ids of findings that have been reported, and what else is said or waited for once. */
  readonly found: Set<string>
  /** Names of tables in which something did not come to rest in time. */
  readonly restless: Set<string>
  /** By name of the table, how long it took the last one to come to rest that was waited for. */
  readonly rests: Map<string, number>
  /** How long has been waited for what takes time on the target. */
  readonly waitedMs: () => number
  readonly mainToken: string | null
  /** Whether a clause has been exercised. */
  readonly isHeld: (clause: string) => boolean
  /** Whether nothing more is to begin. */
  readonly isOver: () => boolean
  /** How many times in a row calls had no answer, and why the last had none. */
  readonly unanswered: () => number
  readonly lastLoss: () => string
}

/** Where the calls of a program come from. */
export type ProgramOrigin = Origin & { readonly instance: number }

export const createSession = (options: SessionOptions): Session => {
  const { environment, emit } = options
  const fold = open(environment, { nonce: options.nonce })
  const evidence = createEvidence(emit)
  let n = 0
  let instances = 0
  let names = 0
  const answers = createAnswers(options)
  const isOver = (): boolean => options.time?.isOver() ?? false
  const events = createEventWatch({
    readEvents: options.hooks.readEvents,
    onFailure: (error) => tellHook(error),
    sleep: (ms) => sleep(ms),
    patienceMs: options.settleMs,
  })

  let waitedMs = 0
  const sleep = (ms: number): Promise<void> => {
    waitedMs += ms
    return options.sleep(ms)
  }

  const ownership = createOwnership({
    environment,
    nonce: options.nonce,
    send: (call) => options.transport.send(call, 0),
    onProven: ({ name }, key) => options.ledger({ event: 'proven', step: n, kind: name, operation: '', key }),
  })

  const tell = (text: string): void => {
    if (shared.found.has(text)) return
    shared.found.add(text)
    emit({ type: 'trouble', kind: 'inconclusive', text })
  }
  const tellHook = (error: unknown): void => void (error instanceof HookError && tell(error.message))
  /** Replies that are too long to be read are nobody's fault, but nothing is judged by them. */
  const tellTooLarge = ({ op, outcome }: Sent): void => {
    const silence = 'lost' in outcome && outcome.lost === 'too-large' ? fold.silence(op.id) : undefined
    if (silence !== undefined) tell(silence)
  }

  const shared = {
    options: { ...options, sleep },
    waitedMs: () => waitedMs,
    rests: new Map<string, number>(),
    context: {
      environment,
      nonce: options.nonce,
      next: () => names++,
      certificate: options.certificate,
      ...(options.prose && { prose: options.prose }),
    },
    isBeside: false,
    untilShown: async <T>(first: T): Promise<T> => first,
    each: async <T, R>(things: readonly T[], what: (thing: T) => Promise<R>): Promise<readonly R[]> => {
      const done: R[] = []
      for (const thing of things) done.push(await what(thing))
      return done
    },
    fold,
    world: fold.world,
    originOf: (program: string) => {
      instances += 1
      return { program, instance: instances }
    },
    found: new Set<string>(),
    restless: new Set<string>(),
    mainToken: mainToken(environment)?.name ?? null,
    isHeld: evidence.isHeld,
    isOver,
    unanswered: answers.unanswered,
    lastLoss: answers.lastLoss,
    surveyed: (account: string) => {
      fold.surveyed({ kind: 'surveyed', account })
      emit({ type: 'surveyed', account })
    },
    walked: (entry: Omit<WalkedEntry, 'kind'>) => {
      evidence.hold(fold.walked({ kind: 'walked', ...entry }), entry.walks.at(-1)?.at(-1) ?? 0)
      emit({ type: 'walked', ...entry })
    },
    end: (entry: Omit<EndedEntry, 'kind'>) => {
      const conclusion = fold.end({ kind: 'ended', ...entry })
      emit({ type: 'ended', ...entry })
      evidence.hold(conclusion.held, conclusion.last)
      return conclusion
    },
    callHook: async (origin: Origin, name: HookName, args: readonly unknown[]) => {
      const hook = options.hooks[name]
      if (!hook) throw new Error(`suite defect: the target file has no hook ${name}`)
      n += 1
      const step = n
      const startedAt = options.clock()
      await hook(...(args as never[])).catch((error: unknown) => {
        tellHook(error)
        throw error
      })
      emit({ type: 'hook', n: step, hook: name, args, ...origin })
      fold.hook({ kind: 'hook', n: step, hook: name, args, startedAt, endedAt: options.clock(), ...origin })
    },
  }

  const lateness = createLateness({
    clock: options.clock,
    settleMs: options.settleMs,
    isFound: (finding) => shared.found.has(finding),
  })

  const branch = (): Session => lateness.patient(hasty())

  const hasty = (): Session => {
    const own = { ...shared, creations: [] as Creation[], lost: [] as Lost[] }

    const judgeNow = async (origin: Origin, exchanged: Exchanged, role: Role): Promise<Sent> => {
      const sent = await listen(write(own, fold.take(entryOf(origin, exchanged, role)), exchanged.call))
      tellTooLarge(sent)
      if (origin.phase === 'alive') return sent
      const alive: Origin = { program: 'is the target there', phase: 'alive' }
      await answers.see(exchanged.op, async ({ op, args }) => judgeNow(alive, await exchange(alive, op, args), 'read'))
      return sent
    }

    return {
      ...own,
      branch,
      hasty,
      patient: lateness.patient,
      send: async (origin, op, args, role, follow) => {
        const exchanged = await exchange(origin, op, args)
        const planned = follow?.(exchanged.wire, exchanged.outcome)
        if (!planned) return judgeNow(origin, exchanged, role)
        const begun = exchange(origin, planned.op, planned.args)
        await underWay()
        return { ...(await judgeNow(origin, exchanged, role)), begun }
      },
      sendReads: async (origin, reads, begun) => {
        const sent: Sent[] = []
        let last = await begun
        for (const { op, args } of reads) {
          const next = exchange(origin, op, args)
          if (last) {
            await underWay()
            sent.push(await judgeNow(origin, last, 'read'))
          }
          last = await next
        }
        if (last) sent.push(await judgeNow(origin, last, 'read'))
        return sent
      },
      sendTogether: async (origin, lanes) => {
        const group = n + 1
        const exchanged = (await Promise.all(lanes.map((lane, i) => inTurn(origin, lane, i)))).flat()
        const calls = new Map(exchanged.map((one) => [one.step, one.call]))
        const entries = exchanged.map((one) => entryOf({ ...origin, group, lane: one.lane }, one, 'check'))
        // All of them are written before anything else is judged, as they are judged together again.
        const judged = fold.takeTogether(entries).map((one) => write(own, one, calls.get(one.n) as SendableCall))
        const sent: Sent[] = []
        for (const one of judged) sent.push(await listen(one))
        return sent
      },
    }
  }

  /** Why a call is not sent at all. */
  const withheld = ({ phase }: Origin, { id }: Operation): string | undefined => {
    if (options.time?.isSpent()) return 'the run is over, and so is the time to clean up after it'
    if (isOver() && phase !== 'clean-up' && phase !== 'restore') return 'the run is over'
    return fold.silence(id)
  }

  /** Sends a call; nothing is judged yet. */
  const exchange = async (origin: Origin, op: Operation, args: Args): Promise<Exchanged> => {
    n += 1
    const step = n
    const call = buildCall(op, args, options.attachmentField)
    const wire = recorded(call)
    if (origin.phase !== 'alive') await answers.seen()
    const unsent = withheld(origin, op)
    if (unsent !== undefined) {
      const outcome: Outcome = { lost: 'refused', detail: `not sent: ${unsent}` }
      const at = hundredths(options.clock())
      return { op, call, wire, outcome, step, at, ms: 0, unsettled: args.unsettled === true }
    }
    if (op.makes) options.ledger({ event: 'creating', step, kind: op.makes.name, operation: op.id, body: wire.body })
    if (options.listLagMs > 0 && (op.reply.kind === 'page' || op.reply.kind === 'records'))
      await options.sleep(options.listLagMs)
    const creating = await ownership.begin(op, wire)
    const barred = op.method === 'GET' ? undefined : await ownership.bars(op, wire)
    const at = hundredths(options.clock())
    const outcome: Outcome =
      barred === undefined
        ? await options.transport.send(call, step)
        : { lost: 'refused', detail: `not sent: ${barred}` }
    ownership.hear(op, wire, outcome, creating)
    if (barred === undefined) answers.count({ op, args }, outcome, at)
    const ms = hundredths(options.clock() - at)
    return { op, call, wire, outcome, step, at, ms, unsettled: args.unsettled === true }
  }

  const inTurn = async (
    origin: Origin,
    lane: readonly Planned[],
    i: number,
  ): Promise<readonly (Exchanged & { lane: number })[]> => {
    const all: (Exchanged & { lane: number })[] = []
    for (const { op, args } of lane) all.push({ ...(await exchange(origin, op, args)), lane: i })
    return all
  }

  /** Records a judged call, and what it shows. */
  const write = (own: Own, judged: Judged, call: SendableCall): Judged => {
    const { op, n: step, judgement } = judged
    emit(stepLine(judged))
    for (const text of judgement.defects ?? []) emit({ type: 'trouble', kind: 'suite-defect', text })
    evidence.hold(judged.held, step)
    for (const { id, value } of judgement.choices) evidence.choose(id, value, step)
    noteCreation(own, op, call, judgement, step)
    if (op.makes && isLost(op, judged.outcome, judgement.accepted))
      own.lost.push({ op, table: op.makes, call: judged.call, step, at: judged.endedAt })
    return judged
  }

  /** Waits for the events of a call, and records them. */
  const listen = async (judged: Judged): Promise<Sent> => {
    const { n: step } = judged
    const heard = await events.after(fold.awaited(step))
    // What was not waited for may have come all the same.
    if (!heard || isOver()) return judged
    const told = fold.heard({ kind: 'events', n: step, ...heard })
    emit({ type: 'events', n: step, ...heard })
    if (told) evidence.hold(told.held.slice(judged.judgement.held.length), step)
    return told ?? judged
  }
  return branch()
}

/** Times as they are recorded, so that the record tells what was judged. */
const hundredths = (ms: number): number => Math.round(ms * 100) / 100

const entryOf = (origin: Origin, { op, wire, outcome, step, at, ms, unsettled }: Exchanged, role: Role): CallEntry => ({
  kind: 'call',
  n: step,
  op,
  call: wire,
  outcome,
  role,
  startedAt: at,
  endedAt: at + ms,
  ms,
  ...(unsettled && { unsettled: true }),
  ...origin,
})

const stepLine = ({
  kind: _k,
  n,
  op: _o,
  call,
  outcome,
  startedAt,
  endedAt: _e,
  ms,
  judgement,
  deviations: _d,
  verdict: _v,
  held: _h,
  ...rest
}: Judged): RecordLine => ({
  type: 'step',
  n,
  ...rest,
  at: startedAt,
  ms,
  call: redactCall(call),
  outcome: redactOutcome(outcome),
  expects: judgement.expects,
  verdict: judgement.verdict,
  ...(judgement.assumed && { assumed: judgement.assumed }),
  ...(judgement.deviations.length > 0 && {
    findings: judgement.deviations.map(({ clause, kind }) => `${clause}:${kind}`),
  }),
})

interface Exchanged {
  readonly op: Operation
  readonly call: SendableCall
  readonly wire: WireCall
  readonly outcome: Outcome
  readonly step: number
  readonly at: number
  readonly ms: number
  readonly unsettled: boolean
}
