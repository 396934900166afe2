// A call that was not sent, as its outcome tells it.

import type { Outcome } from './wire.js'

const mark = 'not sent: '

/** The outcome of a call that was not sent. */
export const unsent = (why: string): Outcome => ({ lost: 'refused', detail: `${mark}${why}` })

/** Whether a call was not sent at all. */
export const isUnsent = (outcome: Outcome): boolean => 'lost' in outcome && outcome.detail?.startsWith(mark) === true
