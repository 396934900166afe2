// A finding as diagnosis reads it: the operations that its program calls, the member that it is about, and the last reply.

import { bodyOf, isError } from '../../history/outcomes.js'
import type { Finding, RecordedStep } from '../../history/record.js'
import { operationById } from '../../models/index.js'
import { type Clause, clausesOf, slugIn } from '../../models/language/derive.js'
import { errorsIn, memberIn } from '../../models/language/error-envelope.js'
import { memoisedByText } from '../../models/language/memoised.js'
import { isObject } from '../../models/language/objects.js'
import type { Operation } from '../../models/language/operation.js'

export interface Symptom {
  readonly finding: Finding
  readonly op: Operation
  /** Undefined where the registry has no such clause, as of a pinned choice. */
  readonly clause: Clause | undefined
  /** The clause without its operation: `shows.region`. */
  readonly slug: string
  /** The kind of deviation: `accepted`, `refused`, `shape`, … */
  readonly kind: string
  /** Operations that the program calls, and those that brought about what makes the clause due. */
  readonly calls: ReadonlySet<string>
  /** The operation whose reply shows it. */
  readonly shownBy: string
  readonly last: RecordedStep | undefined
  /** The words of its clause between hyphens: `-shows-region-`. */
  readonly words: string
}

/** Undefined of a finding that belongs to no operation of the registry. */
export const symptomOf = (finding: Finding): Symptom | undefined => {
  const op = operationById(finding.operation)
  if (!op) return undefined
  const last = finding.steps.at(-1)
  const slug = slugOfFinding(finding.clause, op)
  const kind = finding.id.slice(finding.clause.length + 1)
  return {
    finding,
    op,
    clause: clausesOf(op).find(({ id }) => id === finding.clause),
    slug,
    kind,
    calls: new Set([...finding.steps.map(({ call }) => call.operation), ...doersOf(finding)]),
    shownBy: last?.call.operation ?? op.id,
    last,
    words: wordsOf(`${slug} ${kind} ${finding.member ?? ''}`),
  }
}

export const slugOfFinding = (clause: string, op: Operation): string =>
  clause.startsWith(`${op.id}.`) ? slugIn(op, clause) : clause

/** The operations that brought about what makes its clause due. */
export const doersOf = ({ facts = [] }: Finding): readonly string[] =>
  facts.flatMap(({ by }) => (operationById(by) ? [by] : []))

/** The body of the last reply; undefined where there is none. */
export const replied = ({ last }: Symptom): unknown => last && bodyOf(last.outcome)

export const isRefused = ({ last }: Symptom): boolean => last !== undefined && isError(last.outcome)

/** The members that the last refusal names, by their last name. */
export const blamedIn = (symptom: Symptom): readonly string[] => {
  const errors = errorsIn(replied(symptom)) ?? []
  return errors.flatMap((error) =>
    isObject(error) && typeof error.field === 'string' && error.field !== ''
      ? [memberIn(error.field) ?? error.field]
      : [],
  )
}

/** Whether a symptom is about a member of that name. */
export const isAbout = ({ words }: Pick<Symptom, 'words'>, member: string): boolean => words.includes(wordsOf(member))

export const wordsOf = memoisedByText((text) => `-${text.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-`)
