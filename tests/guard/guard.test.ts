// The guard against the truth: clients that race through it find nothing on a clean target, and the fault on a broken one.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createJudging } from '../../guard/judging.js'
import type { OpenJudging } from '../../guard/thread.js'
import type { RecordLine } from '../../history/record.js'
import { type ServeOptions, startEmbedded, targetFileOf } from '../../reference/serve.js'
import { faultNamed } from '../../reference/switches.js'
import { folder, invoke } from '../cli/invoke.js'
import { root } from '../sources.js'
import { guarded, playClients } from './clients.js'

const served = async (options: ServeOptions = {}, fault?: string) => {
  const target = await startEmbedded({ seed: 1, restAfter: 0, ...options })
  onTestFinished(() => target.server.close())
  if (fault !== undefined) target.gateway.switches.setFault(faultNamed(fault))
  return { target, owner: target.secrets.get('owner') as string }
}

/** Judges in windows so small that most of what is known is from windows before. */
const inSmallWindows: OpenJudging = (options, on) =>
  createJudging(options, on.finding, { window: 24, carried: 12, remembered: 48 })

const secretOf = (name: string) => `${name}-5ecret-of-a-stranger`

test('a guard that is told to end writes its reports', async () => {
  const { target } = await served()
  const cwd = folder()
  const args = [join(root, 'dist/cli/main.js'), 'guard', '--target', target.baseUrl, '--listen', '0', '--out', 'out']
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  await once(child.stderr, 'data')
  child.kill('SIGINT')
  expect(await ended).toEqual([3, null])
  expect(existsSync(join(cwd, 'out', 'report.html'))).toBe(true)
})

describe('four clients at once through a guard', () => {
  test.each([1])('find nothing on a clean target that is known (seed %i)', async (seed) => {
    const { target, owner } = await served({ latency: { ms: 1, spreadMs: 1 } })
    let sent = 0
    const { exitCode, results, file } = await guarded(targetFileOf(target), async (origin) => {
      sent = await playClients(`${origin}/v4`, [owner], { seed })
    })
    expect(results.findings.map(({ id, summary }) => `${id} ${summary}`)).toEqual([])
    expect(results.requests).toBe(sent)
    expect(exitCode).toBe(0)
    const verdicts = linesOf(file).flatMap((line) => (line.type === 'step' ? [line.verdict] : []))
    // Racing calls are judged, not given up.
    expect(verdicts.filter((verdict) => verdict === 'pass').length).toBeGreaterThan(sent / 2)
  })

  test.each([3, 4])('find nothing where it is judged in small windows (seed %i)', async (seed) => {
    const { target, owner } = await served({ latency: { ms: 2, spreadMs: 2 } })
    const { results } = await guarded(
      targetFileOf(target),
      (origin) => playClients(`${origin}/v4`, [owner], { seed, deeds: 40 }),
      {},
      inSmallWindows,
    )
    expect(results.findings.map(({ id, summary }) => `${id} ${summary}`)).toEqual([])
    expect(results.requests).toBe(160)
  })

  test('find nothing where only the URL is known', async () => {
    const { target, owner } = await served()
    const { results } = await guarded(target.baseUrl, (origin) =>
      playClients(`${origin}/v4`, [owner], { seed: 6, deeds: 20 }),
    )
    expect(results.findings).toEqual([])
    expect(results.requests).toBe(80)
  })

  test.each([
    ['volumes.update: loses its effect', 'volumes'],
    ['managed-contacts.delete: loses its effect', 'managed-contacts'],
  ])('find the fault of a broken one, print it once, and end with 1: %s', async (fault, resource) => {
    const { target, owner } = await served({}, fault)
    const { exitCode, results, out, file } = await guarded(targetFileOf(target), (origin) =>
      playClients(`${origin}/v4`, [owner], { seed: 7, clients: 2, deeds: 60 }),
    )
    expect(results.findings.map((one) => one.operation.replace(/\..*/, ''))).toContain(resource)
    expect(exitCode).toBe(1)
    const [{ clause, id } = { clause: '', id: '' }] = results.findings
    expect(out).toContain(`${clause}  (`)
    expect(file('out/report.html')).toContain(clause)
    expect(file('out/junit.xml')).toContain(clause)
    expect(linesOf(file).filter((line) => line.type === 'finding' && line.finding.id === id)).toHaveLength(1)
  })
})

