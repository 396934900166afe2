// Tells whether a program has shown the clause that it is there for; nothing is judged here.

import type { Clause } from '../models/language/derive.js'
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

const evidenceOfProbes = (
  calls: readonly Judged[],
  probes: readonly Judged[],
  clause: Clause,
): true | string | undefined => {
  if (calls.some(({ deviations }) => deviations.some((one) => one.clause === clause.id))) return undefined
  const vague = probes.find(({ judgement }) => judgement.decisive !== clause.id)
  if (vague) return whyVague(vague, clause)
  const twins = calls.filter(({ role }) => role === 'twin')
  return twins.length > 0 && twins.every(({ judgement }) => judgement.accepted === true)
    ? true
    : 'its accepted counterpart was not accepted'
}

const whyVague = ({ judgement: { accepted, possible }, outcome }: Judged, clause: Clause): string => {
  if (accepted === true) return unheld
  if ('lost' in outcome)
    return `the call that would show it ${outcome.detail?.startsWith('not sent: ') ? 'was not sent' : 'had no reply'}`
  if (possible.length > 0 && possible.every((id) => id === clause.id)) return unsure
  return `the refusal could have another reason: ${possible.join(', ')}`
}
