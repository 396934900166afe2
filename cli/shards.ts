// Which part of a run this machine has, as CI systems tell it; what a part consists of is decided by the suites.

import { InvalidArgumentError } from 'commander'

/** The shard, from 1, and how many there are. */
export type Shard = readonly [number, number]

/** How one system tells a machine its place among those that run the same job. */
interface Convention {
  readonly system: string
  readonly index: string
  readonly count: string
  /** The index of the first machine. */
  readonly first: 0 | 1
}

/** GitHub Actions and Kubernetes tell a part of it only in their files; `touchstone init --ci` writes the variables there. */
const conventions: readonly Convention[] = [
  { system: 'GitLab', index: 'CI_NODE_INDEX', count: 'CI_NODE_TOTAL', first: 1 },
  { system: 'CircleCI', index: 'CIRCLE_NODE_INDEX', count: 'CIRCLE_NODE_TOTAL', first: 0 },
  { system: 'Buildkite', index: 'BUILDKITE_PARALLEL_JOB', count: 'BUILDKITE_PARALLEL_JOB_COUNT', first: 0 },
  { system: 'Azure Pipelines', index: 'SYSTEM_JOBPOSITIONINPHASE', count: 'SYSTEM_TOTALJOBSINPHASE', first: 1 },
  { system: 'GitHub Actions', index: 'STRATEGY_JOB_INDEX', count: 'STRATEGY_JOB_TOTAL', first: 0 },
  { system: 'a Kubernetes Indexed Job', index: 'JOB_COMPLETION_INDEX', count: 'JOB_COMPLETIONS', first: 0 },
]

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : undefined

/**
 * Reads the shard from the variables of the CI system. A job that is not parallel has the whole run.
 * @throws InvalidArgumentError where no system tells it, or what one tells makes no sense
 */
export const shardOfEnvironment = (env: NodeJS.ProcessEnv): Shard => {
  const told = conventions.find(({ index, count }) => env[count] !== undefined || env[index] !== undefined)
  if (!told) {
    const known = conventions.map(({ system, index, count }) => `${index} and ${count} (${system})`)
    throw new InvalidArgumentError(`auto: expected one of ${known.join(', ')}; received none. Give it as i/n.`)
  }
  const { system, index, count, first } = told
  const total = wholeNumber(env[count])
  // A system may set no index where the job has one machine.
  const at = env[index] === undefined && total === 1 ? first : wholeNumber(env[index])
  if (total === undefined || at === undefined || at < first || at - first >= total)
    throw new InvalidArgumentError(
      `auto: expected ${index} and ${count} of ${system} to name a machine among several; received ${JSON.stringify(env[index])} and ${JSON.stringify(env[count])}. Give it as i/n.`,
    )
  return [at - first + 1, total]
}
