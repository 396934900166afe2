// Opens a session: sends calls, keeps the belief, and writes the record.

import { setImmediate as underWay } from 'node:timers/promises'
import { mainToken } from '../arbitraries/plan.js'
import { buildCall, recorded, type SendableCall } from '../history/calls.js'
import type { CallEntry, EndedEntry, Origin, Role, WalkedEntry } from '../history/entry.js'
import { redactCall, redactOutcome } from '../history/masking.js'
import type { RecordLine } from '../history/record.js'
import { unsent } from '../history/unsent.js'
import type { Outcome, WireCall } from '../history/wire.js'
import type { Operation } from '../models/language/operation.js'
import type { Args, HookName } from '../models/language/plan.js'
import { isClosed } from '../models/language/world.js'
import { open } from '../oracle/fold.js'
import type { Judged } from '../oracle/judgement.js'
import { createAlive } from './alive.js'
import { createAnswers } from './answers.js'
import { heldBy, noteCreation, type Own } from './creations.js'
import { createEventWatch } from './events.js'
import { createEvidence } from './evidence.js'
import { HookError } from './hooks.js'
import { createIdsAgain } from './ids-again.js'
import { createPatience } from './lateness.js'
import { createLentBook } from './lent.js'
import { isLost, mayHaveCome } from './lost.js'
import { createOwnership } from './ownership.js'
import type { Creation, Exchanged, LostCreation, Planned, Sent, Session, SessionOptions } from './session.js'

export const createSession = (options: SessionOptions): Session => {
  const core = createCore(options)
  const { fold, answers } = core
  const shared = createShared(core)
  const { exchange, inTurn } = createSending(core)
  const { write, listen, tellTooLarge } = createRecording(core)
  const idsAgain = createIdsAgain()
  const patient = patienceIn(core)

  const hasty = (): Session => {
    const own = { ...shared, creations: shared.keep(), lost: [] as LostCreation[] }

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
      hasty,
      patient,
      send: (origin, op, args, role, follow) =>
        idsAgain.during([op], async () => {
          const exchanged = await exchange(origin, op, args)
          await idsAgain.before([exchanged], fold.world())
          const planned = follow?.(exchanged.wire, exchanged.outcome)
          if (!planned) return judgeNow(origin, exchanged, role)
          const begun = exchange(origin, planned.op, planned.args)
          await underWay()
          return { ...(await judgeNow(origin, exchanged, role)), begun }
        }),
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
      sendTogether: (origin, lanes) =>
        idsAgain.during(
          lanes.flat().map(({ op }) => op),
          async () => {
            const group = core.latest() + 1
            const exchanged = (await Promise.all(lanes.map((lane, i) => inTurn(origin, lane, i)))).flat()
            await idsAgain.before(exchanged, fold.world())
            const calls = new Map(exchanged.map((one) => [one.step, one.call]))
            const entries = exchanged.map((one) => entryOf({ ...origin, group, lane: one.lane }, one, 'check'))
            // All of them are written before anything else is judged, so that they are judged together again from the record.
            const judged = fold.takeTogether(entries).map((one) => write(own, one, calls.get(one.n) as SendableCall))
            const sent: Sent[] = []
            for (const one of judged) sent.push(await listen(one))
            return sent
          },
        ),
    }
  }
  return patient(hasty())
}

/** Waits for what is late. Says so where the run ends before it is known whether it was, for nothing is reported then. */
const patienceIn = ({ options: { clock, settleMs }, answers, found, isOver, tell }: Core) =>
  createPatience({
    clock,
    settleMs,
    isFound: (finding) => found.has(finding),
    isOver,
    onCut: ({ id }, { by }) => {
      // That the target is gone is told as that.
      if (answers.gone() !== undefined) return
      tell(
        `${id} did not show what ${by} had changed, and the run ended before ${settleMs} ms were over: let it run longer, or lower pace.settleMs`,
      )
    },
  })

/** Phases of calls that are sent when nothing else begins any more. */
const atTheEnd = new Set<Origin['phase']>(['clean-up', 'restore', 'retire'])

/** Whoever takes longer to answer a call is waited for. */
const longCallMs = 100

type Core = ReturnType<typeof createCore>

