// The progress of a run, for whoever shows it.

import { tasksOf } from './catalog.js'
import { isProgramSelected, suitesFor } from './filter.js'
import type { Filters } from './options.js'
import type { Task } from './tasks.js'

/**
 * Some tasks have turned out to be so many programs; a program has ended with findings of these ids (programs that ran as one have the same);
 * or deviations of these ids, and no others, wait to be confirmed.
 */
export type Advance =
  | { readonly type: 'planned'; readonly tasks: number; readonly programs: number }
  | { readonly type: 'ended'; readonly findings: readonly string[] }
  | { readonly type: 'doubted'; readonly ids: readonly string[] }

export type Tell = (advance: Advance) => void

/** How many tasks a run has: what it has to do, as far as that can be told before anything is planned. */
export const countTasks = (filters: Filters): number =>
  suitesFor(filters)
    .flatMap(tasksOf)
    .filter((task) => isSelectedTask(filters, task)).length

export const isSelectedTask = (filters: Filters, { clause }: Task): boolean =>
  !clause || isProgramSelected(filters, clause)
