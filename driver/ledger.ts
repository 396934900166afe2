// Reads the ledger of one folder: what its runs have created and not removed yet; reads and writes no file.

import { percentDecoded } from '../history/uri.js'
import { operationById } from '../models/index.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Path } from '../models/language/world.js'
import type { LedgerLine } from './session.js'

/** The lines of one run, with the target that it was sent to where the ledger tells. */
interface Section {
  readonly baseUrl: string | undefined
  readonly lines: readonly LedgerLine[]
}

const sectionsOf = (lines: readonly LedgerLine[]): readonly Section[] => {
  const sections: { baseUrl: string | undefined; lines: LedgerLine[] }[] = [{ baseUrl: undefined, lines: [] }]
  for (const line of lines) {
    if (line.event === 'run') sections.push({ baseUrl: line.baseUrl, lines: [] })
    sections.at(-1)?.lines.push(line)
  }
  return sections
}

const isTold = ({ event }: LedgerLine): boolean => event === 'created' || event === 'refused'

/** The lines of things that were, or may have been, created and are not known to be gone, with the line that names their target. */
export const outstanding = (lines: readonly LedgerLine[]): readonly LedgerLine[] =>
  sectionsOf(lines).flatMap(({ lines: own }) => {
    const isGone = removalsIn(own)
    const told = new Set(own.filter(isTold).map(({ step }) => step))
    const left = own.filter((line, at) => {
      if (line.event === 'run' || line.event === 'removed' || line.event === 'refused') return false
      return line.event === 'creating' || line.event === 'untold' ? !told.has(line.step) : !isGone(line, at)
    })
    const isNeeded = left.some(({ event }) => event === 'created' || event === 'creating' || event === 'lent')
    return isNeeded ? [...own.filter(({ event }) => event === 'run'), ...left] : []
  })

/**
 * Whether what a line tells of was removed after it: one name may be given again. A night notes tens of thousands of things, so removals
 * are looked up by name.
 */
const removalsIn = (lines: readonly LedgerLine[]): ((line: LedgerLine, at: number) => boolean) => {
  const removed = new Map<string, Map<string | undefined, number>>()
  for (const [at, { event, kind, key, url, account }] of lines.entries()) {
    if (event !== 'removed') continue
    for (const name of [key, ...endsOf(percentDecoded(url ?? ''))]) {
      getOrInsert(removed, `${kind} ${name}`, () => new Map()).set(account, at)
    }
  }
  return ({ kind, key = '', account }, at) =>
    // An id may be given once in each account.
    [...(removed.get(`${kind} ${key}`) ?? [])].some(
      ([by, last]) => last > at && (account === undefined || by === undefined || by === account),
    )
}

/** What follows each slash of a path: it may name with several parts what has one key. */
const endsOf = (path: string): readonly string[] =>
  path.split('/').flatMap((_, i, parts) => (i === 0 ? [] : [parts.slice(i).join('/')]))

/** The lines that are about a target; `fallback` is the one that a ledger without a word of it is about. */
export const linesAbout = (
  lines: readonly LedgerLine[],
  baseUrl: string,
  fallback: string | undefined,
): readonly LedgerLine[] =>
  sectionsOf(lines).flatMap((section) => ((section.baseUrl ?? fallback ?? baseUrl) === baseUrl ? section.lines : []))

/** The targets of a ledger that are other ones. */
export const othersIn = (lines: readonly LedgerLine[], baseUrl: string): readonly string[] => [
  ...new Set(
    lines.flatMap((line) =>
      line.event === 'run' && line.baseUrl !== undefined && line.baseUrl !== baseUrl ? [line.baseUrl] : [],
    ),
  ),
]

/** The path parameters of a recorded call, read from its URL. */
export const pathIn = ({ operation, url = '' }: LedgerLine): Path => {
  const wanted = operationById(operation)?.path.split('/') ?? []
  const given = url.split('?')[0]?.split('/') ?? []
  return Object.fromEntries(
    wanted.flatMap((part, at) => (part.startsWith('{') ? [[part.slice(1, -1), percentDecoded(given[at] ?? '')]] : [])),
  )
}
