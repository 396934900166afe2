// A call and its reply for every operation, taken from the embedded target itself; examples of the OpenAPI document.

import { probeFor } from '../arbitraries/probes.js'
import { runProgram } from '../driver/programs.js'
import type { RecordLine } from '../history/record.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { operations } from '../models/index.js'
import { clausesOf } from '../models/language/derive.js'
import { embeddedEnvironment } from './environment.js'
import { inProcess } from './in-process.js'

export interface Example {
  readonly call: WireCall
  readonly reply: Extract<Outcome, { readonly status: number }>
}

export type Examples = ReadonlyMap<string, Example>

let made: Promise<Examples> | undefined

/** By operation id; made once. */
export const examples = (): Promise<Examples> => {
  made ??= makeExamples()
  return made
}

/** Dates have a zone, as the format that schemas name wants it. */
const makeExamples = async (): Promise<Examples> => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), variation: { dates: 'zone' } }, 'example')
  // What ends a whole service comes last.
  const inOrder = [...operations].sort((a, b) => Number(a.guarded !== undefined) - Number(b.guarded !== undefined))
  for (const op of inOrder)
    for (const clause of clausesOf(op).filter(({ id, kind }) => id === `${op.id}.accepts` || kind === 'statement')) {
      const probe = probeFor(clause, session.context)
      // What a list holds is often shown by what is stated of it alone.
      const isNeeded = clause.kind !== 'statement' || op.reply.kind === 'page'
      if (isNeeded && probe.kind === 'program') await runProgram(session, probe.program, clause)
    }
  const all = new Map<string, Example>()
  const richness = richnessAfter(lines)
  for (const line of lines) {
    const example = exampleIn(line)
    if (!example) continue
    const other = all.get(example.call.operation)
    if (!other || richness(example) > richness(other)) all.set(example.call.operation, example)
  }
  return all
}

const exampleIn = (line: RecordLine): Example | undefined =>
  line.type === 'step' && 'status' in line.outcome && line.outcome.status < 300
    ? {
        call: { ...line.call, body: unmasked(line.call.body) as WireCall['body'] },
        reply: { ...line.outcome, body: unmasked(line.outcome.body) },
      }
    : undefined

/** Secrets are masked in records; an example shows a word that can be sent in their place. */
const unmasked = (value: unknown): unknown => {
  if (typeof value === 'string') return value.includes('«redacted') ? 'example-secret' : value
  if (Array.isArray(value)) return value.map(unmasked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unmasked(inner)]))
}

/** What counts, in this order: a list that holds something, a body that can be sent again as it stands, more members, shorter texts. */
const richnessAfter = (lines: readonly RecordLine[]): ((example: Example) => number) => {
  const made = new Set(lines.flatMap((line) => idsIn(exampleIn(line))))
  const names = (value: unknown): boolean =>
    typeof value === 'number'
      ? made.has(value)
      : typeof value === 'object' && value !== null && Object.values(value).some(names)
  return ({ call: { body = {} }, reply }) =>
    (isEmptyList(reply.body) ? 0 : 1000) +
    (names(body) ? 0 : 100) +
    Object.keys(body as object).length -
    JSON.stringify(body).length / 1_000_000
}

/** What a creation made. */
const idsIn = (example: Example | undefined): readonly number[] => {
  const body = example?.reply.body
  const isMade = example?.call.method === 'POST' && typeof body === 'object' && body !== null && 'id' in body
  return isMade && typeof body.id === 'number' ? [body.id] : []
}

const isEmptyList = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data) && body.data.length === 0
