// Which programs were disturbed by what stands before the target, or by calls that were lost; they are run again.

import type { Outcome } from '../history/wire.js'
import { isTraceOf } from '../oracle/explanations/explanation.js'
import { gateway, isOfMoment } from '../oracle/explanations/gateway.js'
import { wasResent } from '../oracle/explanations/resent.js'
import { isUnanswered } from './answers.js'
import type { ProgramOutcome } from './conduct.js'
import type { Session } from './session.js'
import type { Job } from './units.js'

/**
 * Whether a program did not show all that it is there for, because calls of it had no reply of the target itself, or the reply to their
 * repetition, or because an update may have come a second time.
 */
export const isDisturbed = ({ untested, isUndone, doubts, findings, sent }: ProgramOutcome): boolean =>
  doubts.length + findings.length === 0 &&
  (isUndone === true ||
    (untested !== undefined &&
      sent.some(({ outcome, judgement }) => isUnanswered(outcome) || isBriefly(outcome) || wasResent(judgement))))

/** Whether a program did not show its clause as something before the target answered in its place, perhaps every time. */
export const isBarred = ({ untested, sent }: ProgramOutcome): boolean =>
  untested !== undefined && sent.some(({ judgement }) => judgement.assumed?.some((one) => isTraceOf(one, gateway)))

const isBriefly = (outcome: Outcome): boolean => 'status' in outcome && isOfMoment(outcome)

/** So often a program is run again that was disturbed. */
const mostAgain = 2

/** Runs a program, and again where it was disturbed; the outcome that counts. */
export const undisturbed = async (
  run: () => Promise<ProgramOutcome>,
  again: number = mostAgain,
): Promise<ProgramOutcome> => {
  const outcome = await run()
  return isDisturbed(outcome) && again > 0 ? undisturbed(run, again - 1) : outcome
}

/** Puts off jobs that were disturbed until the others are over, when what disturbed them may be too. */
export const createCalm = (onEnd: (job: Job, outcome: ProgramOutcome) => void) => {
  const disturbed: Job[] = []
  return {
    onEnd: (job: Job, outcome: ProgramOutcome): void =>
      isDisturbed(outcome) ? void disturbed.push(job) : onEnd(job, outcome),
    end: async (session: Session): Promise<void> => {
      for (const job of disturbed) onEnd(job, await undisturbed(() => job.run(session), mostAgain - 1))
    },
  }
}
