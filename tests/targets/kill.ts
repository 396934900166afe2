// A run that is killed at some moment beside things of others that look like its own, then swept: what was left, and what should not be so.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { isMadeName } from '../../driver/nonce.js'
import { type EmbeddedTarget, startEmbedded, targetFileOf } from '../../reference/serve.js'

const beside = fileURLToPath(new URL('../../cli/main.js', import.meta.url))
/** The command as it was built, also for tests that run from the sources. */
const main = existsSync(beside) ? beside : fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const areas = ['volumes', 'object-storage', 'networking', 'managed', 'tags', 'support']
/** A run of one area has done most of what it does after so long. */
const longestMs = 6000

const lists: Readonly<Record<string, string>> = {
  volumes: '/volumes',
  tags: '/tags',
  firewalls: '/networking/firewalls',
  buckets: '/object-storage/buckets',
  'object-keys': '/object-storage/keys',
  'managed-contacts': '/managed/contacts',
  'managed-credentials': '/managed/credentials',
  'managed-services': '/managed/services',
  'ipv6-ranges': '/networking/ipv6/ranges',
}

interface Thing {
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly text: string
}

/** The same for the same seed. */
const chance = (seed: number, n: number): number => {
  let value = Math.imul(seed ^ (n * 0x9e3779b1), 0x85ebca6b) >>> 0
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35) >>> 0
  return ((value ^ (value >>> 16)) >>> 0) / 2 ** 32
}

const call = async (
  { baseUrl, secrets }: EmbeddedTarget,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> => {
  const headers = { authorization: `Bearer ${secrets.get('owner')}`, 'content-type': 'application/json' }
  const reply = await fetch(`${baseUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

const everything = async (target: EmbeddedTarget): Promise<readonly Thing[]> => {
  const things: Thing[] = []
  for (const [kind, path] of Object.entries(lists))
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const list = (await call(target, 'GET', `${path}${page > 1 ? `?page=${page}` : ''}`)) as {
        readonly pages?: number
        readonly data: readonly Readonly<Record<string, unknown>>[]
      }
      pages = list.pages ?? 1
      for (const { updated: _, ...record } of list.data)
        things.push({
          kind,
          id: String(record.id ?? record.range ?? record.label),
          name: String(record.label ?? record.name ?? ''),
          text: JSON.stringify(record),
        })
    }
  return things
}

/** What others have, with names that look like those of runs. */
const foreign = async (target: EmbeddedTarget): Promise<void> => {
  for (const label of ['production', 'ts-production', 'ts-00abc7m-1', 'ts-web-1', 'f'])
    await call(target, 'POST', '/volumes', { label, region: 'r1', size: 20 })
  for (const label of ['ts-team', 'staging']) await call(target, 'POST', '/tags', { label })
  await call(target, 'POST', '/managed/contacts', { name: 'ts-alice', email: 'alice@example.org' })
  await call(target, 'POST', '/object-storage/buckets', { label: 'ts-photos', cluster: 'c1' })
}

const command = (
  args: readonly string[],
  kill?: { readonly ledger: string; readonly afterMs: number },
): Promise<{ readonly code: number | null; readonly out: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    // From its first creation on, however long it took to start.
    const hasBegun = (): boolean =>
      kill !== undefined && existsSync(kill.ledger) && readFileSync(kill.ledger, 'utf8').includes('"creating"')
    let timer: NodeJS.Timeout | undefined
    const watch = setInterval(() => {
      if (!hasBegun()) return
      clearInterval(watch)
      timer = setTimeout(() => child.kill('SIGKILL'), kill?.afterMs)
    }, 50)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      clearInterval(watch)
      resolve({ code, out })
    })
  })

/** The n-th kill of a seed: what came of it, and what is wrong after it, in words. */
export const killOnce = async (
  seed: number,
  n: number,
): Promise<{ readonly told: string; readonly wrong: readonly string[] }> => {
  const dir = mkdtempSync(join(tmpdir(), 'touchstone-kills-'))
  const target = await startEmbedded({ seed: seed + n, restAfter: 1 })
  try {
    await foreign(target)
    const before = await everything(target)
    const file = join(dir, 'touchstone.config.json')
    writeFileSync(file, JSON.stringify({ ...targetFileOf(target), exclusive: false }))
    const area = areas[(seed + n) % areas.length] as string
    const afterMs = Math.round(chance(seed, n) * longestMs)
    const shared = ['--target', file, '--out', join(dir, 'out'), '--quiet']
    await command(['run', ...shared, '--area', area, '--seed', String(seed + n)], {
      ledger: join(dir, 'out', 'ledger.ndjson'),
      afterMs,
    })
    const killed = await everything(target)
    const { out } = await command(['sweep', ...shared, '--json'])
    const listed = JSON.parse(out) as readonly {
      readonly kind: string
      readonly key: string
      readonly result: string
    }[]
    const after = await everything(target)
    const isListed = ({ kind, id }: Thing): boolean =>
      listed.some((one) => one.kind === kind && one.result !== 'removed' && (one.key === id || one.key === ''))
    const texts = new Set(before.map(({ text }) => text))
    return {
      told: `${area}, killed after ${afterMs} ms with ${killed.length - before.length} things left: ${listed.filter(({ result }) => result === 'removed').length} swept`,
      wrong: [
        ...before
          .filter(({ text }) => !after.some((one) => one.text === text))
          .map(({ kind, name }) => `foreign ${kind} ${name} was touched`),
        ...after
          .filter((one) => !texts.has(one.text) && (isMadeName('ts', one.name) || !isListed(one)))
          .map(({ kind, id, name }) => `${kind} ${id} ${name} was left and not listed`),
      ],
    }
  } finally {
    await target.server.close()
    rmSync(dir, { recursive: true, force: true })
  }
}
