// Percent-encoding for any text: what a target or a file says may be no Unicode, or no encoding. It builds no addresses.

/** A half of a surrogate pair has no encoding, and stands as U+FFFD. */
export const percentEncoded = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))

/** Itself where it encodes nothing. */
export const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
