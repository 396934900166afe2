// `--shard auto`: what each CI system tells of a machine's place, and what is said where none does.
import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { type Shard, shardOfEnvironment } from '../../cli/shards.js'

const told: readonly (readonly [system: string, env: NodeJS.ProcessEnv, shard: Shard])[] = [
  ['GitLab counts from one', { CI_NODE_INDEX: '2', CI_NODE_TOTAL: '4' }, [2, 4]],
  ['GitLab sets no index where the job is not parallel', { CI_NODE_TOTAL: '1' }, [1, 1]],
  ['CircleCI counts from zero', { CIRCLE_NODE_INDEX: '0', CIRCLE_NODE_TOTAL: '3' }, [1, 3]],
  ['Buildkite counts from zero', { BUILDKITE_PARALLEL_JOB: '2', BUILDKITE_PARALLEL_JOB_COUNT: '3' }, [3, 3]],
  ['Azure counts from one', { SYSTEM_JOBPOSITIONINPHASE: '1', SYSTEM_TOTALJOBSINPHASE: '2' }, [1, 2]],
  ['a GitHub matrix counts from zero', { STRATEGY_JOB_INDEX: '1', STRATEGY_JOB_TOTAL: '2' }, [2, 2]],
  ['an Indexed Job counts from zero', { JOB_COMPLETION_INDEX: '4', JOB_COMPLETIONS: '5' }, [5, 5]],
]

test.each(told)('%s', (_, env, shard) => {
  expect(shardOfEnvironment(env)).toEqual(shard)
})

test.each<readonly [string, NodeJS.ProcessEnv]>([
  ['an index beyond the last machine', { CIRCLE_NODE_INDEX: '3', CIRCLE_NODE_TOTAL: '3' }],
  ['an index below the first', { CI_NODE_INDEX: '0', CI_NODE_TOTAL: '3' }],
  ['an index without a number of machines', { JOB_COMPLETION_INDEX: '0' }],
  ['words', { BUILDKITE_PARALLEL_JOB: 'first', BUILDKITE_PARALLEL_JOB_COUNT: '3' }],
])('%s is refused, naming the variables', (_, env) => {
  const [name] = Object.keys(env)
  expect(() => shardOfEnvironment(env)).toThrow(InvalidArgumentError)
  expect(() => shardOfEnvironment(env)).toThrow(name)
})

test('where no system tells it, all variables that would are named', () => {
  expect(() => shardOfEnvironment({})).toThrow(/CI_NODE_INDEX.*GitLab.*JOB_COMPLETION_INDEX.*Give it as i\/n/)
})
