// `node dist/bench/guard.js`: what the guard adds to each request at a fixed rate, against direct ones sent in the same run, and
// the memory that it takes meanwhile. Arguments: requests a second, seconds, port.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { Pool } from 'undici'

const perSecond = Number(process.argv[2] ?? 500)
const seconds = Number(process.argv[3] ?? 20)
const port = Number(process.argv[4] ?? 18_080)

interface Served {
  readonly baseUrl: string
  readonly secrets: readonly (readonly [string, string])[]
}

/** Whether anything answers at the guard's port. */
const isAnswered = (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )

/** The guard as its users start it, in a process of its own, on one core where the platform can say so. */
const startGuard = async (target: string, out: string) => {
  if (await isAnswered()) throw new Error(`port ${port} is taken: name another one as the third argument`)
  const main = fileURLToPath(new URL('../cli/main.js', import.meta.url))
  const args = [main, 'guard', '--target', target, '--listen', String(port), '--out', out, '--quiet']
  const child =
    process.platform === 'linux'
      ? spawn('taskset', ['-c', '0', process.execPath, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
      : spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  // It must not outlive the benchmark.
  process.once('exit', () => child.kill())
  process.once('SIGTERM', () => process.exit(1))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  while (!(await isAnswered())) {
    if (child.exitCode !== null) throw new Error(`the guard ended with ${child.exitCode} before it answered`)
    await sleep(50)
  }
  return {
    /** MiB that are resident; none where the platform does not tell. */
    residentMiB: (): number | undefined =>
      process.platform === 'linux'
        ? Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024)
        : undefined,
    stop: async (): Promise<void> => {
      child.kill('SIGINT')
      await exited
    },
  }
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const told = (name: string, times: number[]): string => {
  times.sort((a, b) => a - b)
  const [median, p99, most] = [0.5, 0.99, 1].map((share) => at(times, share).toFixed(2))
  return `${name.padEnd(8)} ${times.length} requests, median ${median} ms, p99 ${p99} ms, most ${most} ms`
}

const server = new Worker(new URL('./server.js', import.meta.url))
const { baseUrl, secrets } = await new Promise<Served>((resolve) => server.once('message', resolve))
const out = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))
const guard = await startGuard(baseUrl, out)
const authorization = `Bearer ${secrets[0]?.[1]}`
const headers = { authorization, 'content-type': 'application/json' }
const pools = [new Pool(new URL(baseUrl).origin), new Pool(`http://127.0.0.1:${port}`)] as const

const ids: number[][] = [[], []]
let made = 0

/** By turns: a creation, two views, a removal; each pool works on its own volumes. */
const sendOne = async (n: number, way: 0 | 1): Promise<number> => {
  const own = ids[way] as number[]
  const kind = own.length === 0 ? 0 : n % 4
  const [method, path] =
    kind === 0
      ? ['POST', '/volumes']
      : kind === 3
        ? ['DELETE', `/volumes/${own.shift()}`]
        : ['GET', `/volumes/${own[0]}`]
  if (kind === 0) made += 1
  const body = kind === 0 ? { body: JSON.stringify({ label: `bench-${way}-${made}`, region: 'r1', size: 20 }) } : {}
  const from = performance.now()
  const reply = await pools[way].request({ method: method as 'GET', path: `/v4${path}`, headers, ...body })
  const text = await reply.body.text()
  const ms = performance.now() - from
  if (kind === 0 && reply.statusCode === 200) own.push((JSON.parse(text) as { readonly id: number }).id)
  return ms
}

const failed: [number, number] = [0, 0]

/** A connection that breaks is counted, so that what was measured is told all the same. */
const timed = async (n: number, way: 0 | 1, times: readonly [number[], number[]]): Promise<void> => {
  try {
    times[way].push(await sendOne(n, way))
  } catch {
    failed[way] += 1
  }
}

/** Sends at a fixed rate, whether replies have come or not; through the guard at the full rate, directly at a quarter of it. */
const play = async (forMs: number): Promise<readonly [number[], number[]]> => {
  const times: [number[], number[]] = [[], []]
  const sent: Promise<unknown>[] = []
  const from = performance.now()
  for (let n = 0; performance.now() - from < forMs; n += 1) {
    const due = from + (n * 1000) / perSecond
    if (performance.now() < due) await sleep(due - performance.now())
    sent.push(timed(n, 1, times))
    if (n % 4 === 0) sent.push(timed(Math.floor(n / 4), 0, times))
  }
  await Promise.all(sent)
  return times
}

/** How often memory is looked at. */
const looks = 4

await play(2000)
const [direct, guarded]: readonly [number[], number[]] = [[], []]
const resident: (number | undefined)[] = []
for (let look = 0; look < looks; look += 1) {
  const [straight, through] = await play((seconds * 1000) / looks)
  direct.push(...straight)
  guarded.push(...through)
  resident.push(guard.residentMiB())
}
await guard.stop()
process.stdout.write(`${told('direct', direct)}\n${told('guarded', guarded)}\n`)
process.stdout.write(
  `added    median ${(at(guarded, 0.5) - at(direct, 0.5)).toFixed(2)} ms, p99 ${(at(guarded, 0.99) - at(direct, 0.99)).toFixed(2)} ms at ${perSecond} requests/s\n`,
)
if (resident.every((one) => one !== undefined))
  process.stdout.write(`memory   ${resident.join(', ')} MiB resident after each quarter of the time\n`)
if (failed.some((n) => n > 0)) process.stdout.write(`failed   ${failed[0]} direct, ${failed[1]} guarded\n`)
for (const pool of pools) await pool.destroy()
await server.terminate()
rmSync(out, { recursive: true })
