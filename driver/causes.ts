// Tells which programs may have caused what deviated beside them, by when and what they wrote; sends nothing.

import { isSameLook } from '../oracle/bracket.js'
import { clauseNamed } from '../oracle/clauses.js'
import { type Deviation, findingIdOf } from '../oracle/judgement.js'
import { type Claim, claimOf, doMeet } from './admission.js'
import type { Sent } from './session.js'

/** A write that has been answered, or a hook, of programs that ran as one. */
interface Write<Job> {
  readonly claim: Claim
  readonly from: number
  readonly until: number
  readonly jobs: readonly Job[]
}

/** A call that deviated; what has changed it was under way then. */
type Deviating = Pick<Sent, 'op' | 'call' | 'outcome' | 'deviations' | 'startedAt' | 'endedAt' | 'judgement'>

/** The writes of programs side by side. */
export interface Causes<Job> {
  readonly note: (jobs: readonly Job[], claims: readonly Claim[], from: number, until: number) => void
  /**
   * Of some programs those that may have caused one of the deviations. What a write has done shows within the longest that anything was
   * seen to take.
   */
  readonly among: (
    jobs: Iterable<Job>,
    doubts: readonly Deviation[],
    sent: readonly Deviating[],
    restMs: number,
  ) => ReadonlySet<Job>
}

export const createCauses = <Job>(): Causes<Job> => {
  const writes: Write<Job>[] = []
  return {
    note: (jobs, claims, from, until) => {
      for (const claim of claims) {
        if (claim !== 'everything' && 'isRead' in claim && claim.isRead) continue
        writes.push({ claim, from, until, jobs })
      }
    },
    among: (jobs, doubts, sent, restMs) => {
      const spans = doubts.flatMap((doubt) => spansOf(doubt, sent, restMs))
      const left = new Set(jobs)
      const causes = new Set<Job>()
      for (const write of writes) {
        // Each write is looked at once for all that ran as one, and only as long as it may tell something.
        const open = write.jobs.filter((job) => left.has(job))
        if (open.length === 0 || !spans.some((span) => mayShowIn(span, write))) continue
        for (const job of open) {
          left.delete(job)
          causes.add(job)
        }
      }
      return causes
    },
  }
}

/** When what deviated may have come about, and through calls that could affect what. */
interface Span {
  readonly claim: Claim
  readonly from: number
  readonly until: number
}

const always = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }

const spansOf = (doubt: Deviation, sent: readonly Deviating[], restMs: number): readonly Span[] => {
  const id = findingIdOf(doubt)
  const deviating = sent.filter(({ deviations }) => deviations.some((one) => findingIdOf(one) === id))
  if (deviating.length === 0) return [{ claim: 'everything', ...always }]
  return deviating.map((one): Span => {
    const claim = claimOf(one.judgement.world, one.op, one.call)
    // Events come when they like, and those of calls at the same time are counted together.
    if (clauseNamed(doubt.clause)?.kind === 'emits') return { claim, ...always }
    return { claim, from: lastRight(one, sent) - restMs, until: one.endedAt }
  })
}

/** When a read that deviates was sent for the last time that it did not; else when the program began. */
const lastRight = (one: Deviating, sent: readonly Deviating[]): number => {
  const before = one.op.method === 'GET' ? sent.slice(0, sent.indexOf(one)) : []
  const right = before.findLast(
    (other) => isSameLook(other, one) && 'status' in other.outcome && other.deviations.length === 0,
  )
  return (right ?? sent[0] ?? one).startedAt
}

const mayShowIn = ({ claim, from, until }: Span, write: Write<unknown>): boolean =>
  write.until >= from && write.from <= until && doMeet(claim, write.claim, () => true)
