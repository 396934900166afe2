// Judges one call and its reply in one world: total, immutable, without clock or randomness.

import type { WireCall } from '../history/record.js'
import { type Clause, isOpen } from '../models/language/derive.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type AnyEntity, find, keyIn, put, type World } from '../models/language/world.js'
import { leavesOf } from '../models/tags/carriers.js'
import { clauseOf, type Due, decisiveDue, type Expectation, expect, soleDue } from './due.js'
import { judgeEnvelope, judgeForm } from './envelope.js'
import { isFromGateway, nameOf as nameOfGateway } from './explanations/gateway.js'
import { readCall } from './facts.js'
import { readAsOwner } from './following.js'
import { brief, type Deviation, deviation, type Judgement } from './judgement.js'
import { compareList, mayBeRemains } from './lists.js'
import { agreement, believe, compareRecord, isRecord, must, openMembers, provenance } from './reply.js'
import { noteSpelling } from './spellings.js'
import { silent, speak } from './statements.js'
import { circumstances, type Lookup, type Reply, received, type Step } from './step.js'
import { toldBy } from './telling.js'

type Class = 'accepted' | 'refused' | 'unavailable' | 'broken' | 'other'

/** An error envelope counts as a refusal whatever its status: the document gives no codes for errors. */
const isEnvelope = (body: unknown): boolean =>
  isRecord(body) &&
  Array.isArray(body.errors) &&
  body.errors.length > 0 &&
  body.errors.every((error) => isRecord(error) && typeof error.reason === 'string')

const classOf = (reply: Reply, environment: World['environment']): Class => {
  const { status, body } = reply
  if (isFromGateway(reply, environment)) return 'unavailable'
  if (status >= 500) return 'broken'
  if (status >= 400) return 'refused'
  if (status >= 200 && status < 300) return isEnvelope(body) ? 'refused' : 'accepted'
  return 'other'
}

const finish = (step: Step, fields: Partial<Judgement> & { readonly deviations: readonly Deviation[] }): Judgement => ({
  expects: step.expectation.kind,
  verdict: fields.deviations.length > 0 ? 'finding' : 'pass',
  accepted: undefined,
  possible: [...step.expectation.due.map(({ clause }) => clause.id), ...step.expectation.silences],
  world: step.world,
  held: [],
  choices: [],
  ...fields,
})

const certain = ({ due }: Expectation): readonly Due[] => due.filter((entry) => entry.certain && !isOpen(entry.clause))

/** Choices that a refusal or an acceptance shows, and deviations from those that the target file pins. */
const silenceChoices = (step: Step, accepted: boolean) => {
  const sole = certain(step.expectation).length === 0 && step.expectation.silences.length === 0
  const isChoice = ({ certain: isSure, clause }: Due): boolean => isSure && clause.level === 'choice'
  const shown = sole && step.expectation.due.length === 1 ? step.expectation.due.filter(isChoice) : []
  const value = accepted ? 'accepted' : 'refused'
  const pinned = shown.flatMap(({ clause: { id } }) => pinFault(step, id, value))
  return { choices: shown.map(({ clause: { id } }) => ({ id, value })), pinned }
}

/** The clause that a pinned choice stands beside: its own where it has one, else the one about that kind of reply. */
const pinnedClause = ({ op }: Step, id: string): Clause => {
  const own = id.startsWith(`${op.id}.`) ? clauseOf(op, id.slice(op.id.length + 1)) : undefined
  return (
    own ?? {
      ...must(op, id.startsWith('refusals.') ? 'refusal.status' : 'accepts'),
      id,
      text: 'The target file pins this choice.',
    }
  )
}

const pinFault = (step: Step, id: string, value: string): readonly Deviation[] => {
  const pin = step.world.environment.pins[id]
  if (pin === undefined || String(pin) === value) return []
  const expected = `${String(pin)}, as the target file pins it`
  return [{ ...deviation(pinnedClause(step, id), 'pin', expected, value, circumstances(step)), level: 'pinned' }]
}

/** The one thing that leaves a call open, where by inference it is taken all the same. */
const leaningOf = ({ due, silences }: Expectation): Clause | undefined => {
  const [only] = due
  const isSole = due.length === 1 && silences.length === 0 && only?.certain === true
  return isSole && only.clause.kind === 'silence' && only.clause.level === 'should' ? only.clause : undefined
}

