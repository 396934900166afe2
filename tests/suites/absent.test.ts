// Fixtures that a target does not have: a run goes on without them, and says so; what a target only hides from one of two looks stays.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Calling } from '../../driver/target-access.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { absentFixtures, withoutAbsent } from '../../suites/absent.js'
import { invoke, served } from '../cli/invoke.js'

const environment = embeddedEnvironment()
const [volume, ...others] = environment.fixtures.volumes ?? []
const everything = new Set(['volumes', 'object-storage'])
const pace = { concurrency: 4 } as never

const askedOf = (view: number, listed: readonly number[], isListRefused = false) =>
  absentFixtures(
    { environment: { ...environment, fixtures: { volumes: [volume, ...others] as never } }, pace },
    {
      call: async ({ id }: Operation, { path }: Calling) => {
        if (id === 'volumes.list')
          return isListRefused
            ? { status: 403, body: {} }
            : {
                status: 200,
                body: { data: listed.map((one) => ({ id: one })), page: 1, pages: 1, results: listed.length },
              }
        return path?.volumeId === String(volume?.id) ? { status: view, body: {} } : { status: 200, body: {} }
      },
    } as never,
    everything,
  )

test('a fixture that neither its view nor the list shows is absent', async () => {
  expect(await askedOf(404, [])).toEqual([{ kind: 'volumes', at: 0, text: expect.stringContaining('404') }])
})

test.each([
  ['its view shows it', 200, [], false],
  ['the list shows it', 404, [Number(volume?.id)], false],
  ['the list is refused', 404, [], true],
  ['the target fails', 500, [], false],
  ['its view is forbidden', 403, [], false],
] as const)('a fixture is not absent where %s', async (_, view, listed, isListRefused) => {
  expect(await askedOf(view, listed, isListRefused)).toEqual([])
})

test('the other fixtures stay', () => {
  const { fixtures } = withoutAbsent(environment, [{ kind: 'volumes', at: 0, text: '' }])
  expect(fixtures).toEqual({ ...environment.fixtures, volumes: others })
})

test('a run without a fixture tells so, and holds nothing against the target', async () => {
  const { file, dir } = await served((one) => ({
    ...one,
    fixtures: { ...one.fixtures, buckets: [...(one.fixtures?.buckets ?? []), { cluster: 'c1', label: 'gone-by-now' }] },
  }))
  const out = join(dir, 'out')
  const { exitCode, err } = await invoke('run', '--target', file, '--operation', 'buckets.*', '--out', out, '--quiet')
  expect(err).toBe('')
  const results = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'))
  expect(results.findings).toEqual([])
  expect(results.troubles.map(({ text }: { text: string }) => text)).toEqual([
    expect.stringMatching(/^fixtures\.buckets\[\d+\] is not on the target .*correct the target file$/),
  ])
  expect(exitCode).toBe(3)
})
