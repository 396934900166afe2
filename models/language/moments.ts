// Reads date-times in the forms that targets write.

import { memoisedByText } from './memoised.js'

/** Milliseconds since 1970 of a date-time; one without an offset is taken as UTC. */
export const momentOf = (text: unknown): number => readMoment(String(text))

const readMoment = memoisedByText((text) => Date.parse(text.replace(' ', 'T').replace(/^(.*T[\d:.]+)$/i, '$1Z')))
