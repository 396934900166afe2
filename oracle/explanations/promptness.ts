// Weighs whether a target that nothing has shown to be late may be: how promptly it shows other changes, and how many it does not.

import isEqual from 'fast-deep-equal'
import { isObject } from '../../models/language/objects.js'
import { isListed, type Operation } from '../../models/language/operation.js'
import { find } from '../../models/language/world.js'
import { isOneOf } from '../clauses.js'
import { forked } from '../forked.js'
import type { Deviation, Judged, Late } from '../judgement.js'
import { isThere, keyNamedIn, keysOf, recordsOf, tableOf } from './lag-shown.js'

/** A look that may be late. */
interface Doubt {
  readonly by: string
  readonly op: string
  /** What it is late about. */
  readonly keys: readonly string[]
  readonly changedAt: number
  /** The number of the first such look. */
  readonly n: number
  /** Whether another look did not show the same change either. */
  readonly isRepeated: boolean
}

/** What looks have shown of changes so far. */
export interface Promptness {
  /** How soon after a change a look showed it, by the number of the change and the kind of look. */
  readonly prompt: Map<string, number>
  /** Looks that may be late, by change and operation. */
  readonly doubts: Map<string, Doubt>
}

export const noLooks = (): Promptness => ({ prompt: new Map(), doubts: new Map() })

export const forkedLooks = (looks: Promptness): Promptness => forked(looks)

/** Lists and views may show a change at different times. */
export const kindOf = ({ reply }: Operation): 'list' | 'view' => (isListed(reply) ? 'list' : 'view')

/** Only the latest writes are looked for in what a look shows. */
const mostLatest = 8

/** The most looks of each sort, prompt ones and doubts, that are remembered. */
const mostLooks = 256

/** Notes that a look may be late. */
export const noteDoubt = ({ doubts }: Promptness, look: Judged): void => {
  const { op, judgement, n } = look
  const { late } = judgement
  if (!late) return
  const name = nameOfDoubt(look, late)
  const before = doubts.get(name)
  const known = before?.changedAt === late.changedAt ? before : undefined
  const isRepeated = known !== undefined && (known.isRepeated || known.n !== n)
  const { by, changedAt } = late
  keep(doubts, name, { by, op: op.id, keys: keysOf(look), changedAt, n: known?.n ?? n, isRepeated })
}

const nameOfDoubt = (look: Judged, { by }: Late): string => `${by} ${look.op.id} ${keysOf(look).join(' ')}`

/** Notes what a look that is right shows of the latest writes. */
export const noteLook = ({ prompt }: Promptness, look: Judged, writes: readonly Judged[]): void => {
  const { op, startedAt } = look
  for (const write of writes.slice(-mostLatest)) {
    const name = `${write.n} ${kindOf(op)}`
    if (write.endedAt <= startedAt && !prompt.has(name) && isShown(write, look))
      keep(prompt, name, startedAt - write.endedAt)
  }
}

const keep = <T>(looks: Map<string, T>, name: string, value: T): void => {
  looks.set(name, value)
  const [oldest = ''] = looks.keys()
  if (looks.size > mostLooks) looks.delete(oldest)
}

/** Whether a look surely shows what a write has done: what it made, or a member as it was sent, and was not before. */
const isShown = (write: Judged, look: Judged): boolean => {
  const table = tableOf(look)
  const { op, call, judgement } = write
  if (!table || judgement.accepted !== true) return false
  if (op.makes === table) return judgement.made !== undefined && isThere(look, judgement.made) === true
  const key = keyNamedIn(write, table)
  // What does not show what was removed may not have shown yet that it was made.
  if (key === undefined || op.removes !== undefined) return false
  const { since = {} } = find(judgement.world, table, key) ?? {}
  const isNew = (name: string, value: unknown): boolean =>
    since[name]?.step === write.n && !isEqual(since[name].before, value)
  const sent = isObject(call.body)
    ? Object.entries(call.body).filter(([name, value]) => table.fields.includes(name) && isNew(name, value))
    : []
  const shown = recordsOf(look).find((one) => one.key === key)?.record
  return shown !== undefined && sent.length > 0 && sent.every(([name, value]) => isEqual(shown[name], value))
}

/** With fewer prompt looks of the like, one other look that may be late is enough to tell that the target is late; else it takes two. */
const enoughPrompt = 6
const enoughDoubts = 2

/** So many changes that were shown, each longer after it than another one was not, tell nothing of how soon a change shows. */
const enoughLater = 3

/** That a list counts later than it shows is no more than a guess. */
const isOfCount = ({ clause }: Deviation): boolean => isOneOf(clause, 'pages', 'page-size')

/** Whether the target file tells what the caller may do. If it does not, a view may be refused, and shows nothing of what is late. */
const isDescribed = ({ call: { as }, judgement: { world } }: Judged): boolean =>
  world.environment.tokens.some(({ name, isOpen }) => name === as && isOpen !== true)

const isAloneIn = (doubts: Promptness['doubts'], { by, changedAt }: Late): boolean =>
  [...doubts.values()].every((one) => one.by === by && one.changedAt === changedAt)

/** So many changes that were shown so soon, and no other in doubt, tell that no replica is behind. */
const enoughSoSoon = 16

/**
 * Whether a look may go back to what was there just before, as one of several replicas may be behind for a moment: not where others go back
 * to the same, none about anything else, and many have shown other changes as soon.
 * @param untilMs how long after the change it was not shown
 */
export const mayGoBack = ({ prompt, doubts }: Promptness, look: Judged, untilMs: number): boolean => {
  const { op, judgement } = look
  const { late } = judgement
  if (!late || !isAloneIn(doubts, late) || doubts.get(nameOfDoubt(look, late))?.isRepeated !== true) return true
  const soSoon = [...prompt].filter(([name, ageMs]) => name.endsWith(kindOf(op)) && ageMs <= untilMs)
  return soSoon.length < enoughSoSoon
}

/**
 * Whether a look that does not show a change may be late, though nothing has shown that the target is. It may be as long as no look of its
 * kind has shown a change so soon, unless no other change may be late, the caller is described, and hardly any look has shown other changes,
 * later. Otherwise it may be late only if others are: after other changes and about other things, since one fault would have its changes or
 * its looks in common.
 * @param untilMs how long after the change it was not shown
 */
export const mayBeLate = ({ prompt, doubts }: Promptness, look: Judged, untilMs: number): boolean => {
  const { op, judgement } = look
  const { late } = judgement
  if (!late || late.hidden.every(isOfCount)) return false
  const isAlone = isAloneIn(doubts, late)
  const shown = [...prompt].filter(([name]) => name.endsWith(kindOf(op)))
  const isPrompt = shown.some(([, ageMs]) => ageMs <= untilMs + 1)
  const isEverLater = shown.length >= enoughLater
  if (op.method === 'GET' && !isPrompt && !(isAlone && isDescribed(look) && !isEverLater)) return true
  if (doubts.get(nameOfDoubt(look, late))?.isRepeated === true) return false
  const keys = keysOf(look)
  const isOther = (one: Doubt): boolean =>
    !one.isRepeated && one.by !== late.by && one.op !== op.id && !one.keys.some((key) => keys.includes(key))
  const unlike = new Set([...doubts.values()].filter(isOther).map((one) => `${one.by} ${one.op}`)).size
  const like = shown.filter(([, ageMs]) => ageMs <= 2 * late.ageMs + 1)
  return unlike >= enoughDoubts || (unlike > 0 && like.length < enoughPrompt)
}
