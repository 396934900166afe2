// What an explanation is: something that the document leaves possible, and that may excuse a deviation.

import type { Environment, ExplanationName } from '../../models/language/environment.js'

export interface Explanation {
  readonly name: ExplanationName
  /** What it assumes, as a sentence. */
  readonly supposes: string
  /** The price of assuming it once. Of the explanations that leave least unexplained, the cheapest are taken. */
  readonly cost: number
  /** What refutes it. */
  readonly refutes: string
  /** The bound beyond which it is not assumed. */
  readonly bound: string
}

/** Whether the target file allows this explanation. */
export const isAllowed = ({ explanations }: Environment, { name }: Explanation): boolean =>
  explanations?.[name] !== false
