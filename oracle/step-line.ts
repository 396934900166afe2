// A judged call as a line of the record; who sent it, and when, is told by whoever writes it.

import { redactCall, redactOutcome } from '../history/masking.js'
import type { RecordLine } from '../history/record.js'
import { findingIdOf, type Judged, type Judgement } from './judgement.js'

type StepLine = Extract<RecordLine, { readonly type: 'step' }>

type Written = 'type' | 'n' | 'call' | 'outcome' | 'expects' | 'verdict' | 'assumed' | 'findings'

/**
 * @param where its program, its times, and what else is known of where it comes from
 * @param told what came of it: by itself, or once other calls may have been blamed for its deviations
 */
export const stepLine = (
  { n, call, outcome, judgement }: Judged,
  where: Omit<StepLine, Written>,
  { verdict, deviations }: Pick<Judgement, 'verdict' | 'deviations'>,
): StepLine => ({
  type: 'step',
  n,
  ...where,
  call: redactCall(call),
  outcome: redactOutcome(outcome),
  expects: judgement.expects,
  verdict,
  ...(judgement.assumed && { assumed: judgement.assumed }),
  ...(deviations.length > 0 && { findings: deviations.map(findingIdOf) }),
})

/** Where a call comes from and when, as its line tells it. */
export const whereOf = ({
  kind: _k,
  n: _n,
  op: _o,
  call: _c,
  outcome: _r,
  startedAt,
  endedAt: _e,
  judgement: _j,
  deviations: _d,
  verdict: _v,
  held: _h,
  ...origin
}: Judged) => ({ ...origin, at: startedAt })
