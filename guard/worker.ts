// The thread that judges what a guard sees: messages in, findings and the outcome out.

import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { createJudging, type Judging } from './judging.js'
import type { FromThread, ToThread } from './thread.js'

// On Linux a priority is that of the calling thread: where there is one core for both, the proxy goes first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

const answer = (message: FromThread): void => parentPort?.postMessage(message)

let judging: Judging | undefined

parentPort?.on('message', async (told: ToThread) => {
  if (told.kind === 'begin') {
    judging = createJudging(told.options, (finding) => answer({ kind: 'finding', finding }))
  } else if (told.kind === 'take') {
    judging?.take(told.passing)
    answer({ kind: 'taken' })
  } else if (judging) {
    answer({ kind: 'closed', outcome: await judging.close(told.endedAt) })
  }
})
