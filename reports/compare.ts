// Two or more results side by side: nights of one target, or implementations; it ranks none of them.

import type { Cause, ClauseEntry } from '../history/record.js'
import { grouped } from '../models/language/grouped.js'
import { rankOfCause, toldCauses } from './causes.js'
import type { ClauseVerdict, Results } from './results-schema.js'

export interface NamedResults {
  /** What the run is called in the comparison, such as its file. */
  readonly name: string
  readonly results: Results
}

/** What became of a finding from the first run to the last; not told where the runs are of different targets. */
export type Change = 'new' | 'flaky' | 'fixed' | 'persisting' | 'not retested'

export interface Comparison {
  readonly runs: readonly NamedResults[]
  readonly sameTarget: boolean
  /** Every clause of any run with its verdict in each; undefined where a run does not know it. */
  readonly clauses: readonly {
    readonly clause: ClauseEntry
    readonly verdicts: readonly (ClauseVerdict | undefined)[]
    readonly differs: boolean
  }[]
  readonly findings: readonly {
    readonly finding: Results['findings'][number]
    readonly shown: readonly boolean[]
    readonly change?: Change
  }[]
  readonly causes: readonly {
    readonly cause: Cause
    readonly shown: readonly boolean[]
    readonly change?: Change
  }[]
}

/** Compares the runs in the order given: the first is the base line, the last is now. */
export function compare(runs: readonly NamedResults[]): Comparison {
  if (runs.length < 2) throw new Error(`compare: expected two results or more, received ${runs.length}`)
  const targets = new Set(runs.map(({ results }) => `${results.target.name}\n${results.target.baseUrl}`))
  const tables = runs.map(({ results }) => new Map(results.clauses.map((clause) => [clause.id, clause.verdict])))
  // The latest run's wording and order; what only older runs knew comes after.
  const clauses = grouped(
    runs.toReversed().flatMap(({ results }) => results.clauses),
    ({ id }) => id,
  )
  return {
    runs,
    sameTarget: targets.size === 1,
    clauses: [...clauses.values()].flatMap(([clause]) => {
      if (clause === undefined) return []
      const verdicts = tables.map((table) => table.get(clause.id))
      // What a run was not about says nothing of the target.
      const told = verdicts.filter((verdict) => verdict !== 'not-selected')
      return told.every((verdict) => verdict === undefined)
        ? []
        : [{ clause, verdicts, differs: new Set(told).size > 1 }]
    }),
    findings: compareFindings(runs, tables, targets.size === 1),
    causes: compareCauses(runs, tables, targets.size === 1),
  }
}

function compareFindings(
  runs: readonly NamedResults[],
  tables: readonly ReadonlyMap<string, ClauseVerdict>[],
  sameTarget: boolean,
): Comparison['findings'] {
  const groups = grouped(
    runs.toReversed().flatMap(({ results }) => results.findings),
    ({ id }) => id,
  )
  const compared = [...groups].flatMap(([id, [finding]]): Comparison['findings'][number][] => {
    if (finding === undefined) return []
    const shown = runs.map(({ results }) => results.findings.some((candidate) => candidate.id === id))
    if (!sameTarget) return [{ finding, shown }]
    const told = tables.map((table) => isJudged(table.get(finding.clause)))
    return [{ finding, shown, change: changeOf(shown, told) }]
  })
  return compared.sort((a, b) => rankOf(a) - rankOf(b))
}

function compareCauses(
  runs: readonly NamedResults[],
  tables: readonly ReadonlyMap<string, ClauseVerdict>[],
  sameTarget: boolean,
): Comparison['causes'] {
  const groups = grouped(
    runs.toReversed().flatMap(({ results }) => toldCauses(results).map((told) => ({ told, results }))),
    ({ told }) => told.cause.id,
  )
  const worstFirst = [...groups].flatMap(([id, [latest]]) => (latest ? [{ id, ...latest }] : []))
  worstFirst.sort((a, b) => rankOfCause(a.told) - rankOfCause(b.told))
  const compared = worstFirst.map(({ id, told: { cause }, results }): Comparison['causes'][number] => {
    const shown = runs.map((run) => run.results.causes.some((candidate) => candidate.id === id))
    if (!sameTarget) return { cause, shown }
    const judged = results.findings.filter((finding) => finding.cause === id)
    const told = tables.map((table) => judged.every(({ clause }) => isJudged(table.get(clause))))
    return { cause, shown, change: changeOf(shown, told) }
  })
  return compared.sort((a, b) => rankOf(a) - rankOf(b))
}

/** In the order in which they are told. */
export const CHANGES = ['new', 'flaky', 'persisting', 'not retested', 'fixed'] as const satisfies readonly Change[]

/** In which runs something showed, and what that amounts to. */
export interface Shown {
  readonly shown: readonly boolean[]
  readonly change?: Change
}

const rankOf = ({ change }: Shown): number => (change === undefined ? 0 : CHANGES.indexOf(change))

const isJudged = (verdict: ClauseVerdict | undefined): boolean => verdict === 'pass' || verdict === 'finding'

/**
 * A finding that is gone is fixed only where the last run judged its clause again, and one that comes or goes more than once
 * is flaky; a run that did not judge the clause says nothing of either.
 */
function changeOf(shown: readonly boolean[], judged: readonly boolean[]): Change {
  const told = shown.filter((seen, index) => seen || judged[index] === true)
  const turns = told.filter((seen, index) => index > 0 && seen !== told[index - 1]).length
  if (turns > 1) return 'flaky'
  if (shown.at(-1) === true) return shown[0] === true ? 'persisting' : 'new'
  return judged.at(-1) === true ? 'fixed' : 'not retested'
}
