// `serve`: what it prints can be used, and it serves what it was asked for.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { type ServeCommand, serve } from '../../cli/serve.js'
import { loadTarget, type Target } from '../../config/target-file.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { invoke, served } from './invoke.js'

const plain: ServeCommand = { port: 0, host: '127.0.0.1', variation: [], json: true }

interface Announced {
  readonly baseUrl: string
  readonly controlUrl: string | null
  readonly target: { readonly tokens: { readonly name: string; readonly secret: string }[] }
}

/** Serves for as long as `use` takes. */
const serving = async <T>(command: Partial<ServeCommand>, use: (announced: Announced, text: string) => Promise<T>) => {
  let text = ''
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      text += String(chunk)
      return true
    }),
    vi.spyOn(process.stderr, 'write').mockReturnValue(true),
  ]
  let used: T | undefined
  const exitCode = await serve({ ...plain, ...command }, async () => {
    used = await use(text.startsWith('{') ? JSON.parse(text) : undefined, text)
  })
  const err = spies[1]?.mock.calls.map(([chunk]) => String(chunk)).join('')
  for (const spy of spies) spy.mockRestore()
  return { exitCode, used, err }
}

const get = async ({ baseUrl, target }: Announced, path: string, init: RequestInit = {}) => {
  const secret = target.tokens.find(({ name }) => name === 'owner')?.secret
  return fetch(baseUrl + path, {
    ...init,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
  })
}

afterEach(() => {
  vi.restoreAllMocks()
})

test('the announced address answers the announced token, and nobody after the end', async () => {
  const { exitCode, used } = await serving({}, async (announced) => ({
    announced,
    status: (await get(announced, '/volumes')).status,
  }))
  expect([exitCode, used?.status]).toEqual([0, 200])
  await expect(get(used?.announced as Announced, '/volumes')).rejects.toThrow()
})

test('the welcome says how the target is brought back for another run', async () => {
  const { used } = await serving({ json: false }, async (_, text) => {
    const [, url = ''] = /Before the next one reset it: curl -X POST (\S+)\.$/m.exec(text) ?? []
    return (await fetch(url, { method: 'POST' })).status
  })
  expect(used).toBe(200)
})

test('the welcome holds a curl call that works as it stands', async () => {
  const { used } = await serving({ json: false }, async (_, text) => {
    const [, header, url] = /curl -H '([^']+)' (\S+)/.exec(text) ?? []
    return (await fetch(url ?? '', { headers: { authorization: header?.replace('Authorization: ', '') ?? '' } })).status
  })
  expect(used).toBe(200)
})

test('the target file that it offers is one that loads, with the same environment', async () => {
  const { file, dir } = await served()
  const target = await loadTarget({ target: file, cwd: dir, env: {} })
  expect(JSON.parse(JSON.stringify(target?.environment))).toEqual(JSON.parse(JSON.stringify(embeddedEnvironment())))
})

test('a variation is served', async () => {
  const { used } = await serving({ variation: ['zero-pages'] }, async (announced) =>
    (await get(announced, '/networking/firewalls')).json(),
  )
  expect(used).toMatchObject({ results: 0, pages: 0 })
})

test('the target file that is asked for is whole, and for its owner alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-serve-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const targetFile = join(folder, 'served.json')
  writeFileSync(targetFile, 'another', { mode: 0o644 })
  const { used } = await serving({ json: false, targetFile }, async (_, text) => {
    const { environment, baseUrl } = (await loadTarget({ target: targetFile, cwd: folder, env: {} })) as Target
    return { text, name: environment.name, tokens: environment.tokens.length, baseUrl }
  })
  expect(used?.tokens).toBe(embeddedEnvironment().tokens.length)
  // A replay without a target file asks the embedded target for what "embedded" has shown.
  expect(used?.name).toBe('served')
  expect(used?.text).toContain(`base URL  ${used?.baseUrl}`)
  expect(used?.text).toContain(`touchstone run --target ${targetFile}`)
  expect(statSync(targetFile).mode & 0o777).toBe(0o600)
})

test('the words that it is served in stand in its target file, and in the welcome', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-serve-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const words = { node_id: 'instance_id', scopes: { 'nodes:read_write': 'instances:write' } }
  const [vocabulary, targetFile] = [join(folder, 'words.json'), join(folder, 'served.json')]
  writeFileSync(vocabulary, JSON.stringify(words))
  const { used } = await serving({ json: false, vocabulary, targetFile }, async (_, text) => ({
    text,
    target: (await loadTarget({ target: targetFile, cwd: folder, env: {} })) as Target,
  }))
  expect(used?.target.vocabulary).toEqual(words)
  expect(used?.target.environment.tokens).toEqual(embeddedEnvironment().tokens)
  expect(used?.text).toContain('instances:write')
  expect(used?.text).not.toContain('nodes:read_write')
})

test('a target file that cannot be written is named, and nothing is served', async () => {
  const { exitCode, err } = await invoke('serve', '--target-file', '/nowhere/served.json')
  expect([exitCode, err]).toEqual([2, expect.stringContaining('/nowhere/served.json')])
})

test('a fault is served, and the end tells how often it made a difference', async () => {
  const label = JSON.stringify({ label: 'x'.repeat(33), region: 'r1' })
  const create = (announced: Announced) => get(announced, '/volumes', { method: 'POST', body: label })
  expect((await serving({}, async (announced) => (await create(announced)).status)).used).toBe(400)
  const fault = 'volumes.create: drops volumes.create.body.label.maxLength'
  const { used, err } = await serving({ fault }, async (announced) => (await create(announced)).status)
  expect(used).toBe(200)
  expect(err).toContain('made a difference 1 time\n')
})

test('hooks are offered on the own machine alone', async () => {
  const own = await serving({}, async ({ controlUrl }) => controlUrl)
  const anyone = await serving({ host: '0.0.0.0' }, async ({ controlUrl }) => controlUrl)
  expect([typeof own.used, anyone.used]).toEqual(['string', null])
})

test('a port that is taken is bad usage', async () => {
  const { target } = await served()
  const { exitCode, err } = await invoke('serve', '--port', new URL(target.baseUrl).port)
  expect([exitCode, err.includes('cannot listen on 127.0.0.1')]).toEqual([2, true])
})

test('the lists of variations and of faults are served in place of a target', async () => {
  expect((await invoke('serve', '--variation', 'list')).out).toMatch(/^all-422 /)
  expect((await invoke('serve', '--fault', 'list')).out).toContain('volumes.resize: drops volumes.resize.only-up\n')
  const variations = await invoke('serve', '--variation', 'list', '--json')
  expect(JSON.parse(variations.out)).toContainEqual({ name: 'all-422', text: 'every refusal has the status 422' })
  const faults = await invoke('serve', '--fault', 'list', '--json')
  expect(JSON.parse(faults.out)).toContain('volumes.resize: drops volumes.resize.only-up')
})
