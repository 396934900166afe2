// Finds who sent each entry of a HAR: a token of the target file, nobody, or an unknown caller; secrets do not leave this file.
import { unknownToken } from '../models/language/access.js'
import type { HarEntry } from './har-entries.js'
import { headerOf, headersOf } from './har-headers.js'

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

const bearerOf = (entry: HarEntry): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(credentialOf(entry).secret ?? '')?.[1]

/** The token that was sent, where it is not masked. */
export const tokenIn = (entry: HarEntry): string | undefined => {
  const secret = bearerOf(entry)
  return secret === undefined || isMasked(secret) ? undefined : secret
}

/** The headers that a client sends with calls of this kind, by their names; the credential aside. */
const dressOf = ({ method, request }: HarEntry): string =>
  [method, ...headersOf(request).map(({ name }) => name.toLowerCase())]
    .filter((name) => name !== 'authorization' && !/^(:|content-)/.test(name))
    .sort()
    .join()

const statusOf = ({ response }: HarEntry): number => Number(response.status)

const isAccepted = (entry: HarEntry): boolean => statusOf(entry) >= 200 && statusOf(entry) < 300

/** So many calls of nobody may be accepted before that looks as if credentials had been left out of a part of the file. */
const mostAccepted = 1

/**
 * Who sent each entry: a token of the target file, nobody, or an unknown one. Exporters often leave credentials out, so a
 * call counts as nobody's only where other calls carry theirs, and it was refused or has all headers but that of a like one;
 * of those that were accepted none does where they are many, and more than were turned away for want of a token.
 */
export const callers = (entries: readonly HarEntry[], secrets: ReadonlyMap<string, string> | undefined) => {
  const names = new Map([...(secrets ?? [])].map(([name, secret]) => [secret, name]))
  const dresses = new Set(entries.filter((entry) => credentialOf(entry).secret !== undefined).map(dressOf))
  const isBare = (entry: HarEntry): boolean => {
    const { secret, hasCookie } = credentialOf(entry)
    return secret === undefined && !hasCookie && dresses.has(dressOf(entry))
  }
  const bare = entries.filter(isBare)
  const accepted = bare.filter(isAccepted).length
  const isLeftOut = accepted > Math.max(mostAccepted, bare.filter((entry) => statusOf(entry) === 401).length)
  const isNobodys = (entry: HarEntry): boolean => {
    const status = statusOf(entry)
    if (credentialOf(entry).hasCookie || (isLeftOut && status !== 401)) return false
    const isRefused = headersOf(entry.request).length > 0 && status >= 400 && status < 500
    return isBare(entry) || (dresses.size > 0 && isRefused)
  }
  let strangers = 0
  return (entry: HarEntry): string | null => {
    if (credentialOf(entry).secret === undefined) return isNobodys(entry) ? null : unknownToken
    // A guard masks the secret, and writes whose it was.
    const { _caller: name } = entry.entry
    if (typeof name === 'string' && secrets?.has(name)) return name
    const secret = bearerOf(entry)
    if (secret === undefined || (!names.has(secret) && isMasked(secret))) return unknownToken
    if (!names.has(secret)) {
      strangers += 1
      names.set(secret, `${unknownToken}${strangers}`)
    }
    return names.get(secret) as string
  }
}