const judgeRefused = (step: Step): Judgement => {
  const { op, reply, expectation } = step
  const status =
    reply.status >= 400 ? [] : [deviation(must(op, 'refusal.status'), 'status', 'a 4xx status', received(reply))]
  const { choices, pinned } = silenceChoices(step, false)
  const only = decisiveDue(expectation)
  const cause = only && { id: `refusals.${causeOf(only.clause)}`, value: String(reply.status) }
  const drift = cause ? pinFault(step, cause.id, cause.value) : []
  const leaning = leaningOf(expectation)
  const unmet = leaning ? [deviation(leaning, 'refused', 'a 2xx status', received(reply), circumstances(step))] : []
  const spelled = noteSpelling(step, afterRefusal(step), false)
  const deviations = [...status, ...judgeEnvelope(step), ...pinned, ...drift, ...unmet, ...spelled.deviations]
  if (expectation.kind === 'accept')
    return finish(step, {
      accepted: false,
      world: afterRefusal(step),
      // What is already there fills no quota.
      suspect: op.makes !== undefined && op.remakes?.(step.read.facts as never) !== true,
      deviations: [
        deviation(must(op, 'accepts'), 'refused', 'a 2xx status', received(reply), circumstances(step)),
        ...deviations,
      ],
    })
  return finish(step, {
    accepted: false,
    world: spelled.world,
    // Another member than the one to blame is named, or none: a quota may have come first.
    ...(op.makes && deviations.some(({ clause: id }) => id === `${op.id}.refusal.field`) && { suspect: true }),
    deviations,
    ...(only && { decisive: only.clause.id }),
    choices: [...choices, ...(cause ? [cause] : [])],
    held: [
      must(op, 'refusal.envelope').id,
      ...((soleDue(expectation)?.fields.length ?? 0) > 0 ? [must(op, 'refusal.field').id] : []),
      must(op, 'refusal.field-present').id,
      must(op, 'refusal.status').id,
    ]
      .filter((id) => deviations.every((entry) => entry.clause !== id))
      .concat(only ? removalShown(step) : []),
  })
}

/** What a refused call may have done in part is in doubt. */
const afterRefusal = ({ op, read, world }: Step): World => {
  if (!op.partly) return world
  try {
    return op.partly({ ...read.facts, world } as never)
  } catch {
    // The body is too ill-formed to tell what it asked for.
    return world
  }
}

/** A refusal because the resource is gone shows that its removal took effect. */
const removalShown = ({ read, lookup }: Step): readonly string[] =>
  Object.values(read.resolutions).flatMap((resolution) => {
    const remover = resolution.kind === 'gone' ? lookup(resolution.gone.by) : undefined
    return remover && clauseOf(remover, 'takes-effect') ? [`${remover.id}.takes-effect`] : []
  })

/** What a refusal is about, for the table of status codes. */
const causes: Readonly<Record<string, string>> = { refusal: 'state', owned: 'exists' }

const causeOf = (found: Clause): string =>
  found.kind === 'constraint' ? `${found.place}-${found.constraint.keyword}` : (causes[found.kind] ?? found.kind)

const keyOfMade = (step: Step): string | undefined => {
  const { op, reply, call } = step
  const { facts } = step.read
  if (!op.makes) return undefined
  const isTold = isRecord(reply.body) && speaksOf(step, op.makes)
  const told = isTold ? op.makes.identify(reply.body, call.path, facts.account) : undefined
  const key = told === undefined ? undefined : keyIn(step.world, op.makes, told, facts.account)
  return op.keys?.(facts as never) ?? key ?? `?${step.world.step}`
}

/** Whether a reply is about what was asked for. One that is not shown may be about something else, such as a job, and tell the id of that. */
const speaksOf = ({ op, call, read, reply: { body } }: Step, table: AnyTable): boolean => {
  if (isRecord(body) && op.answersElse?.(read.facts as never, body) === true) return false
  if (table.record || op.method === 'GET' || !isRecord(body) || !('id' in body)) return true
  const names = Object.keys(isRecord(call.body) ? call.body : {}).filter((name) => name !== 'id')
  if (Object.keys(body).length === 1 || names.some((name) => name in body)) return true
  const asked = leavesOf([call.path, call.body])
  const told = new Set(leavesOf(body))
  return asked.length === 0 || asked.some((value) => told.has(value))
}

