// Clauses without a program: what the document says about traffic, charges and staff, which no reply shows.

/** A statement that no reply decides, and why. */
export const unseen = (id: string, source: string, text: string, why: string) => ({
  id,
  source,
  text,
  holds: (): undefined => undefined,
  unprobed: why,
})
