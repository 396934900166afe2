// Shards of one run merged into one result: what any of them showed, and the worst of their verdicts.

import { grouped } from '../models/language/grouped.js'
import { mergeAccess } from './access.js'
import { withCauses } from './causes.js'
import { scarcity } from './evidence.js'
import type { ClauseVerdict, Results } from './results-schema.js'
import { overlayTimelines } from './timeline.js'
import { betterFinding, compareText, NOT_REACHED, type ReportedClause, sortFindings, verdictOf } from './verdicts.js'

type Trouble = Results['troubles'][number]

/** What outweighs what when shards differ about a clause; the same order in which one record is folded. */
const WEIGHT: readonly ClauseVerdict[] = ['finding', 'pass', 'untestable', 'observed', 'untested', 'not-selected']

/**
 * Merges the shards. Evidence is added up, findings with the same id become one, and every trouble is kept. The duration
 * is that of the longest shard. A shard that is missing is a trouble. Throws when they are not of the same interface, suite
 * and target, or when one is there twice.
 */
export function merge(shards: readonly Results[]): Results {
  const [first, ...others] = shards
  if (first === undefined) throw new Error('merge: expected one result or more, received none')
  for (const [index, shard] of others.entries()) assertSameRun(first, shard, index + 2)
  assertEachOnce(shards)
  const clauses = mergeClauses(shards)
  const diagnosed = withCauses(mergeFindings(shards), clauses)
  const judged = {
    configuration: configurationOf(first, others),
    clauses,
    requests: sum(shards, ({ requests }) => requests),
  }
  const scarce = scarcity(judged)
  const troubles = distinct([...shards.flatMap(({ troubles }) => troubles), ...missingOf(shards)])
  const body = {
    ...judged,
    operations: mergeOperations(shards),
    access: mergeAccess(shards),
    findings: sortFindings(diagnosed.findings, clauses),
    causes: diagnosed.causes,
    assumed: mergeAssumed(shards),
    choices: mergeChoices(shards),
    troubles: troubles.length > 0 || scarce === undefined ? troubles : [{ kind: 'inconclusive', text: scarce }],
    defects: distinct(shards.flatMap(({ defects }) => defects)),
    left: distinct(shards.flatMap(({ left }) => left)),
    timeline: overlayTimelines(shards.map(({ timeline }) => timeline)),
  }
  const shown = new Set(body.findings.flatMap(({ id, cause }) => [id, cause]))
  const stale = shards.flatMap((shard) => shard.stale ?? []).filter((id) => !shown.has(id))
  return {
    format: 1,
    suite: first.suite,
    interface: first.interface,
    target: first.target,
    ...shards.flatMap(({ seed }) => (seed === undefined ? [] : [{ seed }]))[0],
    startedAt: shards.map(({ startedAt }) => startedAt).reduce((a, b) => (compareText(a, b) <= 0 ? a : b)),
    durationMs: Math.max(...shards.map(({ durationMs }) => durationMs)),
    verdict: verdictOf(body),
    ...body,
    ...(shards.some((shard) => shard.stale !== undefined) ? { stale: [...new Set(stale)].sort(compareText) } : {}),
  }
}

/** What the run was told; together the shards have to show what each of them could not alone. */
function configurationOf({ configuration }: Results, others: readonly Results[]): Results['configuration'] {
  const { expects, shard: _, leaves, ...alike } = configuration
  const isGone = leaves === false && others.every((one) => one.configuration.leaves === false)
  const told = { ...alike, ...(isGone && { leaves }) }
  if (!expects) return told
  const { shard: __, ...whole } = expects
  return { ...told, expects: whole }
}

function assertSameRun(first: Results, shard: Results, number: number): void {
  const facts: readonly (readonly [string, string, string])[] = [
    ['interface', first.interface, shard.interface],
    ['suite version', first.suite.version, shard.suite.version],
    ['target', first.target.name, shard.target.name],
    ['base URL', placeOf(first), placeOf(shard)],
    ['gating level', first.configuration.level, shard.configuration.level],
  ]
  for (const [what, expected, received] of facts)
    if (expected !== received)
      throw new Error(
        `merge: result ${number}: expected ${what} ${JSON.stringify(expected)} as in the first, received ${JSON.stringify(received)}; compare them instead`,
      )
}

/** Where the target is; each run starts an embedded target of its own, on whatever port is free. */
function placeOf({ target: { name, baseUrl } }: Results): string {
  return name === 'embedded' ? baseUrl.replace(/^(http:\/\/127\.0\.0\.1):\d+/, '$1') : baseUrl
}

function assertEachOnce(shards: readonly Results[]): void {
  const seen = new Map<string, number>()
  for (const [index, { configuration }] of shards.entries()) {
    if (!configuration.shard) continue
    const name = configuration.shard.join('/')
    const before = seen.get(name)
    if (before !== undefined)
      throw new Error(
        `merge: result ${index + 1}: expected another shard than ${name}, which is result ${before} already; name each shard once`,
      )
    seen.set(name, index + 1)
  }
}

