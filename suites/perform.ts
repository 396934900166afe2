// Does the suites of a run where no test runner does: in this thread, or shared by several; what the suites themselves got wrong is told.
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { Worker as Thread } from 'node:worker_threads'
import { operations } from '../models/index.js'
import { perform } from './agenda.js'
import { inOrder, tasksOf } from './catalog.js'
import { conclude } from './conclude.js'
import { suitesFor } from './filter.js'
import { fuzz } from './fuzz.js'
import type { RunContext } from './options.js'
import { resourceOf } from './tasks.js'
import { openHere, type Worker } from './worker.js'

/** What a thread is started with. */
export interface Share {
  readonly context: RunContext
  /** Its number among the threads, from 1. */
  readonly n: number
}

/**
 * Does the suites that the filters of a run ask for.
 * @param print takes what hooks print in other threads
 * @returns defects of the suite, and errors outside of any call, such as those of a target file's own code
 */
export const performSuites = async (context: RunContext, print: Writable): Promise<readonly string[]> => {
  const { filters, workers } = context.options
  const suites = inOrder(suitesFor(filters))
  if (workers > 1) return performInThreads(context, suites, print)
  try {
    const worker = await openHere(context)
    const defects: string[] = []
    for (const suite of suites) defects.push(...(await performSuite(worker, suite)))
    return defects
  } catch (error) {
    return [defectOf(error)]
  }
}

export const performSuite = async (worker: Worker, suite: string): Promise<readonly string[]> => {
  try {
    for (const task of tasksOf(suite)) await perform(worker, task)
    if (suite === 'random') await fuzz(worker)
    if (isOfResource(suite)) conclude(worker, suite)
    return []
  } catch (error) {
    return [defectOf(error)]
  }
}

/** Errors come as such, or as what is left of them after the way from another thread. */
export const defectOf = (error: unknown): string => {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  return `suite defect: ${String(message)}`
}

const isOfResource = (suite: string): boolean => operations.some((op) => resourceOf(op) === suite)

/** Each thread takes the next suite when it is done with one. */
const performInThreads = async (
  context: RunContext,
  suites: readonly string[],
  print: Writable,
): Promise<readonly string[]> => {
  const waiting = [...suites]
  const defects: string[] = []
  const work = async (_: unknown, i: number): Promise<void> => {
    const workerData: Share = { context, n: i + 1 }
    const thread = new Thread(new URL('./thread.js', import.meta.url), { workerData, stdout: true })
    thread.stdout.pipe(print, { end: false })
    try {
      for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) {
        thread.postMessage(suite)
        const [told] = (await once(thread, 'message')) as [readonly string[]]
        defects.push(...told)
      }
    } catch (error) {
      defects.push(defectOf(error))
    } finally {
      await thread.terminate()
    }
  }
  await Promise.all(Array.from({ length: Math.min(context.options.workers, suites.length) }, work))
  return defects
}
