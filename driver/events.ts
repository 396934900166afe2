// Checks that a success emits its event, and that nothing else does, where the target file's hook can read events; not how events are read.

import type { Operation } from '../models/language/operation.js'
import { clauseOf } from '../oracle/due.js'
import { type Deviation, deviation, type Judgement } from '../oracle/judgement.js'

type ReadEvents = (since: Date) => Promise<readonly { readonly action: string }[]>

interface Heard {
  readonly deviations: readonly Deviation[]
  readonly held: readonly string[]
}

export interface EventWatch {
  /** Deviations of a call that should have emitted events, or none, and the clauses that held. */
  readonly after: (op: Operation, judged: Judgement, isHeard: boolean, overlaps?: boolean) => Promise<Heard>
}

interface Options {
  readonly readEvents: ReadEvents | undefined
  readonly sleep: (ms: number) => Promise<void>
  /** How long an event may take to appear. */
  readonly patienceMs: number
  /** Whether nobody else can bring events about. */
  readonly isAlone: boolean
}

const firstPauseMs = 20

/** So many calls that emit nothing are listened after, for each event; further ones show when the next event is waited for. */
const mostListened = 40

interface Tally {
  /** Events that have been seen. */
  count: number
  /** Events that calls may have emitted of which that is not known. */
  slack: number
  /** Whether it did not come once: waiting for it again would tell nothing new. */
  isMissed: boolean
  listened: number
  /** Events that have been seen already, of calls that overlapped with the one before. */
  ahead: number
  /** Whether no call has emitted any since they were last counted. */
  isQuiet: boolean
}

/** Counts events by kind from now on: each success must bring one more of its kind, and nothing else any. */
export const createEventWatch = ({ readEvents, sleep, patienceMs, isAlone }: Options): EventWatch => {
  const since = new Date(Date.now())
  const tallies = new Map<string, Tally>()
  const tallyOf = (event: string): Tally => {
    const tally = tallies.get(event) ?? { count: 0, slack: 0, isMissed: false, listened: 0, ahead: 0, isQuiet: false }
    tallies.set(event, tally)
    return tally
  }
  const count = async (read: ReadEvents, event: string): Promise<number> =>
    (await read(since)).filter(({ action }) => action === event).length

  /** How many further events have come than are known, once there is one. */
  const arrived = async (read: ReadEvents, event: string): Promise<number> => {
    const tally = tallyOf(event)
    for (let pause = firstPauseMs, waited = 0; ; waited += pause, pause *= 2) {
      const more = (await count(read, event)) - tally.count
      if (more > 0) return more
      if (waited >= patienceMs || tally.isMissed) return 0
      await sleep(pause)
    }
  }

  /** Takes in events beyond those that are due: those that calls before may have emitted first, and then those that should not be. */
  const excess = (op: Operation, event: string, more: number, due: 0 | 1): Heard => {
    const tally = tallyOf(event)
    tally.count += Math.max(0, more)
    const unknown = Math.min(tally.slack, Math.max(0, more - due))
    tally.slack -= unknown
    const clause = clauseOf(op, `emits.${event}.alone`)
    if (!clause || !isAlone) return { deviations: [], held: [] }
    if (more - due - unknown <= 0) return { deviations: [], held: due === 0 ? [clause.id] : [] }
    const text = due === 0 ? `no event ${event}` : `one event ${event}`
    const found = deviation(clause, due === 0 ? 'loud' : 'repeated', text, `${more - unknown} of them`)
    // That an event is read twice may be how it is delivered.
    return { deviations: [due === 0 ? found : { ...found, level: 'should' }], held: [] }
  }

  const expected = async (read: ReadEvents, op: Operation, event: string, overlaps: boolean): Promise<Heard> => {
    const clause = clauseOf(op, `emits.${event}`)
    if (!clause) return { deviations: [], held: [] }
    const tally = tallyOf(event)
    tally.isQuiet = false
    if (overlaps && tally.ahead > 0) {
      tally.ahead -= 1
      return { deviations: [], held: [clause.id] }
    }
    const more = await arrived(read, event)
    if (more > 0 && overlaps) {
      tally.count += more
      tally.ahead += more - 1
      return { deviations: [], held: [clause.id] }
    }
    if (more > 0) {
      const beyond = excess(op, event, more, 1)
      return { ...beyond, held: [clause.id, ...beyond.held] }
    }
    tally.isMissed = true
    tally.slack += 1
    const text = `no event ${event} within ${patienceMs} ms`
    return { deviations: [deviation(clause, 'silent', `an event ${event}`, text)], held: [] }
  }

  const unexpected = async (read: ReadEvents, op: Operation, event: string): Promise<Heard> => {
    const tally = tallyOf(event)
    if (!isAlone || tally.listened >= mostListened) return { deviations: [], held: [] }
    tally.listened += 1
    const more = (await count(read, event)) - tally.count
    if (tally.isQuiet) return excess(op, event, more, 0)
    // What comes late, or again, is of calls before; it is this call's if the next one that emits nothing brings one too.
    tally.isQuiet = true
    tally.count += Math.max(0, more)
    return { deviations: [], held: [] }
  }

  return {
    after: async (op, { accepted, emits = [], withholds = [] }, isHeard, overlaps = false) => {
      const heard: Heard[] = []
      for (const { event } of readEvents ? (op.emits ?? []) : []) {
        if (!readEvents) continue
        if (!overlaps) tallyOf(event).ahead = 0
        if (isHeard && emits.includes(event)) heard.push(await expected(readEvents, op, event, overlaps))
        else if (!overlaps && (accepted === false || (accepted === true && withholds.includes(event))))
          heard.push(await unexpected(readEvents, op, event))
        else {
          tallyOf(event).slack += 1
          tallyOf(event).isQuiet = false
        }
      }
      return { deviations: heard.flatMap((one) => one.deviations), held: heard.flatMap((one) => one.held) }
    },
  }
}
