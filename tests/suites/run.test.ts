import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { TargetError } from '../../config/target-file.js'
import { startEmbedded, targetFileOf } from '../../reference/serve.js'
import type { Advance } from '../../suites/advance.js'
import { claimFolder } from '../../suites/claim.js'
import { defaultOptions } from '../../suites/defaults.js'
import type { RunOptions } from '../../suites/options.js'
import { performSuites } from '../../suites/perform.js'
import { openIdle, openRun } from '../../suites/run.js'

let cwd = ''

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'touchstone-run-'))
  process.env.TOUCHSTONE_TOKEN = 's3cret'
})

afterEach(() => {
  rmSync(cwd, { recursive: true })
  delete process.env.TOUCHSTONE_TOKEN
})

/** Opens and closes a run on a target file whose reset hook has this body; what the hook has written. */
const runWith = async (body: string, more = '', shard: readonly [number, number] = [1, 1]): Promise<string> => {
  const log = join(cwd, 'log')
  writeFileSync(log, '')
  writeFileSync(
    join(cwd, 'touchstone.config.mjs'),
    `import { appendFileSync } from 'node:fs'
    const log = ${JSON.stringify(log)}
    export default { baseUrl: 'http://127.0.0.1:9/v4', ${more} hooks: { reset: async () => { ${body} } } }`,
  )
  const options = defaultOptions('touchstone run')
  const run = await openRun({ ...options, cwd, out: join(cwd, 'out'), filters: { ...options.filters, shard } })
  await run.close()
  return readFileSync(log, 'utf8')
}

const once = "appendFileSync(log, 'reset ')"

describe('hooks.reset', () => {
  it('is called once before a run on an exclusive target', async () => {
    expect(await runWith(once, 'exclusive: true,')).toBe('reset ')
  })

  it('is not called where others may be at the target', async () => {
    expect(await runWith(once)).toBe('')
    expect(await runWith(once, 'exclusive: true,', [1, 2])).toBe('')
  })

  it('is not called where another run writes to the folder', async () => {
    const out = join(cwd, 'out')
    mkdirSync(out)
    const free = await claimFolder(out)
    await expect(runWith(once, 'exclusive: true,')).rejects.toThrow('another run, sweep or replay writes to')
    expect(readFileSync(join(cwd, 'log'), 'utf8')).toBe('')
    free()
  })

  it('ends the run with a message where it never ends', async () => {
    const hanging = runWith('await new Promise(() => undefined)', 'exclusive: true, pace: { hooks: 20 },')
    await expect(hanging).rejects.toThrow(/hook reset did not end within 20 ms/)
  })

  it('ends the run with a message where it fails, and leaves the folder to the next one', async () => {
    const failed = runWith("throw new Error('no route')", 'exclusive: true,')
    await expect(failed).rejects.toThrow(TargetError)
    await expect(failed).rejects.toThrow(/touchstone\.config\.mjs: hook reset failed: no route/)
    const free = await claimFolder(join(cwd, 'out'))
    free()
  })
})

it('a shard that has nothing to do sends nothing, and writes results that merge', async () => {
  const options = { ...defaultOptions('touchstone run'), cwd, out: join(cwd, 'out') }
  const filters = { ...options.filters, clauses: ['tags.view.accepts'], shard: [5, 9] as const }
  const results = await (await openIdle({ ...options, filters })).close()
  expect([results.verdict, results.requests, results.troubles]).toEqual(['conforms', 0, []])
  expect(JSON.parse(readFileSync(join(cwd, 'out', 'results.json'), 'utf8')).configuration.shard).toEqual([5, 9])
})

