// `npm run bench:latency`: how long a whole run takes against a target far away, in time that passes only while nothing is to be done.

import { survey } from '../driver/upkeep.js'
import type { RecordLine } from '../history/record.js'
import { allClauses } from '../models/index.js'
import { createAfar } from '../reference/afar.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { inProcess } from '../reference/in-process.js'
import { openAgenda } from '../suites/agenda.js'
import { defaultOptions } from '../suites/defaults.js'
import { suitesFor } from '../suites/filter.js'
import { stagesOf, suites } from '../suites/tasks.js'

const measure = async (delayMs: number, concurrency: number, areas: readonly string[], restMs?: number) => {
  const afar = createAfar(concurrency, () => delayMs)
  const { session, lines } = inProcess(
    { environment: embeddedEnvironment(), ...(restMs !== undefined && { restMs, clock: afar.now }) },
    'ts-far',
    (options) => afar.adapt({ ...options, settleMs: 60_000 }),
  )
  const cpuFrom = process.cpuUsage()
  await survey(session)
  const options = { ...defaultOptions('bench'), seed: 7 }
  const filters = { ...options.filters, areas }
  const context = {
    options: { ...options, filters },
    nonce: 'ts-far',
    startedAt: 0,
    stopFile: '',
    embedded: { baseUrl: '', controlUrl: '', secrets: [] },
  }
  const setting = { session, context, over: () => undefined, emit: session.options.emit, flush: () => undefined }
  const agenda = openAgenda(setting, suites)
  agenda.begin(stagesOf(suitesFor(filters)))
  await agenda.done()
  const { user } = process.cpuUsage(cpuFrom)
  const told = lines.filter(({ type }) => type === 'untested' || type === 'finding' || type === 'trouble')
  const evidence = allClauses().filter(({ id }) => session.isHeld(id)).length
  process.stdout.write(
    `${delayMs} ms each way, ${concurrency} at a time${restMs === undefined ? '' : `, at rest after ${restMs} ms`}: ${session.requests()} requests in ${(afar.now() / 1000).toFixed(1)} s, ${(user / 1e6).toFixed(1)} s of CPU with the target, ${evidence} clauses held\n`,
  )
  for (const line of told as RecordLine[])
    process.stdout.write(`  ${line.type === 'finding' ? `finding ${line.finding.id}` : JSON.stringify(line)}\n`)
}

const [delay = '50', concurrency = '16', areas = '', rest] = process.argv.slice(2)
await measure(
  Number(delay),
  Number(concurrency),
  areas === '' ? [] : areas.split(','),
  rest === undefined ? undefined : Number(rest),
)
process.exit(0)
