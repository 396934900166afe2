// How far a run is: told by the threads that run its programs, heard by the one that shows it.

import { BroadcastChannel } from 'node:worker_threads'
import { tasksOf } from './catalog.js'
import { isProgramSelected, type Stage, suitesFor } from './filter.js'
import type { RunContext } from './options.js'
import type { Task } from './tasks.js'

/** Some tasks have turned out to be so many programs, or a program has ended. */
export type Advance =
  | { readonly type: 'planned'; readonly tasks: number; readonly programs: number }
  | { readonly type: 'ended'; readonly findings: number }

const nameOf = ({ nonce }: RunContext): string => `touchstone ${nonce}`

const channels = new WeakMap<RunContext, BroadcastChannel>()

export const tellAdvance = (context: RunContext, advance: Advance): void => {
  const channel = channels.get(context) ?? openChannel(context)
  channels.set(context, channel)
  channel.postMessage(advance)
}

const openChannel = (context: RunContext): BroadcastChannel => {
  const channel = new BroadcastChannel(nameOf(context))
  channel.unref()
  return channel
}

/** Hears what this and other threads tell of a run, until what it gives is called. */
export const hearAdvance = (context: RunContext, listen: (advance: Advance) => void): (() => void) => {
  const channel = openChannel(context)
  channel.onmessage = (message) => listen((message as { readonly data: Advance }).data)
  return () => channel.close()
}

/** How many tasks a run has: what it has to do, as far as that can be told before anything is planned. */
export const countTasks = (stages: readonly Stage[]): number =>
  stages
    .map(
      ({ filters }) =>
        suitesFor(filters)
          .flatMap(tasksOf)
          .filter((task) => isSelectedTask(filters, task)).length,
    )
    .reduce((sum, count) => sum + count, 0)

export const isSelectedTask = (filters: Stage['filters'], { clause }: Task): boolean =>
  !clause || isProgramSelected(filters, clause)
