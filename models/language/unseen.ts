// What the document says of traffic, of charges and of what staff do: no reply shows it, so it stands as a clause without a program.

/** A statement that no reply decides, and why. */
export const unseen = (id: string, source: string, text: string, why: string) => ({
  id,
  source,
  text,
  holds: (): undefined => undefined,
  unprobed: why,
})
