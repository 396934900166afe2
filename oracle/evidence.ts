// Tells whether a program has shown the clause that it is there for; nothing is judged here.

import { whyUnsent } from '../history/unsent.js'
import type { Clause } from '../models/language/derive.js'
import type { Environment } from '../models/language/environment.js'
import type { Judged } from './judgement.js'

/** Why calls were no evidence for a clause. */
export interface Lack {
  readonly untested: string
  /** A refusal that was due in the state last seen did not come, but the state may have passed in between. */
  readonly isPassing?: true
}

/** True of calls that were decisive; undefined where they broke the clause, or there was nothing to show. */
export type Evidence = true | Lack | undefined

/** What a call names may be there, where not everything that is there is known. */
const unsure = 'nothing tells for certain that the refusal was due: what the call names may be there'

/** What the calls of a program are for its clause. */
export const evidenceFor = (calls: readonly Judged[], clause: Clause | undefined): Evidence => {
  if (!clause) return undefined
  const probes = calls.filter(({ role }) => role === 'probe')
  if (probes.length > 0) return evidenceOfProbes(calls, probes, clause)
  // An effect may be seen first by the look that follows every write.
  const checks = clause.kind === 'effect' ? calls : calls.filter(({ role }) => role === 'check')
  const shown = checks.some(
    ({ judgement }) => judgement.held.includes(clause.id) || judgement.choices.some(({ id }) => id === clause.id),
  )
  return shown || clause.kind === 'general' ? undefined : { untested: 'no reply decided it' }
}

/** Whether a program was not decisive because what others do may be another reason for what it was answered. */
export const isForOthers = (
  { environment }: { readonly environment: Environment },
  calls: readonly Judged[],
  clause: Clause | undefined,
  evidence: Evidence,
): boolean => {
  if (typeof evidence !== 'object' || environment.exclusive) return false
  // Where ids may be given once in each account, nobody knows which there are in the other one.
  if (clause?.kind === 'owned') return true
  return calls.some(({ role, judgement: { unsure } }) => unsure && (role === 'probe' || role === 'check'))
}

const evidenceOfProbes = (calls: readonly Judged[], probes: readonly Judged[], clause: Clause): Evidence => {
  if (calls.some(({ deviations }) => deviations.some((one) => one.clause === clause.id))) return undefined
  const twins = calls.filter(({ role }) => role === 'twin')
  const vague = probes.filter(({ judgement }) => judgement.decisive !== clause.id)
  const isShown = vague.length < probes.length || vague.some((one) => isSettled(one, twins, clause))
  const worst = vague.find(({ judgement }) => !isShown || judgement.sure !== clause.id)
  if (worst) return whyVague(worst, clause)
  return twins.length > 0 && twins.every(({ judgement }) => judgement.accepted === true)
    ? true
    : { untested: 'its accepted counterpart was not accepted' }
}

/**
 * Whether nothing else was due besides the clause. Where others change things, whatever else the probe may have been refused for would
 * have been a reason to refuse the twins that name the same, part by part, and these were accepted.
 */
const isSettled = (
  { op, judgement: { sure, doubts = {} } }: Judged,
  twins: readonly Judged[],
  clause: Clause,
): boolean => {
  const settling = twins.filter((twin) => twin.op === op && twin.judgement.accepted === true)
  return (
    sure === clause.id &&
    Object.entries(doubts).every(([id, grounds]) =>
      grounds.every((one) => settling.some(({ judgement }) => judgement.doubts?.[id]?.includes(one))),
    )
  )
}

const whyVague = ({ judgement: { accepted, possible }, outcome }: Judged, clause: Clause): Lack => {
  if (accepted === true)
    return { untested: 'the state that makes it due could not be held long enough to show it', isPassing: true }
  if ('lost' in outcome)
    return {
      untested: `the call that would show it ${whyUnsent(outcome) === undefined ? 'had no reply' : 'was not sent'}`,
    }
  if (possible.length > 0 && possible.every((id) => id === clause.id)) return { untested: unsure }
  return { untested: `the refusal could have another reason: ${possible.join(', ')}` }
}
