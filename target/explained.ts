// Why some mutants are not caught: each line is a property of the document, not a gap that nobody looked at.

const explanations: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/: blames another field$/, 'no refusal of this operation is about a member, so nothing is blamed'],
  [/: shows a wrong updated$/, 'the time of the last update may change at any moment'],
]

/** One line on why a mutant survives; undefined where it should not. */
export const explanationOf = (mutantId: string): string | undefined =>
  explanations.find(([pattern]) => pattern.test(mutantId))?.[1]
