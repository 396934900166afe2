// Judging in a thread of its own, so that it never holds up the proxy, and the bound on what waits for it.

import { Worker } from 'node:worker_threads'
import type { Finding } from '../history/record.js'
import { createJudging, type Judging, type JudgingOptions, type Outcome } from './judging.js'
import type { Passing } from './traffic.js'

/** What the thread is told. */
export type ToThread =
  | { readonly kind: 'begin'; readonly options: JudgingOptions }
  | { readonly kind: 'take'; readonly passing: readonly Passing[] }
  | { readonly kind: 'close'; readonly endedAt: number }

/** What it answers; every `take` is answered once it is dealt with. */
export type FromThread =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'taken' }
  | { readonly kind: 'closed'; readonly outcome: Outcome }

export type OpenJudging = (
  options: JudgingOptions,
  on: {
    readonly finding: (finding: Finding) => void
    readonly taken: () => void
    readonly failed: (error: Error) => void
  },
) => Judging

/** Judges in the thread that asks. */
export const judgeHere: OpenJudging = (options, on) => {
  const { take, close } = createJudging(options, on.finding)
  return {
    take: (passing) => {
      take(passing)
      on.taken()
    },
    close,
  }
}

/** Judges in another thread. */
export const judgeInThread: OpenJudging = (options, on) => {
  const worker = new Worker(new URL('../guard/worker.js', import.meta.url))
  const post = (message: ToThread): void => worker.postMessage(message)
  const closed = new Promise<Outcome>((resolve, reject) => {
    worker.on('message', (told: FromThread) => {
      if (told.kind === 'finding') on.finding(told.finding)
      else if (told.kind === 'taken') on.taken()
      else resolve(told.outcome)
    })
    worker.once('error', (error) => {
      on.failed(error)
      reject(error)
    })
  })
  // Whoever closes is told; until then it is enough that `failed` was.
  closed.catch(() => undefined)
  post({ kind: 'begin', options })
  return {
    take: (passing) => post({ kind: 'take', passing }),
    close: async (endedAt) => {
      post({ kind: 'close', endedAt })
      return closed.finally(() => worker.terminate())
    },
  }
}
