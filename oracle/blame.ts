// Decides which call caused a deviation: what a read shows after a refused write is the write's doing. Pure; nothing is judged here.

import type { Clause } from '../models/language/derive.js'
import { isListed, type Operation } from '../models/language/operation.js'
import { idNamed, referencesOf } from '../models/language/references.js'
import { clauseNamed, clauseOf, isOfMember, isOneOf } from './clauses.js'
import { mayLeave } from './explanations/settable.js'
import { readCall, wellFormed } from './facts.js'
import { type Deviation, type Judged, withReasons } from './judgement.js'

/** A call that was sent, with what was made of its reply. */
type JudgedCall = Pick<Judged, 'op' | 'call' | 'n' | 'judgement'>

const isDerived = ({ reply }: Operation, { clause: id }: Deviation): boolean => {
  const clause = clauseNamed(id)
  return clause?.kind === 'shows' && 'table' in reply && clause.field in (reply.table.derived ?? {})
}

/** Whether a write may have caused the deviation; no write makes a target refuse a list. */
const isChange = ({ reply }: Operation, { clause, kind }: Deviation, write: Operation): boolean =>
  isOfMember(clause) ||
  isOneOf(clause, 'takes-effect', 'complete') ||
  (isOneOf(clause, 'only-live') && mayList(write, kind)) ||
  (kind === 'refused' && reply.kind !== 'page')

/** A removal makes nothing appear, and no write makes a list hold what is gone or belongs to another account. */
const mayList = ({ removes }: Operation, kind: string): boolean =>
  kind === 'unknown' ? removes === undefined : kind !== 'deleted' && kind !== 'foreign'

/** The parts of a read that a write may have changed. A member that follows from others changes only with them. */
export const changesIn = (
  { op, judgement: { deviations } }: Pick<JudgedCall, 'op' | 'judgement'>,
  write: Operation,
): readonly Deviation[] => {
  return withSource(
    op,
    deviations.filter((one) => isChange(op, one, write)),
  )
}

/** The changes; none if all of them are of members that follow from others, for none of those has changed. */
const withSource = (op: Operation, changes: readonly Deviation[]): readonly Deviation[] =>
  changes.every((one) => isDerived(op, one)) ? [] : changes

/** What a read shows, as the doing of the write before it. */
export const reblame = (
  deviation: Deviation,
  { id, operation, source, text, level }: Clause,
  { n, op, judgement: { accepted, decisive } }: Pick<JudgedCall, 'n' | 'op' | 'judgement'>,
): Deviation => {
  const why = { text: `step ${n} (${op.id}) was ${accepted ? 'accepted' : 'refused'}`, step: n, by: op.id }
  return {
    ...withReasons(deviation, why),
    clause: id,
    operation,
    source,
    requires: text,
    level: level === 'must' && (accepted || op.undone?.includes(decisive ?? '')) ? 'must' : 'should',
    kind: accepted ? 'lost' : 'changed',
    from: deviation,
  }
}

/** Blames a refusal on the clause that the program is there to show. */
export const withinClause = (deviation: Deviation, { id, operation, source, text }: Clause): Deviation => ({
  ...deviation,
  clause: id,
  operation,
  source,
  requires: text,
  kind: 'refused-within',
  from: deviation,
})

/** The clause that a refused call changes nothing. */
export const unchangedOf = (op: Operation): Clause | undefined => clauseOf(op, 'refusal.unchanged')

/** A resource that a call names. The key is undefined for what a refused creation would have made. */
interface Target {
  readonly table: string
  readonly key: string | undefined
}

interface Refused {
  readonly told: JudgedCall
  readonly clause: Clause
  /** Resources that no read has shown since. */
  readonly unseen: readonly Target[]
  /** Whether no other write has come since, and no list. */
  readonly isLast: boolean
}

const mostFollowed = 64

const targetsOf = ({ op, call, judgement }: JudgedCall): readonly Target[] => {
  const { facts } = readCall(judgement.world, op, call)
  const named = referencesOf(op).flatMap((one): readonly Target[] => {
    const key = idNamed(one, call.path, facts.account)
    return key === undefined ? [] : [{ table: one[1].table.name, key }]
  })
  const inBody = wellFormed(() => op.names?.(facts))
  return [
    ...named,
    ...inBody.map(({ table, key }) => ({ table: table.name, key: String(key) })),
    ...(op.makes ? [{ table: op.makes.name, key: judgement.made }] : []),
  ]
}

const isAmong = (some: readonly Target[], { table, key }: Target): boolean =>
  some.some((one) => one.table === table && one.key === key)

