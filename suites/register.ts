// Registers vitest tests for a resource: one for every clause that has a program of its own.

import { afterAll, describe, test } from 'vitest'
import { operations } from '../models/index.js'
import { clausesOf } from '../models/language/derive.js'
import type { Operation } from '../models/language/operation.js'
import { conclude, type Task } from './agenda.js'
import { resourceOf, tasksOf } from './tasks.js'
import { useWorker } from './worker.js'

/** A test for each task of a suite; what it waits for has begun with the run. */
export const tell = (suite: string, tasks: readonly Task[]): void => {
  for (const { name } of tasks) test(name, async (context) => conclude(await useWorker(suite), name, context))
}

/** Clauses that are judged in passing, and that this target gave no occasion to judge. */
const close = async (suite: string, own: readonly Operation[]): Promise<void> => {
  const { session, emit, flush } = await useWorker(suite)
  for (const op of own)
    for (const clause of clausesOf(op).filter(({ id }) => !session.isHeld(id))) {
      if (clause.kind === 'shows' && op.shows === 'made')
        emit({
          type: 'untestable',
          clause: clause.id,
          reason: 'the target chooses the value, and this reply is the first to show it',
        })
      const reason = op.undecided?.[clause.id.slice(op.id.length + 1)]
      if (reason !== undefined) emit({ type: 'untestable', clause: clause.id, reason })
      if (clause.kind === 'emits' && !session.options.hooks.readEvents)
        emit({
          type: 'untestable',
          clause: clause.id,
          reason: 'needs the hook readEvents',
          remedy: 'Add hooks.readEvents to the target file.',
        })
    }
  flush()
}

/** The suite of one resource. */
export const conformance = (resource: string): void => {
  const own = operations.filter((op) => resourceOf(op) === resource)
  for (const op of own) describe(op.id, () => tell(resource, tasksOf(op)))
  afterAll(() => close(resource, own))
}
