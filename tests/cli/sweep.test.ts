// `sweep`: it removes what runs left, and nothing else.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nameOfRun } from '../../arbitraries/serial.js'
import { outstanding } from '../../driver/ledger.js'
import { createNonce, markOf } from '../../driver/nonce.js'
import type { LedgerLine } from '../../driver/session.js'
import { claimFolder } from '../../suites/claim.js'
import { beginLedger } from '../../suites/ledger.js'
import { start } from '../reports/sample.js'
import { callAsOwner, folder, invoke, served } from './invoke.js'

type Served = Awaited<ReturnType<typeof served>>

const create = async ({ target }: Served, path: string, body: object) => {
  const made = await callAsOwner(target, 'POST', path, body)
  expect(made.status).toBe(200)
  return made.body as { id: number; label?: string }
}

const volume = (one: Served, label: string, more: object = {}) =>
  create(one, '/volumes', { label, region: 'r1', ...more })

const labels = async ({ target }: Served, path = '/volumes'): Promise<readonly string[]> =>
  (await callAsOwner(target, 'GET', path)).body.data.map(({ label }: { label: string }) => label)

const ledgerOf = (lines: readonly Partial<LedgerLine>[], dir = folder()): string => {
  const file = join(dir, 'ledger.ndjson')
  writeFileSync(file, lines.map((line) => `${JSON.stringify({ step: 1, ...line })}\n`).join(''))
  return file
}

const createdVolume = (id: number, label?: string): Partial<LedgerLine> => ({
  event: 'created',
  kind: 'volumes',
  operation: 'volumes.create',
  key: String(id),
  url: '/volumes',
  ...(label !== undefined && { body: { label } }),
})

const sweep = async ({ file }: Served, ...args: readonly string[]) => {
  const { out, exitCode, err } = await invoke(
    'sweep',
    '--target',
    file,
    ...(args.includes('--out') ? [] : ['--out', folder()]),
    '--json',
    ...args,
  )
  return { exitCode, err, swept: out === '' ? [] : JSON.parse(out) }
}

test('nothing is swept by the ledger of a folder to which a run writes, until that is over', async () => {
  const one = await served()
  const { id } = await volume(one, 'ts-00abc7l-b305')
  const out = folder()
  ledgerOf([createdVolume(id, 'ts-00abc7l-b305')], out)
  const free = await claimFolder(out)
  const during = await invoke('sweep', '--target', one.file, '--out', out)
  expect([during.exitCode, during.err, await labels(one)]).toEqual([
    2,
    expect.stringContaining(`another run, sweep or replay writes to ${out} now`),
    expect.arrayContaining(['ts-00abc7l-b305']),
  ])
  free()
  expect((await invoke('sweep', '--target', one.file, '--out', out)).exitCode).toBe(0)
  expect(await labels(one)).not.toContain('ts-00abc7l-b305')
})

test('what bears the prefix is removed, and what does not stays', async () => {
  const one = await served()
  await volume(one, 'ts-00abc7l-b305')
  await volume(one, 'tsar')
  await volume(one, 'x-ts-abc')
  const { exitCode, swept } = await sweep(one)
  expect([exitCode, swept.map(({ name, result }: { name: string; result: string }) => `${name} ${result}`)]).toEqual([
    0,
    ['ts-00abc7l-b305 removed'],
  ])
  const left = await labels(one)
  expect([left.includes('ts-00abc7l-b305'), left.includes('tsar'), left.includes('x-ts-abc')]).toEqual([
    false,
    true,
    true,
  ])
})

test('what a run made that may still be going on is left alone, until its mark is old or its ledger is given', async () => {
  const one = await served()
  const going = createNonce('ts', Date.now())
  const old = createNonce('ts', Date.now() - 3_600_000)
  for (const [run, endsAt] of [
    [going, Date.now() + 60_000],
    [old, Date.now() - 60_000],
  ] as const) {
    await create(one, '/tags', { label: markOf(run, endsAt) })
    await volume(one, nameOfRun(run, 1))
  }
  const { exitCode, swept } = await sweep(one)
  const results = (all: readonly { readonly name: string; readonly result: string }[]) =>
    all.map(({ name, result }) => `${result} ${name.slice(0, going.length)}`).toSorted()
  expect([exitCode, results(swept)]).toEqual([
    0,
    [`removed ${old}`, `removed ${old}`, `stays ${going}`, `stays ${going}`].toSorted(),
  ])
  expect(await labels(one)).toContain(nameOfRun(going, 1))
  const own = await sweep(one, ledgerOf([{ event: 'run', kind: '', operation: '', key: going }]))
  expect(results(own.swept)).toEqual([`removed ${going}`, `removed ${going}`])
})

