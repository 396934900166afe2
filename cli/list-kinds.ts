// What `touchstone list` can list; apart from list.ts, which loads more than the command line needs.

export const listKinds = ['operations', 'clauses', 'choices', 'defects'] as const

export type ListKind = (typeof listKinds)[number]

export interface Listing {
  /** As JSON. */
  readonly items: readonly object[]
  /** As text. */
  readonly rows: readonly (readonly string[])[]
}