const linesOf = (file: (name: string) => string): readonly RecordLine[] =>
  file('out/run.ndjson')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('a guard', () => {
  test('keeps every secret out of what it writes', async () => {
    const { target, owner } = await served()
    const { out, err, file } = await guarded(
      targetFileOf(target),
      async (origin) => {
        for (const secret of [owner, secretOf('ann')])
          await fetch(`${origin}/v4/managed/credentials?echo=${secret}`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${secret}`,
              cookie: 'sid=c00kie-of-ann',
              'content-type': 'application/json',
            },
            body: JSON.stringify({ label: `of ${secret}`, username: 'ann', password: 'pa55word-of-ann' }),
          })
      },
      { har: 'a.har' },
    )
    const all = ['a.har', 'out/run.ndjson', 'out/results.json', 'out/report.html', 'out/junit.xml'].map(file)
    const har = JSON.parse(all[0] as string)
    expect(har.log.entries.map((entry: { readonly _caller: string }) => entry._caller)).toEqual(['owner', '?1'])
    for (const text of [...all, out, err])
      expect(text).not.toMatch(new RegExp(`${owner}|${secretOf('ann')}|c00kie-of-ann|pa55word-of-ann`))
  })

  test('writes a HAR that is judged again to the same end', async () => {
    const { target, owner } = await served({}, 'volumes.create: drops volumes.create.body.label.maxLength')
    const { results, file } = await guarded(
      targetFileOf(target),
      async (origin) => {
        const headers = { authorization: `Bearer ${owner}`, 'content-type': 'application/json' }
        const call = async (method: string, path: string, body?: object) => {
          const reply = await fetch(`${origin}/v4${path}`, {
            method,
            headers,
            ...(body && { body: JSON.stringify(body) }),
          })
          return (await reply.json()) as { readonly id: number }
        }
        const { id } = await call('POST', '/volumes', { label: 'a'.repeat(33), region: 'r1' })
        await call('PUT', `/volumes/${id}`, { label: 'bob' })
        await call('GET', `/volumes/${id}`)
      },
      { har: 'a.har' },
    )
    const { judgeHar } = await import('../oracle/traffic.js')
    expect(results.findings).not.toEqual([])
    expect(
      judgeHar(JSON.parse(file('a.har')))
        .found.map(({ id }) => id)
        .sort(),
    ).toEqual(results.findings.map(({ id }) => id).sort())
  })

  test('has no finding of what was cut, left or never ended, and says that it was not judged', async () => {
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"data":')
      if (request.url?.endsWith('/volumes')) request.socket.destroySoon()
    })
    await new Promise<void>((resolved) => server.listen(0, '127.0.0.1', resolved))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const { port } = server.address() as AddressInfo
    const { exitCode, results, err } = await guarded(`http://127.0.0.1:${port}/v4`, async (origin) => {
      await expect(fetch(`${origin}/v4/volumes`).then((reply) => reply.text())).rejects.toThrow()
      const leaving = new AbortController()
      const left = await fetch(`${origin}/v4/tags`, { signal: leaving.signal })
      leaving.abort()
      await expect(left.text()).rejects.toThrow()
      await fetch(`${origin}/v4/networking/firewalls`)
    })
    expect(results.findings).toEqual([])
    expect(results.operations.flatMap(({ replies }) => Object.keys(replies))).toEqual(['lost', 'lost'])
    expect(err).toContain('1 not judged: still under way at the end')
    expect(exitCode).toBe(3)
  })

  test('has results that can be merged with those of a run of any seed', async () => {
    const { target, owner } = await served()
    const { results } = await guarded(targetFileOf(target), (origin) =>
      playClients(`${origin}/v4`, [owner], { seed: 8, clients: 1, deeds: 10 }),
    )
    const dir = folder()
    for (const [name, seed] of [
      ['run', 5],
      ['guard', results.seed],
    ] as const)
      writeFileSync(join(dir, `${name}.json`), JSON.stringify({ ...results, seed }))
    const files = ['run', 'guard'].map((name) => join(dir, `${name}.json`))
    const { exitCode } = await invoke('report', '--merge', ...files, '--out', join(dir, 'all'))
    expect(exitCode).toBe(0)
    expect(JSON.parse(readFileSync(join(dir, 'all/results.json'), 'utf8'))).toMatchObject({ requests: 20, seed: 5 })
  })

  test('without a target says what is missing', async () => {
    await expect(guarded('http://127.0.0.1:1/v4', async () => undefined, { target: 'nowhere.json' })).rejects.toThrow(
      /nowhere\.json/,
    )
  })
})
