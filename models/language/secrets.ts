// The stand-in for a secret in records. It tells only whether any password policy would accept the secret.

/** A text, so that a recorded call keeps its shape. */
export const mask = '«redacted»'
const plainMask = '«redacted, plain»'

/** Whether any password policy accepts it: printable, of 12 to 64 characters, with all kinds of them. */
export const isPlainSecret = (secret: string): boolean =>
  secret === plainMask ||
  (/^[!-~]{12,64}$/.test(secret) && [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].every((kind) => kind.test(secret)))

export const maskOf = (secret: string): string =>
  secret === mask || secret === plainMask ? secret : isPlainSecret(secret) ? plainMask : mask
