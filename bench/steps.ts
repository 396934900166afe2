// `npm run bench`: steps per second of random programs, as a ratio to bare undici replaying the very same requests; and memory.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { Pool } from 'undici'
import { programSeed, type StepSeed } from '../arbitraries/programs.js'
import { randomWalk } from '../driver/random-walk.js'
import { survey } from '../driver/survey.js'
import { operations } from '../models/index.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { inProcess } from '../reference/in-process.js'
import { embeddedTarget } from '../reference/target.js'
import { connect } from '../suites/connect.js'

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

/** One of the two that are compared. */
interface Runner<A, R> {
  readonly round: (given: A) => Promise<R>
  readonly close: () => Promise<void>
}

/** Random programs over volumes with everything that a run does: judging, evidence, record and ledger. */
const openRun = async (): Promise<Runner<readonly (readonly StepSeed[])[], readonly Request[]>> => {
  const server = await startServer()
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))
  let requests: Request[] = []
  const target = embeddedTarget({ baseUrl: server.baseUrl, secrets: server.secrets })
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
  let n = 0
  return {
    round: async (programs) => {
      for (const one of programs) await randomWalk(session, `program ${++n}`, one)
      const sent = requests
      requests = []
      return sent
    },
    close: async () => {
      await close()
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The same requests one after another, sent and read by undici alone. */
const openBare = async (): Promise<Runner<readonly Request[], void>> => {
  const server = await startServer()
  const secrets = new Map(server.secrets)
  const { origin, pathname } = new URL(server.baseUrl)
  const pool = new Pool(origin, { connections: 1 })
  return {
    round: async (requests) => {
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
    },
    close: async () => {
      await pool.close()
      await server.stop()
    },
  }
}

const timed = async <T>(what: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> => {
  const from = performance.now()
  const value = await what()
  return { value, ms: performance.now() - from }
}

/** Both by turns, so that whatever else the machine does meets both alike; the first round only warms them up. */
const measureSteps = async (programs: number, rounds: number): Promise<void> => {
  const run = await openRun()
  const bare = await openBare()
  // Programs are generated beforehand: what is measured is running them.
  const generated = seeds(programs, 1)
  const each = Math.ceil(programs / rounds)
  await bare.round(await run.round(seeds(each, 2)))
  let count = 0
  const all = { run: 0, bare: 0 }
  const ratios: number[] = []
  for (let i = 0; i < programs; i += each) {
    const { value: requests, ms } = await timed(() => run.round(generated.slice(i, i + each)))
    const { ms: bareMs } = await timed(() => bare.round(requests))
    count += requests.length
    all.run += ms
    all.bare += bareMs
    ratios.push(bareMs / ms)
  }
  await run.close()
  await bare.close()
  const [least = 0, most = 0] = [Math.min(...ratios), Math.max(...ratios)]
  process.stdout.write(
    `run   ${count} steps, ${steps(count, all.run)}\nbare  ${count} steps, ${steps(count, all.bare)}\nratio ${(all.bare / all.run).toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)} over ${ratios.length} rounds)\n`,
  )
}

const steps = (count: number, ms: number): string => `${Math.round((count * 1000) / ms)} steps/s`

const measureMemory = async (wanted: number): Promise<void> => {
  const { session, lines, ledger } = inProcess({ environment: embeddedEnvironment(), restAfter: 1 })
  await survey(session)
  let sent = 0
  for (let batch = 0; sent < wanted; batch += 1) {
    for (const one of seeds(100, 100 + batch)) sent += (await randomWalk(session, 'memory', one)).sent.length
    lines.length = 0
    ledger.length = 0
    if (batch % 10 === 0) {
      globalThis.gc?.()
      process.stdout.write(`  after ${sent} steps: heap ${Math.round(process.memoryUsage().heapUsed / 2 ** 20)} MiB\n`)
    }
  }
}

await measureSteps(Number(process.argv[2] ?? 600), 12)
process.stdout.write('memory of the session and the reference implementation together:\n')
await measureMemory(Number(process.argv[3] ?? 200_000))
