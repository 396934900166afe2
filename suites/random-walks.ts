// Sends random programs one after another; every finding is reported, the last test says whether there was one.
import fc from 'fast-check'
import { programSeed } from '../arbitraries/programs.js'
import { randomWalk } from '../driver/random-walk.js'
import type { Finding } from '../history/record.js'
import type { Operation } from '../models/language/operation.js'
import { assertClean } from './register.js'
import type { Worker } from './worker.js'

const longest = 25
const batch = 50

/** @throws Nonconforming where a finding gates at the level of the run. */
export const randomWalks = async (
  worker: Worker,
  name: string,
  operations: readonly Operation[],
  programs: number,
): Promise<void> => {
  const { session, context } = worker
  const findings: Finding[] = []
  const shard = context.options.filters.shard[0]
  for (let n = 0; n < programs; ) {
    const seed = context.options.seed + shard * 1_000_003 + n
    const seeds = fc.sample(programSeed(operations, longest), { seed, numRuns: Math.min(batch, programs - n) })
    for (const one of seeds) {
      n += 1
      if (worker.over() !== undefined) return assertClean(worker, findings)
      const outcome = await randomWalk(session, `${name}, random program ${n}`, one)
      findings.push(...outcome.findings)
      worker.flush()
    }
  }
  assertClean(worker, findings)
}