test('a dry run says what would be removed and removes nothing', async () => {
  const one = await served()
  await volume(one, 'ts-00abc7l-b305')
  const { exitCode, swept } = await sweep(one, '--dry-run')
  expect([exitCode, swept[0].result]).toEqual([0, 'listed'])
  expect(await labels(one)).toContain('ts-00abc7l-b305')
})

test('an attached volume is detached first', async () => {
  const one = await served()
  const { id } = await volume(one, 'ts-00abc7l-b305', { node_id: undefined })
  for (let i = 0; i < 10; i += 1) await callAsOwner(one.target, 'GET', `/volumes/${id}`)
  expect((await callAsOwner(one.target, 'POST', `/volumes/${id}/attach`, { node_id: 101 })).status).toBe(200)
  expect((await sweep(one)).swept).toMatchObject([{ key: String(id), result: 'removed' }])
})

const proven = (kind: string, key: string | number): Partial<LedgerLine> => ({
  event: 'proven',
  kind,
  operation: '',
  key: String(key),
})

test('what a ledger names is removed, although its name lacks the prefix, where a run has seen that it made it', async () => {
  const one = await served()
  const { id } = await volume(one, 'a')
  const { swept } = await sweep(one, ledgerOf([createdVolume(id, 'a'), proven('volumes', id)]))
  expect(swept).toMatchObject([{ kind: 'volumes', key: String(id), result: 'removed' }])
})

test('what a reply alone called the making of a run is left alone and told', async () => {
  const one = await served()
  const { id } = await volume(one, 'a')
  const { exitCode, swept } = await sweep(one, ledgerOf([createdVolume(id, 'a')]))
  expect([exitCode, swept]).toMatchObject([3, [{ key: String(id), result: 'failed' }]])
  expect(await labels(one)).toContain('a')
})

test('names that only look like those of runs are left alone', async () => {
  const one = await served()
  const alike = ['ts-production', 'ts-00abc7m-1yb', 'ts-00abc-1', 'ts-web-1', 'ts-00abc7l1']
  for (const label of alike) await volume(one, label)
  expect((await sweep(one)).swept).toEqual([])
  expect(await labels(one)).toEqual(expect.arrayContaining(alike))
})

test('what people name after a run stays, and is told', async () => {
  const one = await served()
  const run = createNonce('ts', Date.now() - 3_600_000)
  const after = ['-keep', '-1', '-backup-1', '-tag-keep', '-tag-team-a', ''].map((rest) => `${run}${rest}`)
  for (const label of after) await volume(one, label)
  await volume(one, nameOfRun(run, 7))
  const { exitCode, swept } = await sweep(one)
  expect(exitCode).toBe(0)
  expect(swept.map(({ name, result }: { name: string; result: string }) => `${name} ${result}`).toSorted()).toEqual(
    [...after.map((label) => `${label} stays`), `${nameOfRun(run, 7)} removed`].toSorted(),
  )
  expect(await labels(one)).toEqual(expect.arrayContaining(after))
})

test('the ledger of a folder keeps what is still there, run after run, and notes what a sweep removed', async () => {
  const one = await served()
  const out = folder()
  const { id } = await volume(one, 'a')
  const run: Partial<LedgerLine> = { event: 'run', kind: '', operation: '', baseUrl: one.target.baseUrl }
  const file = ledgerOf([run, createdVolume(id, 'a'), proven('volumes', id), createdVolume(9, 'b')], out)
  const removed = { ...createdVolume(9, 'b'), event: 'removed' as const }
  writeFileSync(file, `${readFileSync(file, 'utf8')}${JSON.stringify({ step: 2, ...removed })}\n`)
  const keys = () =>
    outstanding(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).map(({ key }) => key)
  beginLedger(file, 'ts-next', one.target.baseUrl)
  expect(readFileSync(file, 'utf8')).not.toContain('"b"')
  expect(keys()).toEqual([undefined, String(id), String(id)])
  expect((await sweep(one, '--out', out)).swept).toMatchObject([{ key: String(id), result: 'removed' }])
  expect(keys()).toEqual([])
})

