// A change shows only after a while. A run asks again (`oracle/late.ts`); what else tells in recorded traffic: `lag-in-traffic.ts`.

import type { Environment } from '../../models/language/environment.js'
import type { Explanation } from './explanation.js'

export const lag: Explanation = {
  name: 'lag',
  refutes:
    'the same call, sent again, does not show it within the time that the target file allows, or shows it by turns; or calls of an operation are refused once and taken at the second try, at ages with nothing in common',
  bound:
    'in a run, pace.settleMs after the change, and replies that were right before it; in recorded traffic, those that a later like call, list or view shows to have been late, others by no more than twice as much, or a second where the same call has shown that, lists for as long as pace.listLagMs says, and looks after several changes as long as none of their kind has shown a change so soon',
}

/** Id of the choice: how long after an operation its change may not show. */
export const choiceOfLag = (operation: string): string => `${operation}.lag`

/** The longest that a target has promised to take, in milliseconds; no bound where the target file pins none. */
export const promisedMs = ({ pins }: Environment, operation: string): number => {
  const pin = pins[choiceOfLag(operation)]
  return pin === undefined ? Number.POSITIVE_INFINITY : Number(pin)
}

const steps = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 60_000]

/** An age, rounded up so that it differs little from run to run: `within 300 ms`. */
export const within = (ageMs: number): string => {
  const step = steps.find((most) => ageMs <= most)
  return step === undefined ? `later than ${steps.at(-1)} ms` : `within ${step} ms`
}
