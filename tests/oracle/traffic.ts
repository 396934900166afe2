// Makes recordings for tests: HARs from steps of a session or from exchanges written down by hand, and run records. No tests.
import fc from 'fast-check'
import { programSeed } from '../../arbitraries/programs.js'
import { race } from '../../driver/race.js'
import { randomWalk } from '../../driver/random-walk.js'
import { survey } from '../../driver/survey.js'
import { buildCall } from '../../history/calls.js'
import { readHar } from '../../history/har.js'
import type { RecordLine } from '../../history/record.js'
import type { Recording } from '../../history/recording.js'
import { createFinder } from '../../history/routes.js'
import { firewalls } from '../../models/firewalls/record.js'
import { operationById, operations } from '../../models/index.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { contacts as managedContacts } from '../../models/managed-contacts/record.js'
import { volumes } from '../../models/volumes/record.js'
import type { JudgedHistory } from '../../oracle/found.js'
import { judgeRun } from '../../oracle/judge-run.js'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import type { EmbeddedOptions } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { startLine } from '../../suites/start-line.js'

export type Step = Extract<RecordLine, { readonly type: 'step' }>

export const baseUrl = 'https://api.example.test/v4'
export const secretOf = (token: string): string => `secret-of-${token}`

/** Anything that HTTP can carry. */
export interface Exchange {
  readonly method: string
  readonly url: string
  /** A token's name; null for no header, undefined for one that the exporter left out. */
  readonly as?: string | null | undefined
  readonly body?: unknown
  readonly file?: { readonly field: string; readonly name: string }
  readonly status: number
  readonly reply?: unknown
  /** Milliseconds after the start. */
  readonly at?: number
  readonly ms?: number
  /** Further members of the entry. */
  readonly more?: object
}

const start = Date.UTC(2026, 0, 1)

export const entryOf = (
  { method, url, as, body, file, status, reply, at, ms = 10, more }: Exchange,
  i: number,
): Record<string, unknown> => {
  const text = reply === undefined ? '' : JSON.stringify(reply)
  return {
    startedDateTime: new Date(start + (at ?? i * 100)).toISOString(),
    time: ms,
    request: {
      method,
      url: url.startsWith('http') ? url : baseUrl + url,
      headers: [
        { name: 'accept', value: 'application/json' },
        ...(as ? [{ name: 'Authorization', value: `Bearer ${secretOf(as)}` }] : []),
      ],
      ...(body !== undefined && { postData: { mimeType: 'application/json', text: JSON.stringify(body) } }),
      ...(file && {
        postData: { mimeType: 'multipart/form-data; boundary=b', params: [{ name: file.field, fileName: file.name }] },
      }),
      bodySize: body === undefined && file === undefined ? 0 : -1,
    },
    response: { status, content: { size: text.length, mimeType: 'application/json', text } },
    ...more,
  }
}

export const harOf = (exchanges: readonly Exchange[]) => ({ log: { version: '1.2', entries: exchanges.map(entryOf) } })

/** A call by operation id, with its reply. */
export const told = (
  id: string,
  args: Args,
  status: number,
  reply?: unknown,
  more: Partial<Exchange> = {},
): Exchange => {
  const op = operationById(id)
  if (!op) throw new Error(`no operation ${id}`)
  const { method, url, body } = buildCall(op, args)
  return { method, url, status, reply, ...(body !== undefined && { body }), as: args.as ?? null, ...more }
}

/** What a reply shows of the one volume that the stories of these tests are about. */
export const volume = (fields: object = {}) => ({
  id: 7,
  label: 'disk',
  status: 'active',
  size: 20,
  region: 'r1',
  hardware_type: 'hdd',
  filesystem_path: '/dev/disk/by-id/scsi-0Node_Volume_disk',
  node_id: null,
  node_label: null,
  tags: [],
  created: '2026-01-01T00:00:00',
  updated: '2026-01-01T00:00:00',
  ...fields,
})
export const named = (label: string) => volume({ label, filesystem_path: `/dev/disk/by-id/scsi-0Node_Volume_${label}` })
export const page = (...data: readonly object[]) => ({ data, page: 1, pages: 1, results: data.length })

export const exchangeOf = ({ call, outcome }: Step): Exchange => ({
  method: call.method,
  url: call.url,
  as: call.as,
  ...(call.body !== undefined && { body: call.body }),
  ...(call.file && { file: call.file }),
  ...('lost' in outcome ? { status: 0 } : { status: outcome.status, reply: outcome.body }),
})

export const route = createFinder(operations)

export const targetOf = () => {
  const environment = embeddedEnvironment()
  const secrets = new Map(environment.tokens.map(({ name }) => [name, secretOf(name)]))
  return { environment, baseUrl, secrets, listLagMs: 0 }
}

export const recordingsOf = (json: unknown, known = false): readonly Recording[] =>
  readHar(json, 'a.har', { route, ...(known && { target: targetOf() }) })

/** @param mayLack whether calls of the recorded clients may be missing */
export const judgeHar = (json: unknown, known = false, mayLack = false): JudgedHistory => {
  const [first] = recordingsOf(json, known)
  if (!first) throw new Error('no recording')
  return judgeTraffic({ ...first, mayLack })
}

export const judgeExchanges = (exchanges: readonly Exchange[], known = false): JudgedHistory =>
  judgeHar(harOf(exchanges), known)

/** Findings that gate. */
export const gating = ({ found }: JudgedHistory): readonly string[] =>
  found
    // What a refused call does all the same is told as an inference.
    .filter(({ id, deviation: { level } }) => level !== 'should' || id.includes('.refusal.unchanged:'))
    .map(({ id }) => id)

/** The lines of a session of random programs against the embedded target, some near one operation. */
export const linesOf = async (
  options: Partial<EmbeddedOptions> & {
    readonly seed?: number
    readonly programs?: number
    readonly near?: readonly Operation[]
    readonly races?: number
  } = {},
): Promise<readonly RecordLine[]> => {
  const { programs = 8, near = operations, seed = 1, races = 0, ...embedded } = options
  const environment = embeddedEnvironment()
  const { session, lines } = inProcess({ environment, ...embedded })
  await survey(session)
  for (const seeds of fc.sample(programSeed(near, 20), { seed, numRuns: programs }))
    await randomWalk(session, 'program', seeds)
  const lanes = fc.array(fc.array(fc.nat(20), { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 })
  for (const [i, one] of fc.sample(lanes, { seed, numRuns: races }).entries())
    await race(session, [volumes, firewalls, managedContacts][i % 3] as AnyTable, one)
  return [firstLine(), ...lines]
}

export const firstLine = (): RecordLine =>
  startLine(
    { options: { seed: 1, level: 'must', command: 'touchstone run' }, startedAt: 0 },
    { environment: embeddedEnvironment(), baseUrl },
  )

export const stepsOf = (lines: readonly RecordLine[]): readonly Step[] =>
  lines.filter((line): line is Step => line.type === 'step')

export { judgeRun }
