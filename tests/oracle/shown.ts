// Holds what a run showed against what its record shows when it is judged again: findings, evidence and choices must be the same.
import type { RecordLine } from '../../history/record.js'
import { operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import { judgeRun } from '../../oracle/judge-run.js'
import { runIn } from '../history/recorded.js'

export interface Shown {
  readonly findings: readonly string[]
  readonly held: readonly string[]
  readonly choices: readonly string[]
}

/** All clauses about the shape of an operation's reply, by `<operation>.reply`. */
const shapes: ReadonlyMap<string, readonly string[]> = new Map(
  operations.map((op) => [`${op.id}.reply`, clausesOf(op).flatMap(({ kind, id }) => (kind === 'shape' ? [id] : []))]),
)

/** The record masks secrets, so what only they decide can't be judged from it. */
const isAboutSecrets = (id: string): boolean => /\.(?:no-secret|password-hidden)\b/.test(id)

const sorted = (ids: Iterable<string>): readonly string[] =>
  [...new Set(ids)].filter((id) => !isAboutSecrets(id)).sort()

/** What the lines of a run say that it showed. */
export const shownIn = (lines: readonly RecordLine[]): Shown => ({
  findings: sorted(lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : []))),
  held: sorted(lines.flatMap((line) => (line.type === 'exercised' ? [line.clause] : []))),
  choices: sorted(lines.flatMap((line) => (line.type === 'choice' ? [`${line.id} ${line.value}`] : []))),
})

/** What the same lines show when the calls in them are judged again; the first is the start of the record. */
export const shownAgain = (lines: readonly RecordLine[], nonce: string): Shown => {
  const { steps, found, held } = judgeRun(runIn(lines, nonce))
  const all = [...steps.flatMap((one) => one.held), ...held.map(({ clause }) => clause)]
  return {
    findings: sorted(found.map(({ id }) => id)),
    held: sorted(all.flatMap((id) => shapes.get(id) ?? [id])),
    choices: sorted(steps.flatMap(({ judgement }) => judgement.choices.map(({ id, value }) => `${id} ${value}`))),
  }
}
