// Tells a target that takes no write at all, as behind a read-only mode or with a token that may not write, from one that refuses some.

import { isRefusal } from '../history/outcomes.js'
import { reportedErrors } from '../models/language/error-envelope.js'
import type { Judged } from '../oracle/judgement.js'

export interface Writes {
  /** Takes in a call; why nothing that follows from its refusals is the target's doing, at the time when that is first known. */
  readonly hear: (sent: Pick<Judged, 'op' | 'outcome' | 'judgement'>) => string | undefined
  /** The same at any time from then on. */
  readonly barred: () => string | undefined
}

/** So many that had to be accepted are refused before it is told, of so many areas: one may refuse by a fault of its own. */
const fewest = { writes: 20, areas: 3 }
/** These speak of who may write, or whether anybody may now; any other speaks of what was sent or of what is there, which is the target's. */
const ofPermission = [401, 403, 405, 429]

export const createWrites = (): Writes => {
  let times = 0
  let status: number | undefined
  const operations = new Set<string>()
  const areas = new Set<string>()
  /** Whether one was accepted, or refused in another way than the others. */
  let areJudged = false
  let barred: string | undefined

  return {
    hear: ({ op, outcome, judgement }) => {
      if (areJudged || barred !== undefined || op.method === 'GET') return undefined
      areJudged = judgement.accepted === true
      if (!isRefusal(outcome) || !('status' in outcome) || judgement.expects !== 'accept') return undefined
      status ??= outcome.status
      areJudged ||= outcome.status !== status || !ofPermission.includes(status) || isAboutField(outcome.body)
      times += 1
      operations.add(op.id)
      areas.add(op.area)
      if (areJudged || times < fewest.writes || areas.size < fewest.areas) return undefined
      barred = `each of ${times} writes that had to be accepted was answered ${status} (${[...operations].join(', ')}), and no write was accepted: see that the tokens may write, and that no read-only mode is on, then run again`
      return barred
    },
    barred: () => barred,
  }
}

const isAboutField = (body: unknown): boolean =>
  reportedErrors(body)?.some(({ field }) => typeof field === 'string' && field !== '') === true
