// Reads ledgers, and tells whether they are of this target; it deletes nothing.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LedgerLine } from '../driver/session.js'
import type { RecordLine } from '../history/record.js'
import { readRecordFile } from '../reports/index.js'
import { UsageError } from './errors.js'

/**
 * The lines of a ledger.ndjson; what a crash left of the last one is forgiven.
 * @throws UsageError naming file and line where a line is none of a ledger
 */
export const readLedger = async (file: string): Promise<readonly LedgerLine[]> => {
  const texts = (await readFile(file, 'utf8')).split('\n')
  return texts.flatMap((text, index) => {
    if (text.trim() === '') return []
    const line = parse(text)
    if (isLedgerLine(line)) return [line]
    if (index === texts.length - 1 && line === undefined) return []
    throw new UsageError(
      `${file}:${index + 1}: expected a line of a ledger with event, kind and operation; received ${JSON.stringify(text.slice(0, 60))}. Name a ledger.ndjson that a run wrote.`,
    )
  })
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isLedgerLine = (line: unknown): line is LedgerLine =>
  typeof line === 'object' &&
  line !== null &&
  ['event', 'kind', 'operation'].every((member) => typeof (line as Record<string, unknown>)[member] === 'string')

/** The address of the target that a ledger is about, from the record beside it; undefined where there is none. */
export const targetOfLedger = async (file: string): Promise<string | undefined> => {
  const record = join(dirname(file), 'run.ndjson')
  if (!existsSync(record)) return undefined
  const start = (await firstLine(record)) as RecordLine | undefined
  return start?.type === 'start' ? start.target.baseUrl : undefined
}

const firstLine = async (record: string): Promise<RecordLine | undefined> => {
  for await (const line of readRecordFile(record)) return line
  return undefined
}
