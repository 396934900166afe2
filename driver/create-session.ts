// Opens a session: sends calls, keeps the belief, and writes the record.

import { setImmediate as underWay } from 'node:timers/promises'
import { mainToken } from '../arbitraries/plan-tokens.js'
import { buildCall, recorded, type SendableCall } from '../history/calls.js'
import type { EndedEntry, Origin, Role, WalkedEntry } from '../history/entry.js'
import { mayHaveCome } from '../history/outcomes.js'
import { purposeOf } from '../history/phases.js'
import { unsent } from '../history/unsent.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { isListed, lackingFor, type Operation } from '../models/language/operation.js'
import type { Args, HookName } from '../models/language/plan.js'
import { isClosed } from '../models/language/world.js'
import { pastLosses } from './bare.js'
import { heldBy } from './creations.js'
import { createIdsAgain } from './ids-again.js'
import { createPatience } from './lateness.js'
import { createLentBook } from './lent.js'
import { createRecording, entryOf, hundredths } from './recording.js'
import type { Exchanged, Planned, Sent, Session, SessionOptions } from './session.js'
import { type Core, createCore } from './session-core.js'
import { createStandIns } from './stand-in.js'
import { createStanding, type OwnThings } from './standing.js'
import { withdraw } from './withdrawals.js'