/** Whether a deviation is about a member of that resource. */
const isOf = ({ facts = [] }: Deviation, { table, key }: Target): boolean =>
  key !== undefined && facts.some((fact) => fact.table === table && fact.key === key)

/** What a read of one record is about: the last that its path names. */
const subjectOf = (read: JudgedCall): Target | undefined =>
  read.op.reply.kind === 'record' ? targetsOf(read).findLast(({ key }) => key !== undefined) : undefined

/** Whether a reply about several resources may show what a write would have done. */
const mayShow = (read: JudgedCall, { told: { op, call, judgement } }: Refused): boolean => {
  const { reply } = read.op
  if (isListed(reply) && (op.makes === reply.table || op.removes !== undefined))
    return targetsOf({ op, call, n: 0, judgement }).some(({ table }) => table === reply.table.name)
  const { facts } = readCall(judgement.world, op, call)
  const looks = wellFormed(() => op.looks?.(facts))
  return looks.some(
    ({ operation, path = call.path }) =>
      operation === read.op.id &&
      Object.entries(read.call.path).every(([name, value]) => String(path[name as keyof typeof path]) === value),
  )
}

interface Heard {
  readonly deviations: readonly Deviation[]
  /** Number of the write that is blamed for them. */
  readonly write?: number
}

/**
 * Follows recorded calls, and blames what a read shows on the refused write before it on the same resource, as long as no other write
 * has been made on it and no read has shown it. A list may be about much else.
 */
export const createBlamer = (from: readonly Refused[] = []) => {
  let refused = from
  const note = (told: JudgedCall): void => {
    const targets = targetsOf(told)
    const rest = refused.flatMap((one) => {
      const unseen = one.unseen.filter((target) => !isAmong(targets, target))
      return unseen.length > 0 ? [{ ...one, unseen, isLast: false }] : []
    })
    const clause = told.judgement.accepted === false ? unchangedOf(told.op) : undefined
    refused = (clause ? [...rest, { told, clause, unseen: targets, isLast: true }] : rest).slice(-mostFollowed)
  }
  const blame = (read: JudgedCall): Heard => {
    const subject = subjectOf(read)
    const isAbout = (one: Refused): boolean =>
      (subject !== undefined && isAmong(one.unseen, subject)) || (one.isLast && mayShow(read, one))
    const guilty = refused.findLast(isAbout)
    if (!guilty) return blameInList(read)
    refused = refused.map((one) => (one === guilty ? seen(one, subject) : one))
    // In a list, members of resources that the write did not name are not its doing.
    const isOther = (one: Deviation): boolean =>
      subject === undefined && isOfMember(one.clause) && !guilty.unseen.some((target) => isOf(one, target))
    return laidTo(guilty, read, (one) => mayBeLeft(guilty, one) && !isOther(one))
  }
  /** A list shows much else, but also what the write just before it would have changed. */
  const blameInList = (read: JudgedCall): Heard => {
    const { reply } = read.op
    const { deviations } = read.judgement
    if (!isListed(reply)) return { deviations }
    const { name } = reply.table
    const guilty = refused.findLast(({ isLast, unseen }) => isLast && unseen.some(({ table }) => table === name))
    const isNamed = (one: Deviation) => guilty?.unseen.some((target) => target.table === name && isOf(one, target))
    return guilty ? laidTo(guilty, read, (one) => mayBeLeft(guilty, one) && isNamed(one) === true) : { deviations }
  }
  return {
    hear: (told: JudgedCall): Heard => {
      if (told.op.method === 'GET') return blame(told)
      note(told)
      return { deviations: told.judgement.deviations }
    },
    fork: () => createBlamer(refused),
  }
}

/** Whether the refused write may have left this. Other calls of the clients may have as well, so only what it would have set counts. */
const mayBeLeft = ({ told: { op } }: Refused, deviation: Deviation): boolean =>
  deviation.level === 'must' && mayLeave(op, deviation)

/** The deviations of a read that a refused write may have caused. */
const laidTo = ({ clause, told }: Refused, read: JudgedCall, mayBeItsDoing: (one: Deviation) => boolean): Heard => {
  const { deviations } = read.judgement
  const laid = new Set(withSource(read.op, changesIn(read, told.op).filter(mayBeItsDoing)))
  if (laid.size === 0) return { deviations }
  return { deviations: deviations.map((one) => (laid.has(one) ? reblame(one, clause, told) : one)), write: told.n }
}

const seen = (one: Refused, subject: Target | undefined): Refused => ({
  ...one,
  ...(subject ? { unseen: one.unseen.filter((target) => !isAmong([subject], target)) } : { isLast: false }),
})
