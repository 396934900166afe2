// A run that reaches nothing keeps the reports of the one before it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { invoke, served } from '../cli/invoke.js'

const resultsIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'))

test('the reports of a run are kept by those after it that the target refuses, each of which has its own', async () => {
  const { target, file, dir } = await served()
  const out = join(dir, 'out')
  const run = () => invoke('run', '--target', file, '--operation', 'tags.list', '--quiet', '--out', out)
  expect((await run()).exitCode).toBe(0)
  const first = resultsIn(out)
  expect((await run()).exitCode).toBe(0)
  expect(existsSync(join(out, 'earlier'))).toBe(false)
  const second = resultsIn(out)
  expect(second.seed).not.toBe(first.seed)
  await target.server.close()
  for (const _ of ['once', 'again']) {
    expect((await run()).exitCode).toBe(3)
    expect(resultsIn(out)).toMatchObject({ verdict: 'inconclusive', requests: 0 })
    expect(resultsIn(join(out, 'earlier'))).toEqual(second)
    expect(existsSync(join(out, 'earlier', 'report.html'))).toBe(true)
  }
})
