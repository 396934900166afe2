// One fault under examination, and what became of it; prints nothing.
import type { Task } from '../../../suites/tasks.js'
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

/** Tries what should tell first, and then, unless it is to be quick, all else that a run does in the areas of the fault. */
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
    programs: 10,
    until: 'found',
  })
  const gates = gating(findings)
  const told = [...new Set((gates.length > 0 ? gates : findings).map(({ clause }) => clause))]
  const steps = Math.min(...gates.map((finding) => finding.steps.length))
  return { verdict: verdictOf(gates.length > 0, told, fault, struck), told, steps, struck }
}

/** The clauses that should tell, plain uses of the operations beside them, by which what has no probe of its own shows, walks, and races. */
const closest = ({ expected, operator, name }: Fault): ((task: Task) => boolean) => {
  const resource = /^\^([\w-]+)/.exec(expected.source)?.[1] ?? ''
  const clauses = new RegExp(`${expected.source}|^${resource}[\\w-]*\\.[\\w-]+\\.accepts$`)
  const suite = AT_ONCE.test(operator)
    ? 'races'
    : IN_LISTS.test(operator) || name.startsWith('page')
      ? 'pagination'
      : ''
  return (task) => (task.clause ? clauses.test(task.clause.id) : task.suite === suite && task.name.includes(resource))
}

const verdictOf = (doesGate: boolean, told: readonly string[], { expected }: Fault, struck: number): Verdict => {
  if (doesGate) return told.some((clause) => expected.test(clause)) ? 'expected' : 'another'
  if (struck === 0) return 'never struck'
  return told.length > 0 ? 'should' : 'missed'
}
