// Judges an accepted call: whether it had to be refused, what its reply shows, and what it makes of the world.

import isEqual from 'fast-deep-equal'
import { operationById } from '../models/index.js'
import { isRestricted } from '../models/language/access.js'
import { remaining, removedAgainst } from '../models/language/changes.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable } from '../models/language/operation.js'
import { type AnyEntity, find, type World } from '../models/language/world.js'
import { noteCharacters } from './characters.js'
import { clauseOf, type Due, isOfMember, surelyClauseOf } from './clauses.js'
import { certain, type Expectation, leaningOf } from './due.js'
import { adopt, applied, hasMembers, keyOfMade, unsettled } from './effect.js'
import { traceOf } from './explanations/explanation.js'
import { isAsBefore, notingRemains, remains, showsRemains } from './explanations/remains.js'
import { type Read, readAsOwner, subjectOf } from './facts.js'
import { brief, type Deviation, deviation, type Judgement } from './judgement.js'
import { judgeLeftOut } from './left-out.js'
import { compareList } from './lists.js'
import { judgeMediaType } from './media-type.js'
import { pinFault, silenceChoices } from './pins.js'
import { provenance } from './provenance.js'
import { reasonsFor } from './reasons.js'
import { recognising } from './recognising.js'
import { agreement, type Compared, compareRecord, followRecord, openMembers, sound } from './reply.js'
import { noteSpelling } from './spellings.js'
import { silent, speak } from './statements.js'
import { circumstances, finish, received, type Step } from './step.js'
import { aloneIn, toldBy } from './telling.js'

export const judgeAccepted = (whole: Step): Judgement => {
  const dues = certain(whole.expectation)
  if (dues.length > 0) return judgeWrong(whole, dues)
  const shape = judgeShape(whole)
  const typed = judgeMediaType(whole)
  const step = recognising({ ...whole, reply: toldBy(whole) })
  const creation = creationOf(step)
  const compared = compareReply(step, creation)
  const spoken = isReadable(step, shape, compared) ? speak(step, compared.world) : silent
  const settled = { ...step, expectation: settledBy(step) }
  const spelled = noteSpelling(settled, compared.world, true)
  const counted = noteCharacters(step, spelled.world, true)
  const { choices, pinned } = silenceChoices(settled, true)
  const observed = [...spoken.choices, { id: `${step.op.id}.status`, value: String(step.reply.status) }]
  const deviations = [
    ...shape,
    ...typed,
    ...creation.deviations,
    ...unsaid(compared.deviations, spoken.deviations),
    ...spoken.deviations,
    ...pinned,
    ...observed.flatMap(({ id, value }) => pinFault(step, id, value)),
  ]
  return finish(step, {
    accepted: true,
    world: counted.world,
    ...eventsOf(step),
    deviations: distinct(deviations),
    held: [
      ...compared.held,
      ...spoken.held,
      ...spelled.held,
      ...counted.held,
      ...plain(settled, [...shape, ...typed]),
      ...creation.held,
    ],
    ...(spoken.defects.length > 0 && { defects: spoken.defects }),
    ...(compared.assumed && { assumed: compared.assumed }),
    choices: [...choices, ...observed],
    ...(creation.made !== undefined && { made: creation.made }),
  })
}

/**
 * The expectation once the call was accepted: where others change things, what was only possibly due was not due. In a recording
 * nothing tells whether the target is right about that.
 */
const settledBy = ({ world, expectation }: Step): Expectation => {
  if (world.environment.exclusive || world.adopting) return expectation
  const due = expectation.due.filter(({ certain: isSure }) => isSure)
  return { ...expectation, due, kind: due.length + expectation.silences.length === 0 ? 'accept' : expectation.kind }
}

/** What an accepted call makes. */
interface Creation {
  /** The world before its effect, with what the call names. */
  readonly before: World
  readonly made: string | undefined
  /** The reply may show what was there already. */
  readonly isRepeated: boolean
  readonly deviations: readonly Deviation[]
  readonly held: readonly string[]
}

