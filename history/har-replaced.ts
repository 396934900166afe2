// Which members of a recording were replaced after it was made, as whoever takes personal data out of it does; nothing is judged.

import { operations } from '../models/index.js'
import { formats } from '../models/language/formats.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { type Constraint, constraintsOf } from '../models/language/schema.js'
import type { CallEntry } from './entry.js'
import { areIdsReplaced, holdsId, namesId } from './har-replaced-ids.js'
import { isSecretName } from './masking.js'
import { bodyOf, isAccepted } from './outcomes.js'
import { recordsIn } from './pages.js'

/** Which calls carry a member that was replaced. */
export interface Replaced {
  readonly inRequest: (call: CallEntry) => boolean
  readonly inReply: (call: CallEntry) => boolean
}

/** What accepted calls tell of a member of a resource. */
interface Member {
  /** Texts that were given to what was made. */
  readonly made: string[]
  /** Those that were sent, and how many of them the member cannot have. */
  readonly sent: Set<string>
  readonly counts: { sent: number; illFormed: number }
  readonly shown: string[]
  /** What is told to hold it, such as a path that ends with a label, by the text itself. */
  readonly holders: Map<string, Set<string>>
}

interface Text {
  readonly member: string
  readonly text: string
}

/** So many different values of a member have to tell it: fewer may as well show what a target does wrong. */
const fewest = 3

/** And of so many members, where it is what replies show that tells it: a target may show one of them wrongly all the time. */
const fewestShown = 2

/** Where members of so many resources were replaced, it was done by how texts look, and any other may have been as well. */
const fewestResources = 2

/**
 * A member was replaced where none of its values that was accepted can be one, where not one of them ever comes back, and where nothing that
 * is told to hold it does. Where one was replaced, so were others of its resource or of its name of which less is told; where those of
 * two resources were, so were all free texts of which nothing shows that they were not.
 */
export const replacedIn = (calls: readonly CallEntry[]): Replaced => {
  const members = new Map<string, Member>()
  for (const one of calls) if (isAccepted(one.outcome)) note(members, one)
  const replaced = namesOfReplaced(members)
  const isAmong = ({ member }: Text): boolean => replaced.has(member)
  const areTexts = (one: CallEntry, body: unknown): boolean => replaced.size > 0 && textsIn(one, body).some(isAmong)
  const areIds = areIdsReplaced(calls)
  return {
    inRequest: (one) => (areIds && holdsId(one.call.body)) || areTexts(one, one.call.body),
    inReply: (one) => {
      const body = bodyOf(one.outcome)
      return (areIds && isAccepted(one.outcome) && (namesId(one) || holdsId(body))) || areTexts(one, body)
    },
  }
}

const namesOfReplaced = (members: ReadonlyMap<string, Member>): ReadonlySet<string> => {
  const all = [...members.values()]
  const areShown = all.filter((one) => isOtherwiseShown(one, fewest)).length >= fewestShown
  if (!areShown && !all.some((one) => isNeverFit(one, fewest) || isHashed(one))) return new Set()
  const namesOf = (few: number) => [...members].flatMap(([name, one]) => (isOtherwise(one, few) ? [name] : []))
  const proven = namesOf(fewest)
  const akin = namesOf(1).filter((name) => proven.some((one) => areAkin(one, name)))
  const isEverywhere = resourcesOf(members, proven).size >= fewestResources
  return new Set([...proven, ...akin, ...(isEverywhere ? namesOfDoubtful(members, proven) : [])])
}

/** Resources with a replaced member, or with a text that stands for a replaced one elsewhere. */
const resourcesOf = (members: ReadonlyMap<string, Member>, proven: readonly string[]): ReadonlySet<string> => {
  const unfit = proven.flatMap((name) => members.get(name) ?? []).filter((one) => isNeverFit(one, fewest))
  const others = new Set(unfit.flatMap(({ sent }) => [...sent]))
  const holding = [...members].filter(([, { sent, shown }]) => [...sent, ...shown].some((text) => others.has(text)))
  return new Set([...proven, ...holding.map(([name]) => name)].map(resourceOf))
}

/** Members that hold free texts, without a sign that these are as they were. */
const namesOfDoubtful = (members: ReadonlyMap<string, Member>, proven: readonly string[]): readonly string[] => {
  const shapes = new Set(proven.flatMap((name) => [...(members.get(name)?.sent ?? [])].map(shapeOf)))
  const isReplacement = (text: string): boolean => shapes.size === 1 && shapes.has(shapeOf(text))
  const isIntact = (member: Member): boolean =>
    isOneHeld(member) &&
    !isNeverFit(member, 1) &&
    member.shown.some((text) => member.sent.has(text) && !isReplacement(text))
  return [...members].flatMap(([name, one]) => (freeTexts.has(wordOf(name)) && !isIntact(one) ? [name] : []))
}

/** What texts have in common that were made in one way: hashes, or a word with a number. */
const shapeOf = (text: string): string => text.replaceAll(/[0-9a-f]{6,}|[0-9]+/gi, '#')

const isOneHeld = ({ holders }: Member): boolean =>
  holders.size === 0 || [...holders].some(([text, all]) => [...all].some((one) => one !== text && holds(one, text)))

