// The ledger file of a folder: keeps what earlier runs left until it is gone, and removes at the end of a run what the run made and left.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Target } from '../config/target-file.js'
import { outstanding } from '../driver/ledger.js'
import type { Swept } from '../driver/leftovers.js'
import { isGivenBy } from '../driver/nonce.js'
import type { LedgerLine } from '../driver/session.js'
import { sweepTarget } from '../driver/sweep.js'
import { openAccess } from '../driver/target-access.js'
import { removerOf, tableNamed } from '../models/index.js'
import { ownerTokens } from '../models/language/access.js'
import { isLatent } from '../models/language/world.js'
import { naming } from './writer.js'

/** What can be read of it; the last line may have been cut off. */
const linesOf = (file: string): readonly LedgerLine[] => {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text) => {
      try {
        return [JSON.parse(text) as LedgerLine]
      } catch {
        return []
      }
    })
}

/** Names of the runs that the ledger still tells of. */
export const runsIn = (file: string): readonly string[] =>
  linesOf(file).flatMap(({ event, key }) => (event === 'run' && key !== undefined ? [key] : []))

/** Written beside it and put in its place, so that a crash leaves one or the other. */
const write = (file: string, lines: readonly LedgerLine[]): void => {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  try {
    naming(file, () => writeFileSync(`${file}.new`, text, { mode: 0o600 }))
    renameSync(`${file}.new`, file)
  } finally {
    rmSync(`${file}.new`, { force: true })
  }
}

/** Begins the lines of a run: what is gone is dropped, and what is not stays before them. The embedded target is gone itself. */
export const beginLedger = (file: string, nonce: string, baseUrl: string | undefined): void => {
  const before = outstanding(linesOf(file)).filter((_, __, [first]) => first?.event === 'run')
  const run: LedgerLine = { event: 'run', step: 0, kind: '', operation: '', key: nonce }
  write(file, baseUrl === undefined ? before : [...before, { ...run, baseUrl }])
}

/** Results after which nothing is left to do. */
const done: ReadonlySet<Swept['result']> = new Set(['removed', 'returned', 'moved'])

/** After everything of some runs was looked for: what was not found, or was removed, is noted as gone. */
export const settleLedger = (file: string, swept: readonly Swept[], isAbout: (run: LedgerLine) => boolean): void => {
  if (!existsSync(file)) return
  const stays = new Set(swept.flatMap(({ kind, key, result }) => (done.has(result) ? [] : [`${kind}/${key}`])))
  const isThere = ({ event, kind, key = '' }: LedgerLine): boolean =>
    event === 'run' || stays.has(`${kind}/${event === 'creating' ? '' : key}`)
  const close = (run: readonly LedgerLine[]): readonly LedgerLine[] =>
    run[0] && isAbout(run[0])
      ? outstanding(run).flatMap((line): readonly LedgerLine[] =>
          isThere(line) || line.event === 'untold'
            ? []
            : [{ ...line, event: line.event === 'creating' ? 'refused' : 'removed' }],
        )
      : []
  const lines = linesOf(file)
  const starts = [0, ...lines.flatMap(({ event }, i) => (event === 'run' && i > 0 ? [i] : []))]
  write(
    file,
    starts.flatMap((from, i) => {
      const run = lines.slice(from, starts[i + 1])
      return [...run, ...close(run)]
    }),
  )
}

/** What the run could not remove, and could not see to be gone: a sweep that looked for it found nothing. */
const goneIn = (ledger: readonly LedgerLine[], swept: readonly Swept[]): readonly Swept[] => {
  const told = new Set(swept.map(({ kind, key }) => `${kind}/${key}`))
  const left = new Set(ledger.flatMap(({ event, kind, key }) => (event === 'left' ? [`${kind}/${key}`] : [])))
  return outstanding(ledger).flatMap(({ event, kind, key = '', account = '' }) => {
    const table = tableNamed(kind)
    const isSought = event === 'created' && left.has(`${kind}/${key}`) && !isLatent(key) && table && removerOf(table)
    if (!isSought || told.has(`${kind}/${key}`) || told.has(`${kind}/`)) return []
    return [{ kind, key, account, result: 'removed', reason: 'nothing shows it any more' }]
  })
}

/** Removes what a run has made and is still there, by its names and its ledger; returns what was looked at. */
export const tidy = async (
  target: Target,
  nonce: string,
  file: string,
  withinMs: number,
): Promise<readonly Swept[]> => {
  const lines = linesOf(file)
  const ledger = lines.slice(lines.findLastIndex(({ event }) => event === 'run'))
  const isAny = ledger.some(({ event }) => event === 'creating' || event === 'lent')
  if (ownerTokens(target.environment).length === 0 || !isAny) return []
  // Whatever bears tags makes them, too.
  const kinds = new Set([...ledger.map(({ kind }) => kind), 'tags'])
  const access = openAccess(target, `${nonce}-tidy`, { withinMs, isLenient: true })
  try {
    const isMade = (name: string): boolean => isGivenBy(nonce, name)
    const swept = await sweepTarget({ target, access, ledger, dryRun: false, isMade, kinds })
    settleLedger(file, swept, ({ key }) => key === nonce)
    return [...swept, ...goneIn(ledger, swept)]
  } finally {
    await access.close()
  }
}