const creationOf = (step: Step): Creation => {
  const { op } = step
  const before = adopt(step)
  const made = keyOfMade(step)
  const creation: Creation = { before, made, isRepeated: false, deviations: [], held: [] }
  if (!op.makes) return creation
  const there = made === undefined ? undefined : find(before, op.makes, made)
  if (!there || !isKnown(step, there)) return { ...creation, held: [`${op.id}.new`] }
  if (isRepetition(step, before, there)) return { ...creation, isRepeated: true }
  const existing = `${op.makes.name} ${made}, which exists`
  const facts = provenance(op.makes, there)
  return {
    ...creation,
    deviations: [deviation(surelyClauseOf(op, 'new'), 'not-new', 'an id of its own', existing, facts)],
  }
}

/** Whether what a reply shows as made was surely there before the call. */
const isKnown = ({ op, read, world }: Step, there: AnyEntity): boolean => {
  // In traffic, a thing that can come and go outside of the interface may have been removed since it was seen.
  const mayHaveGone = world.adopting && op.makes?.closable === false
  return !there.stub && !mayHaveGone && (op.remakes === undefined || op.remakes(read.facts) === false)
}

/** Where the document leaves repetitions open, a target may answer one with the existing entity; the world then follows the reply. */
const isRepetition = (step: Step, before: World, there: AnyEntity): boolean =>
  there.account === step.read.facts.account &&
  step.op.remakes === undefined &&
  step.expectation.kind === 'either' &&
  mayBeAskedFor(step, before, there)

const afterEffect = (step: Step, { before, made, isRepeated }: Creation): World => {
  const { op, read, reply } = step
  if (!isRepeated || !op.makes || made === undefined || !isObject(reply.body)) return applied(step, before, made)
  const shown = sound(op, op.makes, find(before, op.makes, made), reply.body)
  return followRecord(before, op.makes, made, read.facts.account, shown)
}

/** Compares the record or the list that a reply shows with the world after the effect of the call. */
const compareReply = (step: Step, creation: Creation): Compared => {
  const { op, read, reply } = step
  const after = afterEffect(step, creation)
  // The clause about JSON has reported this already.
  if (isNoJson(reply)) return { world: after, deviations: [], held: [] }
  const subject = subjectOf(op, read, creation.made)
  if (!subject || !isObject(reply.body)) return compareList(after, op, read, reply.body)
  const { table, key } = subject
  const entity = find(after, table, key) ?? { key, account: read.facts.account }
  const open = [...openMembers(op, read, entity), ...repeatedIn(step, table, entity)]
  const shown = { op, table, key, record: reply.body, open }
  const compared = compareRecord(after, shown)
  // The document does not say which members a restricted user sees.
  return isRestricted(read.caller) === false ? judgeLeftOut(compared, shown) : compared
}

/**
 * Members that the reply shows just as they were sent, and that the body's table does not list or that need not be as they were sent: a
 * reply may repeat the request.
 */
const repeatedIn = ({ op, call, reply }: Step, table: AnyTable, entity: AnyEntity): readonly string[] => {
  const { body: sent } = call
  const { body: told } = reply
  if (table.record || op.method === 'GET' || !isObject(sent) || !isObject(told)) return []
  const listed = op.body?.properties ?? {}
  const isKnown = (name: string): boolean =>
    !table.fields.includes(name) || (entity[name] !== undefined && !entity.loose?.includes(name))
  return Object.keys(sent).filter(
    (name) => !(Object.hasOwn(listed, name) && isKnown(name)) && isEqual(sent[name], told[name]),
  )
}

/** Whether the statements of the operation can be asked about this reply. */
const isReadable = (step: Step, shape: readonly Deviation[], { deviations }: Compared): boolean =>
  step.read.resolved && hasMembers(step) && shape.length === 0 && !deviations.some(({ kind }) => kind === 'shape')

