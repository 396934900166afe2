// What judging traffic comes to as lines of a record: steps, evidence, findings; nothing is judged.

import { join } from 'node:path'
import { redactCall, redactOutcome } from '../history/masking.js'
import type { Finding, RecordLine } from '../history/record.js'
import { operations } from '../models/index.js'
import { clausesOf } from '../models/language/derive.js'
import { type Found, findingOf, type JudgedHistory } from '../oracle/found.js'
import type { Judged } from '../oracle/judgement.js'
import { findingIdOf } from '../oracle/shrink.js'
import { findingFile } from '../reports/names.js'

/** @param fromMs where the times of the recording begin */
export const stepLine = (judged: Judged, fromMs = 0): RecordLine => {
  const { n, program, startedAt, ms, call, outcome, judgement, verdict, deviations } = judged
  return {
    type: 'step',
    n,
    program,
    at: Math.max(0, Math.round(fromMs + startedAt)),
    ms: Math.round(ms * 100) / 100,
    call: redactCall(call),
    outcome: redactOutcome(outcome),
    expects: judgement.expects,
    verdict,
    ...(judgement.assumed && { assumed: judgement.assumed }),
    ...(deviations.length > 0 && { findings: deviations.map(findingIdOf) }),
  }
}

/** All clauses about the shape of an operation's reply, by `<operation>.reply`. */
const shapes: ReadonlyMap<string, readonly string[]> = new Map(
  operations.map((op) => [`${op.id}.reply`, clausesOf(op).flatMap(({ kind, id }) => (kind === 'shape' ? [id] : []))]),
)

/** What held, counted; what was chosen, once a value; and where a rule of ours stumbled. */
export const evidenceOf = ({ steps, held: more }: Pick<JudgedHistory, 'steps' | 'held'>): readonly RecordLine[] => {
  const held = new Map<string, { step: number; times: number }>()
  const choices = new Map<string, RecordLine>()
  const defects = new Set<string>()
  const hold = (clause: string, step: number): void => {
    held.set(clause, { step, times: (held.get(clause)?.times ?? 0) + 1 })
  }
  for (const { clause, step } of more) hold(clause, step)
  for (const { n, judgement, held } of steps) {
    for (const clause of held.flatMap((id) => shapes.get(id) ?? [id])) hold(clause, n)
    for (const { id, value } of judgement.choices)
      if (!choices.has(`${id} ${value}`)) choices.set(`${id} ${value}`, { type: 'choice', id, value, step: n })
    for (const text of judgement.defects ?? []) defects.add(text)
  }
  return [
    ...[...held].map(([clause, { step, times }]): RecordLine => ({ type: 'exercised', clause, step, times })),
    ...choices.values(),
    ...[...defects].map((text): RecordLine => ({ type: 'trouble', kind: 'suite-defect', text })),
  ]
}

/**
 * @param folder where its file will be
 * @param nonce text that only names made in a run contain; empty for traffic
 */
export const tell = ({ id, deviation, steps, shrunkFrom }: Found, folder: string, nonce = ''): Finding =>
  findingOf(deviation, steps, {
    shrunkFrom,
    replay: `touchstone replay ${join(folder, findingFile(id))}`,
    ...(nonce !== '' && { nonce }),
  })
