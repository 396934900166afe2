// How a record tells that its resource is no more, where the document does not say that it is deleted; no table.
import type { WireRecord } from './world.js'

/** Whether a record says by one of these words, as a member or as the value of one, that its resource is no more. */
export const saysOneOf = (words: readonly string[]): ((record: WireRecord) => boolean) => {
  const named = new RegExp(words.join('|'), 'i')
  const said = new RegExp(`^(?:${words.join('|')})$`, 'i')
  return (record) =>
    Object.entries(record).some(
      ([name, value]) =>
        (named.test(name) && value !== false && value !== null) || (typeof value === 'string' && said.test(value)),
    )
}

/** Words for what has come to its end. */
export const ended = ['revoked', 'deleted', 'inactive', 'disabled'] as const