/** What all parts of a session share: the belief, the evidence, and the watches over the target. */
const createCore = (given: SessionOptions) => {
  const { environment, emit } = given
  const alive = createAlive(environment)
  const options: SessionOptions = {
    ...given,
    ledger: (line) => {
      alive.hear(line)
      given.ledger(line)
    },
  }
  const fold = open(environment, { nonce: options.nonce })
  const evidence = createEvidence(emit)
  let n = 0
  const answers = createAnswers(options)
  /** Nothing is waited for, either, where the target gives no answer any more. */
  const isOver = (): boolean => options.time?.isOver() === true || answers.gone() !== undefined
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
  /** A call that takes long is waited for as well, above all one that no reply comes to. */
  const lasted = (ms: number): void => {
    if (ms > longCallMs) waitedMs += ms
  }

  const found = new Set<string>()
  const ownership = createOwnership({
    environment,
    nonce: options.nonce,
    send: (call) => options.transport.send(call, 0),
    onProven: ({ name }, key) => options.ledger({ event: 'proven', step: n, kind: name, operation: '', key }),
  })

  const tell = (text: string): void => {
    if (found.has(text)) return
    found.add(text)
    emit({ type: 'trouble', kind: 'inconclusive', text })
  }
  const tellHook = (error: unknown): void => void (error instanceof HookError && tell(error.message))
  const step = (): number => {
    n += 1
    return n
  }
  return {
    options,
    sleep,
    lasted,
    waitedMs: () => waitedMs,
    fold,
    evidence,
    answers,
    events,
    ownership,
    alive,
    found,
    isOver,
    tell,
    tellHook,
    /** The number of the next step, and of the latest. */
    step,
    latest: () => n,
  }
}

/** What all programs of a session have in common. */
const createShared = (core: Core) => {
  const { options, sleep, waitedMs, fold, evidence, answers, found, isOver, tellHook, step: next } = core
  const { environment, emit } = options
  let instances = 0
  let names = 0
  const shared = {
    ...createStanding(),
    options: { ...options, sleep },
    waitedMs,
    rests: new Map<string, number>(),
    context: {
      environment,
      nonce: options.nonce,
      next: () => names++,
      certificate: options.certificate,
      ...(options.prose && { prose: options.prose }),
    },
    tend: async () => undefined,
    isBeside: false,
    untilShown: async <T>(first: T): Promise<T> => first,
    hold: <T>(_: unknown, what: () => Promise<T>): Promise<T> => what(),
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
    found,
    restless: new Set<string>(),
    mainToken: mainToken(environment)?.name ?? null,
    isHeld: evidence.isHeld,
    isOver,
    gone: answers.gone,
    surveyed: (account: string) => {
      fold.surveyed({ kind: 'surveyed', account })
      emit({ type: 'surveyed', account })
    },
    walked: (entry: Omit<WalkedEntry, 'kind'>) => {
      const { held, assumed } = fold.walked({ kind: 'walked', ...entry })
      const n = entry.walks.at(-1)?.at(-1) ?? 0
      evidence.hold(held, n)
      emit({ type: 'walked', ...entry })
      for (const one of assumed) emit({ type: 'assumed', n, assumed: one })
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
      const step = next()
      const startedAt = options.clock()
      await hook(...(args as never[])).catch((error: unknown) => {
        tellHook(error)
        throw error
      })
      emit({ type: 'hook', n: step, hook: name, args, ...origin })
      fold.hook({ kind: 'hook', n: step, hook: name, args, startedAt, endedAt: options.clock(), ...origin })
    },
  }
  return shared
}

/** The creations of all sessions of a run, and how many there are in all. */
const createStanding = () => {
  const kept: (readonly Creation[])[] = []
  return {
    keep: (): Creation[] => {
      const creations: Creation[] = []
      kept.push(creations)
      return creations
    },
    standing: (): number => kept.reduce((sum, { length }) => sum + length, 0),
  }
}

