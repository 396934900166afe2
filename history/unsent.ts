// A call that was not sent, as its outcome tells it.

import type { Outcome } from './wire.js'

const mark = 'not sent: '

/** The outcome of a call that was not sent. */
export const unsent = (why: string): Outcome => ({ lost: 'refused', detail: `${mark}${why}` })

/** That a call was not sent, and why; undefined where it was. */
export const whyUnsent = (outcome: Outcome): string | undefined =>
  'lost' in outcome && outcome.detail?.startsWith(mark) === true ? outcome.detail : undefined