/** Deviations of the comparison, without those that a statement reports in the words of the document. */
const unsaid = (compared: readonly Deviation[], spoken: readonly Deviation[]): readonly Deviation[] =>
  // An inferred statement does not replace a comparison with what the document says.
  spoken.some(({ level }) => level !== 'should') ? compared.filter(({ clause: id }) => !isOfMember(id)) : compared

/** Events that the call is due to emit, and those that it must not emit. */
export const eventsOf = ({ op, read }: Pick<Step, 'op' | 'read'>): Pick<Judgement, 'emits' | 'withholds'> => {
  const eventsWhere = (due: boolean): readonly string[] =>
    (op.emits ?? []).flatMap(({ event, when }) =>
      (when ? read.resolved && when(read.facts) === due : due) ? [event] : [],
    )
  const [emits, withholds] = [eventsWhere(true), eventsWhere(false)]
  return { ...(emits.length > 0 && { emits }), ...(withholds.length > 0 && { withholds }) }
}

/** Whether an existing entity agrees with everything that the call asks for. */
const mayBeAskedFor = ({ op, read }: Step, world: World, there: AnyEntity): boolean =>
  Object.entries(read.facts.body).every(
    ([field, asked]) =>
      // A member `id` of a request is the id of another entity.
      field === 'id' ||
      there[field] === undefined ||
      op.makes === undefined ||
      agreement(world, op.makes, there, field, there[field], asked) !== false,
  )

const shapeSlugs = ['json', 'empty', 'object']

/** Clauses that any acceptance shows. */
const plain = ({ op, expectation }: Step, shape: readonly Deviation[]): readonly string[] => {
  const leaning = leaningOf(expectation)
  const held = expectation.kind === 'accept' ? [surelyClauseOf(op, 'accepts').id] : leaning ? [leaning.id] : []
  for (const slug of shapeSlugs) {
    const found = clauseOf(op, slug)
    if (found && shape.every((entry) => entry.clause !== found.id)) held.push(found.id)
  }
  return held
}

/** One deviation for each clause and kind: the last, so that a hand-written statement replaces the comparison that noticed the same. */
const distinct = (deviations: readonly Deviation[]): readonly Deviation[] => [
  ...new Map(deviations.map((entry) => [`${entry.clause} ${entry.kind}`, entry])).values(),
]

const isNoJson = ({ body, text = '' }: Step['reply']): boolean => body === undefined && text !== ''

const judgeShape = (step: Step): readonly Deviation[] => {
  const { op, reply } = step
  if (isNoJson(reply)) return [deviation(surelyClauseOf(op, 'json'), 'not-json', 'JSON', brief(reply.text ?? ''))]
  if (op.reply.kind === 'empty' && !(isObject(reply.body) && Object.keys(reply.body).length === 0))
    return [deviation(surelyClauseOf(op, 'empty'), 'not-empty', '{}', received(reply))]
  // For resources whose record the document does not show, a write may answer anything.
  const isFree = op.reply.kind === 'record' && !op.reply.table.record && op.method !== 'GET'
  const isShown = op.reply.kind === 'record' && op.reply.table.record !== undefined
  if (op.reply.kind === 'record' && !isFree && !isObject(isShown ? reply.body : aloneIn(reply.body))) {
    const found = op.reply.table.record
      ? clauseOf(op, `reply.${Object.keys(op.reply.table.record.properties)[0]}.required`)
      : clauseOf(op, 'object')
    return found ? [deviation(found, 'no-record', 'the record as a JSON object', received(reply))] : []
  }
  return []
}

