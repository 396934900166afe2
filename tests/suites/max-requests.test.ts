import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmbedded, targetFileOf } from '../../reference/serve.js'
import { embeddedTarget } from '../../reference/target.js'
import type { Results } from '../../reports/results-schema.js'
import { defaultOptions } from '../../suites/defaults.js'
import { openTime } from '../../suites/time.js'
import { folder } from '../cli/invoke.js'
import { openProxy, type Trouble } from '../weather/proxy.js'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const most = 500
const usedUp = 'the requests given with --max-requests are used up'
const more = 'give it more, or select less with --area or --operation'

/** Runs the compiled command in a process of its own against a target behind a proxy, which counts. */
const runBehind = async (trouble: Trouble) => {
  const target = await startEmbedded({ seed: 1 })
  const { origin, pathname } = new URL(target.baseUrl)
  const proxy = await openProxy(origin, trouble, 1)
  onTestFinished(async () => {
    await proxy.close()
    await target.server.close()
  })
  const dir = folder()
  const file = join(dir, 'target.json')
  writeFileSync(file, JSON.stringify(targetFileOf({ ...target, baseUrl: `${proxy.origin}${pathname}` })))
  const all = [
    main,
    'run',
    '--area',
    'tags',
    '--target',
    file,
    '--out',
    dir,
    '--quiet',
    '--seed',
    '1',
    '--max-requests',
    String(most),
  ]
  const exitCode = await new Promise((done) => {
    const child = execFile(process.execPath, all, () => done(child.exitCode))
  })
  const results = JSON.parse(readFileSync(join(dir, 'results.json'), 'utf8')) as Results
  return { exitCode, results, sent: proxy.requests() }
}

test('a run sends no more requests than it is given, its clean-up among them, and does not call that conforming', async () => {
  const { exitCode, results, sent } = await runBehind('jitter')
  expect(sent).toBeLessThanOrEqual(most)
  expect([exitCode, results.verdict]).toEqual([3, 'inconclusive'])
  expect(results.clauses.map(({ verdict }) => verdict)).toContain('pass')
  const reasons = results.clauses.flatMap(({ verdict, reason }) => (verdict === 'untested' ? [reason] : []))
  expect(reasons).toContain(usedUp)
  expect(reasons.filter((reason) => reason?.includes(more))).toEqual([])
  expect(results.troubles).toEqual([{ kind: 'cut-short', text: `${usedUp}; ${more}` }])
})

describe('the requests of a run', () => {
  const timeOf = (fuzz: boolean, requests: () => number) => {
    const options = { ...defaultOptions('touchstone'), out: folder(), fuzz, maxRequests: 10 }
    const context = { options, nonce: 'ts-t', startedAt: Date.now(), stopFile: join(options.out, '.stop') }
    return openTime(context, embeddedTarget({ baseUrl: 'http://127.0.0.1:9/v4', secrets: [] }), requests)
  }

  test('once used up stay so, though fewer are needed by then', () => {
    let requests = 9
    const { ending, isOver } = timeOf(false, () => requests)
    expect(isOver()).toBe(false)
    requests = 10
    expect(ending()).toEqual({ reason: usedUp, advice: more, isMeant: false })
    requests = 9
    expect(isOver()).toBe(true)
  })

  test('are how fuzzing is meant to end, and never keep a run from removing what it made', () => {
    const { ending, isSpent } = timeOf(true, () => 1000)
    expect(ending()).toEqual({ reason: usedUp, isMeant: true })
    expect(isSpent()).toBe(false)
  })
})
