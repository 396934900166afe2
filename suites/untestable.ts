// What can't be tested on a target and what would make it testable, found by planning every probe; nothing is sent.

import type { PlanContext } from '../arbitraries/plan-fixtures.js'
import { probeFor } from '../arbitraries/probes.js'
import { allClauses, operationById } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import type { Need } from '../models/language/needs.js'
import { lackingFor, type Operation } from '../models/language/operation.js'
import { withoutHook } from './tasks.js'

export interface Untestable {
  /** What is lacking, completing "needs …"; or why no probe can show it. */
  readonly reason: string
  /** Undefined where the target file can't change it. */
  readonly remedy?: string | undefined
  /** The same as data. */
  readonly needs?: readonly Need[] | undefined
  /** Ids, in the order of the registry. A clause that lacks two things is under both. */
  readonly clauses: readonly string[]
}

/**
 * Groups of clauses that can't be tested, the largest first, those that the target file could change before the others.
 * @param hooks names of the hooks that the target file has
 */
export const untestableOn = (
  context: PlanContext,
  hooks: readonly string[],
  clauses: readonly Clause[] = allClauses(),
): readonly Untestable[] => {
  const groups = new Map<string, Lack & { readonly clauses: string[] }>()
  for (const clause of clauses)
    for (const lack of lacking(clause, context, hooks)) {
      const group = groups.get(lack.reason) ?? { ...lack, clauses: [] }
      group.clauses.push(clause.id)
      groups.set(lack.reason, group)
    }
  const rank = ({ remedy }: Untestable): number => (remedy === undefined ? 1 : 0)
  return [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.clauses.length - a.clauses.length)
}

type Lack = Omit<Untestable, 'clauses'>

const lacking = (clause: Clause, context: PlanContext, hooks: readonly string[]): readonly Lack[] => {
  const probe = probeFor(clause, context)
  if (probe.kind === 'none') return [{ reason: probe.reason }]
  const [missing, called] =
    probe.kind === 'passive'
      ? [
          lackingFor(operationById(clause.operation) as Operation, context.environment),
          clause.kind === 'emits' ? ['readEvents'] : [],
        ]
      : [probe.program.missing, probe.program.steps.flatMap((step) => ('hook' in step ? [step.hook] : []))]
  return [
    ...toGive(missing),
    ...[...new Set<string>(called)]
      .filter((name) => !hooks.includes(name))
      .map((name) => ({ ...withoutHook(name), reason: `the hook ${name}` })),
  ]
}

const toGive = (missing: readonly Need[]): readonly Lack[] =>
  missing.map((need) => ({ reason: need.what, remedy: `Add to the target file: ${need.what}.`, needs: [need] }))
