// Tests of `touchstone init`: what it writes, what it leaves alone, and that what it writes is of use.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { init, targetFileTemplate } from '../../cli/init.js'
import { loadTarget } from '../../config/target-file.js'
import { invoke } from './invoke.js'

const targetFile = 'touchstone.config.ts'
const workflow = '.github/workflows/conformance.yml'
const workflowOfApi = '.github/workflows/conformance-packages-api.yml'

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'touchstone-init-'))
})

afterEach(async () => {
  vi.restoreAllMocks()
  await rm(cwd, { recursive: true })
})

const read = (path: string) => readFile(join(cwd, path), 'utf8')

test('an empty folder gets both files', async () => {
  expect(await init({ cwd, force: false, ci: 'github' })).toMatchObject({ written: [targetFile, workflow], kept: [] })
  expect(await read(targetFile)).toBe(targetFileTemplate())
})

test('in a folder of a repository the workflow goes where it is read, and works in that folder', async () => {
  await mkdir(join(cwd, '.git'))
  const folder = join(cwd, 'packages', 'api')
  await mkdir(folder, { recursive: true })
  const { written, next } = await init({ cwd: folder, force: false, ci: 'github' })
  expect(written).toEqual([targetFile, `../../${workflowOfApi}`])
  expect(next.at(-1)).toContain(`../../${workflowOfApi}`)
  expect(await read(`packages/api/${targetFile}`)).toBe(targetFileTemplate())
  expect(await read(workflowOfApi)).toContain('working-directory: packages/api\n')
  expect((await init({ cwd: folder, force: false, ci: 'kubernetes' })).written).toEqual(['touchstone.job.yaml'])
})

test('each folder of a repository has a pipeline of its own, and is told which to include', async () => {
  await mkdir(join(cwd, '.git'))
  for (const name of ['api', 'web']) {
    const folder = join(cwd, 'packages', name)
    await mkdir(folder, { recursive: true })
    const { written, next } = await init({ cwd: folder, force: false, ci: 'gitlab' })
    expect(written).toEqual([targetFile, `../../.gitlab/conformance-packages-${name}.yml`])
    expect(next.at(-1)).toContain(`{ local: .gitlab/conformance-packages-${name}.yml }`)
  }
})

test('what is outside of the working directory is not overwritten by force, and that is said', async () => {
  await mkdir(join(cwd, '.git'))
  const folder = join(cwd, 'packages', 'api')
  await mkdir(folder, { recursive: true })
  await init({ cwd: folder, force: false, ci: 'github' })
  await writeFile(join(cwd, workflowOfApi), 'mine')
  vi.spyOn(process, 'cwd').mockReturnValue(folder)
  const { exitCode, out, err } = await invoke('init', '--force')
  expect([exitCode, out]).toEqual([0, `wrote ${targetFile}\n`])
  expect(err).toContain(`left ../../${workflowOfApi} alone; it is outside of the working directory`)
  expect(await read(workflowOfApi)).toBe('mine')
})

test('a second time nothing is overwritten', async () => {
  await init({ cwd, force: false, ci: 'github' })
  await writeFile(join(cwd, targetFile), 'mine')
  await writeFile(join(cwd, workflow), 'mine too')
  expect(await init({ cwd, force: false, ci: 'github' })).toMatchObject({ written: [], kept: [targetFile, workflow] })
  expect(await read(targetFile)).toBe('mine')
  expect(await read(workflow)).toBe('mine too')
})

test('force overwrites both', async () => {
  await init({ cwd, force: false, ci: 'github' })
  await writeFile(join(cwd, targetFile), 'mine')
  expect(await init({ cwd, force: true, ci: 'github' })).toMatchObject({ written: [targetFile, workflow], kept: [] })
  expect(await read(targetFile)).toBe(targetFileTemplate())
})

test('a target file of another format counts as one that is there', async () => {
  await writeFile(join(cwd, 'touchstone.config.json'), '{}')
  expect(await init({ cwd, force: false, ci: 'github' })).toMatchObject({
    written: [workflow],
    kept: ['touchstone.config.json'],
  })
})

test('the target file that is written can be loaded as it stands', async () => {
  await init({ cwd, force: false, ci: 'github' })
  const target = await loadTarget({ cwd, env: { TOUCHSTONE_TOKEN: 'abc' } })
  expect(target).toMatchObject({
    baseUrl: 'https://api.staging.example/v4',
    environment: { name: 'staging', fixtures: {} },
  })
})

test('every example in it that is commented out would be accepted', async () => {
  await writeFile(join(cwd, targetFile), targetFileTemplate({ complete: true }))
  const target = await loadTarget({ cwd, env: { TOUCHSTONE_TOKEN: 'abc', TOUCHSTONE_TOKEN_RO: 'def' } })
  expect(target?.environment.tokens.map((token) => token.name)).toEqual(['owner', 'volumes-reader'])
  expect(target?.environment.users.map((user) => user.name)).toEqual(['owner', 'limited'])
  expect(Object.keys(target?.environment.fixtures ?? {})).toContain('nodes')
  expect(Object.keys(target?.hooks ?? {})).toEqual(['reset', 'setLiveMigration'])
})
