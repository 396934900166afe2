// Reads a file that a command is given as a recording or a result: a run record line by line, or JSON; not what the JSON means.

import { open, readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { upToCut } from '../history/har-text.js'
import type { RecordLine } from '../history/record.js'
import { RecordingError } from '../history/recording.js'
import { foldStream, readRecordFile, resultsFrom } from '../reports/index.js'
import { parseRecord } from '../reports/read.js'
import type { Results } from '../reports/results-schema.js'
import { textOf } from './text.js'

export type Content =
  | { readonly lines: AsyncGenerator<RecordLine> | Generator<RecordLine> }
  | {
      readonly json: unknown
      /** Whether the file ends before the entries of a HAR do; one that is not whole is left out. */
      readonly isCut?: true
    }

const headBytes = 4096
const gzipMagic = 0x1f8b

/**
 * A run record line by line, or what else the file holds; unpacked.
 * @param kinds what is expected of it, for messages
 * @throws RecordingError where it can't be any of them
 */
export const contentOf = async (file: string, kinds: string): Promise<Content> => {
  const head = await headOf(file, kinds)
  if (head.length > 1 && head.readUInt16BE(0) === gzipMagic) {
    const text = await readWhole(file, kinds, (bytes) => textOf(gunzipSync(bytes)))
    return isRunRecord(text) ? { lines: parseRecord(text, file) } : parsed(text, file, kinds)
  }
  if (textOf(head).startsWith('PK\u0003\u0004'))
    throw new RecordingError(`${file}: expected ${kinds}, received a zip archive: unpack it, and name a file in it`)
  if (isRunRecord(textOf(head))) return { lines: readRecordFile(file) }
  return parsed(await readWhole(file, kinds, textOf), file, kinds)
}

/** The results that a file holds, or that the record in it amounts to. @throws Error where it holds neither */
export const resultsOf = async (file: string): Promise<Results> => {
  const content = await contentOf(file, 'a results.json or a run record (run.ndjson)')
  return 'lines' in content ? foldStream(content.lines) : resultsFrom(content.json, file)
}

const headOf = async (file: string, kinds: string): Promise<Buffer> => {
  const handle = await open(file)
  try {
    if ((await handle.stat()).isDirectory()) throw new RecordingError(`${file}: expected ${kinds}, received a folder`)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Whether a text begins as a run record does. */
const isRunRecord = (text: string): boolean => /^\s*\{\s*"type"\s*:/.test(text.slice(0, headBytes))

const tooLarge = new Set(['ERR_STRING_TOO_LONG', 'ERR_FS_FILE_TOO_LARGE', 'ERR_BUFFER_TOO_LARGE'])

/** @throws RecordingError where it is too large, or packed and damaged */
const readWhole = async (file: string, kinds: string, read: (bytes: Buffer) => string): Promise<string> => {
  try {
    return read(await readFile(file))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (tooLarge.has(code))
      throw new RecordingError(
        `${file}: expected a file that fits into memory, received one that is too large: split it`,
      )
    if (code.startsWith('Z_'))
      throw new RecordingError(`${file}: expected ${kinds}, received a file packed by gzip that is damaged (${code})`)
    throw error
  }
}

/** @throws RecordingError where it is no JSON, nor a HAR that was cut */
const parsed = (text: string, file: string, kinds: string): { readonly json: unknown; readonly isCut?: true } => {
  try {
    return { json: JSON.parse(text) }
  } catch (error) {
    const kept = upToCut(text)
    if (kept !== undefined) return kept
    const why = error instanceof Error ? error.message : String(error)
    throw new RecordingError(`${file}: expected ${kinds}, received text that is not JSON (${why})`)
  }
}
