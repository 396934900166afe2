// Programs of writes on one resource, derived from the registry: every ordered pair of writes and each twice, with looks at all that shows the resource and its bystanders.
import { actsOnLent, allTables, listerOf, makerOf, operations, removerOf } from '../models/index.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args, Plan } from '../models/language/plan.js'
import { lastTableOf } from '../models/language/references.js'
import { foreign, lookAt, passingLike, referrers, strangerFor, viewNarrowly } from './bystanders.js'
import { firstProbe } from './first-probe.js'
import { besides, bound, isEmpty, isSole, likeOf, ownNames, pathOf, type Subject } from './subjects.js'
import { varied } from './turns.js'

export interface Sequence {
  readonly name: string
  /** The operations that it is about, without those that arrange and look. */
  readonly operations: readonly Operation[]
  readonly write: (plan: Plan) => void
}

/** A sequence for every kind of resource that is made and then changed or removed, and for what the target file lends in each area. */
export const sequences = (): readonly Sequence[] => [
  ...allTables().flatMap((table) => {
    const maker = makerOf(table)
    const writes = writesOn(table)
    if (!maker || (!removerOf(table) && writes.length === 0)) return []
    const operations = [maker, ...writes]
    return [
      ...partsOf(table).map(({ name, ...part }) => ({
        name: `${name} on ${table.name}`,
        operations,
        write: (plan: Plan): void => onOne(plan, table, maker, part),
      })),
      ...[...copiesOf(table, maker), ...removalsAfter(table, maker)].map((one) => ({ ...one, operations })),
    ]
  }),
  ...[...new Set(lentWrites().map(({ area }) => area))].map((area) => {
    const own = lentWrites().filter((op) => op.area === area)
    return { name: `writes on what is lent, ${area}`, operations: own, write: (plan: Plan) => onLent(plan, own) }
  }),
]

/** From where on and up to where of the row in which each write follows each; the last part has all that stands beside. */
interface Part {
  readonly from: number
  readonly to: number
}

/** Where a resource takes its time to come to rest after each change, two take their turns at once. */
const partsOf = (table: AnyTable): readonly (Part & { readonly name: string })[] =>
  table.settled
    ? [
        { name: 'first writes', from: 0, to: 0.5 },
        { name: 'writes', from: 0.5, to: 1 },
      ]
    : [{ name: 'writes', from: 0, to: 1 }]

/** Changes of what no operation of the interface makes, or makes and can take away again. */
const lentWrites = (): readonly Operation[] =>
  operations.filter((op) => {
    const table = lastTableOf(op)
    const maker = table && makerOf(table)
    const isOfMade = table && maker && (maker.guarded === undefined || table.permanent) && writesOn(table).includes(op)
    return isChange(op) && op.makes === undefined && !isOfMade
  })

const isChange = ({ method, removes, guarded, apply }: Operation): boolean =>
  method !== 'GET' && removes === undefined && guarded === undefined && apply !== undefined

/** Each write after each, every one of them drafted anew, and all that is lent as the lists show it, to another account before and after. */
const onLent = (plan: Plan, writes: readonly Operation[]): void => {
  const tables = new Set(writes.flatMap((op) => lastTableOf(op) ?? []))
  const lists = [...tables].flatMap((table) => listerOf(table) ?? []).filter(({ params }) => isEmpty(params))
  const drafts = writes.filter((op) => plan.attempt(() => op.draft(plan), 'undo'))
  const turns = new Map<Operation, number>()
  const lookFromOutside = (): void => {
    for (const list of lists) {
      const as = strangerFor(plan, list)
      if (as !== undefined) plan.check(list.id, { as })
    }
  }
  lookFromOutside()
  for (const i of everyPair(drafts.length)) {
    const op = drafts[i]
    const args = op && plan.attempt(() => op.draft(plan))
    if (!op || !args) continue
    const turn = turns.get(op) ?? 0
    turns.set(op, turn + 1)
    plan.check(
      op.id,
      varied(op, args, () => turn),
    )
    for (const { id } of lists) plan.check(id)
  }
  lookFromOutside()
}

/**
 * Numbers below `count` in a row in which each follows each, itself included, as in de Bruijn's sequence of order two; then all once more,
 * so that each comes again after all others, and a single one for the third time.
 */
