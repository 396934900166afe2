import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseRecord } from '../../reports/read.js'
import { startLine } from '../../suites/start-line.js'
import { folder } from '../cli/invoke.js'
import { targetOf } from '../oracle/traffic.js'
import { root } from '../sources.js'

test('the built command has every clause with the quote that is found for it', () => {
  const out = folder()
  execFileSync(process.execPath, ['dist/cli/main.js', 'judge', 'examples/recorded.har', '--out', out], {
    cwd: root,
    stdio: 'ignore',
  })
  const [built] = parseRecord(readFileSync(join(out, 'run.ndjson'), 'utf8'), 'run.ndjson')
  if (built?.type !== 'start') throw new Error('expected a record that begins with its start line')
  const options = { seed: 0, level: 'must', command: 'touchstone judge' } as const
  const target = { environment: built.setting, baseUrl: built.target.baseUrl }
  expect(built.clauses).toEqual(startLine({ options, startedAt: 0 }, target).clauses)
})

test.each([
  [[1, 1], undefined],
  [
    [1, 2],
    [1, 2],
  ],
  [
    [2, 2],
    [2, 2],
  ],
] as const)('a record names its shard only where there are several: %j', (shard, expected) => {
  const filters = { areas: [], operations: [], clauses: [], shard }
  const options = { seed: 0, level: 'must', command: 'touchstone run', filters } as const
  expect(startLine({ options, startedAt: 0 }, targetOf()).shard).toEqual(expected)
})
