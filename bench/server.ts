// The embedded target in a thread of its own, so that what is measured beside it has a core to itself.
import { parentPort } from 'node:worker_threads'
import { startEmbedded } from '../reference/serve.js'

const { baseUrl, secrets } = await startEmbedded({ seed: 1, restAfter: 1 })
parentPort?.postMessage({ baseUrl, secrets: [...secrets] })
