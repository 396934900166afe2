// How a record tells that its resource is gone, where the document does not say how; no table.
import type { WireRecord } from './world.js'

/** Whether a record has one of these words, as a member or as its value, so that its resource is gone. */
export const saysOneOf = (words: readonly string[]): ((record: WireRecord) => boolean) => {
  const named = new RegExp(words.join('|'), 'i')
  const said = new RegExp(`^(?:${words.join('|')})$`, 'i')
  return (record) =>
    Object.entries(record).some(
      ([name, value]) =>
        (named.test(name) && value !== false && value !== null) || (typeof value === 'string' && said.test(value)),
    )
}

/** Words for something that has ended. */
export const ended = ['revoked', 'deleted', 'inactive', 'disabled'] as const