export const everyPair = (count: number): readonly number[] => {
  const row = Array.from({ length: count }, (_, i) => [
    i,
    ...Array.from({ length: count - i - 1 }, (_, j) => [i, i + j + 1]).flat(),
  ]).flat()
  return [...row, ...Array.from({ length: count === 1 ? 2 : count }, (_, i) => i % count)]
}

const onOne = (plan: Plan, table: AnyTable, maker: Operation, part: Part): void => {
  const isLast = part.to === 1
  const writes = writesOn(table)
  const bystanders: Subject[] = []
  const addBystander = (args = plan.attempt(() => besides(plan, maker))): void => {
    if (args) bystanders.push({ made: plan.check(maker.id, args), within: args.path ?? {}, body: {} })
  }
  const isAlone = !isLast || isSole(plan, maker)
  if (!isAlone) addBystander()
  const one = subjectOf(plan, table, maker, writes)
  if (!isLast) refusedStill(plan, table, maker, one, { unsettled: true })
  const [beside] = bystanders
  // A write to a whole group shows on a similar resource. All are made before any is changed, so that they come to rest together.
  if (!isAlone) addBystander(likeOf(plan, maker, one))
  const removeLike = isAlone ? undefined : passingLike(plan, table, maker, one)
  // A write that resets or empties something shows only after another write has changed or filled it.
  if (beside) for (const op of writes.filter(altersAlone(table))) changeOf(plan, table, maker, beside, op)
  removeLike?.()
  const theirs = isLast ? foreign(plan, table, maker, one) : () => undefined
  const referring = isLast ? referrers(plan, table, one) : () => undefined
  const path = pathOf(plan, table, maker, one)
  const look = lookAt(plan, table, path)
  const lookOtherwise = (): void => viewNarrowly(plan, table, path)
  lookOtherwise()
  look()
  const drafts = writes.flatMap((op) => drafting(plan, table, maker, one, op))
  const like = bystanders.at(-1)
  writeInTurn(plan, drafts, part, {
    look,
    refused: () => refusedStill(plan, table, maker, one),
    taken: () => like && nameTaken(plan, table, maker, one, like),
  })
  lookOtherwise()
  if (!isLast) return
  const lookBeside = (): void => {
    theirs()
    for (const bystander of bystanders) lookAt(plan, table, pathOf(plan, table, maker, bystander), 'apart')()
  }
  lookBeside()
  referring()
  reborn(plan, table, one, path, () => {
    look()
    lookBeside()
  })
}

/** The writes of a part of the row one after another, each varied from time to time, and at its end each member of theirs by itself. */
const writeInTurn = (
  plan: Plan,
  drafts: readonly Draft[],
  { from, to }: Part,
  { look, refused, taken }: Readonly<Record<'look' | 'refused' | 'taken', () => void>>,
): void => {
  const turns = new Map<Operation, number>()
  const send = (op: Operation, args: Args): void => {
    const turn = turns.get(op) ?? 0
    turns.set(op, turn + 1)
    plan.check(
      op.id,
      varied(op, args, () => turn),
    )
    look()
  }
  const row = everyPair(drafts.length)
  // What the part before has ended with goes first, so that no pair is lost.
  const [first, end] = [Math.max(0, Math.floor(from * row.length) - 1), Math.floor(to * row.length)]
  for (const [at, i] of row.slice(first, end).entries()) {
    const draft = drafts[i]
    const args = draft && plan.attempt(draft.write)
    if (draft && args) send(draft.op, args)
    taken()
    // By then each write has come after each, so that whatever a write leaves behind is there.
    if (first + at >= row.length - drafts.length) refused()
  }
  if (to === 1) for (const { op, write } of drafts) membersInTurn(plan, op, write, send)
}

/**
 * What changes a resource of the table that the path names last, be it one that the target file lends or one that is made. What takes
 * something away goes first: a row ends with what is there, none of which may be there when the resource is made again.
 */
const writesOn = (table: AnyTable): readonly Operation[] => {
  const maker = makerOf(table)
  const writes = operations.filter(
    (op) =>
      isChange(op) && lastTableOf(op) === table && (maker === undefined || actsOnLent(op.id) === actsOnLent(maker.id)),
  )
  return writes.toSorted((a, b) => Number(b.method === 'DELETE') - Number(a.method === 'DELETE'))
}

