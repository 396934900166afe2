// What a clause is: one thing the document says, with its permanent id, level and source; not how it is judged.

/** Three-valued: undefined is "what we know does not decide it". */
export type Ternary = boolean | undefined

export const not = (a: Ternary): Ternary => (a === undefined ? undefined : !a)
export const and = (...all: readonly Ternary[]): Ternary =>
  all.includes(false) ? false : all.includes(undefined) ? undefined : true
export const or = (...all: readonly Ternary[]): Ternary =>
  all.includes(true) ? true : all.includes(undefined) ? undefined : false
/** A comparison that is undecided when either side is unknown. */
export const known = <A, B>(a: A | undefined, b: B | undefined, test: (a: A, b: B) => boolean): Ternary =>
  a === undefined || b === undefined ? undefined : test(a, b)

/** What of a call may bring a refusal about by itself: calls that have an equal part in common stand or fall together by it. */
export interface Part {
  readonly part: unknown
  readonly isDue: Ternary
}

/** A rule of calls that each of several parts may break by itself, such as the services that a firewall is assigned to. */
export const inParts = <F>(parts: (facts: F) => readonly Part[]) => ({
  parts,
  when: (facts: F): Ternary => or(...parts(facts).map(({ isDue }) => isDue)),
})

/** `must`: the document says it. `should`: it follows from HTTP or by inference. `choice`: the document is silent. */
export type ClauseLevel = 'must' | 'should' | 'choice'

export interface ClauseText {
  /** Permanent: the operation's or resource's id plus a readable slug. */
  readonly id: string
  readonly level: ClauseLevel
  /** Section and row or sentence of the document. */
  readonly source: string
  /** What is required, in our words. */
  readonly text: string
}
