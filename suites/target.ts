// The target that a run is about: the loaded file or the embedded one, with the run's own settings on top.

import { loadTarget, type Target } from '../config/target-file.js'
import { allClauses, operationById } from '../models/index.js'
import { embeddedTarget } from '../reference/target.js'
import { withoutAbsent } from './absent.js'
import { isLentTo, isProgramSelected } from './filter.js'
import type { RunContext, RunOptions } from './options.js'

/**
 * Loads it anew, since hooks do not cross from thread to thread.
 * @throws TargetError where the target file is no good.
 */
export const targetOf = async ({ options, embedded, absent = [] }: RunContext): Promise<Target> => {
  const { target: named, cwd, given } = options
  const target = embedded
    ? embeddedTarget(embedded)
    : (given ?? (await loadTarget({ target: named, cwd, env: process.env })))
  if (!target) throw new Error('suite defect: the run has no target')
  const { perSecond = target.pace.perSecond, workers: concurrency = target.pace.concurrency } = options
  const pace = { ...target.pace, perSecond, concurrency }
  // Other shards change the same accounts, so nothing there is known to be all there is.
  const isAlone = embedded !== undefined || options.filters.shard[1] === 1
  // Volumes are lent to one alone.
  const environment = withoutAbsent(target.environment, absent)
  const { volumes, ...others } = environment.fixtures
  const fixtures = isLentTo(options.filters) ? environment.fixtures : others
  const allow = environment.safety.allow.filter((id) => isRunBy(options, id))
  const safety = { ...environment.safety, allow }
  const exclusive = environment.exclusive && isAlone
  return { ...target, pace, environment: { ...environment, fixtures, exclusive, safety } }
}

/**
 * Whether a run may send a guarded operation. One that makes something is needed by other programs too. One that only ends things, such
 * as emptying all buckets, is sent where the run is about it.
 */
const isRunBy = ({ fuzz, filters }: RunOptions, id: string): boolean =>
  operationById(id)?.makes !== undefined ||
  (!fuzz && allClauses().some((clause) => clause.operation === id && isProgramSelected(filters, clause)))