const subjectOf = (
  step: Step,
  made: string | undefined,
): { readonly table: AnyTable; readonly key: string } | undefined => {
  const { op, read } = step
  if (op.reply.kind !== 'record' || op.shows === undefined) return undefined
  if (op.shows === 'made') return made === undefined ? undefined : { table: op.reply.table, key: made }
  const resolution = read.resolutions[op.shows]
  return resolution?.kind === 'found' || resolution?.kind === 'unknown'
    ? { table: op.reply.table, key: resolution.entity.key }
    : undefined
}

/** Takes in what an unknown path names, now that the target has accepted a call on it. */
const adopt = (step: Step): World =>
  Object.entries(step.op.params).reduce((world, [name, reference]) => {
    const resolution = step.read.resolutions[name]
    return world.adopting &&
      typeof reference === 'object' &&
      resolution?.kind === 'unknown' &&
      !find(world, reference.table, resolution.entity.key)
      ? put(world, reference.table, resolution.entity as never)
      : world
  }, step.world)

/** Whether the body, where one is foreseen, has members to go by. */
const hasMembers = ({ op, call }: Step): boolean => !op.body || call.body === undefined || isRecord(call.body)

const applied = (step: Step, world: World, made: string | undefined): World =>
  step.op.apply && step.read.resolved && hasMembers(step)
    ? step.op.apply({
        ...step.read.facts,
        world,
        made: made ?? '',
        chosen: isRecord(step.reply.body) ? step.reply.body : {},
      } as never)
    : world

const judgeShape = (step: Step): readonly Deviation[] => {
  const { op, reply } = step
  if (reply.body === undefined && reply.text !== undefined && reply.text !== '')
    return [deviation(must(op, 'json'), 'not-json', 'JSON', brief(reply.text))]
  if (op.reply.kind === 'empty' && !(isRecord(reply.body) && Object.keys(reply.body).length === 0))
    return [deviation(must(op, 'empty'), 'not-empty', '{}', received(reply))]
  // What a write answers is shown of some resources alone: of the others it may be anything.
  const isFree = op.reply.kind === 'record' && !op.reply.table.record && op.method !== 'GET'
  if (op.reply.kind === 'record' && !isFree && !isRecord(reply.body)) {
    const found = op.reply.table.record
      ? clauseOf(op, `reply.${Object.keys(op.reply.table.record.properties)[0]}.required`)
      : clauseOf(op, 'object')
    return found ? [deviation(found, 'no-record', 'the record as a JSON object', received(reply))] : []
  }
  return []
}

/** Whether a list says that there is nothing under a name which nothing has, or which may be shown even when it is gone. */
const isEmptyOfRemains = ({ op, read, reply }: Step, dues: readonly Due[]): boolean =>
  op.reply.kind === 'page' &&
  dues.length === 1 &&
  dues[0]?.clause.kind === 'exists' &&
  isRecord(reply.body) &&
  Array.isArray(reply.body.data) &&
  reply.body.data.length === 0 &&
  Object.entries(op.params).some(
    ([name, reference]) =>
      typeof reference === 'object' &&
      (op.vacant === true || (reference.table.tombstone !== undefined && read.resolutions[name]?.kind === 'gone')),
  )

/** What is shown although it is gone: whose removal took no effect, or what the document lets remain. */
const judgeRemains = (step: Step, dues: readonly Due[]): Judgement | undefined => {
  const { op, read, reply } = step
  if (isEmptyOfRemains(step, dues)) return finish(step, { accepted: true, deviations: [] })
  const buried = Object.values(read.resolutions).find((resolution) => resolution.kind === 'gone')
  const isLook = op.method === 'GET' && op.reply.kind === 'record' && op.shows !== undefined && op.shows !== 'made'
  if (buried?.kind !== 'gone' || !isLook || op.reply.kind !== 'record' || dues.length > 1) return undefined
  const { table } = op.reply
  const { body } = toldBy(step)
  if (table.tombstone && (!isRecord(body) || mayBeRemains(table, body)))
    return finish(step, { accepted: true, deviations: [] })
  const remover = step.lookup(buried.gone.by)
  const lost = remover && clauseOf(remover, 'takes-effect')
  if (!lost) return undefined
  const told = deviation(lost, 'still-there', 'a refusal: it is gone', received(reply), circumstances(step))
  return finish(step, { accepted: true, deviations: [told] })
}

