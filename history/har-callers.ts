// Who sent the entries of a HAR: tokens of the target file, nobody, or callers of whom nothing is known; secrets stay here.
import { unknownToken } from '../models/language/access.js'
import { type HarEntry, headerOf, headersOf } from './har-entries.js'

interface Credential {
  /** Undefined where no header was recorded. */
  readonly secret: string | undefined
  readonly hasCookie: boolean
}

const credentialOf = ({ request }: HarEntry): Credential => {
  const hasCookie =
    headerOf(request, 'cookie') !== undefined || (Array.isArray(request.cookies) && request.cookies.length > 0)
  return { secret: headerOf(request, 'authorization'), hasCookie }
}

const longestWord = 11

/** Whether a credential is a word or a sign that an exporter put in its place: other than these, tokens are long or have digits. */
const isMasked = (secret: string): boolean =>
  /redact|remov|mask|hidden|filtered|saniti[sz]ed|censored|omitted|\*{2,}|x{4,}|\.{3}|^<.*>$|^\[.*\]$|^\$?\{.*\}$/i.test(
    secret,
  ) ||
  /[^\x21-\x7e]/.test(secret) ||
  /^(.)\1*$/.test(secret) ||
  (secret.length <= longestWord && !/\d/.test(secret))

/** The headers that a client sends with calls of this kind, by their names; the credential aside. */
const dressOf = ({ method, request }: HarEntry): string =>
  [method, ...headersOf(request).map(({ name }) => name.toLowerCase())]
    .filter((name) => name !== 'authorization' && !/^(:|content-)/.test(name))
    .sort()
    .join()

/**
 * Who sent each entry: a token of the target file, nobody, or an unknown one. Exporters often leave credentials out, so a
 * call counts as nobody's only where other calls carry theirs, and it was refused or has all headers but that of a like one.
 */
export const callers = (entries: readonly HarEntry[], secrets: ReadonlyMap<string, string> | undefined) => {
  const names = new Map([...(secrets ?? [])].map(([name, secret]) => [secret, name]))
  const dresses = new Set(entries.filter((entry) => credentialOf(entry).secret !== undefined).map(dressOf))
  let strangers = 0
  return (entry: HarEntry): string | null => {
    const { secret: header, hasCookie } = credentialOf(entry)
    if (header === undefined) {
      const status = Number(entry.response.status)
      const isRefused = headersOf(entry.request).length > 0 && status >= 400 && status < 500
      const isNobodys = !hasCookie && (dresses.has(dressOf(entry)) || (dresses.size > 0 && isRefused))
      return isNobodys ? null : unknownToken
    }
    const secret = /^Bearer +(\S+) *$/i.exec(header)?.[1]
    if (secret === undefined || (!names.has(secret) && isMasked(secret))) return unknownToken
    if (!names.has(secret)) {
      strangers += 1
      names.set(secret, `${unknownToken}${strangers}`)
    }
    return names.get(secret) as string
  }
}
