// `npm run bench`, second part: how early a run tells of faults. Of a sample of mutants, after what share of the requests of a clean run the first finding that gates comes, and the average percentage of faults detected (APFD).
import { runInTurn } from '../driver/schedule.js'
import { survey } from '../driver/survey.js'
import type { Job } from '../driver/units.js'
import { allClauses, operations } from '../models/index.js'
import { embeddedEnvironment } from '../reference/environment.js'
import type { Fault } from '../reference/handler.js'
import { inProcess } from '../reference/in-process.js'
import { type Mutant, mutantsOf } from '../reference/mutants/mutants.js'
import { stagesOf, tasksOf } from '../suites/catalog.js'
import { suitesFor } from '../suites/filter.js'
import type { Setting } from '../suites/tasks.js'

const filters = { areas: [], operations: [], clauses: [], shard: [1, 1] } as const

/** Requests of a run until its first finding that gates, or to its end. */
const countRequests = async (fault?: Fault): Promise<{ readonly requests: number; readonly isTold: boolean }> => {
  let requests = 0
  let isTold = false
  const { session } = inProcess({ environment: embeddedEnvironment(), ...(fault && { fault }) }, 'ts-t', (plain) => ({
    ...plain,
    emit: (line) => {
      if (line.type === 'step' && !isTold) requests += 1
      if (line.type === 'finding' && line.finding.level === 'must') isTold = true
    },
  }))
  await survey(session)
  const options = { filters, fuzz: false, seed: 1, programs: 8 }
  const setting: Setting = { session, options, isEmbedded: true, width: 1, emit: () => undefined }
  for (const suites of stagesOf(suitesFor(filters))) {
    const jobs = suites.flatMap(tasksOf).flatMap((task): readonly Job[] => {
      const planned = task.plan(setting)
      return 'skip' in planned ? [] : planned
    })
    await runInTurn(session, jobs, { isOver: () => isTold, onEnd: () => undefined })
  }
  return { requests, isTold }
}

/** What is known to lead to no finding that gates takes a whole run to say so. */
const mayGate = ({ clause }: Mutant): boolean =>
  clause === undefined || allClauses().find(({ id }) => id === clause)?.level === 'must'

const [oneIn = 60, from = 0] = process.argv.slice(2).map(Number)
const { requests: all } = await countRequests()
const shares: number[] = []
const sample = operations
  .flatMap(mutantsOf)
  .filter(mayGate)
  .filter((_, n) => n % oneIn === from)
for (const mutant of sample) {
  const { requests, isTold } = await countRequests(mutant.arm().fault)
  const share = Math.min(1, requests / all)
  if (isTold) shares.push(share)
  process.stderr.write(`${isTold ? share.toFixed(3) : 'none '} ${mutant.id}\n`)
}
const apfd = 1 - shares.reduce((sum, share) => sum + share, 0) / shares.length
const median = shares.toSorted((one, other) => one - other)[shares.length >> 1] ?? 1
process.stdout.write(
  `faults told of: ${shares.length} of ${sample.length} mutants, APFD ${apfd.toFixed(3)}, half of them within ${(100 * median).toFixed(1)} % of ${all} requests\n`,
)
