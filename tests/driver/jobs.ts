// Programs of the schedule as tests need them, about nothing in particular; and a deviation for them to show.
import type { Job } from '../../driver/units.js'
import type { Deviation } from '../../oracle/judgement.js'

/** A program that takes no lock and tells as little as one can. */
export const jobOf = (run: Job['run'], others: Partial<Job> = {}): Job => ({
  name: 'deviates beside others alone',
  locks: [],
  cost: 1,
  waits: 0,
  least: 1,
  tells: 1,
  run,
  ...others,
})

/** A call of that operation that had to be accepted, and was answered with that status. */
export const wronglyRefused = (operation: string, received: string): Deviation => ({
  clause: `${operation}.accepts`,
  operation,
  kind: 'refused',
  level: 'must',
  source: '',
  requires: 'The call is accepted.',
  expected: '2xx',
  received,
  because: [],
})