/** Whether an operation changes a resource, or makes a part of it, with no other in its way. */
const altersAlone =
  (table: AnyTable) =>
  ({ method, makes, sole = [] }: Operation): boolean =>
    method === 'PUT' || (makes !== undefined && makes !== table && sole.length === 0)

/** The resource that the sequence is about: with every member given, and as the drafts of the writes would have it. */
const subjectOf = (plan: Plan, table: AnyTable, maker: Operation, writes: readonly Operation[]): Subject => {
  const asked: Record<string, unknown> = {}
  const listening = bound(plan, table, maker, undefined, (body) => void Object.assign(asked, defined(body)))
  for (const op of writes) plan.attempt(() => op.draft(listening), 'undo')
  const { body = {}, ...args } = plan.attempt(() => (maker.full ?? maker.draft)(plan)) ?? maker.draft(plan)
  const isFull = Object.keys(asked).every((name) => name in body)
  const base = isFull ? { ...args, body } : withoutDefaults(plan, maker.draft(plan), body)
  const whole = { ...base.body, ...asked }
  const made = plan.call(maker.id, { ...base, ...(!isEmpty(whole) && { body: whole }) })
  return { made, within: base.path ?? {}, body: whole }
}

/** A plain creation, with values that are no defaults in place of those that may be. */
const withoutDefaults = (plan: Plan, { body, ...args }: Args, full: Readonly<Record<string, unknown>>): Args => {
  const isOwnName = ownNames(plan)
  const members = Object.entries(body ?? {}).map(([name, value]) => [
    name,
    name in full && !isOwnName(value) ? full[name] : value,
  ])
  return { ...args, ...(members.length > 0 && { body: Object.fromEntries(members) }) }
}

const defined = (body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))

interface Draft {
  readonly op: Operation
  readonly write: () => Args
}

/** Drafts the writes on that resource; writes that lack something are left out. */
const drafting = (
  plan: Plan,
  table: AnyTable,
  maker: Operation,
  { made }: Subject,
  op: Operation,
): readonly Draft[] => {
  const write = (): Args => (op.full ?? op.draft)(bound(plan, table, maker, made))
  return plan.attempt(write, 'undo') ? [{ op, write }] : []
}

const changeOf = (plan: Plan, table: AnyTable, maker: Operation, { made }: Subject, op: Operation): void => {
  const args = plan.attempt(() => op.draft(bound(plan, table, maker, made)))
  if (args) plan.check(op.id, args)
}

/** Sends what is refused of the resource when it is new: no write may have it taken. Only calls that arrange nothing else. */
const refusedStill = (
  plan: Plan,
  table: AnyTable,
  maker: Operation,
  { made }: Subject,
  how: Pick<Args, 'unsettled'> = {},
): void => {
  for (const op of writesOn(table))
    for (const { probe } of op.refusals ?? []) {
      const args = probe && plan.attempt(() => firstProbe(bound(plan, table, maker, made), table, made, probe), 'undo')
      if (args) plan.check(op.id, { ...args, ...how })
    }
}

/** Asks for a name that another one has, where an update is refused for a name: no state that the writes lead to may have it taken. */
const nameTaken = (plan: Plan, table: AnyTable, maker: Operation, { made }: Subject, other: Subject): void => {
  const isOwnName = ownNames(plan)
  for (const op of writesOn(table)) {
    const args = plan.attempt(() => op.draft(bound(plan, table, maker, made)), 'undo')
    const members = Object.entries(args?.body ?? {})
    for (const [member, value] of members) {
      const mayBeRefused = op.refusals?.some(({ fields }) => fields?.includes(member)) === true
      if (!args || !mayBeRefused || !table.fields.includes(member) || !isOwnName(value)) continue
      const kept = members.filter(([name]) => (op.body?.required as readonly string[] | undefined)?.includes(name))
      plan.check(op.id, { ...args, body: { ...Object.fromEntries(kept), [member]: other.made.field(member) } })
    }
  }
}