/** The world in which what a clause forbids has happened. */
const followed = (step: Step): { readonly world: World; readonly made: string | undefined } => {
  const { op, read, reply } = step
  const made = keyOfMade(step)
  let world = step.world
  try {
    world = applied(step, adopt(step), made)
  } catch {
    // The body breaks its schema, so the effect cannot be followed; what was made is still noted below.
  }
  if (!isRecord(reply.body)) return { world, made }
  if (op.makes && made !== undefined) world = believe(world, op.makes, made, read.facts.account, reply.body)
  const subject = subjectOf(step, made)
  if (subject && find(world, subject.table, subject.key))
    world = believe(world, subject.table, subject.key, read.facts.account, reply.body)
  return { world, made }
}

/** An acceptance that a clause forbids. The world follows the target, and nothing more is told of this reply. */
const judgeWrong = (step: Step, dues: readonly Due[]): Judgement => {
  const remains = judgeRemains(step, dues)
  if (remains) return remains
  const { op, read, reply, call } = step
  const first = dues.find(({ clause }) => clause.level === 'must') ?? (dues[0] as Due)
  const { world, made } = followed({ ...step, read: readAsOwner(step.world, op, call, read) })
  const names = first.fields.length > 0 ? `4xx, errors[].field "${first.fields.at(-1)}"` : '4xx with the error envelope'
  const why = [...circumstances(step, first.fields), ...(call.as === null ? ['the call carries no credential'] : [])]
  return finish(step, {
    accepted: true,
    world,
    ...(made !== undefined && { made }),
    beyond: beyond(step),
    deviations: [deviation(first.clause, 'accepted', names, received(reply), why)],
  })
}

/** How much of the reply would deviate if the call were allowed: what tells one explanation of an acceptance from another. */
const beyond = (step: Step): number => {
  const allowed: Expectation = { kind: 'either', due: [], silences: [], seeming: [] }
  try {
    return judgeAccepted({ ...step, expectation: allowed }).deviations.filter(({ level }) => level === 'must').length
  } catch {
    // A call that breaks its schema can't be followed.
    return 0
  }
}

const judgeAccepted = (whole: Step): Judgement => {
  const dues = certain(whole.expectation)
  if (dues.length > 0) return judgeWrong(whole, dues)
  const shape = judgeShape(whole)
  const step = { ...whole, reply: toldBy(whole) }
  const { op, read, reply, expectation } = step
  const before = adopt(step)
  const made = keyOfMade(step)
  const there = op.makes && made !== undefined ? (find(before, op.makes, made) as AnyEntity | undefined) : undefined
  // What may come and go by other ways is not what traffic has shown of it before.
  const mayHaveGone = whole.world.adopting && op.makes?.closable === false
  const isKnown =
    there && !there.stub && !mayHaveGone && (op.remakes === undefined || op.remakes(read.facts as never) === false)
  // Where a repetition is free, so is to answer it with what is there; the world then follows the reply.
  const isOwn = there?.account === read.facts.account
  const isRepeated =
    isKnown && isOwn && op.remakes === undefined && expectation.kind === 'either' && mayBeAskedFor(step, before, there)
  const doubled =
    isKnown && op.makes && !isRepeated
      ? [
          deviation(
            must(op, 'new'),
            'not-new',
            'an id of its own',
            `${op.makes.name} ${made}, which exists`,
            provenance(op.makes, there),
          ),
        ]
      : []
  const after =
    isRepeated && op.makes && made !== undefined && isRecord(reply.body)
      ? believe(before, op.makes, made, read.facts.account, reply.body)
      : applied(step, before, made)
  const subject = subjectOf(step, made)
  const compared =
    subject && isRecord(reply.body) && speaksOf(step, subject.table)
      ? compareRecord(
          after,
          op,
          subject.table,
          subject.key,
          reply.body,
          step.lookup,
          openMembers(op, read, find(after, subject.table, subject.key) ?? { key: subject.key }),
        )
      : compareList(after, op, read, reply.body, step.lookup)
  const isReadable =
    step.read.resolved &&
    hasMembers(step) &&
    shape.length === 0 &&
    !compared.deviations.some(({ kind }) => kind === 'shape')
  const spoken = isReadable ? speak(step, compared.world) : silent
  const { choices, pinned } = silenceChoices(step, true)
  const observed = [...spoken.choices, { id: `${op.id}.status`, value: String(reply.status) }]
  // A sentence that the document says is not kept quiet by one that only follows from it.
  const said = spoken.deviations.some(({ level }) => level !== 'should')
  const spelled = noteSpelling(step, compared.world, true)
  const deviations = [
    ...shape,
    ...doubled,
    ...compared.deviations.filter(({ clause: id }) => !(said && id.startsWith(`${op.id}.shows.`))),
    ...spoken.deviations,
    ...pinned,
    ...observed.flatMap(({ id, value }) => pinFault(step, id, value)),
  ]
  const eventsWhere = (due: boolean): readonly string[] =>
    (op.emits ?? []).flatMap(({ event, when }) =>
      (when ? read.resolved && when(read.facts as never) === due : due) ? [event] : [],
    )
  const [emits, withholds] = [eventsWhere(true), eventsWhere(false)]
  return finish(step, {
    accepted: true,
    world: spelled.world,
    ...(emits.length > 0 && { emits }),
    ...(withholds.length > 0 && { withholds }),
    deviations: distinct(deviations),
    held: [
      ...compared.held,
      ...spoken.held,
      ...spelled.held,
      ...plain(step, shape),
      ...(op.makes && doubled.length === 0 && !isRepeated ? [`${op.id}.new`] : []),
    ],
    ...(spoken.defects.length > 0 && { defects: spoken.defects }),
    choices: [...choices, ...observed],
    ...(made !== undefined && { made }),
  })
}

