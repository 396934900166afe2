// When a call of a history may have changed something, and until when it may still do so.

import type { BlankEntry, CallEntry, Entry } from '../history/entry.js'

export const isWrite = (event: Entry): event is CallEntry | BlankEntry =>
  event.kind === 'blank' || (event.kind === 'call' && event.op.method !== 'GET' && mayHaveTakenEffect(event.outcome))

/** When a write was surely over; one without an answer may take effect at any time. */
export const overAt = (event: CallEntry | BlankEntry): number => {
  if (event.kind !== 'call') return event.endedAt
  const { outcome } = event
  const status = 'lost' in outcome ? outcome.replied : outcome.status
  return status === undefined || status >= 500 ? Number.POSITIVE_INFINITY : event.endedAt
}

/** Whether a write may have changed something: only a plain refusal says that it did not. */
export const mayHaveTakenEffect = (outcome: CallEntry['outcome']): boolean => {
  const status = 'lost' in outcome ? outcome.replied : outcome.status
  return status === undefined || status < 400 || status >= 500
}
