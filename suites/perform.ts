// Does the suites of a run where no test runner does; what the suites themselves got wrong is told.
import { operations } from '../models/index.js'
import type { Tell } from './advance.js'
import { perform } from './agenda.js'
import { inOrder, tasksOf } from './catalog.js'
import { conclude } from './conclude.js'
import { suitesFor } from './filter.js'
import { fuzz } from './fuzz.js'
import type { RunContext } from './options.js'
import { resourceOf } from './tasks.js'
import { openHere, type Worker } from './worker.js'

/**
 * Does the suites that the filters of a run ask for.
 * @param tell hears how far the run is
 * @returns defects of the suite, and errors outside of any call, such as those of a target file's own code
 */
export const performSuites = async (context: RunContext, tell: Tell): Promise<readonly string[]> => {
  try {
    const worker = await openHere(context, tell)
    const defects: string[] = []
    for (const suite of inOrder(suitesFor(context.options.filters)))
      defects.push(...(await performSuite(worker, suite)))
    return defects
  } catch (error) {
    return [defectOf(error)]
  }
}

const performSuite = async (worker: Worker, suite: string): Promise<readonly string[]> => {
  try {
    for (const task of tasksOf(suite)) await perform(worker, task)
    if (suite === 'random') await fuzz(worker)
    if (isOfResource(suite)) conclude(worker, suite)
    return []
  } catch (error) {
    return [defectOf(error)]
  }
}

export const defectOf = (error: unknown): string =>
  `suite defect: ${error instanceof Error ? error.message : String(error)}`

const isOfResource = (suite: string): boolean => operations.some((op) => resourceOf(op) === suite)