/** Sends calls, and keeps the ledger of what they make. */
const createSending = ({
  options,
  fold,
  answers,
  ownership,
  alive,
  events,
  isOver,
  lasted,
  tell,
  step: next,
}: Core) => {
  /** Why a call is not sent at all. */
  const withheld = ({ phase }: Origin, op: Operation): string | undefined => {
    if (options.time?.isSpent()) return 'the run is over, and so is the time to clean up after it'
    if (answers.gone() !== undefined) return 'the target gives no answer any more'
    if (isOver() && !atTheEnd.has(phase)) return 'the run is over'
    const full = alive.bars(op)
    if (full !== undefined)
      tell(`${op.id} is not sent any more: ${full}; remove what is left by touchstone sweep, or by hand`)
    return full ?? fold.silence(op.id)
  }

  const awaitLag = async (): Promise<void> => {
    if (options.listLagMs > 0) await options.sleep(options.listLagMs)
  }

  /** Notes a creation that is about to be sent; what it returns notes that it made nothing, or that its reply tells nothing of it. */
  const noteCreating = ({ makes, id }: Operation, wire: WireCall, step: number) => {
    if (!makes) return undefined
    const held = heldBy({ options }, wire)
    const line = { step, kind: makes.name, operation: id, ...held, url: wire.url }
    options.ledger({ ...line, event: 'creating', body: wire.body })
    return (outcome: Outcome, known: readonly string[] | undefined, isCounted: boolean): void => {
      if (!mayHaveCome(outcome)) options.ledger({ ...line, event: 'refused' })
      else if (known && (isCounted || isClosed(fold.world(), makes, held.account)))
        options.ledger({ ...line, event: 'untold', known })
    }
  }

  const noteLent = createLentBook({
    environment: options.environment,
    send: (call) => options.transport.send(call, 0),
    isLent: ownership.isLent,
    ledger: options.ledger,
  })

  /** What has to be known of the target as it is before a call. */
  const noteBefore = async (op: Operation, wire: WireCall, step: number): Promise<void> => {
    await noteLent(op, wire, step)
    if (op.emits) await events.begin()
  }

  /** Sends a call; nothing is judged yet. */
  const exchange = async (origin: Origin, op: Operation, args: Args): Promise<Exchanged> => {
    const step = next()
    const call = buildCall(op, args, options.attachmentField)
    const wire = recorded(call)
    if (origin.phase !== 'alive') await answers.seen()
    const asked = { op, call, wire, step, unsettled: args.unsettled === true }
    const why = withheld(origin, op)
    if (why !== undefined) return { ...asked, outcome: unsent(why), at: hundredths(options.clock()), ms: 0 }
    const noted = noteCreating(op, wire, step)
    if (op.reply.kind === 'page' || op.reply.kind === 'records') await awaitLag()
    const creating = await ownership.begin(op, wire)
    const barred = op.method === 'GET' ? undefined : await ownership.bars(op, wire)
    if (barred === undefined) await noteBefore(op, wire, step)
    const at = hundredths(options.clock())
    const outcome = barred === undefined ? await options.transport.send(call, step) : unsent(barred)
    lasted(options.clock() - at)
    const known = ownership.hear(op, wire, outcome, creating)
    noted?.(outcome, known, creating?.isCounted === true)
    if (barred === undefined) answers.count({ op, args }, outcome, at)
    return { ...asked, outcome, at, ms: hundredths(options.clock() - at) }
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
  return { exchange, inTurn }
}

/** Records what was judged, and what it shows. */
const createRecording = ({ options, fold, evidence, events, isOver, tell }: Core) => {
  const { emit } = options

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
    const heard = await events.after(() => fold.awaited(step))
    // Events may have come even if none was waited for.
    if (!heard || isOver()) return judged
    const { held, assumed = [] } = judged.judgement
    const told = fold.heard({ kind: 'events', n: step, ...heard })
    emit({ type: 'events', n: step, ...heard })
    if (!told) return judged
    evidence.hold(told.held.slice(held.length), step)
    for (const one of told.judgement.assumed?.slice(assumed.length) ?? [])
      emit({ type: 'assumed', n: step, assumed: one })
    return told
  }

  /** Reports a reply that is too long to be read: it is no deviation, but nothing is judged by it. */
  const tellTooLarge = ({ op, outcome }: Sent): void => {
    const silence = 'lost' in outcome && outcome.lost === 'too-large' ? fold.silence(op.id) : undefined
    if (silence !== undefined) tell(silence)
  }
  return { write, listen, tellTooLarge }
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
