// The text that tells the names that one run makes from all others.

const day = 36 ** 5

/** A text that names made from now on contain: the prefix and the time, letters and digits. */
export const createNonce = (prefix: string, at: number): string =>
  `${prefix}-${(at % day).toString(36).padStart(5, '0')}`
