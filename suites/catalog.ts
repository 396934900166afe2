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

/** Suites that get by with the fixtures that others leave free. */
const modest: readonly string[] = ['pagination', 'races', 'random']

/** The suites of a run in the order of the registry, in stages: a stage begins when the one before it is over. */
export const stagesOf = (suites: readonly string[]): readonly (readonly string[])[] => {
  const resources = [...new Set(operations.map(resourceOf))]
  const crossing = Object.keys(crossingTasks).filter((suite) => !modest.includes(suite))
  const all = [...crossing, ...resources, ...modest].filter((suite) => suites.includes(suite))
  return [all.filter((suite) => !last.includes(suite)), ...last.map((one) => all.filter((suite) => suite === one))]
}
