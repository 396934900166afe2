// Reads the files that `touchstone judge` is given: run records and HARs, told apart by what they hold; judges nothing.
import { open, readFile } from 'node:fs/promises'
import { loadTarget, type Target } from '../config/target-file.js'
import { createVocabulary } from '../config/vocabulary.js'
import { createNonce } from '../driver/nonce.js'
import { type HarTarget, readHar } from '../history/har.js'
import { createRunReader, type Recording, RecordingError } from '../history/recording.js'
import { operations } from '../models/index.js'
import { createRoutes } from '../reference/routes.js'
import { readRecordFile } from '../reports/index.js'
import { UsageError } from './errors.js'

export interface RecordingOptions {
  readonly target?: string
  readonly cwd: string
}

/**
 * The recordings of a file: one of a run, one for each origin of a HAR.
 * @throws UsageError that names the file, the line or JSON path, what was expected and what was received
 */
export const readRecordings = async (file: string, options: RecordingOptions): Promise<readonly Recording[]> => {
  try {
    return (await isRunRecord(file)) ? [await readRun(file)] : await readTraffic(file, options)
  } catch (error) {
    if (error instanceof RecordingError) throw new UsageError(`${error.message}. Correct the file, or record it anew.`)
    throw error
  }
}

const headBytes = 4096
const gzipMagic = 0x1f8b

/** Whether the file begins as a run record does. @throws RecordingError where it can't be either kind of recording */
const isRunRecord = async (file: string): Promise<boolean> => {
  const handle = await open(file)
  try {
    const received = (what: string): RecordingError =>
      new RecordingError(`${file}: expected a HAR or a run record (run.ndjson), received ${what}`)
    if ((await handle.stat()).isDirectory()) throw received('a folder')
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    if (buffer.readUInt16BE(0) === gzipMagic) throw received('a file packed by gzip')
    return /^\uFEFF?\s*\{\s*"type"\s*:/.test(buffer.subarray(0, bytesRead).toString())
  } finally {
    await handle.close()
  }
}

const readRun = async (file: string): Promise<Recording> => {
  const reader = createRunReader(({ setting, startedAt }) =>
    createNonce(typeof setting.safety.prefix === 'string' ? setting.safety.prefix : 'ts', Date.parse(startedAt)),
  )
  let number = 0
  const lines = readRecordFile(file)
  for (;;) {
    const next = await lines.next().catch((error: Error) => {
      throw 'syscall' in error ? error : new RecordingError(error.message)
    })
    if (next.done) return reader.recording(file)
    number += 1
    reader.add(next.value, `${file}:${number}`)
  }
}

const readTraffic = async (file: string, options: RecordingOptions): Promise<readonly Recording[]> => {
  const json = await readJson(file)
  const target = await loadTarget({ ...options, env: process.env, secrets: 'optional' })
  const routes = createRoutes(operations)
  const route = (method: string, path: string) => {
    const found = routes(method, path)
    return found && 'op' in found ? found : undefined
  }
  const recordings = readHar(json, file, { route, ...(target && { target: harTarget(target) }) })
  // A target file that merely lies near may be about something else.
  const isNamed = options.target !== undefined || process.env.TOUCHSTONE_TARGET !== undefined
  return isNamed || !target || recordings.some(({ events }) => events.length > 0)
    ? recordings
    : readHar(json, file, { route })
}

const readJson = async (file: string): Promise<unknown> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_STRING_TOO_LONG' || error.code === 'ERR_FS_FILE_TOO_LARGE')
      throw new RecordingError(
        `${file}: expected a HAR that fits into memory, received one that is too large: split it`,
      )
    throw error
  })
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new RecordingError(
      `${file}: expected a HAR or a run record (run.ndjson), received text that is not JSON (${error instanceof Error ? error.message : String(error)})`,
    )
  }
}

const harTarget = ({ environment, baseUrl, secrets, pace, vocabulary }: Target): HarTarget => {
  const words = createVocabulary(vocabulary)
  return {
    environment,
    baseUrl,
    secrets,
    listLagMs: pace.listLagMs,
    ...(words && { translate: { body: words.reply, url: words.serving.url } }),
  }
}