/** A view of something that is gone: its removal took no effect, or the document lets it be shown on. */
const judgeRemains = (step: Step, dues: readonly Due[]): Judgement | undefined => {
  const { op, read, reply } = step
  if (showsRemains(step, dues))
    return finish(step, {
      accepted: true,
      deviations: [],
      world: notingRemains(step, true),
      assumed: [traceOf(remains, op.id)],
    })
  const buried = read.named.map(({ resolution }) => resolution).find(({ kind }) => kind === 'gone')
  const isLook = op.method === 'GET' && op.reply.kind === 'record' && op.shows !== undefined && op.shows !== 'made'
  if (buried?.kind !== 'gone' || !isLook || op.reply.kind !== 'record' || dues.length > 1) return undefined
  const remover = operationById(buried.gone.by)
  const lost = remover && clauseOf(remover, 'takes-effect')
  if (!lost) return undefined
  // It may have told the same before its deletion, so that nothing was left to be stopped: that it has to go is an inference.
  const clause = isAsBefore(step) ? { ...lost, level: 'should' as const } : lost
  const told = deviation(clause, 'still-there', 'a refusal: it is gone', received(reply), circumstances(step))
  return finish(step, { accepted: true, world: withRemains(step.world, read), deviations: [told] })
}

/** The world in which what an accepted call names, though it was removed, may be there still. */
const withRemains = (world: World, { named }: Read): World =>
  named.reduce(
    (before, { reference: { table }, resolution }) =>
      resolution.kind === 'gone' ? remaining(before, table, resolution.gone) : before,
    world,
  )

/** The world in which what a clause forbids has happened. */
const followed = (step: Step, dues: readonly Due[]): { readonly world: World; readonly made: string | undefined } => {
  const { op, read, reply } = step
  const made = keyOfMade(step)
  const subject = subjectOf(op, read, made)
  const changed = [
    ...(op.makes && made !== undefined && subject?.key !== made ? [{ table: op.makes, key: made }] : []),
    ...(subject ? [subject] : []),
  ]
  let world = step.world
  try {
    world = unsettled(applied(step, adopt(step), made), dues, changed, step.call.body)
  } catch {
    // The body breaks its schema, so its effect cannot be computed. What was made is still noted below.
  }
  const told = isObject(reply.body) ? reply.body : {}
  for (const { table, key } of changed)
    if (table === op.makes || find(world, table, key)) world = followRecord(world, table, key, read.facts.account, told)
  return { world: op.removes === undefined ? withRemains(world, read) : world, made }
}

/** Judges an acceptance that a clause forbids. The world follows the target, and nothing else is reported of this reply. */
const judgeWrong = (step: Step, dues: readonly Due[]): Judgement => {
  const shown = judgeRemains(step, dues)
  if (shown) return shown
  const { op, read, reply, call } = step
  const first = dues.find(({ clause }) => clause.level === 'must') ?? (dues[0] as Due)
  const holder = readAsOwner(step.world, op, call)
  const { world: after, made } = followed({ ...step, read: holder, reply: toldBy(step) }, dues)
  const isOthers = holder.facts.account !== read.facts.account
  const world = op.method === 'DELETE' && isOthers ? removedAgainst(after, first.clause.id) : after
  const names = first.fields.length > 0 ? `4xx, errors[].field "${first.fields.at(-1)}"` : '4xx with the error envelope'
  const why = [...reasonsFor(step, first), ...(call.as === null ? ['the call carries no credential'] : [])]
  return finish(step, {
    accepted: true,
    world,
    ...(made !== undefined && { made }),
    beyond: beyond(step),
    deviations: [deviation(first.clause, 'accepted', names, received(reply), why)],
  })
}

/** How many required clauses the reply would break if the call were allowed. Explanations of an acceptance are compared by it. */
const beyond = (step: Step): number => {
  const allowed: Expectation = { kind: 'either', due: [], silences: [], seeming: [] }
  try {
    return judgeAccepted({ ...step, expectation: allowed }).deviations.filter(({ level }) => level === 'must').length
  } catch {
    // The effect of a call that breaks its schema cannot be computed.
    return 0
  }
}
