// How a record tells that its resource is gone, where the document does not say how; no table.
import type { WireRecord } from './world.js'

/** Whether a record has one of these words, as a member or as its value, or denies their opposite, so that its resource is gone. */
export const saysOneOf = (words: readonly string[]): ((record: WireRecord) => boolean) => {
  const named = new RegExp(words.join('|'), 'i')
  const said = new RegExp(`^(?:${words.join('|')})$`, 'i')
  return (record) =>
    Object.entries(record).some(
      ([name, value]) =>
        (value === false ? lasting.test(name) : value !== null && named.test(name)) ||
        (typeof value === 'string' && said.test(value)),
    )
}

/** Members that say of a resource that it is not gone. */
const lasting = /^(?:is_?)?(?:active|enabled|(?:monitored|monitoring)(?:_?(?:active|enabled))?)$/i

/** Words for something that has ended. */
export const ended = ['revoked', 'deleted', 'inactive', 'disabled'] as const
