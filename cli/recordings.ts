// Reads the files that `touchstone judge` is given: run records and HARs, told apart by what they hold; judges nothing.
import { readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { loadTarget } from '../config/target-file.js'
import { createNonce } from '../driver/nonce.js'
import type { TrafficSecrets } from '../driver/traffic-secrets.js'
import { harOptionsOf, recordedTargetOf } from '../guard/har-options.js'
import { readingsOf } from '../history/har.js'
import type { HarFile } from '../history/har-entries.js'
import { headersOf } from '../history/har-headers.js'
import { textOf } from '../history/har-text.js'
import type { RecordLine } from '../history/record.js'
import { type Reading, RecordingError } from '../history/recording.js'
import { createRunReader } from '../history/run-reader.js'
import { unknownToken } from '../models/language/access.js'
import { isObject } from '../models/language/objects.js'
import { refuseUnknownNames } from '../suites/names.js'
import { contentOf } from './content.js'
import { UsageError } from './errors.js'

export interface RecordingOptions {
  readonly target?: string | undefined
  readonly cwd: string
  /** Learns the secrets of what is read. */
  readonly secrets: TrafficSecrets
}

/** What files hold. */
export interface ReadRecording {
  readonly files: readonly string[]
  /** All that the files may hold, first as they tell it. */
  readonly readings: readonly [Reading, ...Reading[]]
}

/**
 * The recordings of files: one of each run, one for each target of a HAR; runs come first. HARs of the same target are one history.
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
      const content = await contentOf(file, kinds)
      if ('lines' in content)
        all.push(
          ...(await readRun(content.lines, file)).map((one): ReadRecording => ({ files: [name], readings: [one] })),
        )
      else {
        attachBodies(content.json, dirname(file))
        hars.push({ name, file: { json: content.json, file, isCut: content.isCut } })
      }
    }
    const read = await harReader(options)
    for (const { file } of hars) hearSecrets(file.json, options.secrets)
    // In a record, what follows the beginning of traffic is traffic.
    const records = [...all.filter(isRun), ...all.filter((one) => !isRun(one))]
    return [...records, ...connected(hars, read).map((some) => told(some, read))]
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

interface Group {
  readonly targets: readonly string[]
  readonly hars: readonly ReadHar[]
}

/** HARs in groups: those that have calls of the same target belong together, in whatever order they are given. */
const connected = (hars: readonly ReadHar[], read: Read): readonly (readonly ReadHar[])[] => {
  if (hars.length < 2) return hars.length === 0 ? [] : [hars]
  const groups = hars.reduce<readonly Group[]>((before, har) => {
    const own = read([har.file])[0].recordings.flatMap(({ baseUrl, events }) => (events.length > 0 ? [baseUrl] : []))
    const isMet = ({ targets }: Group): boolean => targets.some((target) => own.includes(target))
    const met = before.filter(isMet)
    const joined = {
      targets: [...met.flatMap(({ targets }) => targets), ...own],
      hars: [...met.flatMap((one) => one.hars), har],
    }
    return [...before.filter((one) => !isMet(one)), joined]
  }, [])
  return groups.map((one) => one.hars)
}

const isRun = ({ readings: [{ recordings }] }: ReadRecording): boolean => recordings[0]?.kind === 'run'

const kinds = 'a HAR or a run record (run.ndjson)'

const entriesIn = (json: unknown): readonly Record<string, unknown>[] =>
  isObject(json) && isObject(json.log) && Array.isArray(json.log.entries) ? json.log.entries.filter(isObject) : []

const hearSecrets = (json: unknown, secrets: TrafficSecrets): void => {
  for (const { request, response } of entriesIn(json))
    for (const part of [request, response].filter(isObject)) {
      if (typeof part.url === 'string') secrets.hearUrl(part.url, unknownToken)
      secrets.hearHeaders(
        headersOf(part).map(({ name, value }) => [name, value]),
        unknownToken,
      )
      for (const body of [part.postData, part.content].filter(isObject)) secrets.hearBody(textOf(body) ?? '')
    }
}

/** Playwright may keep bodies in files beside the HAR, and name them in it. Of what is not there any more nothing is known. */
const attachBodies = (json: unknown, folder: string): void => {
  for (const { request, response } of entriesIn(json))
    for (const part of [isObject(request) && request.postData, isObject(response) && response.content])
      if (isObject(part) && typeof part._file === 'string')
        Object.assign(part, attachedIn(join(folder, basename(part._file))))
}

const attachedIn = (file: string): object => {
  try {
    return { text: readFileSync(file, 'base64'), encoding: 'base64' }
  } catch {
    return { text: undefined }
  }
}

const readRun = async (
  lines: AsyncGenerator<RecordLine> | Generator<RecordLine>,
  file: string,
): Promise<readonly Reading[]> => {
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
    if (next.done) return reader.readings(file)
    number += 1
    reader.add(next.value, `${file}:${number}`)
  }
}

const harReader = async (options: RecordingOptions): Promise<Read> => {
  const target = await loadTarget({ ...options, env: process.env, secrets: 'optional' })
  if (target) refuseUnknownNames(target)
  for (const [name, secret] of target?.secrets ?? []) options.secrets.hearToken(secret, name)
  // A target file that merely lies near may be about something else.
  const isNamed = options.target !== undefined || process.env.TOUCHSTONE_TARGET !== undefined
  return (files) => {
    const readings = readingsOf(files, harOptionsOf(target && recordedTargetOf(target)))
    return isNamed || !target || readings.some(({ recordings }) => recordings.some(({ events }) => events.length > 0))
      ? readings
      : readingsOf(files, harOptionsOf())
  }
}
