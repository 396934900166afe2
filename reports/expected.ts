// Findings that are known and expected: marked so that they don't gate, and called stale once the target was fixed.
import type { Results } from './results-schema.js'
import { compareText, sortFindings, verdictOf } from './verdicts.js'

export interface ExpectedFinding {
  readonly id: string
  readonly reason?: string
  /** Date (`2026-01-31`) or date-time from which it is no longer expected. */
  readonly until?: string
}

/**
 * Reads the file of expected findings: a JSON list of ids of findings or causes, or of `{id, reason, until}`.
 * Throws with the file and the JSON path when an entry is something else.
 */
export function parseExpected(text: string, file: string): ExpectedFinding[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new Error(
      `${file}: expected a JSON list of ids of findings or causes, received text that is not JSON: ${String(error)}`,
    )
  }
  if (!Array.isArray(json))
    throw new Error(`${file}: expected a JSON list of ids of findings or causes, received ${kindOf(json)}`)
  return json.map((item, index) => parseEntry(item, `${file}: /${index}`))
}

/**
 * Marks the expected findings and names the stale ones: those whose clause was judged in this run without showing them,
 * and those that name no clause. One whose clause was not reached is neither. `until` is compared with the run's start.
 */
export function applyExpected(results: Results, expected: readonly (string | ExpectedFinding)[]): Results {
  const entries = expected.map((item) => (typeof item === 'string' ? { id: item } : item))
  const live = new Map(entries.filter((item) => !isOver(item, results.startedAt)).map((item) => [item.id, item]))
  const marked = results.findings.map(({ expectedFinding: _, expectedReason: __, ...finding }) => {
    const item = live.get(finding.id) ?? live.get(finding.cause)
    if (item === undefined) return finding
    return {
      ...finding,
      expectedFinding: true,
      ...(item.reason !== undefined ? { expectedReason: item.reason } : {}),
    }
  })
  const findings = sortFindings(marked, results.clauses)
  const shown = new Set(findings.flatMap(({ id, cause }) => [id, cause]))
  const stale = entries.map(({ id }) => id).filter((id) => !shown.has(id) && couldHaveShown(results, id))
  return {
    ...results,
    findings,
    verdict: verdictOf({ ...results, findings }),
    stale: [...new Set(stale)].sort(compareText),
  }
}

/** Why an expected finding is stale, and what to do about it: the target was fixed, it shows in another way, or there is no such thing. */
export function staleText(results: Results, id: string): string {
  const name = `the expected finding ${id}`
  if (!isKnown(results, id))
    return `${name} names no clause and no cause of interface ${results.interface}: it was renamed or is misspelt; correct it (touchstone list clauses), or take it off the list`
  const clause = clauseNamed(results, id)
  const others = results.findings.filter((one) => one.clause === clause?.id).map((one) => one.id)
  if (others.length > 0) return `${name} was not shown, but ${others.join(', ')}; correct it, or take it off the list`
  return `${name} was not shown; take it off the list`
}

/** Whether there is what an id is about. What a cause says of it is not looked into. */
const isKnown = (results: Results, id: string): boolean => {
  const [, scope] = causeNamed(id)
  return scope === undefined ? clauseNamed(results, id) !== undefined : clausesWithin(results, scope).length > 0
}

/** Whether the run judged what the finding or cause is about, or there is no such thing at all. */
function couldHaveShown(results: Results, id: string): boolean {
  const [, scope, what = ''] = causeNamed(id)
  if (scope !== undefined) return couldHaveCaused(results, scope, what)
  const clause = clauseNamed(results, id)
  return clause === undefined || isJudged(clause)
}

/** The scope of a cause, and what it does, of an id such as `volumes.resize: drops token`. */
const causeNamed = (id: string): readonly (string | undefined)[] => /^([^:]+): (.+)$/s.exec(id) ?? []

const clausesWithin = ({ clauses }: Results, scope: string): Results['clauses'] =>
  clauses.filter(
    ({ operation, area }) =>
      scope === '*' || operation === scope || area === scope || operation.startsWith(`${scope}.`),
  )

/** A cause of many operations shows only where all of them are asked; one that names a clause, where that was judged. */
function couldHaveCaused(results: Results, scope: string, what: string): boolean {
  const named = results.clauses.filter(({ id }) => what.split(' ').includes(id))
  const within = clausesWithin(results, scope)
  if (named.length > 0) return named.some(isJudged)
  return within.length === 0 || (within.some(isJudged) && within.every(({ verdict }) => verdict !== 'not-selected'))
}

const isJudged = ({ verdict }: Results['clauses'][number]): boolean => verdict === 'pass' || verdict === 'finding'

/** The clause that the id of a finding begins with. */
const clauseNamed = (results: Results, id: string): Results['clauses'][number] | undefined =>
  results.clauses
    .filter((candidate) => id.startsWith(candidate.id) && !/[\w-]/.test(id.charAt(candidate.id.length)))
    .reduce<Results['clauses'][number] | undefined>(
      (longest, candidate) => (candidate.id.length > (longest?.id.length ?? 0) ? candidate : longest),
      undefined,
    )

function isOver({ until }: ExpectedFinding, startedAt: string): boolean {
  return until !== undefined && Date.parse(startedAt) >= Date.parse(until)
}

function parseEntry(item: unknown, where: string): ExpectedFinding {
  if (typeof item === 'string') return { id: item }
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw new Error(`${where}: expected a finding id or {"id", "reason", "until"}, received ${kindOf(item)}`)
  for (const [key, value] of Object.entries(item)) {
    if (!['id', 'reason', 'until'].includes(key))
      throw new Error(`${where}/${key}: expected one of id, reason, until, received an unknown key`)
    if (typeof value !== 'string') throw new Error(`${where}/${key}: expected a string, received ${kindOf(value)}`)
  }
  const { id, reason, until } = item as { id?: string; reason?: string; until?: string }
  if (id === undefined) throw new Error(`${where}: expected an "id", received ${JSON.stringify(item)}`)
  if (until !== undefined && Number.isNaN(Date.parse(until)))
    throw new Error(`${where}/until: expected a date such as "2026-01-31", received ${JSON.stringify(until)}`)
  return { id, ...(reason !== undefined ? { reason } : {}), ...(until !== undefined ? { until } : {}) }
}

const kindOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`
