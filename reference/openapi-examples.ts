// A call and its reply for every operation, taken from the embedded target itself; examples of the OpenAPI document.

import { probeFor } from '../arbitraries/probes.js'
import { runProgram } from '../driver/programs.js'
import type { Outcome, RecordLine, WireCall } from '../history/record.js'
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

const makeExamples = async (): Promise<Examples> => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment() }, 'example')
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
  for (const line of lines) {
    const example = exampleIn(line)
    if (example && isRicher(example, all.get(example.call.operation))) all.set(example.call.operation, example)
  }
  return all
}

const exampleIn = (line: RecordLine): Example | undefined =>
  line.type === 'step' && 'status' in line.outcome && line.outcome.status < 300
    ? { call: line.call, reply: line.outcome }
    : undefined

/** A call with more to it, and a list that holds something, show more. */
const isRicher = (one: Example, other: Example | undefined): boolean =>
  other === undefined || richness(one) > richness(other)

const richness = ({ call, reply }: Example): number =>
  (isEmptyList(reply.body) ? 0 : 1000) + Object.keys((call.body as object | undefined) ?? {}).length

const isEmptyList = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data) && body.data.length === 0
