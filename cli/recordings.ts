// Reads the files that `touchstone judge` is given: run records and HARs, told apart by what they hold; judges nothing.
import { readFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { loadTarget, type Target } from '../config/target-file.js'
import { createVocabulary } from '../config/vocabulary.js'
import { createNonce } from '../driver/nonce.js'
import { type HarTarget, readingsOf } from '../history/har.js'
import type { HarFile } from '../history/har-entries.js'
import type { RecordLine } from '../history/record.js'
import { createRunReader, type Recording, RecordingError } from '../history/recording.js'
import { operations } from '../models/index.js'
import { isObject } from '../models/language/objects.js'
import { createRoutes } from '../reference/routes.js'
import { readRecordFile } from '../reports/index.js'
import { parseRecord } from '../reports/read.js'
import { UsageError } from './errors.js'

export interface RecordingOptions {
  readonly target?: string | undefined
  readonly cwd: string
}

/** What files hold. */
export interface ReadRecording {
  readonly files: readonly string[]
  /** All recordings of the files, read in one way or another: it is not known whether several origins are one target. */
  readonly readings: readonly (readonly Recording[])[]
}

/**
 * The recordings of files: one of each run, one for each target of a HAR. HARs of the same target are one history.
 * @param files as they are named in messages, below the working directory
 * @throws UsageError that names the file, the line or JSON path, what was expected and what was received
 */
export const readRecordings = async (
  files: readonly string[],
  options: RecordingOptions,
): Promise<readonly ReadRecording[]> => {
  try {
    const all: ReadRecording[] = []
    const hars: ReadHar[] = []
    for (const name of files) {
      const file = resolve(options.cwd, name)
      const content = await contentOf(file)
      if ('lines' in content) all.push({ files: [name], readings: [[await readRun(content.lines, file)]] })
      else hars.push({ name, file: { json: content.json, file } })
    }
    const read = await harReader(options)
    return [...all, ...connected(hars, read).map((some) => told(some, read))]
  } catch (error) {
    if (error instanceof RecordingError) throw new UsageError(`${error.message}. Correct the file, or record it anew.`)
    throw error
  }
}

interface ReadHar {
  readonly name: string
  readonly file: HarFile
}

type Read = (files: readonly HarFile[]) => ReadRecording['readings']

const told = (some: readonly ReadHar[], read: Read): ReadRecording => ({
  files: some.map(({ name }) => name),
  readings: read(some.map(({ file }) => file)),
})

/** HARs in groups: those that have calls of the same target belong together. */
const connected = (hars: readonly ReadHar[], read: Read): readonly (readonly ReadHar[])[] => {
  if (hars.length < 2) return hars.length === 0 ? [] : [hars]
  const groups: { readonly targets: Set<string>; readonly hars: ReadHar[] }[] = []
  for (const har of hars) {
    const targets = (read([har.file])[0] ?? []).flatMap(({ baseUrl, events }) => (events.length > 0 ? [baseUrl] : []))
    const group = groups.find((one) => targets.some((target) => one.targets.has(target)))
    if (group) group.hars.push(har)
    else groups.push({ targets: new Set(targets), hars: [har] })
    for (const target of targets) group?.targets.add(target)
  }
  return groups.map((one) => one.hars)
}

type Content = { readonly lines: AsyncGenerator<RecordLine> | Generator<RecordLine> } | { readonly json: unknown }

const headBytes = 4096
const gzipMagic = 0x1f8b

/** A run record line by line, or what else the file holds; unpacked. @throws RecordingError where it can't be either kind of recording */
const contentOf = async (file: string): Promise<Content> => {
  const head = await headOf(file)
  if (head.length > 1 && head.readUInt16BE(0) === gzipMagic) {
    const text = await readWhole(file, (bytes) => textOf(gunzipSync(bytes)))
    return isRunRecord(text) ? { lines: parseRecord(text, file) } : { json: parsed(text, file) }
  }
  if (textOf(head).startsWith('PK\u0003\u0004'))
    throw new RecordingError(
      `${file}: expected ${recordings}, received a zip archive: unpack it, and name the HAR in it`,
    )
  if (isRunRecord(textOf(head))) return { lines: readRecordFile(file) }
  return { json: parsed(await readWhole(file, textOf), file) }
}

const headOf = async (file: string): Promise<Buffer> => {
  const handle = await open(file)
  try {
    if ((await handle.stat()).isDirectory())
      throw new RecordingError(`${file}: expected ${recordings}, received a folder`)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const recordings = 'a HAR or a run record (run.ndjson)'

/** Whether a text begins as a run record does. */
const isRunRecord = (text: string): boolean => /^\uFEFF?\s*\{\s*"type"\s*:/.test(text.slice(0, headBytes))

/** Some shells write what a command prints as UTF-16. */
const textOf = (bytes: Buffer): string =>
  bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString('utf16le') : bytes.toString()

const tooLarge = new Set(['ERR_STRING_TOO_LONG', 'ERR_FS_FILE_TOO_LARGE', 'ERR_BUFFER_TOO_LARGE'])

/** @throws RecordingError where it is too large, or packed and damaged */
const readWhole = async (file: string, read: (bytes: Buffer) => string): Promise<string> => {
  try {
    return read(await readFile(file))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (tooLarge.has(code))
      throw new RecordingError(
        `${file}: expected a HAR that fits into memory, received one that is too large: split it`,
      )
    if (code.startsWith('Z_'))
      throw new RecordingError(
        `${file}: expected ${recordings}, received a file packed by gzip that is damaged (${code})`,
      )
    throw error
  }
}

/** @throws RecordingError where it is no JSON */
const parsed = (text: string, file: string): unknown => {
  const attached = text.includes('"_file"') ? attachedIn(dirname(file)) : undefined
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''), attached)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new RecordingError(`${file}: expected ${recordings}, received text that is not JSON (${why})`)
  }
}

/** Playwright may keep bodies in files beside the HAR, and name them in it. Of what is not there any more nothing is known. */
const attachedIn =
  (folder: string) =>
  (_: string, part: unknown): unknown => {
    if (!isObject(part) || typeof part._file !== 'string') return part
    try {
      const bytes = readFileSync(join(folder, basename(part._file)))
      return { ...part, text: bytes.toString('base64'), encoding: 'base64' }
    } catch {
      return { ...part, text: undefined }
    }
  }

const readRun = async (lines: AsyncGenerator<RecordLine> | Generator<RecordLine>, file: string): Promise<Recording> => {
  const reader = createRunReader(({ setting, startedAt }) =>
    createNonce(typeof setting.safety.prefix === 'string' ? setting.safety.prefix : 'ts', Date.parse(startedAt)),
  )
  let number = 0
  for (;;) {
    const next = await Promise.resolve()
      .then(() => lines.next())
      .catch((error: Error) => {
        throw 'syscall' in error ? error : new RecordingError(error.message)
      })
    if (next.done) return reader.recording(file)
    number += 1
    reader.add(next.value, `${file}:${number}`)
  }
}

const harReader = async (options: RecordingOptions): Promise<Read> => {
  const target = await loadTarget({ ...options, env: process.env, secrets: 'optional' })
  const routes = createRoutes(operations)
  const route = (method: string, path: string) => {
    const found = routes(method, path)
    return found && 'op' in found ? found : undefined
  }
  // A target file that merely lies near may be about something else.
  const isNamed = options.target !== undefined || process.env.TOUCHSTONE_TARGET !== undefined
  return (files) => {
    const readings = readingsOf(files, { route, ...(target && { target: harTarget(target) }) })
    return isNamed || !target || readings.some((all) => all.some(({ events }) => events.length > 0))
      ? readings
      : readingsOf(files, { route })
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
