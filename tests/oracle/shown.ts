// Holds what a run showed against what its record shows when it is judged again: findings, evidence and choices must be the same.
import { tell } from '../../guard/lines.js'
import type { Finding, RecordLine } from '../../history/record.js'
import { operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import { diagnose } from '../../oracle/diagnosis/diagnose.js'
import { judgeRun } from '../../oracle/judge-run.js'
import { runIn } from '../history/recorded.js'

export interface Shown {
  readonly findings: readonly string[]
  readonly held: readonly string[]
  readonly choices: readonly string[]
  readonly causes: readonly string[]
}

/** All clauses about the shape of an operation's reply, by `<operation>.reply`. */
const shapes: ReadonlyMap<string, readonly string[]> = new Map(
  operations.map((op) => [`${op.id}.reply`, clausesOf(op).flatMap(({ kind, id }) => (kind === 'shape' ? [id] : []))]),
)

/** The record masks secrets, so what only they decide can't be judged from it. */
const isAboutSecrets = (id: string): boolean => /\.(?:no-secret|password-hidden)\b/.test(id)

/** The causes of what was found, the last of each id. */
const causesOf = (findings: readonly Finding[], held: readonly string[]): readonly string[] =>
  sorted(
    diagnose(
      [...new Map(findings.map((one) => [one.id, one])).values()].filter(({ id }) => !isAboutSecrets(id)),
      new Set(held),
    ).map(({ id }) => id),
  )

const sorted = (ids: Iterable<string>): readonly string[] =>
  [...new Set(ids)].filter((id) => !isAboutSecrets(id)).sort()

/** What the lines of a run say that it showed. */
export const shownIn = (lines: readonly RecordLine[]): Shown => ({
  causes: causesOf(
    lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : [])),
    lines.flatMap((line) => (line.type === 'exercised' ? [line.clause] : [])),
  ),
  findings: sorted(lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : []))),
  held: sorted(lines.flatMap((line) => (line.type === 'exercised' ? [line.clause] : []))),
  choices: sorted(lines.flatMap((line) => (line.type === 'choice' ? [`${line.id} ${line.value}`] : []))),
})

/** What the same lines show when the calls in them are judged again; the first is the start of the record. */
export const shownAgain = (lines: readonly RecordLine[], nonce: string): Shown => {
  const { steps, found, held } = judgeRun(runIn(lines, nonce))
  const all = [...steps.flatMap((one) => one.held), ...held.map(({ clause }) => clause)]
  return {
    causes: causesOf(
      found.map((one) => tell(one, { folder: '' })),
      all.flatMap((id) => shapes.get(id) ?? [id]),
    ),
    findings: sorted(found.map(({ id }) => id)),
    held: sorted(all.flatMap((id) => shapes.get(id) ?? [id])),
    choices: sorted(steps.flatMap(({ judgement }) => judgement.choices.map(({ id, value }) => `${id} ${value}`))),
  }
}
