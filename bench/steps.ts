// `npm run bench`: steps per second of random programs, as a ratio to bare undici replaying the very same requests; and memory.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { Pool } from 'undici'
import { programSeed } from '../arbitraries/programs.js'
import { operations } from '../models/index.js'
import { connect } from '../suites/connect.js'
import { inProcess } from '../target/in-process.js'
import { embeddedTarget } from '../target/remote.js'
import { embeddedSetting } from '../target/setting.js'
import { survey } from '../target/upkeep.js'
import { wander } from '../target/wander.js'

interface Request {
  readonly method: string
  readonly url: string
  readonly as: string | null
  readonly body: string | undefined
}

interface Server {
  readonly baseUrl: string
  readonly secrets: readonly (readonly [string, string])[]
  readonly stop: () => Promise<number>
}

const startServer = (): Promise<Server> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./server.js', import.meta.url))
    worker.once('error', reject)
    worker.once('message', (told: Omit<Server, 'stop'>) => resolve({ ...told, stop: () => worker.terminate() }))
  })

const own = operations.filter(({ area }) => area === 'volumes')
const seeds = (programs: number, seed: number) => fc.sample(programSeed(own, 25), { seed, numRuns: programs })

/** Random programs over volumes with everything that a run does: judging, evidence, record and ledger. */
const measureRun = async (
  programs: number,
): Promise<{ readonly requests: readonly Request[]; readonly ms: number }> => {
  const server = await startServer()
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))
  const requests: Request[] = []
  const target = embeddedTarget({ baseUrl: server.baseUrl, controlUrl: '', secrets: server.secrets })
  const { hooks: _, ...rest } = target
  const watch = (line: { readonly type: string }): void => {
    if (line.type !== 'step') return
    const { method, url, as, body } = (
      line as unknown as { readonly call: { method: string; url: string; as: string | null; body?: unknown } }
    ).call
    requests.push({ method, url, as, body: body === undefined ? undefined : JSON.stringify(body) })
  }
  const { session, close } = await connect(
    { ...rest, hooks: {} },
    join(folder, 'run.ndjson'),
    join(folder, 'ledger.ndjson'),
    { nonce: 'ts-bench', watch },
  )
  await survey(session)
  // Programs are generated beforehand: what is measured is running them.
  const generated = seeds(programs, 1)
  const from = performance.now()
  const before = requests.length
  let n = 0
  for (const one of generated) await wander(session, `program ${++n}`, one)
  const ms = performance.now() - from
  await close()
  await server.stop()
  rmSync(folder, { recursive: true })
  return { requests: requests.slice(before), ms }
}

/** The same requests one after another, sent and read by undici alone. */
const measureBare = async (requests: readonly Request[]): Promise<number> => {
  const server = await startServer()
  const secrets = new Map(server.secrets)
  const { origin, pathname } = new URL(server.baseUrl)
  const pool = new Pool(origin, { connections: 1 })
  const from = performance.now()
  for (const { method, url, as, body } of requests) {
    const headers = {
      ...(as !== null && { authorization: `Bearer ${secrets.get(as) ?? 'none'}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const reply = await pool.request({
      method: method as 'GET',
      path: `${pathname}${url}`,
      headers,
      ...(body !== undefined && { body }),
    })
    await reply.body.text()
  }
  const ms = performance.now() - from
  await pool.close()
  await server.stop()
  return ms
}

const steps = (count: number, ms: number): string => `${Math.round((count * 1000) / ms)} steps/s`

const measureMemory = async (wanted: number): Promise<void> => {
  const { session, lines, ledger } = inProcess({ setting: embeddedSetting(), restAfter: 1 })
  await survey(session)
  let sent = 0
  for (let batch = 0; sent < wanted; batch += 1) {
    for (const one of seeds(100, 100 + batch)) sent += (await wander(session, 'memory', one)).sent.length
    lines.length = 0
    ledger.length = 0
    if (batch % 10 === 0) {
      globalThis.gc?.()
      process.stdout.write(`  after ${sent} steps: heap ${Math.round(process.memoryUsage().heapUsed / 2 ** 20)} MiB\n`)
    }
  }
}

const programs = Number(process.argv[2] ?? 300)
await measureRun(20)
const { requests, ms } = await measureRun(programs)
const bareMs = await measureBare(requests)
process.stdout.write(
  `run   ${requests.length} steps, ${steps(requests.length, ms)}\nbare  ${requests.length} steps, ${steps(requests.length, bareMs)}\nratio ${(bareMs / ms).toFixed(2)}\n`,
)
process.stdout.write('memory of the session and the reference implementation together:\n')
await measureMemory(Number(process.argv[3] ?? 200_000))