/** Each optional member set alone, one after another and the first once more: none may bring back or clear another; then all that were filled with several things emptied. */
const membersInTurn = (
  plan: Plan,
  op: Operation,
  write: () => Args,
  send: (op: Operation, args: Args) => void,
): void => {
  const required = (op.body?.required as readonly string[] | undefined) ?? []
  const optional = Object.keys(op.body?.properties ?? {}).filter((name) => !required.includes(name))
  if (optional.length < 2) return
  for (const round of [optional, optional.slice(0, 1)]) {
    const args = plan.attempt(write)
    const body = (args?.body ?? {}) as Readonly<Record<string, unknown>>
    const kept = Object.entries(body).filter(([name]) => required.includes(name))
    for (const name of round)
      if (args && name in body) send(op, { ...args, body: Object.fromEntries([...kept, [name, body[name]]]) })
  }
  const args = plan.attempt(write)
  const filled = Object.entries(args?.body ?? {}).filter(([, value]) => Array.isArray(value) && value.length > 0)
  const emptied = Object.fromEntries(filled.map(([name]) => [name, []]))
  if (args && filled.length > 0) send(op, { ...args, body: { ...args.body, ...emptied } })
}

/** For what makes a second resource of a first, a program that does so with what it made; what becomes of the last is not what becomes of the one before. */
const copiesOf = (table: AnyTable, maker: Operation): readonly Omit<Sequence, 'operations'>[] =>
  writesOn(table)
    .filter(({ makes }) => makes === table)
    .map((op) => ({ name: `${op.id} of what it made`, write: (plan) => onwards(plan, table, maker, op) }))

const onwards = (plan: Plan, table: AnyTable, maker: Operation, op: Operation): void => {
  let from = subjectOf(plan, table, maker, writesOn(table)).made
  for (let generation = 1; generation <= 3; generation += 1) {
    const args = op.draft(bound(plan, table, maker, from))
    from = plan.check(op.id, args)
  }
  const copy: Subject = { made: from, within: {}, body: {} }
  refusedStill(plan, table, maker, copy)
  for (const other of writesOn(table)) {
    const args = other.makes ? undefined : plan.attempt(() => other.draft(bound(plan, table, maker, from)))
    if (args) plan.check(other.id, args)
  }
  refusedStill(plan, table, maker, copy)
}

/** For each change a program that removes what was just changed, in two of its plain choices: none keeps it from going. */
const removalsAfter = (table: AnyTable, maker: Operation): readonly Omit<Sequence, 'operations'>[] => {
  const remover = removerOf(table)
  if (!remover || remover.guarded !== undefined) return []
  return writesOn(table)
    .filter(({ makes }) => makes === undefined)
    .map((op) => ({
      name: `${op.id}, then ${remover.id}`,
      write: (plan) => removeAfter(plan, table, maker, remover, op),
    }))
}

const hasChoice = ({ body }: Operation): boolean =>
  Object.values(body?.properties ?? {}).some(({ type, enum: values }) => type === 'boolean' || values !== undefined)

/** All are made before any is changed, so that they come to rest together. */
const removeAfter = (plan: Plan, table: AnyTable, maker: Operation, remover: Operation, op: Operation): void => {
  const turns = hasChoice(op) ? [0, 1] : [0]
  const all = turns.map((turn) => {
    const args = maker.draft(plan)
    return { turn, within: args.path ?? {}, made: plan.call(maker.id, args) }
  })
  for (const { turn, within, made } of all) {
    const change = (op.full ?? op.draft)(bound(plan, table, maker, made))
    plan.check(
      op.id,
      varied(op, change, () => turn),
    )
    plan.check(remover.id, { path: pathOf(plan, table, maker, { made, within, body: {} }) ?? {} })
  }
}

/** Removes the resource and makes another of its name, which must have nothing of the first. */
const reborn = (
  plan: Plan,
  table: AnyTable,
  { made, within, body: first }: Subject,
  path: Args['path'] = {},
  look: () => void,
): void => {
  const [maker, remover] = [makerOf(table), removerOf(table)]
  if (!maker || !remover || remover.guarded !== undefined) return
  plan.check(remover.id, { path })
  look()
  const isOwnName = ownNames(plan)
  const isName = (member: string, value: unknown): boolean =>
    table.fields.includes(member) && isOwnName(value) && /^[\w-]+$/.test(String(value))
  const { body = {} } = plan.attempt(() => maker.draft(plan), 'undo') ?? {}
  const isNamed = Object.entries(body).some(([member, value]) => isName(member, value))
  const again = Object.entries(isNamed ? body : first).map(([member, value]) => [
    member,
    isName(member, value) ? made.field(member) : value,
  ])
  plan.check(maker.id, {
    ...(!isEmpty(within) && { path: within }),
    ...(again.length > 0 && { body: Object.fromEntries(again) }),
  })
  look()
}
