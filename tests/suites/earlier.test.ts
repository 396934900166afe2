// A run that reaches nothing keeps the reports of the one before it.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dropEarlier, keepEarlier } from '../../suites/earlier.js'
import { folder, invoke, served } from '../cli/invoke.js'

const resultsIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'))

test('the reports of a run are kept by those after it that the target refuses, each of which has its own', async () => {
  const { target, file, dir } = await served()
  const out = join(dir, 'out')
  const run = (...more: string[]) =>
    invoke('run', '--target', file, '--operation', 'tags.list', '--quiet', '--out', out, ...more)
  expect((await run('--seed', '1')).exitCode).toBe(0)
  expect((await run('--seed', '2')).exitCode).toBe(0)
  expect(existsSync(join(out, 'earlier'))).toBe(false)
  const second = resultsIn(out)
  expect(second.seed).toBe(2)
  await target.server.close()
  for (const _ of ['once', 'again']) {
    expect((await run()).exitCode).toBe(3)
    expect(resultsIn(out)).toMatchObject({ verdict: 'inconclusive', requests: 0 })
    expect(resultsIn(join(out, 'earlier'))).toEqual(second)
    expect(existsSync(join(out, 'earlier', 'report.html'))).toBe(true)
  }
})

test('what was kept is gone as soon as a run has reports of its own, but for what no run has written', async () => {
  const { target, file, dir } = await served()
  const out = join(dir, 'out')
  const run = () => invoke('run', '--target', file, '--operation', 'tags.list', '--quiet', '--out', out)
  await run()
  renameSync(join(out, 'results.json'), join(dir, 'results.json'))
  mkdirSync(join(out, 'earlier'))
  renameSync(join(dir, 'results.json'), join(out, 'earlier', 'results.json'))
  writeFileSync(join(out, 'earlier', 'notes.txt'), 'mine')
  await run()
  expect(readdirSync(join(out, 'earlier'))).toEqual(['notes.txt'])
  rmSync(join(out, 'earlier', 'notes.txt'))
  await target.server.close()
  await run()
  expect(readdirSync(join(out, 'earlier'))).toContain('results.json')
  dropEarlier(out)
  expect(existsSync(join(out, 'earlier'))).toBe(false)
})

test('a folder of that name that holds no results of a run is neither named nor touched', () => {
  const out = folder()
  mkdirSync(join(out, 'earlier'))
  writeFileSync(join(out, 'earlier', 'report.html'), 'mine')
  expect(keepEarlier(out)).toBeUndefined()
  dropEarlier(out)
  expect(readdirSync(join(out, 'earlier'))).toEqual(['report.html'])
})
