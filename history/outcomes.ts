// What an outcome is at a glance; nothing is judged here.
import type { Outcome } from './wire.js'

/** Whether there was a reply that says of itself that the call was accepted. */
export const isAccepted = (outcome: Outcome): boolean =>
  'status' in outcome && outcome.status >= 200 && outcome.status < 300

/** Undefined where there was no reply, or none with a body. */
export const bodyOf = (outcome: Outcome): unknown => ('body' in outcome ? outcome.body : undefined)

/** Whether there was a reply that says of itself that the call was refused. */
export const isRefusal = (outcome: Outcome): boolean =>
  'status' in outcome && outcome.status >= 400 && outcome.status < 500

/** Whether there was a reply that says of itself that something failed, whoever is to blame. */
export const isError = (outcome: Outcome): boolean => 'status' in outcome && outcome.status >= 400

/** Whether a reply says that it is not there. */
export const isAbsent = (outcome: Outcome): boolean => 'status' in outcome && outcome.status === 404

/** Whether the call may have come to the target: without a connection nothing was sent. */
export const mayHaveCome = (outcome: Outcome): boolean =>
  !('lost' in outcome && (outcome.lost === 'refused' || outcome.lost === 'tls'))
