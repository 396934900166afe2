// `--dry-run`: what a run would do, told before anything is sent.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { allClauses } from '../../models/index.js'
import { invoke, served } from './invoke.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

const rehearsed = async (file: string, ...flags: readonly string[]): Promise<readonly string[]> => {
  const { out, exitCode } = await invoke('run', '--target', file, '--dry-run', ...flags)
  expect(exitCode).toBe(0)
  return out.trimEnd().split('\n')
}

test('a screenful says how many clauses, programs and requests each area has, and nothing is sent', async () => {
  const { file, target } = await served()
  await target.server.close()
  const lines = await rehearsed(file)
  expect(lines.length).toBeLessThan(20)
  expect(lines.map((line) => line.split(/ {2}/)[0])).toEqual(
    expect.arrayContaining([
      'volumes',
      'object-storage',
      'networking',
      'tags',
      'managed',
      'support',
      'across areas',
      'all',
    ]),
  )
  expect(lines.find((line) => line.startsWith('all'))).toMatch(
    new RegExp(`^all +${allClauses().length.toLocaleString('en')} +[12],\\d{3}  about 1\\d,\\d{3}$`),
  )
  expect(lines.at(-1)).toMatch(/^nothing was sent to embedded at http/)
})

test('about as many requests are told as a run sends', async () => {
  const { file, dir } = await served()
  const { out } = await invoke('run', '--target', file, '--area', 'tags', '--dry-run', '--json')
  const told: number = JSON.parse(out).requests
  await invoke('run', '--target', file, '--area', 'tags', '--quiet', '--out', join(dir, 'out'))
  const { requests } = JSON.parse(readFileSync(join(dir, 'out', 'results.json'), 'utf8'))
  expect(told / requests).toBeGreaterThan(0.5)
  expect(told / requests).toBeLessThan(2)
})

test('how long it takes is told by the rate that holds, and what else ends it', async () => {
  const { file } = await served()
  const lines = await rehearsed(file, '--area', 'tags', '--rate', '1/s', '--max-requests', '120', '--max-time', '30m')
  expect(lines).toContain('of these, 120 requests are sent, those first that tell most (--max-requests)')
  expect(lines).toContain('at 1 requests a second that takes at least 2 min 0 s')
  expect(lines).toContain('it ends after 30 min 0 s at the latest (--max-time)')
})

test('a name in the target file that nothing has is refused, as it is by the run, a judgement and a guard', async () => {
  const { file } = await served((one) => ({ ...one, pins: { 'volumes.create.statsu': 201 } }))
  const ways = [
    ['run', '--dry-run'],
    ['run', '--quiet'],
    ['fuzz', '--dry-run'],
    ['judge', 'examples/recorded.har'],
    ['guard'],
  ]
  for (const way of ways)
    expect(await invoke(...way, '--target', file), way.join(' ')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('touchstone.config.json pins["volumes.create.statsu"]: expected the id of a choice'),
    })
})

test('--verbose lists each clause with its program, or why there is none', async () => {
  const { file } = await served((one) => ({ ...one, fixtures: { ...one.fixtures, domains: [] } }))
  const lines = await rehearsed(file, '--operation', 'tags.*', '--verbose')
  expect(lines).toContain('tags.list.token  4 calls')
  expect(lines.find((line) => line.startsWith('tags.create.body.domains[].type  '))).toContain('needs a domain')
})

test('a night of random programs has no clauses to list', async () => {
  const { file } = await served()
  const { out } = await invoke('fuzz', '--target', file, '--dry-run', '--area', 'tags', '--max-time', '2h')
  expect(out).toMatch(/^random programs over 4 operations of embedded at http\S+; nothing was sent\n$/)
  const asJson = await invoke('fuzz', '--target', file, '--dry-run', '--area', 'tags', '--json')
  expect(JSON.parse(asJson.out)).toEqual({
    target: { name: 'embedded', baseUrl: expect.stringMatching(/^http/) },
    operations: 4,
  })
  expect(await invoke('fuzz', '--target', file, '--dry-run', '--verbose')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("unknown option '--verbose'"),
  })
})

test('--verbose without --dry-run is refused before anything is sent, and its variable is not', async () => {
  const { file, dir } = await served()
  const flags = ['run', '--target', file, '--operation', 'tags.list', '--quiet', '--out', join(dir, 'out')]
  expect(await invoke(...flags, '--verbose')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('add --dry-run, or leave it out'),
  })
  expect(existsSync(join(dir, 'out'))).toBe(false)
  vi.stubEnv('TOUCHSTONE_VERBOSE', '1')
  expect((await invoke(...flags)).exitCode).toBe(0)
})
