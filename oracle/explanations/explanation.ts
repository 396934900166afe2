// What an explanation is: something that the document leaves possible, and that may excuse a deviation; and the trace that it leaves.

import type { Environment, ExplanationName } from '../../models/language/environment.js'
import { assuming, type Deviation, type Judgement } from '../judgement.js'

export interface Explanation {
  /** What it supposes stands under this name in `suppositions`. */
  readonly name: ExplanationName
  /** What refutes it. */
  readonly refutes: string
  /** The bound beyond which it is not assumed. */
  readonly bound: string
}

/** Whether the target file allows this explanation. */
export const isAllowed = ({ explanations }: Environment, { name }: Explanation): boolean =>
  explanations?.[name] !== false

/** The trace in the record that an explanation was assumed, and of what: `drift volumes 7 status`. */
export const traceOf = ({ name }: Explanation, ...about: readonly (string | number | null)[]): string =>
  [name, ...about].join(' ')

/** Whether a trace is of that explanation. */
export const isTraceOf = (trace: string, { name }: Explanation): boolean =>
  trace === name || trace.startsWith(`${name} `)

/** The judgement without the deviations that an explanation excuses; `otherwise` is its verdict where that leaves none. */
export const excusing = (
  judgement: Judgement,
  isExcused: (deviation: Deviation) => boolean,
  trace: string,
  otherwise: Judgement['verdict'],
): Judgement => {
  const deviations = judgement.deviations.filter((one) => !isExcused(one))
  if (deviations.length === judgement.deviations.length) return judgement
  return assuming({ ...judgement, deviations, verdict: deviations.length > 0 ? 'finding' : otherwise }, trace)
}
