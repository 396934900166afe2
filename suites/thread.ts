// One of several threads that share the suites of a run: does each that it is told, and answers with what went wrong.
import { parentPort, workerData } from 'node:worker_threads'
import { defectOf, performSuite, type Share } from './perform.js'
import { openHere } from './worker.js'

const { context, n } = workerData as Share
const strays: string[] = []
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error: unknown) => strays.push(defectOf(error)))

const opening = openHere(context, n)
parentPort?.on('message', async (suite: string) => {
  const defects = await opening.then((worker) => performSuite(worker, suite)).catch((error) => [defectOf(error)])
  parentPort?.postMessage([...defects, ...strays.splice(0)])
})
