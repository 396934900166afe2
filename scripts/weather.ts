// `npm run weather`: whole runs against clean targets behind bad networks, late replicas and restarts: no finding, and not much more time; not a test.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Results } from '../reports/results-schema.js'
import { type Sky, skies, TARGETS, type TargetName } from '../tests/weather/skies.js'
import { readFlags, wholeNumber } from './flags.js'

const main = fileURLToPath(new URL('../cli/main.js', import.meta.url))

interface Row {
  readonly target: string
  readonly sky: string
  readonly findings: readonly string[]
  readonly verdict: string
  readonly exitCode: number
  readonly passed: number
  readonly requests: number
  readonly ms: number
  readonly troubles: readonly string[]
  /** How many things are left on the target that could have been removed. */
  readonly left: number
}

/** A run in a process of its own, as a user starts it. */
const runAgainst = (file: string, out: string, selection: readonly string[], seed: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const args = [main, 'run', '--target', file, '--out', out, '--seed', seed, '--quiet', '--report', 'json']
    spawn(process.execPath, [...args, ...selection], { stdio: 'ignore' })
      .once('error', reject)
      .once('exit', (code) => resolve(code ?? -1))
  })

/** Hooks of the target for another process: a target file that calls them here. */
const offerHooks = async (hooks: Readonly<Record<string, unknown>>) => {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => {
      text += part
    })
    request.on('end', () => {
      const { name, args } = JSON.parse(text) as { readonly name: string; readonly args: readonly unknown[] }
      const given = name === 'readEvents' ? [new Date(String(args[0]))] : args
      const hook = hooks[name] as (...args: readonly unknown[]) => Promise<unknown>
      void hook(...given).then((value) => response.end(JSON.stringify(value ?? null)))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const code = Object.keys(hooks)
    .map((name) => `${name}: (...args) => call(${JSON.stringify(name)}, args)`)
    .join(',\n')
  const text = (file: object): string =>
    `const call = async (name, args) => (await fetch('http://127.0.0.1:${port}/', { method: 'POST', body: JSON.stringify({ name, args }) })).json()\n` +
    `export default { ...${JSON.stringify(file)}, hooks: {\n${code}\n} }\n`
  return { text, close: () => server.close() }
}

const tryOne = async (name: TargetName, sky: Sky, selection: readonly string[], seed: string): Promise<Row> => {
  const folder = mkdtempSync(join(tmpdir(), 'weather-'))
  const target = await TARGETS[name](sky)
  const hooks = await offerHooks(target.hooks)
  const file = join(folder, 'touchstone.config.mjs')
  writeFileSync(file, hooks.text(target.file))
  const from = Date.now()
  try {
    const exitCode = await runAgainst(file, folder, selection, seed)
    const ms = Date.now() - from
    const results = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')) as Results & {
      readonly troubles?: readonly { readonly text: string }[]
    }
    return {
      target: name,
      sky: sky.name,
      findings: results.findings.map(({ id, level, received }) => `${level} ${id}: ${received}`),
      verdict: results.verdict,
      exitCode,
      passed: results.clauses.filter(({ verdict }) => verdict === 'pass').length,
      requests: results.requests,
      ms,
      left: results.left.filter(({ reason }) => !reason.startsWith('the interface has no')).length,
      troubles: readFileSync(join(folder, 'run.ndjson'), 'utf8')
        .split('\n')
        .filter((line) => line.includes('"type":"trouble"'))
        .map((line) => (JSON.parse(line) as { readonly text: string }).text),
    }
  } finally {
    hooks.close()
    await target.close()
    if (process.env.KEEP === undefined) rmSync(folder, { recursive: true, force: true })
    else process.stdout.write(`${name}, ${sky.name}: ${folder}\n`)
  }
}

const columns = ['target', 'weather', 'findings', 'verdict', 'exit', 'passed', 'requests', 'seconds', 'ratio', 'left']

const tell = (row: Row, clean: Row): void => {
  const cells = [
    row.target,
    row.sky,
    row.findings.length,
    row.verdict,
    row.exitCode,
    row.passed,
    row.requests,
    (row.ms / 1000).toFixed(1),
    (row.ms / clean.ms).toFixed(2),
    row.left,
  ]
  process.stdout.write(`${line(cells)}\n`)
  for (const text of row.findings.slice(0, 8)) process.stdout.write(`    ${text.slice(0, 200)}\n`)
  for (const text of row.troubles.slice(0, 3)) process.stdout.write(`    (${text.slice(0, 200)})\n`)
}

const line = (cells: readonly (string | number)[]): string =>
  cells.map((cell, i) => (i === 1 ? String(cell).padEnd(26) : String(cell).padEnd(13))).join('')

/** Conforms and leaves nothing, or says that it cannot tell; never that the target is wrong. */
const isHonest = ({ findings, verdict, exitCode, left }: Row): boolean =>
  findings.every((text) => text.startsWith('should')) &&
  ((verdict === 'conforms' && exitCode === 0 && left === 0) || (verdict === 'inconclusive' && exitCode === 3))

const usage = `usage: npm run weather -- [flags]
  --kind a,b             only the kinds of weather whose names have one of these
  --target name          only the target whose name begins so: ${Object.keys(TARGETS).join(' or ')}
  --area, --operation    as of touchstone run
  --seed n               the seed of the runs (1)
kinds: ${skies.map(({ name }) => name).join('; ')}
With KEEP=1 in the environment the folders of the runs stay.`

const { values, refuse } = readFlags(
  usage,
  {
    area: { type: 'string' },
    operation: { type: 'string' },
    kind: { type: 'string', default: '' },
    target: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
  },
  0,
)
wholeNumber(values.seed, '--seed', refuse)
const wantedKinds = values.kind.split(',')
for (const kind of wantedKinds)
  if (!skies.some(({ name }) => name.includes(kind)))
    refuse(`--kind: no weather has ${JSON.stringify(kind)} in its name`)
const names = (Object.keys(TARGETS) as TargetName[]).filter((name) => name.startsWith(values.target))
if (names.length === 0)
  refuse(`--target: expected ${Object.keys(TARGETS).join(' or ')}, received ${JSON.stringify(values.target)}`)
const selection = (['area', 'operation'] as const).flatMap((flag) =>
  values[flag] === undefined ? [] : [`--${flag}`, values[flag]],
)
process.stdout.write(`${line(columns)}\n`)
const rows: Row[] = []
for (const name of names) {
  const some = skies.filter((sky) => sky.name === 'clean' || wantedKinds.some((kind) => sky.name.includes(kind)))
  for (const sky of some) {
    const row = await tryOne(name, sky, selection, values.seed)
    rows.push(row)
    const plain = rows.find((one) => one.target === name && one.sky === 'clean') ?? row
    tell(row, plain)
  }
}
process.exitCode = rows.every(isHonest) ? 0 : 1
