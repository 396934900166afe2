// The pipelines that `touchstone init` writes, each held against the schema of the system that it is for.
import { validateWorkflow } from '@action-validator/core'
import { Ajv } from 'ajv'
// @ts-expect-error the package has no types
import { schema as gitlabSchema } from 'gitlab-ci-local/src/schema/schema.js'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { ciKinds, pipelines } from '../../cli/pipelines.js'

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

test('the Kubernetes file holds a claim and two Jobs that are valid, of which the first is indexed', () => {
  const [claim, run, report] = parseAllDocuments(pipelines.kubernetes.content).map((one) => one.toJS())
  new PersistentVolumeClaim(claim).validate()
  for (const job of [run, report]) new Job(job).validate()
  expect(run.spec).toMatchObject({ completionMode: 'Indexed', completions: 1, parallelism: 1 })
  expect(() => new Job({ ...run, spec: { ...run.spec, template: undefined } }).validate()).toThrow('template')
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

  test('takes the token from the secrets of the system, and holds none', () => {
    expect(content).not.toMatch(/token:\s*['"]?[0-9a-f]{16}/i)
    expect(kind === 'gitlab' || content.includes('TOUCHSTONE_TOKEN')).toBe(true)
  })
})