export const createSession = (options: SessionOptions): Session => {
  const core = createCore(options)
  const { fold, answers } = core
  const { own: ownOf, standing } = createStanding(core.making, fold.world)
  const shared = { ...createShared(core), standing }
  const { exchange, inTurn } = createSending(core, standInsOf(core))
  const { write, listen, tellUnjudged } = createRecording(core)
  const idsAgain = createIdsAgain()
  const patient = patienceIn(core)

  const hasty = (): Session => {
    const own = { ...shared, ...ownOf() }

    const judgeNow = async (origin: Origin, exchanged: Exchanged, role: Role): Promise<Sent> => {
      const sent = await listen(write(own, fold.take(entryOf(origin, exchanged, role)), exchanged.call))
      tellUnjudged(sent)
      if (origin.phase === 'alive') return sent
      const alive: Origin = { program: 'is the target there', phase: 'alive' }
      await answers.see(exchanged.op, async ({ op, args }) =>
        judgeNow(alive, await exchange(own, alive, op, args), 'read'),
      )
      return sent
    }

    return {
      ...own,
      hasty,
      patient,
      send: (origin, op, args, role, follow) =>
        idsAgain.during([op], async () => {
          const exchanged = await exchange(own, origin, op, args)
          await idsAgain.before([exchanged], fold.world())
          const planned = follow?.(exchanged.wire, exchanged.outcome)
          if (!planned) return judgeNow(origin, exchanged, role)
          const begun = exchange(own, origin, planned.op, planned.args)
          await underWay()
          return { ...(await judgeNow(origin, exchanged, role)), begun }
        }),
      sendReads: async (origin, reads, begun) => {
        const sent: Sent[] = []
        let last = await begun
        for (const { op, args } of reads) {
          const next = exchange(own, origin, op, args)
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
            const exchanged = (await Promise.all(lanes.map((lane, i) => inTurn(own, origin, lane, i)))).flat()
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

/** What has shown changes and then hidden them so many times, and not shown them in the end, does not come to rest. */
const mostFlaps = 3

/** Waits for what is late. Says so where the run ends before it is known whether it was, for nothing is reported then. */
const patienceIn = ({ options: { clock, settleMs, emit }, answers, found, memory, isOver, tell }: Core) => {
  const flapping = new Map<string, number>()
  /** What several targets show by turns is the doing of none of them, so that what was found of it before holds no more. */
  const split = (what: readonly string[]): void => {
    withdraw(memory.withdrawals, emit, 'several targets')
    answers.giveUp(
      `shows ${what.join(' and ')} as changed at one look and not at the next, as several targets do that answer by turns and do not share what they hold: see what stands behind it`,
    )
  }
  return createPatience({
    clock,
    settleMs,
    isFound: (finding) => found.has(finding) && !memory.trying.has(finding),
    isOver,
    onCut: ({ id }, { by }) => {
      // That the target is gone is told as that.
      if (answers.gone() !== undefined) return
      tell(
        `${id} did not show what ${by} had changed, and the run ended before ${settleMs} ms were over: let it run longer, or lower pace.settleMs`,
      )
    },
    onSplit: (operations) => split(operations.map(({ id }) => id)),
    // Resources of one kind may do so by themselves, which is told of them.
    onFlapping: ({ reply, reach }, times) => {
      const kind = 'table' in reply ? reply.table.name : reach.in
      flapping.set(kind, (flapping.get(kind) ?? 0) + times)
      const all = [...flapping].flatMap(([one, count]) => (count >= mostFlaps ? [one] : []))
      if (all.length > 1) split(all)
    },
  })
}

/** What all programs of a session have in common. */
const createShared = (core: Core) => {
  const { options, sleep, waitedMs, fold, evidence, answers, found, memory, said, isOver } = core
  let instances = 0
  return {
    ...createRemarks(core),
    options: { ...options, sleep },
    waitedMs,
    rests: new Map<string, number>(),
    context: contextOf(options),
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
    said,
    memory,
    mainToken: mainToken(options.environment)?.name ?? null,
    isHeld: evidence.isHeld,
    isOver,
    gone: answers.gone,
    barred: core.writes.barred,
    wasRemoved: core.alive.wasRemoved,
    kinds: core.alive.kinds,
    spare: core.alive.spare,
  }
}

/** Tells the judge and the record what happens beside calls: that something was surveyed or walked, that a program ended, and hooks. */
const createRemarks = ({ options, fold, evidence, tellHook, step: next }: Core) => {
  const { emit } = options
  return {
    surveyed: (account: string) => {
      fold.surveyed({ kind: 'surveyed', account })
      emit({ type: 'surveyed', account })
    },
    walked: (entry: Omit<WalkedEntry, 'kind'>) => {
      const { held, assumed, n } = fold.walked({ kind: 'walked', ...entry })
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
}

/** What plans are written with; every name that is made has a number of its own. */
const contextOf = ({ environment, nonce, certificate, prose }: SessionOptions): Session['context'] => {
  let names = 0
  return { environment, nonce, next: () => names++, certificate, ...(prose && { prose }) }
}

const standInsOf = ({ options, sleep, fold, answers, isOver, memory }: Core) => {
  const onKnown = (): void => withdraw(memory.withdrawals, options.emit, 'lost bodies')
  const transport = pastLosses({ ...options, onKnown })
  return createStandIns({ ...options, transport, sleep, isOver, world: fold.world, giveUp: answers.giveUp })
}

/** Sends calls, and keeps the ledger of what they make. */
const createSending = (
  { options, fold, answers, ownership, alive, events, making, memory, isOver, lasted, tell, step: next }: Core,
  standIns: ReturnType<typeof createStandIns>,
) => {
  /** Why a call is not sent at all. */
  const withheld = ({ phase }: Origin, op: Operation): string | undefined => {
    if (options.time?.isSpent()) return 'the run is over, and so is the time to clean up after it'
    const gone = answers.gone()
    if (gone !== undefined) return `the target ${gone}`
    if (isOver() && !purposeOf(phase).isAtEnd) return 'the run is over'
    const full = alive.bars(op)
    if (full !== undefined)
      tell(`${op.id} is not sent any more: ${full}; remove what is left by touchstone sweep, or by hand`)
    return full ?? alive.stops(op) ?? fold.mute(op.id) ?? unallowed(op, options.environment)
  }

  const awaitLag = async (): Promise<void> => {
    if (options.listLagMs > 0) await options.sleep(options.listLagMs)
  }

  /** Notes a creation that is about to be sent; what it returns notes that it made nothing, or that its reply tells nothing of it. */
  const noteCreating = ({ makes, id }: Operation, wire: WireCall, step: number) => {
    if (!makes) return undefined
    making.set(step, makes)
    const held = heldBy({ options }, wire)
    const line = { step, kind: makes.name, operation: id, ...held, url: wire.url }
    options.ledger({ ...line, event: 'creating', body: wire.body })
    return (outcome: Outcome, known: readonly string[] | undefined, isCounted: boolean): void => {
      if (!mayHaveCome(outcome)) options.ledger({ ...line, event: 'refused' })
      else if (known && (isCounted || isClosed(fold.world(), makes, held.account)))
        options.ledger({ ...line, event: 'untold', known })
    }
  }

  const lentBook = createLentBook({ ...options, ...ownership, send: (call) => options.transport.send(call, 0) })

  /** Notes what has to be known of the target as it is before a call; why it is not to be sent, if that is not known. */
  const noteBefore = async (op: Operation, wire: WireCall, step: number): Promise<string | undefined> => {
    const unknown = await lentBook.before(op, wire, step)
    if (unknown === undefined && op.emits) await events.begin()
    return unknown
  }

  /** Sends a call; nothing is judged yet. */
  const exchange = async (own: OwnThings, origin: Origin, op: Operation, args: Args): Promise<Exchanged> => {
    const step = next()
    const call = buildCall(op, args, options.attachmentField)
    const wire = recorded(call)
    if (origin.phase !== 'alive') await answers.seen()
    const asked = { op, call, wire, step, unsettled: args.unsettled === true }
    const why = withheld(origin, op)
    if (why !== undefined) return { ...asked, outcome: unsent(why), at: hundredths(options.clock()), ms: 0 }
    memory.budget.count(origin.phase)
    const noted = noteCreating(op, wire, step)
    if (isListed(op.reply)) await awaitLag()
    const creating = await ownership.begin(op, wire)
    const barred = (await barredFor(own, ownership, op, wire)) ?? (await noteBefore(op, wire, step))
    const at = hundredths(options.clock())
    const outcome = barred === undefined ? await standIns.send({ op, call, wire, step }) : unsent(barred)
    lasted(options.clock() - at)
    const known = ownership.hear(op, wire, outcome, creating)
    if (barred === undefined) lentBook.after(op, wire, step, outcome)
    noted?.(outcome, known, creating?.isCounted === true)
    if (barred === undefined) answers.count({ op, args }, outcome, at)
    return { ...asked, outcome, at, ms: hundredths(options.clock() - at) }
  }

  const inTurn = async (
    own: OwnThings,
    origin: Origin,
    lane: readonly Planned[],
    i: number,
  ): Promise<readonly (Exchanged & { lane: number })[]> => {
    const all: (Exchanged & { lane: number })[] = []
    for (const { op, args } of lane) all.push({ ...(await exchange(own, origin, op, args)), lane: i })
    return all
  }
  return { exchange, inTurn }
}

/** Why the target file does not allow an operation. A program that is sent again may have been written for another target. */
const unallowed = (op: Operation, environment: SessionOptions['environment']): string | undefined => {
  const [lacking] = lackingFor(op, environment)
  return lacking === undefined ? undefined : `the target file has to give ${lacking.what}`
}

/** Why a write must not be sent: it would change what the session, or the run, has not made. */
const barredFor = async (
  own: OwnThings,
  ownership: Core['ownership'],
  op: Operation,
  wire: WireCall,
): Promise<string | undefined> => (op.method === 'GET' ? undefined : (own.bars(op, wire) ?? ownership.bars(op, wire)))
