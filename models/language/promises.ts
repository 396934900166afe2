// Values that every conforming target has to accept although the document does not spell them out; refusing others is a choice.

/** Lower-case letters, digits and single hyphens between them, a letter first. */
export const isPlainName = (name: unknown): boolean => typeof name === 'string' && /^[a-z](?:-?[a-z0-9])*$/.test(name)

/** A name that every target accepts as a tag. */
export const isPlainTag = (tag: unknown): boolean =>
  isPlainName(tag) && (tag as string).length >= 3 && (tag as string).length <= 50

/** Tags that every target accepts: plain, few, each once. */
export const arePlainTags = (tags: readonly string[] | undefined): boolean =>
  tags === undefined || (tags.length <= 5 && new Set(tags).size === tags.length && tags.every(isPlainTag))

/** Whether a text has characters that a target may refuse; one without any has none. */
export const hasOddCharacters = (text: unknown): boolean =>
  typeof text === 'string' && text !== '' && !isPlainText(text)

/** Text that every target accepts as a description or note: printable ASCII on one line, without blanks at its ends. */
export const isPlainText = (text: unknown): boolean => typeof text === 'string' && /^[!-~](?:[ -~]*[!-~])?$/.test(text)
