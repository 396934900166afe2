// What an explanation is: something that the document leaves possible, and that may excuse a deviation.

import type { Environment, ExplanationName } from '../../models/language/environment.js'

export interface Explanation {
  readonly name: ExplanationName
  /** What it supposes, in a sentence that is true where it is assumed. */
  readonly supposes: string
  /** How much is assumed each time; the cheapest that leave least unexplained are taken. */
  readonly cost: number
  /** What shows that it was wrong. */
  readonly refutes: string
  /** Beyond what it is not believed. */
  readonly bound: string
}

/** Whether the target file lets a target be excused so. */
export const isAllowed = ({ explanations }: Environment, { name }: Explanation): boolean =>
  explanations?.[name] !== false
