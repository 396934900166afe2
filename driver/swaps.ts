// Tells a target that answers one call with the reply to another, as behind a broken connection pool; it knows no rule of the document.

import { isAccepted } from '../history/outcomes.js'
import type { World } from '../models/language/world.js'
import { judgeUnknowing } from '../oracle/explaining.js'
import type { Judged } from '../oracle/judgement.js'
import type { Reply } from '../oracle/step.js'

export interface Swaps {
  /** Takes in a call; why nothing can be told of the target's replies, at the time when that is first known. */
  readonly hear: (sent: Judged, world: World) => string | undefined
}

/** So many pairs of calls, each of other operations, are seen with each other's replies before it is told: one pair may be routed so. */
const fewest = 3
/** Of so many calls with replies that cannot be theirs another may have the reply; one that was under way with them is soon heard of. */
const mostKept = 16

interface Astray {
  readonly sent: Judged
  readonly reply: Reply
}

export const createSwaps = (): Swaps => {
  const astray: Astray[] = []
  const pairs = new Map<string, string>()
  let isTold = false
  return {
    hear: (sent, world) => {
      const { outcome } = sent
      // A target that takes what it has to refuse, and the other way round, answers no call with the reply to another.
      if (isTold || sent.judgement.verdict === 'pass' || !('status' in outcome) || !isAccepted(outcome))
        return undefined
      const one: Astray = { sent, reply: outcome }
      if (fits(world, sent, outcome)) return undefined
      const other = astray.find((each) => isSwapped(world, one, each))
      if (!other) {
        astray.push(one)
        if (astray.length > mostKept) astray.shift()
        return undefined
      }
      astray.splice(astray.indexOf(other), 1)
      const both = [sent, other.sent]
      const ids = both.map(({ op }) => op.id).sort()
      pairs.set(ids.join(' and '), both.map(nameOf).join(' and '))
      isTold = pairs.size >= fewest
      return isTold ? reasonOf([...pairs.values()]) : undefined
    },
  }
}

/** Whether a reply may be that of a call on some target. */
const fits = (world: World, sent: Judged, reply: Reply): boolean =>
  judgeUnknowing(world, sent, reply).deviations.length === 0

/** Whether two calls were under way at once, and each has a reply that can only be that of the other. */
const isSwapped = (world: World, one: Astray, other: Astray): boolean =>
  one.sent.startedAt < other.sent.endedAt &&
  other.sent.startedAt < one.sent.endedAt &&
  fits(world, one.sent, other.reply) &&
  fits(world, other.sent, one.reply)

const nameOf = ({ n, call }: Judged): string => `${call.method} ${call.url} (step ${n})`

const reasonOf = (pairs: readonly string[]): string =>
  `answers calls that are under way at once with each other's replies (${pairs.join('; ')}): see that what stands before it gives each reply to the call that it belongs to`
