// Sends random programs one after another; every finding is reported, the last test says whether there was one.

import { randomWalk } from '../driver/random-walk.js'
import type { Finding } from '../history/record.js'
import type { Operation } from '../models/language/operation.js'
import { assertClean } from './agenda.js'
import { randomSeeds } from './tasks.js'
import type { Worker } from './worker.js'

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
  for (let n = 0; n < programs; ) {
    for (const one of randomSeeds(context, operations, n, Math.min(batch, programs - n))) {
      n += 1
      if (worker.over() !== undefined) return assertClean(worker, findings)
      const outcome = await randomWalk(session, `${name}, random program ${n}`, one)
      findings.push(...outcome.findings)
      worker.flush()
    }
  }
  assertClean(worker, findings)
}
