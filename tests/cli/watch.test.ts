// `touchstone watch` beside a target that it starts itself, which a change mends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { UsageError } from '../../cli/errors.js'
import { watch } from '../../cli/watch.js'
import { root } from '../sources.js'
import { folder, freePort } from './invoke.js'

test('finds a fault, tries its cause first after a change, and says that it is gone', async () => {
  const cwd = folder()
  const port = await freePort()
  const fault = join(cwd, 'fault')
  writeFileSync(fault, 'tags.create: drops tags.create.body.label.minLength')
  const main = join(root, 'dist', 'cli', 'main.js')
  // The server prints a target file, since the secrets of its tokens are new each time.
  writeFileSync(
    join(cwd, 'touchstone.config.mjs'),
    `import { readFileSync } from 'node:fs'
    let served = { baseUrl: 'http://127.0.0.1:${port}/v4', tokens: [{ name: 'owner', scopes: '*', secret: 'none-yet' }] }
    try { served = JSON.parse(readFileSync(new URL('./served.json', import.meta.url), 'utf8')).target } catch {}
    export default served`,
  )
  const ending = new AbortController()
  const said: string[] = []
  const start = `f=$(cat fault); exec node '${main}' serve --port ${port} --json \${f:+--fault "$f"} > served.json`
  const say = (line: string): void => {
    said.push(line)
    if (line.startsWith('nonconforming') || line.startsWith('inconclusive')) writeFileSync(fault, '')
    if (line.endsWith(': gone')) ending.abort()
  }
  await watch({
    cwd,
    out: 'out',
    paths: ['fault'],
    start,
    runFlags: ['--clause', 'tags.create.body.label.minLength'],
    until: ending.signal,
    say,
  })
  expect(said).toContain('tags.create: drops tags.create.body.label.minLength: gone')
  expect(said.find((line) => line.startsWith('nonconforming'))).toMatch(
    / 1 finding from 1 cause, .* requests; see out.report\.html$/,
  )
  expect(readFileSync(fault, 'utf8')).toBe('')
})

test('runs again only for what it was told to watch, and not for what it says itself', async () => {
  const cwd = folder()
  for (const name of ['src', 'elsewhere', 'other']) mkdirSync(join(cwd, name))
  const said = join(cwd, 'src', 'said')
  const output = openSync(said, 'w')
  const target = `http://127.0.0.1:${await freePort()}/v4`
  const args = [join(root, 'dist/cli/main.js'), 'watch', '--target', target, '--watch', 'src', '--watch', 'other']
  const env = { ...process.env, TOUCHSTONE_TOKEN: 'x' }
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', output, output] })
  const lines = () => readFileSync(said, 'utf8').split('\n')
  await vi.waitFor(
    () => {
      for (const name of ['elsewhere', 'other']) writeFileSync(join(cwd, name, 'file'), String(Math.random()))
      expect(lines()).toContain(`touchstone: ${join('other', 'file')} changed`)
    },
    { timeout: 300_000, interval: 500 },
  )
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect(lines().filter((line) => line.endsWith(' changed') && !line.includes(join('other', 'file')))).toEqual([])
})

test('says at once that the target ended where it should have begun to answer', async () => {
  const cwd = folder()
  const ending = new AbortController()
  const said: string[] = []
  writeFileSync(
    join(cwd, 'touchstone.config.json'),
    `{"baseUrl":"http://127.0.0.1:${await freePort()}/v4","tokens":[{"name":"owner","scopes":"*","secret":"x"}]}`,
  )
  const say = (line: string): void => {
    said.push(line)
    if (line === 'waiting for a change') ending.abort()
  }
  await watch({ cwd, out: 'out', paths: ['.'], start: 'exit 7', runFlags: [], until: ending.signal, say })
  expect(said).toEqual(['the target ended with 7 before it answered', 'waiting for a change'])
})

test.each<[string, string, readonly string[]]>([
  ['that a signal has ended', 'echo x >> started; kill -9 $$', ['the target ended with SIGKILL before it answered']],
  ['that does not end when it is asked to', "trap '' TERM; echo x >> started; while :; do sleep 0.1; done", []],
])('starts a target anew %s', async (_, start, told) => {
  const cwd = folder()
  mkdirSync(join(cwd, 'src'))
  const ending = new AbortController()
  const said: string[] = []
  writeFileSync(
    join(cwd, 'touchstone.config.json'),
    `{"baseUrl":"http://127.0.0.1:${await freePort()}/v4","tokens":[{"name":"owner","scopes":"*","secret":"x"}]}`,
  )
  const starts = (): number => readFileSync(join(cwd, 'started'), 'utf8').split('x').length - 1
  const say = (line: string): void => void said.push(line)
  const watching = watch({ cwd, out: 'out', paths: ['src'], start, runFlags: [], until: ending.signal, say })
  await vi.waitFor(() => expect(starts()).toBe(1), { timeout: 300_000, interval: 50 })
  await vi.waitFor(
    () => {
      if (!said.some((line) => line.endsWith(' changed')))
        writeFileSync(join(cwd, 'src', 'file'), String(Math.random()))
      expect(starts()).toBeGreaterThan(1)
    },
    { timeout: 300_000, interval: 500 },
  )
  await vi.waitFor(() => expect(said).toEqual(expect.arrayContaining([...told])), { timeout: 300_000 })
  ending.abort()
  expect(await watching).toBe(0)
})

test('asks for a target file, and for paths that are there', async () => {
  const options = { cwd: folder(), out: 'out', runFlags: [], until: AbortSignal.abort(), say: () => undefined }
  await expect(watch({ ...options, paths: [] })).rejects.toThrow(UsageError)
  writeFileSync(
    join(options.cwd, 'touchstone.config.json'),
    '{"baseUrl":"http://127.0.0.1:9/v4","tokens":[{"name":"owner","scopes":"*","secret":"x"}]}',
  )
  await expect(watch({ ...options, paths: ['src'] })).rejects.toThrow('watch: src is not there')
})
