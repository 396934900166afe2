// Whether a run judged enough to call its target conforming: what too little evidence is said to be; no verdict by itself.
import type { Results } from './results-schema.js'

type Judged = Pick<Results, 'clauses' | 'configuration' | 'requests'>

/** So little was judged that the run can't say that the target conforms; undefined where it was enough. */
export function scarcity({ clauses, configuration, requests }: Judged): string | undefined {
  const { areas, passed: least = 0, shard } = configuration.expects ?? { areas: [] }
  const passed = clauses.filter(({ verdict }) => verdict === 'pass')
  // A shard may have nothing to do.
  const isIdle = shard !== undefined && clauses.every(({ verdict }) => verdict === 'not-selected')
  if (requests === 0 && !isIdle) return 'nothing was judged: the record has no step'
  // What one shard lacks another has: they are weighed when they are merged.
  if (shard) return undefined
  if (passed.length === 0)
    return clauses.some(({ verdict }) => verdict === 'finding')
      ? 'no clause passed: all that was decided was broken'
      : `nothing was judged: no clause passed${mostly(clauses)}`
  const empty = areas.filter((area) => !passed.some((clause) => clause.area === area))
  if (empty.length > 0) {
    const own = clauses.filter(({ area }) => empty.includes(area))
    return `nothing was judged of ${empty.join(', ')}: no clause passed there${mostly(own)}; mend that, or leave the area out with --area`
  }
  const bare = areas.filter((area) => isMostlyUntested(clauses.filter((clause) => clause.area === area)))
  if (bare.length > 0) {
    const own = clauses.filter(({ area, verdict }) => bare.includes(area) && verdict === 'untested')
    return `too little was judged of ${bare.join(', ')}: ${own.length} clauses are untested, more than passed there${mostly(own)}; mend that, or leave the area out with --area`
  }
  if (passed.length >= least) return undefined
  return `${passed.length} clauses passed, and the target file expects ${least} (expect.passed): see what this run could not test`
}

/** What the target file lacks makes a clause untestable. Where more than half is untested beside that, the target gave no occasion. */
function isMostlyUntested(clauses: Judged['clauses']): boolean {
  const numberOf = (one: string): number => clauses.filter(({ verdict }) => verdict === one).length
  return numberOf('untested') > Math.max(fewClauses, numberOf('pass') + numberOf('finding'))
}

/** So few may be untested by chance, as in a run that was narrowed to them. */
const fewClauses = 20

/** The reason that most of the clauses give for not having passed. */
function mostly(clauses: Judged['clauses']): string {
  const counts = new Map<string, number>()
  for (const { reason } of clauses) if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const [reason] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? []
  return reason === undefined ? '' : `, mostly since: ${reason}`
}
