// A run of the compiled command against a target that answers in a hostile way, and what is to be said of how it went.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DOMParser } from '@xmldom/xmldom'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { startEmbedded, targetFileOf } from '../../../reference/serve.js'
import type { Results } from '../../../reports/results-schema.js'
import type { Kind } from './kinds.js'
import { startProxy } from './proxy.js'

export interface Trial {
  readonly code: number | null
  readonly seconds: number
  readonly calls: number
  readonly peakMiB: number
  readonly results: Results | undefined
  readonly said: string
  /** It took longer than it was given, by more than it needs to clean up. */
  readonly isLate: boolean
  /** What no run may do, whatever the target does. */
  readonly wrong: readonly string[]
}

const mostMiB = 512
/** What a run may take longer than it is given: for a request, the clean-up after it and the reports. */
const graceSeconds = 30
/** A run that has not ended by then is killed. */
const killedAfterMs = 180_000

export interface TrialOptions {
  readonly args?: readonly string[]
  readonly timeoutMs?: number
  readonly givenSeconds?: number
}

export const tryKind = async (
  kind: Kind,
  { args = [], timeoutMs = 500, givenSeconds = 20 }: TrialOptions = {},
): Promise<Trial> => {
  const dir = mkdtempSync(join(tmpdir(), 'touchstone-hostile-'))
  const target = await startEmbedded({ seed: 1, restAfter: 1 })
  const proxy = await startProxy(target.baseUrl, kind.make())
  try {
    const file = join(dir, 'touchstone.config.json')
    const out = join(dir, 'out')
    const pace = { requestTimeoutMs: timeoutMs, settleMs: 2000 }
    writeFileSync(file, JSON.stringify({ ...targetFileOf(target), baseUrl: proxy.baseUrl, pace }))
    const all = [
      'run',
      '--target',
      file,
      '--out',
      out,
      '--area',
      kind.area,
      '--seed',
      '1',
      '--max-time',
      `${givenSeconds}s`,
      ...args,
    ]
    const began = Date.now()
    const ended = await watch([compiled, ...all], killedAfterMs)
    const seconds = (Date.now() - began) / 1000
    const results = readResults(join(out, 'results.json'))
    const wrong = [
      ...(ended.code === null ? ['it did not end'] : []),
      ...(ended.peakMiB > mostMiB ? [`it held ${ended.peakMiB} MiB`] : []),
      ...(/suite defect|heap out of memory|\n {4}at /.test(ended.said) ? [`it broke: ${lineWith(ended.said)}`] : []),
      ...(results ? wrongOf(results, out, ended.code) : wrongWithout(ended.code)),
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      ...(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(ended.said) ? ['it printed a control character'] : []),
    ]
    return { ...ended, seconds, isLate: seconds > givenSeconds + graceSeconds, calls: proxy.calls(), results, wrong }
  } finally {
    await proxy.close()
    await target.server.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

const beside = fileURLToPath(new URL('../../../cli/main.js', import.meta.url))
/** The command as it was built, also for tests that run from the sources. */
const compiled = existsSync(beside) ? beside : fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

const lineWith = (text: string): string =>
  text.split('\n').find((line) => /suite defect|heap out of memory|^ {4}at /.test(line)) ?? ''

/** Runs a command of Node.js; a `code` of null where it had to be killed. */
const watch = (
  args: readonly string[],
  limitMs: number,
): Promise<{ readonly code: number | null; readonly said: string; readonly peakMiB: number }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    })
    let said = ''
    let peakMiB = 0
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said = (said + String(chunk)).slice(-200_000)
      })
    const look = setInterval(() => {
      peakMiB = Math.max(peakMiB, memoryOf(child.pid))
    }, 100)
    const kill = setTimeout(() => child.kill('SIGKILL'), limitMs)
    child.once('error', reject)
    child.once('close', (code) => {
      clearInterval(look)
      clearTimeout(kill)
      resolve({ code, said, peakMiB })
    })
  })

const memoryOf = (pid: number | undefined): number => {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}

const readResults = (file: string): Results | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : undefined

/** Without results a run was refused before it began. */
const wrongWithout = (code: number | null): readonly string[] =>
  code === 2 ? [] : [`it ended with ${code} and without results`]

const wrongOf = (results: Results, out: string, code: number | null): readonly string[] => {
  const expected = { conforms: 0, nonconforming: 1, inconclusive: 3 }[results.verdict]
  const defects = (results.troubles ?? [])
    .map((one) => JSON.stringify(one))
    .filter((one) => one.includes('suite defect'))
  const broken = (file: string, read: (text: string) => void): readonly string[] => {
    try {
      read(readFileSync(join(out, file), 'utf8'))
      return []
    } catch (error) {
      return [`${file}: ${String(error).slice(0, 200)}`]
    }
  }
  return [
    ...(code === expected ? [] : [`it ended with ${code}, although ${results.verdict}`]),
    ...defects.map((text) => `suite defect in the results: ${text.slice(0, 300)}`),
    ...broken('results.json', checkResults),
    ...broken('junit.xml', (xml) => {
      new DOMParser({
        onError: (level, message) => {
          if (level === 'warning') return
          throw new Error(message)
        },
      }).parseFromString(xml, 'text/xml')
    }),
    ...broken('report.html', checkPage),
    ...filesIn(join(out, 'findings'))
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => broken(join('findings', name), JSON.parse)),
  ]
}

const filesIn = (dir: string): readonly string[] => (existsSync(dir) ? readdirSync(dir) : [])

const checkResults = (text: string): void => {
  const ajv = new Ajv({ strict: false, allErrors: false })
  addFormats.default(ajv)
  const schema = JSON.parse(
    readFileSync(fileURLToPath(new URL('../../../reports/results.schema.json', import.meta.url)), 'utf8'),
  ) as object
  if (!ajv.validate(schema, JSON.parse(text))) throw new Error(ajv.errorsText())
}

const checkPage = (html: string): void => {
  if (!html.trimEnd().endsWith('</html>')) throw new Error('it has no end')
  if (/alert\(1\)<\/script>|<img src=x/.test(html)) throw new Error('what the target said is part of the page')
}
