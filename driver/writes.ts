// Tells a target that takes no write at all, as behind a read-only mode or with a token that may not write, from one that refuses some.

import { isRefusal, mayHaveCome } from '../history/outcomes.js'
import { reportedErrors } from '../models/language/error-envelope.js'
import type { Judged } from '../oracle/judgement.js'
import { isUnanswered, silenceOf } from './answers.js'
import type { Beside } from './withdrawals.js'

type Heard = Pick<Judged, 'op' | 'outcome' | 'judgement' | 'startedAt' | 'endedAt'>

export interface Writes {
  /**
   * Takes in a call; what is wrong with all writes, at the time when that is first known: nothing that follows from it is the target's
   * doing.
   */
  readonly hear: (sent: Heard) => Beside | undefined
  /** Why nothing more is to be sent, from then on. */
  readonly barred: () => string | undefined
}

/** So many that had to be accepted are refused before it is told, of so many areas: one may refuse by a fault of its own. */
const fewest = { writes: 20, areas: 3 }
/** These speak of who may write, or whether anybody may now; any other speaks of what was sent or of what is there, which is the target's. */
const ofPermission = [401, 403, 405, 429]

export const createWrites = (): Writes => {
  const hearRefusal = createRefusals()
  const hearSilence = createSilence()
  let barred: string | undefined
  return {
    hear: (sent) => {
      if (barred !== undefined || sent.op.method === 'GET') return undefined
      const silence = hearSilence(sent)
      barred = silence ?? hearRefusal(sent)
      if (barred === undefined) return undefined
      return silence === undefined ? 'no writes' : 'silent writes'
    },
    barred: () => barred,
  }
}

/** So many writes, over so long, have no reply before it is told: a gateway may hold them up for a moment. */
const fewestSilent = 20
const patienceMs = 15_000

/** Counts writes in a row that had no reply. Once others were answered, a single operation may be silent by itself. */
const createSilence = (): ((sent: Heard) => string | undefined) => {
  let times = 0
  let since = 0
  let wasAnswered = false
  const operations = new Set<string>()
  return ({ op, outcome, judgement, startedAt, endedAt }) => {
    if (!mayHaveCome(outcome)) return undefined
    if (!isUnanswered(outcome)) {
      if (judgement.expects !== 'accept' && judgement.accepted !== true) return undefined
      times = 0
      wasAnswered = true
      operations.clear()
      return undefined
    }
    if (times === 0) since = startedAt
    times += 1
    operations.add(op.id)
    if (times < fewestSilent || endedAt - since < patienceMs || (wasAnswered && operations.size === 1)) return undefined
    return `${times} writes had no reply, and none was accepted meanwhile (${[...operations].join(', ')}; the last: ${silenceOf(outcome)}): see what stands before the target and whether it lets writes through, then run again`
  }
}

/** Writes that had to be accepted and were all refused in one way. */
const createRefusals = (): ((sent: Heard) => string | undefined) => {
  let times = 0
  let status: number | undefined
  const operations = new Set<string>()
  const areas = new Set<string>()
  /** Whether one was accepted, or refused in another way than the others. */
  let areJudged = false

  return ({ op, outcome, judgement }) => {
    if (areJudged) return undefined
    areJudged = judgement.accepted === true
    if (!isRefusal(outcome) || !('status' in outcome) || judgement.expects !== 'accept') return undefined
    status ??= outcome.status
    areJudged ||= outcome.status !== status || !ofPermission.includes(status) || isAboutField(outcome.body)
    times += 1
    operations.add(op.id)
    areas.add(op.area)
    if (areJudged || times < fewest.writes || areas.size < fewest.areas) return undefined
    return `each of ${times} writes that had to be accepted was answered ${status} (${[...operations].join(', ')}), and no write was accepted: see that the tokens may write, and that no read-only mode is on, then run again`
  }
}

const isAboutField = (body: unknown): boolean =>
  reportedErrors(body)?.some(({ field }) => typeof field === 'string' && field !== '') === true
