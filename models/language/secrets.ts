// What stands for a secret in records: whether any policy would take it as a password is all that it tells of the secret.

/** A text, so that a recorded call keeps its shape. */
export const mask = '«redacted»'
const plainMask = '«redacted, plain»'

/** Whether any policy for passwords takes it: printable, of 12 to 64 characters, and of all kinds. */
export const isPlainSecret = (secret: string): boolean =>
  secret === plainMask ||
  (/^[!-~]{12,64}$/.test(secret) && [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].every((kind) => kind.test(secret)))

export const maskOf = (secret: string): string =>
  secret === mask || secret === plainMask ? secret : isPlainSecret(secret) ? plainMask : mask
