// What an outcome is at a glance; nothing is judged here.
import type { Outcome } from './wire.js'

/** Whether there was a reply that says of itself that the call was accepted. */
export const isAccepted = (outcome: Outcome): boolean =>
  'status' in outcome && outcome.status >= 200 && outcome.status < 300

/** Undefined where there was no reply, or none with a body. */
export const bodyOf = (outcome: Outcome): unknown => ('body' in outcome ? outcome.body : undefined)
