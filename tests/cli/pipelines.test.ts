// The pipelines that `touchstone init` writes, each held against the schema of the system that it is for.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { validateWorkflow } from '@action-validator/core'
import { Ajv } from 'ajv'
// @ts-expect-error the package has no types
import { schema as gitlabSchema } from 'gitlab-ci-local/src/schema/schema.js'
import { CronJob } from 'kubernetes-models/batch/v1/CronJob'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim'
import { describe, expect, test, vi } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { ciKinds, pipelines } from '../../cli/pipelines.js'
import { folder } from './invoke.js'

test('the GitHub workflow is one by the schema of workflows', () => {
  expect(validateWorkflow(pipelines.github.content)).toEqual({ actionType: 'workflow', errors: [] })
  const { errors } = validateWorkflow(pipelines.github.content.replace('runs-on:', 'runs-at:'))
  expect(errors).not.toEqual([])
})

/** Whether GitLab takes a pipeline, by the schema that its editor uses. */
const isPipeline = new Ajv({ strict: false, validateFormats: false }).compile(gitlabSchema)

test('the GitLab pipeline is one by the schema of pipelines', () => {
  const pipeline = parse(pipelines.gitlab.content)
  expect(isPipeline(pipeline), JSON.stringify(isPipeline.errors)).toBe(true)
  expect(isPipeline({ ...pipeline, conformance: { ...pipeline.conformance, parallel: 'many' } })).toBe(false)
})

test('the Kubernetes file holds a claim, two Jobs, of which the first is indexed, and a CronJob, all valid', () => {
  const [claim, run, report, night] = parseAllDocuments(pipelines.kubernetes.content).map((one) => one.toJS())
  new PersistentVolumeClaim(claim).validate()
  for (const job of [run, report]) new Job(job).validate()
  expect(run.spec).toMatchObject({ completionMode: 'Indexed', completions: 1, parallelism: 1 })
  new CronJob(night).validate()
  expect(() => new CronJob({ ...night, spec: { ...night.spec, schedule: undefined } }).validate()).toThrow('schedule')
  expect(() => new Job({ ...run, spec: { ...run.spec, template: undefined } }).validate()).toThrow('template')
})

/** A command that waits until it is told to end, and notes what it was called with and that it came to its end. */
const standIn = `#!/bin/sh
echo "$1" >> calls
[ "$1" = sweep ] && exit 0
trap 'echo "$1 ended" >> calls; kill "$nap"; exit 130' TERM
sleep 600 & nap=$!
echo "$1 waits" >> calls
wait "$nap"
`

/** What a container of the Kubernetes file calls where it is ended in the middle of the command that waits. */
const callsOf = async (args: string, waiting: string): Promise<readonly string[]> => {
  const cwd = folder()
  mkdirSync(join(cwd, 'node_modules', '.bin'), { recursive: true })
  writeFileSync(join(cwd, 'node_modules', '.bin', 'touchstone'), standIn, { mode: 0o755 })
  const calls = (): string => (existsSync(join(cwd, 'calls')) ? readFileSync(join(cwd, 'calls'), 'utf8') : '')
  const shell = spawn('sh', ['-c', args], { cwd, stdio: 'ignore' })
  const ended = once(shell, 'exit')
  await vi.waitUntil(() => calls().includes(`${waiting} waits`), 300_000)
  shell.kill('SIGTERM')
  await ended
  return calls().trim().split('\n')
}

test('a pod that is ended lets what it runs come to its end, and a shard sweeps after it', async () => {
  const [, run, , night] = parseAllDocuments(pipelines.kubernetes.content).map((one) => one.toJS())
  const argsOf = ({ template }: typeof run.spec): string => template.spec.containers[0].args[0]
  expect(await callsOf(argsOf(run.spec), 'run')).toEqual(['run', 'run waits', 'run ended', 'sweep'])
  expect(await callsOf(argsOf(night.spec.jobTemplate.spec), 'fuzz')).toEqual([
    'sweep',
    'fuzz',
    'fuzz waits',
    'fuzz ended',
  ])
})

test('the results of an earlier run on the volume are no results of this one', () => {
  const [, run, report] = parseAllDocuments(pipelines.kubernetes.content).map((one) => one.toJS())
  const cwd = folder()
  const results = join(cwd, 'shard-0', 'results.json')
  mkdirSync(join(cwd, 'node_modules', '.bin'), { recursive: true })
  mkdirSync(join(cwd, 'shard-0'))
  const exitCodeOf = ({ template }: typeof run.spec, touchstone: string): number | null => {
    writeFileSync(join(cwd, 'node_modules', '.bin', 'touchstone'), `#!/bin/sh\n${touchstone}\n`, { mode: 0o755 })
    writeFileSync(results, '{}')
    const [args] = template.spec.containers[0].args
    const env = { ...process.env, JOB_COMPLETION_INDEX: '0', JOB_COMPLETIONS: '1' }
    return spawnSync('sh', ['-c', args.replaceAll('/reports', cwd)], { cwd, env, timeout: 300_000 }).status
  }
  expect(exitCodeOf(run.spec, 'exit 2')).toBe(1)
  expect(exitCodeOf(run.spec, '[ "$1" = sweep ] || echo {} > shard-0/results.json')).toBe(0)
  // With 2 they could not be merged, and are all that is left of the run.
  for (const verdict of [0, 1, 2, 3]) {
    expect(exitCodeOf(report.spec, `test -s "$3" || exit 9; exit ${verdict}`)).toBe(verdict)
    const kept = join(cwd, 'shard-0', 'results.merged.json')
    expect([existsSync(results), existsSync(kept)]).toEqual([false, true])
    rmSync(kept)
  }
})

describe.each(ciKinds)('the pipeline for %s', (kind) => {
  const { content } = pipelines[kind]

  test('runs its shard, sweeps, and merges all of them, in that order', () => {
    const order = ['touchstone run --shard auto', 'touchstone sweep', 'touchstone report --merge'].map((words) =>
      content.indexOf(words),
    )
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order[0]).toBeGreaterThan(0)
  })

  test('fuzzes at night for two hours, goes on from the corpus of earlier nights, and sweeps', () => {
    expect(content).toMatch(/touchstone fuzz --max-time 2h --corpus \S*corpus --out \S*night/)
    expect(content).toMatch(/touchstone sweep --out \S*night/)
  })

  test('takes the token from the secrets of the system, and holds none', () => {
    expect(content).not.toMatch(/token:\s*['"]?[0-9a-f]{16}/i)
    expect(kind === 'gitlab' || content.includes('TOUCHSTONE_TOKEN')).toBe(true)
  })
})
