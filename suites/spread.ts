// Spreads the programs of a run over the fixtures that there are, so that few wait for each other; nothing is sent here.

import { restsOf } from '../arbitraries/arranged.js'
import type { PlanContext } from '../arbitraries/plan-fixtures.js'
import { heldBy, type Lock, locksOf, usesFixtures } from '../driver/locks.js'
import type { Session } from '../driver/session.js'
import { memoised } from '../models/language/memoised.js'
import type { Step } from '../models/language/plan.js'

/** Whose programs are spread, and how many go at a time. */
interface Setting {
  readonly session: Session
  readonly width: number
}

/** What programs of a suite are planned in: side by side, those for which any fixture will do take different ones. */
export const contextAt = ({ session: { context }, width }: Setting, at: number): PlanContext =>
  width > 1 ? { ...context, rotation: at } : context

/** Programs that were planned with the same locks, and their requests in all. */
interface Load {
  readonly locks: readonly Lock[]
  cost: number
}

/** What was planned so far, by its locks. */
const loadsOf = memoised((_: Setting) => new Map<string, Load>())

/** Waiting until something has come to rest counts as so many requests. */
const requestsOfRest = 40

/** The locks of a program, and whether it waits for what it makes. */
interface Claimed {
  readonly locks: readonly Lock[]
  /** Its waiting, counted in requests. */
  readonly waits: number
}

/** Notes the locks of a program with so many requests. */
export const claimed = (
  setting: Setting,
  steps: readonly Step[],
  cost: number,
  locks: readonly Lock[] = locksOf(steps, setting.session.context.environment),
): Claimed => {
  const waits = restsOf(steps) * requestsOfRest
  const known = loadsOf(setting)
  const key = JSON.stringify(locks)
  const load = known.get(key) ?? { locks, cost: 0 }
  load.cost += holding(setting, steps, locks, cost)
  known.set(key, load)
  return { locks, waits }
}

/** For how many requests a program holds its fixtures: all along or, where it waits before its first use of one, from then on. */
const holding = ({ session }: Setting, steps: readonly Step[], locks: readonly Lock[], cost: number): number => {
  const { environment } = session.context
  const first = steps.findIndex((step) => 'hook' in step || usesFixtures(step, environment))
  if (first < 0 || !locks.some(({ isLate }) => isLate)) return cost + restsOf(steps) * requestsOfRest
  const rests = restsOf(steps) - restsOf(steps.slice(0, first + 1))
  return (cost * (steps.length - first)) / steps.length + rests * requestsOfRest
}

/** So many fixtures are tried for one that others ask less of. */
const mostRotations = 9

/** Side by side, the context from `at` on in which a program uses the fixtures that others need least. */
export const freestAt = (
  setting: Setting,
  at: number,
  plan: (context: PlanContext) => readonly Step[] | undefined,
): PlanContext => {
  if (setting.width === 1) return contextAt(setting, at)
  const known = loadsOf(setting)
  const { environment } = setting.session.context
  const first = plan(contextAt(setting, at)) ?? []
  if (!first.some((step) => 'hook' in step || usesFixtures(step, environment))) return contextAt(setting, at)
  const strain = (context: PlanContext): number => {
    const steps = plan(context)
    if (!steps) return Number.POSITIVE_INFINITY
    const keys = new Set(locksOf(steps, environment).map(({ key }) => key))
    return [...known.values()].reduce((sum, { locks, cost }) => sum + cost * heldBy(locks, keys), 0)
  }
  const contexts = Array.from({ length: mostRotations }, (_, i) => contextAt(setting, at + i))
  const [best] = contexts
    .map((context) => ({ context, strain: strain(context) }))
    .sort((one, other) => one.strain - other.strain)
  return best?.context ?? contextAt(setting, at)
}
