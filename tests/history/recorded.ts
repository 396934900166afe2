// Reads lines as a run record, as `judge` does.

import type { RecordLine } from '../../history/record.js'
import type { Reading, Recording } from '../../history/recording.js'
import { createRunReader } from '../../history/run-reader.js'

/** All that a record with these lines holds, the first of which is its start. */
export const readingsIn = (lines: readonly unknown[], nonce = 'ts-t'): readonly Reading[] => {
  const reader = createRunReader(() => nonce)
  for (const [i, line] of lines.entries())
    reader.add(JSON.parse(JSON.stringify(line)) as RecordLine, `run.ndjson:${i + 1}`)
  return reader.readings('run.ndjson')
}

/** The run that a record of one holds. */
export const runIn = (lines: readonly unknown[], nonce?: string): Recording =>
  readingsIn(lines, nonce)[0]?.recordings[0] as Recording
