// `report`: one record is rendered, shards are merged, runs are compared.
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RecordLine } from '../../history/record.js'
import { fold } from '../../reports/index.js'
import type { Results } from '../../reports/results-schema.js'
import { clean, sample, start } from '../reports/sample.js'
import { folder, invoke } from './invoke.js'

const put = (dir: string, name: string, text: string): string => {
  const file = join(dir, name)
  writeFileSync(file, text)
  return file
}

const ndjson = (lines: readonly RecordLine[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const json = (results: Results): string => JSON.stringify(results)

test('a record is rendered into the reports that were asked for and no others, and ends as the run did', async () => {
  const dir = folder()
  const file = put(dir, 'run.ndjson', ndjson(sample))
  const { exitCode, out } = await invoke('report', file, '--out', join(dir, 'again'), '--report', 'sarif,json')
  expect([exitCode, out.includes('volumes.resize.only-up')]).toEqual([1, true])
  expect(['sarif.json', 'results.json', 'report.html'].map((name) => existsSync(join(dir, 'again', name)))).toEqual([
    true,
    true,
    false,
  ])
})

test('kinds of reports that are named one by one are all written', async () => {
  const dir = folder()
  const file = put(dir, 'run.ndjson', ndjson(sample))
  await invoke('report', file, '--out', join(dir, 'again'), '--report', 'sarif', '--report', 'ctrf')
  expect(readdirSync(join(dir, 'again')).sort()).toEqual(['ctrf.json', 'findings', 'sarif.json'])
})

test.each(['utf8', 'utf16le'] as const)(
  'expected findings may begin with a byte order mark, in %s',
  async (encoding) => {
    const dir = folder()
    const file = put(dir, 'run.ndjson', ndjson(sample))
    const known = join(dir, 'known.json')
    writeFileSync(known, `\ufeff${JSON.stringify(fold(sample).findings.map(({ id }) => id))}`, encoding)
    const { exitCode, err } = await invoke('report', file, '--out', join(dir, 'again'), '--expected-findings', known)
    expect([exitCode, err]).toEqual([0, expect.stringContaining('reports in')])
  },
)

test('results are rendered like the record that they were folded from', async () => {
  const dir = folder()
  const args = ['--out', join(dir, 'again'), '--json', '--quiet'] as const
  const fromRecord = await invoke('report', put(dir, 'run.ndjson', ndjson(sample)), ...args)
  const fromResults = await invoke('report', put(dir, 'results.json', json(fold(sample))), ...args)
  expect(JSON.parse(fromResults.out)).toEqual(JSON.parse(fromRecord.out))
})

test('shards are merged, and a finding of one is a finding of all', async () => {
  const dir = folder()
  const files = [put(dir, 'a.json', json(fold(clean))), put(dir, 'b.json', json(fold(sample)))]
  const { exitCode } = await invoke('report', '--merge', ...files, '--out', dir, '--quiet')
  const merged = JSON.parse(readFileSync(join(dir, 'results.json'), 'utf8')) as Results
  expect([exitCode, merged.verdict, merged.findings.length]).toEqual([1, 'nonconforming', fold(sample).findings.length])
})

test('runs with different seeds are no shards of one run', async () => {
  const dir = folder()
  const other = { ...fold(sample), seed: (start.seed ?? 0) + 1 }
  const files = [put(dir, 'a.json', json(fold(sample))), put(dir, 'b.json', json(other))]
  const { exitCode, err } = await invoke('report', '--merge', ...files, '--out', dir)
  expect([exitCode, err.includes('one seed')]).toEqual([2, true])
})

test('a comparison ends with 1 where the last run has a finding that the first had not, and with 0 the other way round', async () => {
  const dir = folder()
  const [good, bad] = [put(dir, 'good.json', json(fold(clean))), put(dir, 'bad.json', json(fold(sample)))]
  const worse = await invoke('report', good, bad, '--out', dir, '--quiet')
  const better = await invoke('report', bad, good, '--out', dir, '--quiet')
  expect([worse.exitCode, better.exitCode]).toEqual([1, 0])
  expect(worse.out).toMatch(/new +volumes\.resize: drops volumes\.resize\.only-up/)
  expect(readFileSync(join(dir, 'comparison.html'), 'utf8')).toContain('from run to run</h1>')
})

test('a picture or a signed summary is written over nothing that is needed', async () => {
  const dir = folder()
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = put(dir, 'key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  const file = put(dir, 'a.json', json(fold(clean)))
  const record = put(dir, 'run.ndjson', ndjson(clean))
  const ledger = put(dir, 'ledger.ndjson', '')
  const out = folder()
  const kept = [key, file, record].map((one) => readFileSync(one, 'utf8'))
  symlinkSync(key, join(dir, 'link.pem'))
  for (const [flag, to] of [
    ['--attest', key],
    ['--attest', join(dir, 'link.pem')],
    ['--attest', file],
    ['--badge', file],
    ['--badge', record],
    ['--badge', ledger],
    ['--badge', join(dir, 'findings', 'one.json')],
  ] as const) {
    const { exitCode, err } = await invoke(
      ...['report', file, flag, to, '--out', out, '--report', 'html'],
      ...(flag === '--attest' ? ['--key', key] : []),
    )
    expect([exitCode, err]).toEqual([2, expect.stringContaining(`${flag}: expected a file to write, received ${to}`)])
  }
  expect([key, file, record].map((one) => readFileSync(one, 'utf8'))).toEqual(kept)
  const both = join(dir, 'new')
  const { exitCode } = await invoke('report', file, '--badge', both, '--attest', both, '--key', key, '--out', dir)
  expect([exitCode, existsSync(both)]).toEqual([2, false])
})

test.runIf(process.platform === 'linux')('a folder for which the file system has no room is told', async () => {
  const file = put(folder(), 'a.json', json(fold(clean)))
  const { exitCode, err } = await invoke('report', file, '--out', '/proc/touchstone')
  expect([exitCode, err]).toEqual([2, expect.stringContaining('/proc/touchstone')])
})

test('a signed summary is good for its file and for no other, and takes a key', async () => {
  const dir = folder()
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = put(dir, 'key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  const [file, other] = [put(dir, 'a.json', json(fold(clean))), put(dir, 'b.json', json(fold(sample)))]
  const [envelope, badge] = [join(dir, 'a.dsse.json'), join(dir, 'badge.svg')]
  const made = await invoke('report', file, '--out', dir, '--badge', badge, '--attest', envelope, '--key', key)
  expect(made.err).toContain(`touchstone: wrote ${badge}\ntouchstone: wrote ${envelope}\n`)
  const good = await invoke('report', file, '--verify', envelope, '--key', key)
  const bad = await invoke('report', other, '--verify', envelope, '--key', key)
  const keyless = await invoke('report', file, '--verify', envelope)
  expect([good.exitCode, bad.exitCode, keyless.exitCode]).toEqual([0, 1, 2])
  expect(bad.out).toContain('it is of another file')
  expect(readFileSync(badge, 'utf8')).toContain('conforms')
})

test('a file that is no record ends with 2 and is named', async () => {
  const file = put(folder(), 'results.json', '{"format": 2}')
  const { exitCode, err } = await invoke('report', file)
  expect([exitCode, err.includes(file)]).toEqual([2, true])
})

test.each([
  ['text that is no JSON', 'nonsense', 'received text that is not JSON'],
  ['a HAR', '{"log":{}}', "must have required property 'format'"],
])('%s is told from results and records', async (_, text, message) => {
  const { exitCode, err } = await invoke('report', put(folder(), 'results.json', text))
  expect([exitCode, err]).toEqual([2, expect.stringContaining(message)])
})

test('a folder of a run stands for its results, and one without any is named', async () => {
  const dir = folder()
  put(dir, 'results.json', json(fold(clean)))
  const [whole, empty] = [await invoke('report', dir, '--out', join(dir, 'again')), await invoke('report', folder())]
  expect([whole.exitCode, empty.exitCode]).toEqual([0, 2])
  expect(empty.err).toMatch(/cannot open .*results\.json: there is no such file/)
})

test('results that no run has left are told as such, as where a pipeline has none to merge', async () => {
  const { err, exitCode } = await invoke('report', '--merge', 'shards/*/results.json')
  expect(exitCode).toBe(2)
  expect(err).toMatch(/shards\/\*\/results\.json: there is no such file.* it ended before it had results/)
})

test.each([
  [['--badge', 'b.svg'], '--badge: expected one file, received 2'],
  [['--merge', '--attest', 'a.json'], '--attest: expected one file, received 2'],
  [['--merge'], '--merge: expected each run once'],
] as const)('what goes with one run alone is refused of two: report A B %j', async (flags, message) => {
  const dir = folder()
  const files = [put(dir, 'a.json', json(fold(clean))), put(dir, 'b.json', json(fold(clean)))]
  const { exitCode, err } = await invoke('report', ...files, ...flags, '--out', dir)
  expect([exitCode, err]).toEqual([2, expect.stringContaining(message)])
})

test('checking a summary goes with nothing else', async () => {
  const file = put(folder(), 'a.json', json(fold(clean)))
  const { exitCode, err } = await invoke('report', file, '--merge', '--verify', 'a.dsse.json')
  expect([exitCode, err]).toEqual([2, expect.stringContaining('--merge and --verify: expected --verify alone')])
})
