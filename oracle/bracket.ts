// Tells of what its own calls have caused a deviation, whatever ran beside them: such as a write between a look that was right and the same look that is not.

import isEqual from 'fast-deep-equal'
import { tableNamed } from '../models/index.js'
import { find, type World } from '../models/language/world.js'
import type { Spotted } from './episode.js'
import type { Deviation, Judged } from './judgement.js'

/** What a member was changed by, though nothing in the document says so. */
export interface Bracket {
  /** The look that was right. */
  readonly before: Judged
  readonly write: Judged
  readonly look: Judged
}

/** Undefined where no look of the program has told before what it contradicts, or where not exactly one accepted write lies between. */
export const bracketOf = ({ deviation, calls }: Pick<Spotted, 'deviation' | 'calls'>): Bracket | undefined => {
  const look = calls.at(-1)
  if (look?.op.method !== 'GET' || deviation.member === undefined || deviation.from) return undefined
  const { member, facts = [] } = deviation
  const hasTold = ({ n, op }: Judged): boolean =>
    op.method === 'GET' && facts.some(({ step, field }) => step === n && field === member.name)
  const from = calls.findLastIndex((one) => one !== look && isRight(one) && (isSameLook(one, look) || hasTold(one)))
  const before = calls[from]
  if (!before) return undefined
  const writes = calls
    .slice(from)
    .filter(({ op, judgement: { accepted } }) => op.method !== 'GET' && accepted !== false)
  const [write, ...others] = writes
  return write?.judgement.accepted && others.length === 0 && isInTurn([before, write, look])
    ? { before, write, look }
    : undefined
}

/** Whether a call was accepted against what the target file says, which no other program can have changed. */
export const isAgainstTargetFile = ({ kind, facts = [] }: Deviation): boolean =>
  kind === 'accepted' && facts.length > 0 && facts.every(({ step }) => step === 0)

/** Whether two calls ask for the same. */
export const isSameLook = (one: Pick<Judged, 'op' | 'call'>, other: Pick<Judged, 'op' | 'call'>): boolean =>
  one.op === other.op &&
  isEqual([one.call.path, one.call.query, one.call.as], [other.call.path, other.call.query, other.call.as])

const isRight = ({ deviations, judgement: { verdict, late } }: Judged): boolean =>
  verdict === 'pass' && deviations.length === 0 && late === undefined

const isInTurn = (calls: readonly Judged[]): boolean =>
  calls.every(({ endedAt }, i) => endedAt <= (calls[i + 1]?.startedAt ?? Number.POSITIVE_INFINITY))

/** Whether a member still has the value that deviated: it was neither late nor shown once by chance. */
export const isStillSo = (world: World, { member, facts = [] }: Deviation): boolean =>
  facts.some(({ table, key, field }) => {
    const kind = table === undefined ? undefined : tableNamed(table)
    const now = kind && key !== undefined ? find(world, kind, key) : undefined
    return now !== undefined && field === member?.name && isEqual(now[field as string], member?.shown)
  })
