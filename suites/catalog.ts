// All tasks of a run by suite, and which suites are done together; nothing is planned here.

import { operations } from '../models/index.js'
import { crossingTasks } from './crossing.js'
import { clauseTasks, resourceOf, type Task } from './tasks.js'

const known = new Map<string, readonly Task[]>()

/** The tasks of a suite: of a resource, or of one that crosses them. */
export const tasksOf = (suite: string): readonly Task[] => {
  const tasks = known.get(suite) ?? crossingTasks[suite]?.() ?? clauseTasks(suite)
  known.set(suite, tasks)
  return tasks
}

/** Programs whose changes cannot be undone come at the very end. */
const last: readonly string[] = ['object-storage', 'node-deletion']

/** Suites by name, with what cannot be brought back at the very end. */
export const inOrder = (suites: readonly string[]): readonly string[] =>
  [...suites].sort((a, b) => last.indexOf(a) - last.indexOf(b) || (a < b ? -1 : 1))

/** Suites of programs that get by with the fixtures that others leave free. So they are planned later. */
const modest: readonly string[] = ['journeys', 'sequences', 'pagination', 'races', 'random']

/** The suites of a run, resources in the order of the registry, in stages: a stage begins when the one before it is over. */
export const stagesOf = (suites: readonly string[]): readonly (readonly string[])[] => {
  const first = [...new Set(operations.map(resourceOf)), ...modest].filter((suite) => !last.includes(suite))
  return [first, ...last.map((one) => [one])].map((stage) => stage.filter((suite) => suites.includes(suite)))
}
