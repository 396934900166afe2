// A call as it goes over the wire, and its outcome; types alone.
import type { Of } from './schema-words.js'
import type { call, outcome } from './shapes.js'

/** A call in wire values: what the client sends, less the secret. */
export type WireCall = Of<typeof call>

/** The reply, or why there was none. */
export type Outcome = Of<typeof outcome>