describe('every way of sharing a run on the embedded target', () => {
  /** Runs the area of tags; its results, and what was told of how far it was. */
  const runTags = async (more: Partial<RunOptions>, shard: readonly [number, number] = [1, 1]) => {
    const told: Advance[] = []
    const options = { ...defaultOptions('touchstone run'), cwd, out: join(cwd, 'out'), seed: 3, reports: [], ...more }
    const run = await openRun({ ...options, filters: { ...options.filters, areas: ['tags'], shard } })
    const defects = await performSuites(run.context, (advance) => told.push(advance))
    const { clauses, verdict } = await run.close(defects)
    const of = (wanted: string): string[] => clauses.flatMap(({ id, verdict }) => (verdict === wanted ? id : []))
    return { passed: of('pass').sort(), untested: of('untested'), verdict, told }
  }

  it('leaves nothing untested, and passes what one program after another does', async () => {
    const { told, ...inTurn } = await runTags({ workers: 1 })
    expect(inTurn).toMatchObject({ untested: [], verdict: 'conforms' })
    expect(inTurn.passed.length).toBeGreaterThan(80)
    const { told: _, ...beside } = await runTags({ workers: 4 })
    expect(beside).toEqual(inTurn)
    const shards = [await runTags({}, [1, 2]), await runTags({}, [2, 2])]
    expect(shards.flatMap(({ untested }) => untested)).toEqual([])
    expect(shards.flatMap(({ passed }) => passed).sort()).toEqual(inTurn.passed)
    const planned = told.flatMap((one) => (one.type === 'planned' ? one.programs : [])).reduce((a, b) => a + b, 0)
    expect(told.filter(({ type }) => type === 'ended')).toHaveLength(planned)
  })
})

it('what only a resource that may not be made would show is untestable for that reason', async () => {
  const { server, hooks: _, ...embedded } = await startEmbedded()
  onTestFinished(server.close)
  const target = join(cwd, 'target.json')
  writeFileSync(target, JSON.stringify({ ...targetFileOf(embedded), exclusive: false }))
  const options = { ...defaultOptions('touchstone run'), cwd, target, out: join(cwd, 'out'), seed: 3, reports: [] }
  const run = await openRun({ ...options, filters: { ...options.filters, operations: ['tickets.*'] } })
  const { clauses } = await run.close(await performSuites(run.context, () => undefined))
  const shape = clauses.find(({ id }) => id === 'tickets.view.object')
  expect(shape).toMatchObject({
    verdict: 'untestable',
    reason: expect.stringMatching(/safety\.allow .*tickets\.create/),
  })
})

describe('a volume that stays attached to a deleted node', () => {
  type Given = Parameters<typeof startEmbedded>[0]
  type Hooks = Awaited<ReturnType<typeof startEmbedded>>['hooks']

  const clausesFound = async (given: Given, more: Partial<Hooks>): Promise<readonly string[]> => {
    const { server, hooks, ...embedded } = await startEmbedded(given)
    onTestFinished(server.close)
    const told = targetFileOf(embedded, { ...hooks, reset: async () => undefined, ...more })
    Object.assign(globalThis, { targetOfTest: { ...told, pace: { settleMs: 500 } } })
    const target = join(cwd, 'target.mjs')
    writeFileSync(target, 'export default globalThis.targetOfTest\n')
    const options = { ...defaultOptions('touchstone run'), cwd, target, out: join(cwd, 'out'), seed: 3, reports: [] }
    const filters = { ...options.filters, operations: ['volumes.view'] }
    const run = await openRun({ ...options, workers: 4, filters })
    const { findings } = await run.close(await performSuites(run.context, () => undefined))
    return findings.map(({ clause }) => clause)
  }

  it('is found, though it can be shown only once and programs run side by side', async () => {
    const nodesOf = new Map<unknown, unknown>()
    const body = (shown: unknown, { id }: { readonly id: string }): unknown => {
      const record = shown as { readonly id?: unknown; readonly node_id?: unknown }
      if (id === 'volumes.create' && record.node_id) nodesOf.set(record.id, record.node_id)
      return id === 'volumes.view' && nodesOf.has(record.id) ? { ...record, node_id: nodesOf.get(record.id) } : shown
    }
    expect(await clausesFound({ fault: { body } }, {})).toContain('volumes.view.detached-from-deleted')
  })

  it('is found before the run ends where nothing else shows that the hook works', async () => {
    const found = await clausesFound({}, { deleteNode: async () => undefined })
    expect(found).toEqual(['volumes.view.detached-from-deleted'])
  })
})
