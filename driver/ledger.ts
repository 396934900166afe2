// Reads the ledger of one folder: what its runs have created and not removed yet; reads and writes no file.

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
    const removed = own.filter(({ event }) => event === 'removed')
    // A path may name with several parts what has one key.
    const isGone = ({ kind, key = '', account }: LedgerLine): boolean =>
      removed.some(
        (line) =>
          line.kind === kind &&
          // An id may be given once in each account.
          (line.account ?? account) === (account ?? line.account) &&
          (line.key === key || decodeURIComponent(line.url ?? '').endsWith(`/${key}`)),
      )
    const told = new Set(own.filter(isTold).map(({ step }) => step))
    const left = own.filter((line) => {
      if (line.event === 'run' || line.event === 'removed' || line.event === 'refused') return false
      return line.event === 'creating' || line.event === 'untold' ? !told.has(line.step) : !isGone(line)
    })
    const isNeeded = left.some(({ event }) => event === 'created' || event === 'creating' || event === 'lent')
    return isNeeded ? [...own.filter(({ event }) => event === 'run'), ...left] : []
  })

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
