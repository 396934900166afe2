// `npm run bench:latency`: a whole run against the embedded target behind a proxy that delays every byte, both ways.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { survey } from '../driver/upkeep.js'
import type { RecordLine } from '../history/record.js'
import { allClauses } from '../models/index.js'
import { embeddedTarget } from '../reference/remote.js'
import { startEmbedded } from '../reference/serve.js'
import { openAgenda } from '../suites/agenda.js'
import { connect } from '../suites/connect.js'
import { defaultOptions } from '../suites/defaults.js'
import { suitesFor } from '../suites/filter.js'
import { stagesOf, suites } from '../suites/tasks.js'

const arrive = (from: Socket, to: Socket, delayMs: number): void => {
  from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), delayMs))
  from.on('end', () => setTimeout(() => to.end(), delayMs))
  from.on('error', () => to.destroy())
}

/** A proxy on loopback to that port; it hands on whatever comes so many milliseconds later. */
const startProxy = async (
  port: number,
  delayMs: number,
): Promise<{ readonly server: Server; readonly port: number }> => {
  const server = createServer({ noDelay: true }, (socket) => {
    const behind = dial({ port, host: '127.0.0.1', noDelay: true })
    arrive(socket, behind, delayMs)
    arrive(behind, socket, delayMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : 0 }
}

const measure = async (delayMs: number, concurrency: number, areas: readonly string[], restMs?: number) => {
  const { server, remote, hooks } = await startEmbedded({ seed: 1, ...(restMs !== undefined && { restMs }) })
  const proxy = await startProxy(Number(new URL(remote.baseUrl).port), delayMs)
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-latency-'))
  const target = embeddedTarget({ ...remote, baseUrl: remote.baseUrl.replace(/:\d+/, `:${proxy.port}`) })
  const lines: RecordLine[] = []
  const from = performance.now()
  const cpuFrom = process.cpuUsage()
  const { session, flush, close } = await connect(
    { ...target, hooks, pace: { ...target.pace, concurrency } },
    join(folder, 'run.ndjson'),
    join(folder, 'ledger.ndjson'),
    { nonce: 'ts-far', watch: (line) => void (line.type !== 'step' && lines.push(line)) },
  )
  let requests = 0
  await survey(session)
  const options = { ...defaultOptions('bench'), seed: 7, out: folder }
  const filters = { ...options.filters, areas }
  const context = { options: { ...options, filters }, nonce: 'ts-far', startedAt: Date.now(), stopFile: '' }
  const embedded = { ...context, embedded: remote }
  const agenda = openAgenda(
    { session, context: embedded, over: () => undefined, emit: session.options.emit, flush },
    suites,
  )
  agenda.begin(stagesOf(suitesFor(filters)))
  await agenda.done()
  requests = session.requests()
  await close()
  proxy.server.close()
  await server.close()
  rmSync(folder, { recursive: true })
  const { user } = process.cpuUsage(cpuFrom)
  const seconds = (performance.now() - from) / 1000
  const told = lines.filter(({ type }) => type === 'untested' || type === 'finding' || type === 'trouble')
  const evidence = allClauses().filter(({ id }) => session.isHeld(id)).length
  process.stdout.write(
    `${delayMs} ms each way, ${concurrency} at a time${restMs === undefined ? '' : `, at rest after ${restMs} ms`}: ${requests} requests, ${seconds.toFixed(1)} s, ${(user / 1e6).toFixed(1)} s of CPU with the target, ${evidence} clauses held\n`,
  )
  for (const line of told)
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
