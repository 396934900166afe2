// What judging traffic or a run again comes to as lines of a record: steps, evidence, findings; nothing is judged.

import type { HookEntry, Remark } from '../history/entry.js'
import type { Finding, RecordLine } from '../history/record.js'
import { timesOf } from '../history/traffic-lines.js'
import { countedUnder } from '../oracle/clauses.js'
import { type Found, findingOf, type JudgedHistory } from '../oracle/found.js'
import type { Judged } from '../oracle/judgement.js'
import { stepLine, whereOf } from '../oracle/step-line.js'
import { replayCommand } from '../reports/names.js'

type StepLine = Extract<RecordLine, { readonly type: 'step' }>

/** @param fromMs where the times of the recording begin */
export const lineOf = (judged: Judged, fromMs = 0): StepLine => {
  const { program, startedAt, ms } = judged
  const at = Math.max(0, Math.round(fromMs + startedAt))
  return stepLine(judged, { program, at, ms: Math.round(ms * 100) / 100 }, judged)
}

/** The same of a call of a run, with all that its record tells of where it comes from. */
export const runLineOf = (judged: Judged, fromMs = 0): StepLine => {
  const where = whereOf(judged)
  return stepLine(judged, { ...where, at: fromMs + where.at }, judged)
}

/** The same of recorded traffic, of which is told as well when it may have been under way. */
export const seenLineOf = (judged: Judged, fromMs = 0): RecordLine => ({
  ...lineOf(judged, fromMs),
  times: timesOf(judged),
})

/** What a run noted between its calls. */
export const lineOfRemark = (entry: HookEntry | Remark): RecordLine => {
  if (entry.kind !== 'hook') {
    const { kind: type, ...rest } = entry
    return { type, ...rest } as RecordLine
  }
  const { kind: type, startedAt: _, endedAt: __, ...rest } = entry
  return { type, ...rest }
}

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
    for (const clause of held.flatMap(countedUnder)) hold(clause, n)
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

interface Told {
  /** Where its file will be. */
  readonly folder: string
  /** The file or URL by which a flag names the target. */
  readonly target?: string | undefined
  /** Text that only names made in a run contain; empty for traffic. */
  readonly nonce?: string | undefined
}

export const tell = (
  { id, deviation, steps, shrunkFrom, confirmed, unforeseen }: Found,
  { folder, target, nonce = '' }: Told,
): Finding =>
  findingOf(deviation, steps, {
    shrunkFrom,
    confirmed,
    unforeseen,
    replay: replayCommand(id, folder, target),
    ...(nonce !== '' && { nonce }),
  })