test('what a ledger names as removed is not looked for', async () => {
  const one = await served()
  const { id } = await volume(one, 'a')
  const removed: Partial<LedgerLine> = {
    event: 'removed',
    kind: 'volumes',
    operation: 'volumes.delete',
    key: String(id),
    url: `/volumes/${id}`,
  }
  expect((await sweep(one, ledgerOf([createdVolume(id, 'a'), removed]))).swept).toEqual([])
  expect(await labels(one)).toContain('a')
})

test('an id of a ledger that bears a foreign name by now is left alone and told', async () => {
  const one = await served()
  const { id } = await volume(one, 'production')
  const { exitCode, swept } = await sweep(one, ledgerOf([createdVolume(id, 'a')]))
  expect([exitCode, swept[0].result]).toEqual([3, 'failed'])
  expect(await labels(one)).toContain('production')
})

test('a ledger of another target is not read', async () => {
  const one = await served()
  const { id } = await volume(one, 'a')
  const dir = folder()
  writeFileSync(join(dir, 'run.ndjson'), `${JSON.stringify(start)}\n`)
  const { swept, err } = await sweep(one, ledgerOf([createdVolume(id, 'a')], dir))
  expect([swept, err.includes('is of https://api.staging.example/v4')]).toEqual([[], true])
})

test('things of several kinds go, the devices of a firewall and buckets by their paths', async () => {
  const one = await served()
  await create(one, '/object-storage/buckets', { label: 'ts-00abc7l-c7b6', cluster: 'c1' })
  await create(one, '/tags', { label: 'ts-00abc7l-d8ub' })
  const device = {
    event: 'created',
    kind: 'buckets',
    operation: 'buckets.create',
    key: 'c1/ts-00abc7l-c7b6',
    url: '/object-storage/buckets',
    body: { label: 'ts-00abc7l-c7b6', cluster: 'c1' },
  } as const
  const { exitCode, swept } = await sweep(one, ledgerOf([device]))
  expect(exitCode).toBe(0)
  expect(swept.map(({ kind, result }: { kind: string; result: string }) => `${kind} ${result}`)).toEqual([
    'buckets removed',
    'tags removed',
  ])
})

test('a line that is none of a ledger is bad usage, but for a last one that was cut off', async () => {
  const one = await served()
  const file = join(folder(), 'ledger.ndjson')
  writeFileSync(file, '{"event":"created","kind":"volumes","operation":"volumes.create"}\n{"event":"crea')
  expect((await sweep(one, file)).exitCode).toBe(0)
  writeFileSync(file, '{"type":"start"}\n')
  const { exitCode, err } = await sweep(one, file)
  expect([exitCode, err.includes('ledger.ndjson:1: expected a line of a ledger')]).toEqual([2, true])
})

test('a target that does not answer ends with 3, and what may be left is told by the ledger', async () => {
  const one = await served()
  await one.target.server.close()
  const creating: Partial<LedgerLine> = { event: 'creating', step: 3, kind: 'tags', operation: 'tags.create' }
  const ledger = ledgerOf([createdVolume(7, 'a'), { ...createdVolume(8, 'b'), step: 2 }, creating])
  const { exitCode, err, swept } = await sweep(one, ledger)
  expect([exitCode, swept.map(({ kind, key }: LedgerLine) => `${kind} ${key}`)]).toEqual([
    3,
    ['volumes 7', 'volumes 8', 'tags '],
  ])
  expect(err).toMatch(/nothing was swept: .* was not reached .*, then sweep again; .* may be left: 2 volumes, 1 tags/)
  expect((await sweep(one)).err).toContain('no ledger names anything')
})

test('before a target that is down, a sweep soon gives up', async () => {
  let asked = 0
  const gateway = createServer((_, response) => {
    asked += 1
    response.writeHead(503).end()
  })
  await new Promise<void>((done) => gateway.listen(0, '127.0.0.1', done))
  onTestFinished(() => void gateway.close())
  const { port } = gateway.address() as AddressInfo
  const one = await served((file) => ({ ...file, baseUrl: `http://127.0.0.1:${port}/v4` }))
  const { exitCode, err } = await sweep(one)
  expect([exitCode, err.includes('503 for too long'), asked < 15]).toEqual([3, true, true])
})

test('without a token that may see everything nothing is swept, and it is bad usage', async () => {
  const one = await served((file) => ({ ...file, tokens: file.tokens.filter(({ scopes }) => scopes !== '*') }))
  expect((await sweep(one)).exitCode).toBe(2)
})
