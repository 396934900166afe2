// What judging a step yields: deviations, evidence, choices and the world that follows; types and small constructors.

import type { CallEntry } from '../history/entry.js'
import { masked } from '../history/masking.js'
import type { Level } from '../history/record.js'
import type { Clause } from '../models/language/derive.js'
import type { World } from '../models/language/world.js'
import type { Expectation } from './due.js'

/** What a judge takes in of a call: what was sent, what came of it, and when. */
export type Observation = Pick<CallEntry, 'op' | 'call' | 'outcome' | 'n'> &
  Partial<Pick<CallEntry, 'startedAt' | 'endedAt' | 'overdue' | 'group' | 'instance'>>

/** Something that a step established, as a reason that a finding gives. */
export interface Fact {
  readonly text: string
  /** 0 for the target file. */
  readonly step: number
  /** The operation, or else what brought it about. */
  readonly by: string
  /** What it is about, and the value that it has since then. */
  readonly table?: string
  readonly key?: string
  readonly field?: string
}

/** One way in which a reply is not what a clause requires. */
export interface Deviation {
  readonly clause: string
  readonly operation: string
  readonly level: Level
  readonly source: string
  readonly requires: string
  /** What kind of deviation it is, which may be named after the member that does not agree; part of the finding's id. */
  readonly kind: string
  /** The member of a record that does not agree with what is believed. */
  readonly member?: { readonly name: string; readonly shown: unknown }
  /** The one member of a record that a broken statement reads. */
  readonly about?: string
  readonly expected: string
  readonly received: string
  readonly because: readonly string[]
  /** What stands in `because` of what steps established. */
  readonly facts?: readonly Fact[]
  /** Keys of what should be there, and is not. */
  readonly missing?: readonly string[]
  /** What the judge said, where it was blamed on another call or clause since. */
  readonly from?: Deviation
}

/** A change that a reply does not show yet, or that the target had not yet made when it decided about a write. */
export interface Late {
  /** The operation that made it, or the hook. */
  readonly by: string
  /** When it was answered. */
  readonly changedAt: number
  /** Milliseconds from the reply to the change until the call that does not show it was sent. */
  readonly ageMs: number
  /** What deviates, unless it is late. */
  readonly hidden: readonly Deviation[]
  /** Set where no remembered world explains the reply: with so many changes it may still be late, but it does not tell by how much. */
  readonly isGuess?: true
  /** The step that made the change. */
  readonly step?: number
}

export interface Judgement {
  readonly expects: Expectation['kind']
  readonly verdict: 'pass' | 'finding' | 'inconclusive'
  readonly deviations: readonly Deviation[]
  /** Whether the call was accepted; undefined where the reply does not tell. */
  readonly accepted: boolean | undefined
  readonly world: World
  /** The one clause that made the target refuse, where it was the only one due. */
  readonly decisive?: string
  /** The one that surely was due, where others may have been due as well. */
  readonly sure?: string
  /** Ids of everything that is due or might be, and silences. */
  readonly possible: readonly string[]
  /** The refusals among them that are only possibly due, since others may have changed what decides: each with the parts of the call that decide. */
  readonly doubts?: Readonly<Record<string, readonly string[]>>
  /** Set where others use the target, and may have changed what decides whether something is due. */
  readonly unsure?: true
  /** Clauses about the reply that were decided and held. */
  readonly held: readonly string[]
  readonly choices: readonly { readonly id: string; readonly value: string }[]
  /** Rules of the suite that could not read the reply. */
  readonly defects?: readonly string[]
  /** Events that this success must emit. */
  readonly emits?: readonly string[]
  /** Events that this success must not emit, as what they tell of did not happen. */
  readonly withholds?: readonly string[]
  /** Key of what the call made. */
  readonly made?: string
  /** An unexplained refusal of a creation: a quota may be behind it, quotas being not shown. */
  readonly suspect?: boolean
  /** For a forbidden acceptance: how many other deviations the reply would have if the call were allowed. */
  readonly beyond?: number
  /** What was assumed so that the reply is explained: `drift volumes 7 status`. */
  readonly assumed?: readonly string[]
  /** Set where the reply may be late: nothing is reported of it, and nothing is learnt from it. */
  readonly late?: Late
}

/** A call with what was made of its reply. */
export interface Judged extends CallEntry {
  readonly judgement: Judgement
  /** Deviations that this call caused. Others of the judgement are attributed to other calls, or held back. */
  readonly deviations: readonly Deviation[]
  readonly verdict: Judgement['verdict']
  /** Clauses that held, those included that the call shows of others before it. */
  readonly held: readonly string[]
}

/** The id of the finding of a deviation, stable across runs: its clause and kind. */
export const findingIdOf = ({ clause, kind }: Pick<Deviation, 'clause' | 'kind'>): string => `${clause}:${kind}`

/** Whether a deviation is enough for a target not to conform. */
export const gates = ({ level }: Pick<Deviation, 'level'>): boolean => level === 'must' || level === 'pinned'

export const deviation = (
  clause: Clause,
  kind: string,
  expected: string,
  received: string,
  reasons: readonly (Fact | string)[] = [],
): Deviation => {
  const { id, operation, level, source, text } = clause
  return withReasons(
    { clause: id, operation, level, source, requires: text, kind, expected, received, because: [] },
    ...reasons,
  )
}

/** The deviation with more reasons. */
export const withReasons = (one: Deviation, ...reasons: readonly (Fact | string)[]): Deviation => {
  const facts = [...(one.facts ?? []), ...reasons.filter((reason) => typeof reason !== 'string')]
  const because = [...one.because, ...reasons.map((reason) => (typeof reason === 'string' ? reason : reason.text))]
  return { ...one, because, ...(facts.length > 0 && { facts }) }
}

/** The judgement of a call of which nothing can be told. */
export const undecided = (world: World): Judgement => ({
  expects: 'either',
  verdict: 'inconclusive',
  deviations: [],
  accepted: undefined,
  world,
  possible: [],
  held: [],
  choices: [],
})

/** The judgement with more that had to be assumed. */
export const assuming = (judgement: Judgement, ...names: readonly string[]): Judgement =>
  names.length === 0 ? judgement : { ...judgement, assumed: [...(judgement.assumed ?? []), ...names] }

const longest = 300

/** A value in one line, without its secrets, cut to a readable length. */
export const brief = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : (JSON.stringify(masked(value)) ?? String(value))
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
