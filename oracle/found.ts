// A deviation in recorded calls as the finding that reports show, without its secrets.

import { lineOf } from '../history/calls.js'
import { redactCall, redactOutcome } from '../history/masking.js'
import type { Finding } from '../history/record.js'
import type { Found } from './rejudged.js'

/** @param nonce text that only names made in the run contain; empty for traffic */
export const findingOf = ({ id, deviation, steps, shrunkFrom }: Found, nonce: string): Finding => ({
  id,
  clause: deviation.clause,
  operation: deviation.operation,
  level: deviation.level,
  source: deviation.source,
  summary: `${deviation.requires} Expected ${deviation.expected}; received ${deviation.received}`,
  requires: deviation.requires,
  expected: deviation.expected,
  received: deviation.received,
  because: deviation.because,
  steps: steps.map(({ event, judgement }) => ({
    n: event.n,
    call: redactCall(event.call),
    outcome: redactOutcome(event.outcome),
    line: lineOf(redactCall(event.call)),
    ...(judgement.made !== undefined && { made: judgement.made }),
  })),
  shrunkFrom,
  replay: `touchstone replay findings/${id.replaceAll(':', '.')}.json`,
  ...(nonce !== '' && { nonce }),
})
