// Pipelines of a folder of a repository, and the workflow among the examples.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { validateWorkflow } from '@action-validator/core'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { inFolder } from '../../cli/pipeline-folders.js'
import { ciKinds, pipelines } from '../../cli/pipelines.js'

const of = (kind: (typeof ciKinds)[number], folder: string): string => inFolder(kind, pipelines[kind].content, folder)

interface Workflow {
  readonly name: string
  readonly concurrency: { readonly group: string }
  readonly defaults: { readonly run: Readonly<Record<string, string>> }
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly with?: Readonly<Record<string, string>> }[] }>
  >
}

test.each(ciKinds)('in the root of the repository the pipeline for %s is as it stands', (kind) => {
  expect(of(kind, '')).toBe(pipelines[kind].content)
})

test('the GitHub workflow of a folder works there, and takes and keeps what is there', () => {
  const content = of('github', 'packages/api')
  expect(validateWorkflow(content)).toEqual({ actionType: 'workflow', errors: [] })
  const { name, concurrency, defaults, jobs }: Workflow = parse(content)
  expect([name, concurrency.group]).toEqual(['conformance-packages-api', 'conformance-packages-api'])
  expect(defaults.run['working-directory']).toBe('packages/api')
  const given = Object.values(jobs).flatMap(({ steps }) => steps.map((step) => step.with ?? {}))
  const paths = given.flatMap(({ path }) => path ?? [])
  expect(paths.length).toBeGreaterThan(2)
  expect(paths.filter((path) => !/^packages\/api\/\w/.test(path))).toEqual([])
  expect(given.filter(({ cache, 'cache-dependency-path': lock }) => cache !== undefined && lock === undefined)).toEqual(
    [],
  )
})

test('the GitLab pipeline of a folder works there, and keeps what is there', () => {
  const { '.touchstone-packages-api': base, ...jobs } = parse(of('gitlab', 'packages/api'))
  const { 'conformance-packages-api': conformance, 'report-packages-api': report } = jobs
  expect(base.before_script[0]).toBe(`cd 'packages/api'`)
  expect(base.cache).toEqual({ key: { files: ['packages/api/package-lock.json'] }, paths: ['packages/api/.npm/'] })
  expect(conformance.after_script[0]).toBe(`cd 'packages/api'`)
  expect(conformance.artifacts.paths).toEqual(['packages/api/shards/'])
  expect(report.artifacts).toMatchObject({
    paths: ['packages/api/touchstone-report/'],
    reports: { junit: 'packages/api/touchstone-report/junit.xml' },
  })
})

test.each(["Bob's: api #1", '@api $& [new]', '{x}, "y"'])('a folder may be called %s', (folder) => {
  const { defaults, jobs }: Workflow = parse(of('github', folder))
  expect(defaults.run['working-directory']).toBe(folder)
  const paths = Object.values(jobs).flatMap(({ steps }) => steps.flatMap((step) => step.with?.path ?? []))
  expect(paths.filter((path) => !path.startsWith(`${folder}/`))).toEqual([])
  const gitlab: Record<string, Record<string, readonly string[]>> = parse(of('gitlab', folder))
  const [base = {}] = Object.entries(gitlab).flatMap(([name, job]) => (name.startsWith('.touchstone-') ? [job] : []))
  const named = String(base.before_script?.[0]).replace(/^cd /, 'printf %s ')
  expect(execFileSync('sh', ['-c', named], { encoding: 'utf8' })).toBe(folder)
  expect(base.cache).toEqual({ key: { files: [`${folder}/package-lock.json`] }, paths: [`${folder}/.npm/`] })
})

test('the GitLab pipelines of two folders share no job and no cache of programs', () => {
  const [{ stages, ...api }, { stages: _, ...web }] = ['packages/api', 'packages/web'].map((one) =>
    parse(of('gitlab', one)),
  ) as [Record<string, object>, Record<string, object>]
  expect(stages).toEqual(['conformance', 'report', 'fuzz'])
  expect(Object.keys(api).filter((name) => name in web)).toEqual([])
  const bases = Object.values(api).flatMap((job) => ('extends' in job ? [job.extends] : []))
  expect(new Set(bases)).toEqual(new Set(['.touchstone-packages-api']))
  expect(api['fuzz-packages-api']).toMatchObject({ cache: [{}, { key: 'touchstone-corpus-packages-api' }] })
})

test('the workflow among the examples does what the page on CI says: it checks, runs as its gate does, and sweeps', () => {
  const text = readFileSync('examples/conformance.yml', 'utf8')
  expect(validateWorkflow(text)).toEqual({ actionType: 'workflow', errors: [] })
  const [, gate = ''] = /```sh\n(npx [\s\S]+?)```/.exec(readFileSync('docs/ci.md', 'utf8')) ?? []
  const said = gate
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*/, ''))
  const { conformance } = parse(text).jobs
  const runs: readonly string[] = conformance.steps.flatMap((step: { run?: string }) => step.run ?? [])
  expect(said).toEqual(['npx --no touchstone doctor', 'npx --no touchstone run --max-time 30m --report html,junit'])
  expect(runs.slice(1, 4)).toEqual([...said, 'npx --no touchstone sweep'])
  expect(runs.filter((run) => run.startsWith('npx ') && !run.startsWith('npx --no '))).toEqual([])
})
