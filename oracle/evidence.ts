// Tells whether a program has shown the clause that it is there for; nothing is judged here.

import { whyUnsent } from '../history/unsent.js'
import type { Clause } from '../models/language/derive.js'
import type { Environment } from '../models/language/environment.js'
import type { Judged } from './judgement.js'

/** A refusal that was due in the state last seen did not come, but the state may have passed in between. */
export const unheld = 'the state that makes it due could not be held long enough to show it'

/** What a call names may be there, where not everything that is there is known. */
const unsure = 'nothing tells for certain that the refusal was due: what the call names may be there'

/** True where the program was decisive for its clause, else why it was not. */
export const evidenceFor = (calls: readonly Judged[], clause: Clause | undefined): true | string | undefined => {
  if (!clause) return undefined
  const probes = calls.filter(({ role }) => role === 'probe')
  if (probes.length > 0) return evidenceOfProbes(calls, probes, clause)
  // An effect may be seen first by the look that follows every write.
  const checks = clause.kind === 'effect' ? calls : calls.filter(({ role }) => role === 'check')
  const shown = checks.some(
    ({ judgement }) => judgement.held.includes(clause.id) || judgement.choices.some(({ id }) => id === clause.id),
  )
  return shown || clause.kind === 'general' ? undefined : 'no reply decided it'
}

/** Whether a program was not decisive because what others do may be another reason for what it was answered. */
export const isForOthers = (
  { environment }: { readonly environment: Environment },
  calls: readonly Judged[],
  clause: Clause | undefined,
  evidence: ReturnType<typeof evidenceFor>,
): boolean => {
  if (typeof evidence !== 'string' || environment.exclusive) return false
  // Where ids may be given once in each account, nobody knows which there are in the other one.
  if (clause?.kind === 'owned') return true
  return calls.some(({ role, judgement: { unsure } }) => unsure && (role === 'probe' || role === 'check'))
}

const evidenceOfProbes = (
  calls: readonly Judged[],
  probes: readonly Judged[],
  clause: Clause,
): true | string | undefined => {
  if (calls.some(({ deviations }) => deviations.some((one) => one.clause === clause.id))) return undefined
  const twins = calls.filter(({ role }) => role === 'twin')
  const vague = probes.filter(({ judgement }) => judgement.decisive !== clause.id)
  const isShown = vague.length < probes.length || vague.some((one) => isSettled(one, twins, clause))
  const worst = vague.find(({ judgement }) => !isShown || judgement.sure !== clause.id)
  if (worst) return whyVague(worst, clause)
  return twins.length > 0 && twins.every(({ judgement }) => judgement.accepted === true)
    ? true
    : 'its accepted counterpart was not accepted'
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

const whyVague = ({ judgement: { accepted, possible }, outcome }: Judged, clause: Clause): string => {
  if (accepted === true) return unheld
  if ('lost' in outcome)
    return `the call that would show it ${whyUnsent(outcome) === undefined ? 'had no reply' : 'was not sent'}`
  if (possible.length > 0 && possible.every((id) => id === clause.id)) return unsure
  return `the refusal could have another reason: ${possible.join(', ')}`
}