const holds = (holder: string, text: string): boolean => holder.toLowerCase().includes(text.toLowerCase())

const isOtherwiseShown = (member: Member, few: number): boolean =>
  isNeverEchoed(member, few) || isHeldByNone(member, few)

const isOtherwise = (member: Member, few: number): boolean => isOtherwiseShown(member, few) || isNeverFit(member, few)

const resourceOf = (member: string): string => member.slice(0, member.indexOf(' '))

const wordOf = (member: string): string => member.slice(member.indexOf(' ') + 1)

/** Members of one resource, or of one name. */
const areAkin = (one: string, other: string): boolean => {
  const [words, others] = [one.split(' '), other.split(' ')]
  return words.some((word, i) => word === others[i])
}

/** What an update sends may be lost by the target; of what is made, something has to come back. */
const isNeverEchoed = ({ made, sent, shown }: Member, few: number): boolean =>
  (few === 1 ? sent.size : made.length) >= few && new Set(shown).size >= few && !shown.some((text) => sent.has(text))

const isNeverFit = ({ counts }: Member, few: number): boolean => counts.sent >= few && counts.illFormed === counts.sent

/** Each holder is that of one text alone, but without the text in it. */
const isHeldByNone = ({ holders }: Member, few: number): boolean => {
  const pairs = [...holders].flatMap(([text, all]) => [...all].map((holder) => ({ text, holder })))
  return (
    pairs.length >= few &&
    new Set(pairs.map(({ holder }) => holder)).size === pairs.length &&
    !pairs.some(({ text, holder }) => holds(holder, text))
  )
}

const hash = /^[\da-f]{6,}$/i

/** Ends in a name with a letter that no hash has. */
const word = /[g-z][^_/]*$/i

/** All its texts are hashes, but what is told to hold them has others: nobody names by hashes what a target then names by words. */
const isHashed = (member: Member): boolean =>
  isHeldByNone(member, fewest) &&
  [...member.holders].every(([text, all]) => hash.test(text) && [...all].every((one) => word.test(one)))

const note = (members: Map<string, Member>, one: CallEntry): void => {
  const at = (member: string): Member => getOrInsert(members, member, unheard)
  for (const { member, text } of textsIn(one, bodyOf(one.outcome))) at(member).shown.push(text)
  noteHolders(at, one)
  const bounds = boundsOf(one)
  for (const { member, text } of textsIn(one, one.call.body)) {
    const own = bounds.get(member)
    if (!own) continue
    const known = at(member)
    known.sent.add(text)
    known.counts.sent += 1
    if (own.some((bound) => isBroken(bound, text))) known.counts.illFormed += 1
    if (one.op.makes) known.made.push(text)
  }
}

const noteHolders = (at: (member: string) => Member, one: CallEntry): void => {
  const { reply } = one.op
  const derived = 'table' in reply ? Object.entries(reply.table.derived ?? {}) : []
  for (const record of recordsIn(bodyOf(one.outcome)))
    for (const [name, [from = '']] of derived) {
      const [text, holder] = [record[from], record[name]]
      if (typeof text === 'string' && typeof holder === 'string')
        getOrInsert(at(memberOf(one, from)).holders, text, () => new Set<string>()).add(holder)
    }
}

const unheard = (): Member => ({
  made: [],
  sent: new Set(),
  counts: { sent: 0, illFormed: 0 },
  shown: [],
  holders: new Map(),
})

const memberOf = ({ op }: Pick<CallEntry, 'op'>, name: string): string =>
  `${op.id.slice(0, op.id.lastIndexOf('.'))} ${name}`

/** Texts of a body by the resource and the member that holds them, at whatever depth. */
const textsIn = (one: CallEntry, value: unknown, name = ''): readonly Text[] => {
  if (typeof value === 'string') return [{ member: memberOf(one, name), text: value }]
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(one, item, name))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (isSecretName(key) ? [] : textsIn(one, inner, key)))
}

/** What the members of a body that hold free texts are held to; one of a few words is nobody's secret. */
const boundsOf = ({ op }: Pick<CallEntry, 'op'>): ReadonlyMap<string, readonly Constraint[]> => {
  const bounds = new Map<string, Constraint[]>()
  for (const bound of op.body ? constraintsOf(op.body) : []) {
    const name = bound.path.findLast((segment) => segment !== '[]') ?? ''
    if (isText(bound)) getOrInsert(bounds, memberOf({ op }, name), () => []).push(bound)
  }
  return bounds
}

const isText = ({ schema }: Constraint): boolean => !('enum' in schema) && [schema.type].flat().includes('string')

const isBroken = ({ keyword, value }: Constraint, text: string): boolean =>
  keyword === 'format'
    ? formats[String(value)]?.(text) === false
    : (keyword === 'minLength' && text.length < Number(value)) ||
      (keyword === 'maxLength' && text.length > Number(value))

/** Names of members that some request may give any text. */
const freeTexts: ReadonlySet<string> = new Set(operations.flatMap((op) => [...boundsOf({ op }).keys()].map(wordOf)))