/** What a run cut into shards lacks: the whole is judged where all of them are there. */
function missingOf(shards: readonly Results[]): readonly Trouble[] {
  const told = shards.flatMap(({ configuration: { shard } }) => (shard ? [shard] : []))
  const count = Math.max(0, ...told.map(([, of = 0]) => of))
  const there = new Set(told.filter(([, of]) => of === count).map(([index]) => index))
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !there.has(index))
  if (told.length > 0 && missing.length > 0) {
    const text = `${missing.map((index) => `shard ${index} of ${count}`).join(', ')} missing: merge the results of all shards`
    return [{ kind: 'cut-short', text }]
  }
  return []
}

function mergeClauses(shards: readonly Results[]): Results['clauses'] {
  const groups = grouped(
    shards.flatMap(({ clauses }) => clauses),
    ({ id }) => id,
  )
  return [...groups.values()].map((list) => {
    const isSelected = list.some(({ verdict }) => verdict !== 'not-selected')
    const seen = isSelected ? list.map(asSeen) : list
    const heaviest = seen.reduce((a, b) => (weight(b) < weight(a) ? b : a))
    const steps = list.map(({ lastStep }) => lastStep).filter((step) => step !== undefined)
    return {
      ...heaviest,
      exercised: sum(list, ({ exercised }) => exercised),
      ...(steps.length > 0 ? { lastStep: Math.max(...steps) } : {}),
      ...(list.some(({ ms }) => ms !== undefined) && { ms: sum(list, ({ ms = 0 }) => ms) }),
    }
  })
}

/** What one shard has seen in passing counts where another was about it. */
const asSeen = (clause: ReportedClause): ReportedClause =>
  clause.verdict === 'not-selected' && clause.exercised > 0 ? { ...clause, verdict: 'pass' } : clause

function mergeAssumed(shards: readonly Results[]): Results['assumed'] {
  const groups = grouped(
    shards.flatMap(({ assumed }) => assumed),
    ({ explanation }) => explanation,
  )
  return [...groups]
    .map(([explanation, list]) => ({
      explanation,
      times: sum(list, ({ times }) => times),
      text: list[0]?.text ?? '',
    }))
    .sort((a, b) => b.times - a.times || compareText(a.explanation, b.explanation))
}

/** What outweighs comes first; a reason that says nothing gives way to one that does. */
const weight = ({ verdict, reason }: ReportedClause): number =>
  WEIGHT.indexOf(verdict) + (reason === NOT_REACHED ? 0.5 : 0)

function mergeOperations(shards: readonly Results[]): Results['operations'] {
  const groups = grouped(
    shards.flatMap(({ operations }) => operations),
    ({ id }) => id,
  )
  return [...groups].map(([, list]) => {
    const replies = new Map<string, number>()
    for (const operation of list)
      for (const [status, times] of Object.entries(operation.replies))
        replies.set(status, (replies.get(status) ?? 0) + times)
    return {
      ...(list[0] as Results['operations'][number]),
      requests: sum(list, ({ requests }) => requests),
      replies: Object.fromEntries([...replies].sort(([a], [b]) => compareText(a, b))),
      totalMs: sum(list, ({ totalMs }) => totalMs),
      slowestMs: Math.max(...list.map(({ slowestMs }) => slowestMs)),
    }
  })
}

function mergeFindings(shards: readonly Results[]): Results['findings'][number][] {
  const groups = grouped(
    shards.flatMap(({ findings }) => findings),
    ({ id }) => id,
  )
  return [...groups.values()].map((list) => list.reduce((a, b) => betterFinding(a, b)))
}

/** Values in order of their best rank in any shard: how often each was seen is not in the results. */
function mergeChoices(shards: readonly Results[]): Results['choices'] {
  const groups = grouped(
    shards.flatMap(({ choices }) => choices),
    ({ id }) => id,
  )
  return [...groups.values()].map((list) => {
    const ranks = new Map<string, number>()
    for (const { observed } of list)
      for (const [rank, value] of observed.entries()) ranks.set(value, Math.min(rank, ranks.get(value) ?? rank))
    const observed = [...ranks].sort(([a, one], [b, other]) => one - other || compareText(a, b)).map(([value]) => value)
    return { ...(list[0] as Results['choices'][number]), observed }
  })
}

const sum = <T>(items: readonly T[], numberOf: (item: T) => number): number =>
  items.reduce((total, item) => total + numberOf(item), 0)

/** Without exact duplicates. */
const distinct = <T>(items: readonly T[]): T[] =>
  [...grouped(items, (item) => JSON.stringify(item)).values()].flatMap((list) => list.slice(0, 1))
