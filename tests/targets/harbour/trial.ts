// One fault under examination, and what became of it; prints nothing.
import { examine, gating } from './examine.js'
import type { Fault } from './fault.js'
import { PLAIN } from './options.js'

/** By the clause that was expected, by another, only at a level that does not gate, not at all, or never in effect. */
export type Verdict = 'expected' | 'another' | 'should' | 'missed' | 'never struck'

interface Trial {
  readonly verdict: Verdict
  /** The clauses that told of it. */
  readonly told: readonly string[]
  /** Steps of the shortest program. */
  readonly steps: number
  readonly struck: number
}

/** Ways of going wrong that show in long lists alone, and those that show when two call at once. */
const IN_LISTS = /^(?:page|isolation|repeats|skips|reorders|short-at-25|size-ignored|default-25|own-token)$/
const AT_ONCE = /^(?:race|stale)$/

/** Tries the clauses that should tell first, and then, unless it is to be quick, all else in the areas of the fault. */
export const tryFault = async (fault: Fault, seed: number, quick = false): Promise<Trial> => {
  const slow = /\.(?:active|settles)$/.test(fault.name)
  // Where null may count as left out, nothing shows that it is refused.
  const silence = fault.name.endsWith('.nullable') ? 'refuse' : 'accept'
  const options = { ...PLAIN, seed, fault: fault.name, settling: slow ? 'soon' : 'instant', silence } as const
  const shape = { exclusive: true, fixtures: 'many', hooks: true } as const
  const { findings, struck } = await examine(options, shape, {
    areas: fault.areas,
    first: closest(fault),
    only: quick,
    programs: quick ? 0 : 6,
    walks: IN_LISTS.test(fault.operator) || fault.name.startsWith('page'),
    races: AT_ONCE.test(fault.operator) ? 8 : quick ? 0 : 1,
    journeys: !quick,
    until: 'found',
  })
  const gates = gating(findings)
  const told = [...new Set((gates.length > 0 ? gates : findings).map(({ clause }) => clause))]
  const steps = Math.min(...gates.map((finding) => finding.steps.length))
  return { verdict: verdictOf(gates.length > 0, told, fault, struck), told, steps, struck }
}

/** The clauses that should tell, and plain uses of the operations beside them, by which what has no probe of its own shows. */
const closest = ({ expected }: Fault): RegExp => {
  const resource = /^\^([\w-]+)/.exec(expected.source)?.[1] ?? ''
  return new RegExp(`${expected.source}|^${resource}[\\w-]*\\.[\\w-]+\\.accepts$`)
}

const verdictOf = (doesGate: boolean, told: readonly string[], { expected }: Fault, struck: number): Verdict => {
  if (doesGate) return told.some((clause) => expected.test(clause)) ? 'expected' : 'another'
  if (struck === 0) return 'never struck'
  return told.length > 0 ? 'should' : 'missed'
}