/** Whether something that is there already may be what a call asks for again. */
const mayBeAskedFor = ({ op, read }: Step, world: World, there: AnyEntity): boolean =>
  Object.entries(read.facts.body).every(
    ([field, asked]) =>
      // What a request calls id is that of something else.
      field === 'id' ||
      there[field] === undefined ||
      op.makes === undefined ||
      agreement(world, op.makes, there, field, there[field], asked) !== false,
  )

const shapeSlugs = ['json', 'empty', 'object']

/** Clauses that any acceptance shows. */
const plain = ({ op, expectation }: Step, shape: readonly Deviation[]): readonly string[] => {
  const leaning = leaningOf(expectation)
  const held = expectation.kind === 'accept' ? [must(op, 'accepts').id] : leaning ? [leaning.id] : []
  for (const slug of shapeSlugs) {
    const found = clauseOf(op, slug)
    if (found && shape.every((entry) => entry.clause !== found.id)) held.push(found.id)
  }
  return held
}

/** One finding a clause and kind; a hand-written statement speaks before the comparison that notices the same thing. */
const distinct = (deviations: readonly Deviation[]): readonly Deviation[] => [
  ...new Map(deviations.map((entry) => [`${entry.clause} ${entry.kind}`, entry])).values(),
]

const judgeBroken = (step: Step): Judgement => {
  const { op, reply, expectation } = step
  const slug = expectation.kind === 'accept' ? 'accepts' : 'refusal.status'
  const wanted = expectation.kind === 'accept' ? 'a 2xx status' : 'a 4xx status, or 2xx where that is free'
  const broken = deviation(must(op, slug), 'server-error', wanted, received(reply), circumstances(step))
  // Whatever its status, an error response carries the envelope.
  return finish(step, { deviations: expectation.kind === 'refuse' ? [broken, ...judgeForm(step)] : [broken] })
}

/** Judges a call and its reply. `world.step` is set to `n` in the world that follows. */
export const judge = (
  before: World,
  op: Operation,
  call: WireCall,
  reply: Reply,
  n: number,
  lookup: Lookup,
): Judgement => {
  const world = { ...before, step: n, operation: op.id }
  const read = readCall(world, op, call)
  const step: Step = { world, op, call, reply, read, expectation: expect(world, op, call, read), lookup }
  switch (classOf(reply, world.environment)) {
    case 'unavailable':
      return {
        ...finish(step, { deviations: [], ...(reply.status === 429 && { accepted: false }) }),
        verdict: 'inconclusive',
        assumed: [nameOfGateway(reply)],
      }
    case 'broken':
      return judgeBroken(step)
    case 'refused':
      return judgeRefused(step)
    case 'accepted':
      return judgeAccepted(step)
    case 'other':
      return finish(step, {
        deviations: [deviation(must(op, 'refusal.status'), 'status', 'a 2xx or a 4xx status', received(reply))],
      })
  }
}

/** Whether the call could be made in this world without breaking a rule: what a program generator asks. */
export const expectationOf = (world: World, op: Operation, call: WireCall): Expectation =>
  expect(world, op, call, readCall(world, op, call))
