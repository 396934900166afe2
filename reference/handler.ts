// The reference implementation of every operation: the model asked the other way round, with the target's choices drawn.

import { idValue } from '../history/calls.js'
import type { WireCall } from '../history/wire.js'
import { put, rekey } from '../models/language/changes.js'
import { type Clause, isOpen } from '../models/language/derive.js'
import { pick } from '../models/language/objects.js'
import { type AnyTable, isListed, type Operation } from '../models/language/operation.js'
import { defaultPageSize } from '../models/language/pagination.js'
import {
  type AnyEntity,
  type Dice,
  find,
  idIn,
  isLatent,
  keyIn,
  live,
  type Path,
  type WireRecord,
  type World,
} from '../models/language/world.js'
import type { Due } from '../oracle/clauses.js'
import { expect } from '../oracle/due.js'
import { type Read, readCall, subjectOf } from '../oracle/facts.js'
import { reasonOf } from './reasons.js'

/** Legal ways to be different: what the document leaves to an implementation. */
export interface Variation {
  /** Status of a refusal by its cause: a clause kind, or `state`. */
  readonly refusalStatus: (due: Due) => number
  /** How field names the offending member: as the member's name or by its path. */
  readonly fieldStyle: 'name' | 'dotted' | 'brackets'
  /** Tell every cause at once. */
  readonly allErrors: boolean
  /** Leave field out where no member is to blame. */
  readonly omitField: boolean
  readonly descending: boolean
  readonly extraFields: boolean
  /** Refuse wherever the document is silent. */
  readonly strict: boolean
  /** Pages of an empty collection. */
  readonly emptyPages: 0 | 1
  /** Replies show what the document gives no time for as it was before the call. */
  readonly trailing: boolean
  readonly createdStatus: 200 | 201
  /** Records that the document does not show come without any member that may be left out. */
  readonly bare: boolean
  /** Each account counts its resources anew, but for volumes, whose ids are unique. */
  readonly idsByAccount: boolean
  /** What is made has the lowest id that nothing has, so that ids of what was removed come again. */
  readonly idsAgain: boolean
  /** Dates end with the second, with Z behind it, or with milliseconds and Z. */
  readonly dates: 'second' | 'zone' | 'milliseconds'
  /** Reasons say what is wrong in few words, or repeat what is required. */
  readonly reasons: 'short' | 'requirement'
  /** Values are written in another way that the document allows, such as a range with its prefix length. */
  readonly otherwise: boolean
}

export const plainVariation: Variation = {
  refusalStatus: ({ clause }) =>
    clause.kind === 'token' || clause.kind === 'scheme'
      ? 401
      : clause.kind === 'scope' || clause.kind === 'unrestricted'
        ? 403
        : clause.kind === 'exists' || clause.kind === 'owned'
          ? 404
          : 400,
  fieldStyle: 'name',
  allErrors: false,
  omitField: false,
  descending: false,
  extraFields: false,
  strict: false,
  emptyPages: 1,
  trailing: false,
  createdStatus: 200,
  bare: false,
  idsByAccount: false,
  idsAgain: false,
  dates: 'second',
  reasons: 'short',
  otherwise: false,
}

/** Ways to be wrong, for mutants. Each returns its argument where it has nothing to change. */
export interface Fault {
  readonly operation?: (op: Operation) => Operation
  /** What of a call is taken for what was sent. */
  readonly call?: (call: WireCall) => WireCall
  readonly due?: (due: readonly Due[], op: Operation) => readonly Due[]
  /** Of a call that is carried out although it is refused, `accepted` is false. */
  readonly world?: (after: World, before: World, op: Operation, accepted: boolean, read: Read) => World
  readonly body?: (body: unknown, op: Operation, before: World, after: World, read: Read) => unknown
  readonly status?: (status: number, op: Operation) => number
  /** Carry out a call although it is refused. */
  readonly leaks?: (op: Operation) => boolean
  readonly events?: (events: readonly string[], op: Operation, accepted: boolean) => readonly string[]
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly world: World
  readonly accepted: boolean
  /** Events that it emits. */
  readonly events: readonly string[]
}

interface Options {
  readonly variation: Variation
  readonly dice: Dice
  readonly fault?: Fault
}

/** A call that is being answered. */
interface Asked extends Options {
  readonly op: Operation
  readonly read: Read
}

/** Answers a call in a closed world. `n` numbers the call. */
export const answer = (before: World, original: Operation, sent: WireCall, n: number, options: Options): Answer => {
  const { fault, variation } = options
  const call = fault?.call?.(sent) ?? sent
  const op = fault?.operation?.(original) ?? original
  const world = { ...before, step: n, operation: op.id }
  const read = readCall(world, op, call)
  const expectation = expect(world, op, call, read)
  const isDue = ({ certain, clause }: Due): boolean =>
    certain && (!isOpen(clause) || (variation.strict && clause.level === 'choice' && !isWellKnown(clause, read)))
  const all = expectation.due.filter(isDue)
  const due = fault?.due?.(all, op) ?? all
  const asked: Asked = { ...options, op, read }
  const unsaid = due.length > 0 ? undefined : untaken(asked, expectation.silences)
  return due.length > 0 || unsaid ? refused(before, world, due, asked, unsaid) : accepted(world, asked)
}

interface WireError {
  readonly field?: string
  readonly reason: string
}

/** Why a call is refused that no clause forbids. */
const untaken = (
  { op, read, variation }: Asked,
  silences: ReturnType<typeof expect>['silences'],
): WireError | undefined => {
  if (silences.some(({ about }) => about === 'no-object')) return { field: '', reason: `${op.id} takes a JSON object` }
  const page = pageless(read)
  if (page !== undefined) return { field: page, reason: 'Must be at least 1' }
  const [first] = variation.strict ? silences : []
  return first && { field: '', reason: `Not taken: ${first.text}` }
}

/** The reply to a call that is refused, which changes nothing unless a fault has it. */
const refused = (before: World, world: World, due: readonly Due[], asked: Asked, unsaid?: WireError): Answer => {
  const { fault, variation, op, read } = asked
  const [first] = due
  const { status, body } = first ? refuse(first, due, variation) : { status: 400, body: { errors: [unsaid] } }
  const leaked = fault?.leaks?.(op) && read.resolved ? dare(world, asked).world : undefined
  return {
    status: fault?.status?.(status, op) ?? status,
    body: fault?.body?.(body, op, before, before, read) ?? body,
    world: leaked ? (fault?.world?.(leaked, world, op, false, read) ?? leaked) : before,
    accepted: false,
    events: fault?.events?.([], op, false) ?? [],
  }
}

const accepted = (world: World, asked: Asked): Answer => {
  const { fault, variation, op, read } = asked
  const done = fault ? dare(world, asked) : carryOut(world, asked)
  const events = (op.emits ?? [])
    .filter(({ when }) => when === undefined || (read.resolved && when(read.facts) === true))
    .map(({ event }) => event)
  const after = fault?.world?.(done.world, world, op, true, read) ?? done.world
  const body = fault?.body ? fault.body(done.body, op, world, done.world, read) : done.body
  const status = op.makes && op.remakes?.(read.facts) !== true ? variation.createdStatus : 200
  return {
    status: fault?.status?.(status, op) ?? status,
    body,
    world: after,
    accepted: true,
    events: fault?.events?.(events, op, true) ?? events,
  }
}

/** Of what can be written in several ways the strictest target takes the one that everybody knows. */
const isWellKnown = (clause: Clause, { facts }: Read): boolean => {
  const spellings = clause.kind === 'silence' ? clause.rule.spellings : undefined
  return spellings !== undefined && spellings.of(facts) === spellings.all[0]
}

const spellField = (fields: readonly string[], style: Variation['fieldStyle']): string =>
  style === 'name' || fields.length < 2
    ? (fields.at(-1) ?? '')
    : style === 'dotted'
      ? fields.join('.')
      : `${fields[0]}${fields
          .slice(1)
          .map((name) => `[${name}]`)
          .join('')}`

const errorOf = ({ clause, fields }: Due, { fieldStyle, omitField, reasons }: Variation): WireError => {
  const isPath = clause.kind === 'constraint' || clause.kind === 'names'
  const field = isPath ? spellField(fields, fieldStyle) : (fields[0] ?? '')
  return {
    ...(field === '' && omitField ? {} : { field }),
    reason: reasons === 'short' ? reasonOf(clause) : clause.text,
  }
}

const refuse = (first: Due, due: readonly Due[], variation: Variation) => {
  const told = variation.allErrors ? due : [first]
  return { status: variation.refusalStatus(first), body: { errors: told.map((entry) => errorOf(entry, variation)) } }
}

interface Done {
  readonly world: World
  readonly body: unknown
}

/** Fills in what the effect left open with choices of the target. */
const drawn = (world: World, table: AnyTable, key: string, dice: Dice, chosen: WireRecord): World => {
  const entity = find(world, table, key)
  if (!entity) return world
  const id = table.fields.includes('id') && entity.id === undefined ? { id: idValue(key) } : {}
  const draws = (table.draw?.(dice, entity) ?? {}) as WireRecord
  const open = Object.fromEntries(
    Object.entries({ ...id, ...draws, ...chosen }).filter(
      ([field, value]) => entity[field] === undefined && value !== undefined,
    ),
  )
  return Object.keys(open).length === 0 ? world : put(world, table, { ...entity, ...open })
}

/** Where the effect leaves a field of what the path names open, and nothing else is chosen, it stays as it was. */
const kept = (before: World, after: World, read: Read, chosen: WireRecord): World =>
  read.named.reduce((world, { reference: { table }, resolution }) => {
    if (resolution.kind !== 'found') return world
    const was = find(before, table, resolution.entity.key)
    const is = find(world, table, resolution.entity.key)
    if (!was || !is || was === is) return world
    const lost = table.fields.filter(
      (field) => is[field] === undefined && was[field] !== undefined && !(field in chosen),
    )
    return lost.length === 0 ? world : put(world, table, { ...is, ...pick(was, lost) })
  }, after)

/** Gives ids to what a call has made besides. */
const nameLatent = (world: World, table: AnyTable, { dice, variation }: Asked): World =>
  live(world, table)
    .filter(({ key }) => isLatent(key))
    .reduce((before, entity) => {
      const { key } = entity
      const counting = countingFor(table, entity.account, dice, variation)
      // What it stands in is named by the same words in a path: a device has its `firewallId`.
      const id = table.mint?.(counting, entity as unknown as Path, {}) ?? key
      return drawn(rekey(before, table, key, id, {}), table, id, dice, {})
    }, world)

/** Carries out a call that only a faulty target lets through; one whose values make no sense changes nothing. */
const dare = (world: World, asked: Asked): Done => {
  try {
    return carryOut(world, asked)
  } catch {
    return { world, body: {} }
  }
}

/** What a faulty target answers about something that is not there: its last record, if there was one. */
const haunt = (world: World, asked: Asked): Done => {
  const { op, read, variation } = asked
  const gone = read.named.map(({ resolution }) => resolution).find(({ kind }) => kind === 'gone')
  if (op.reply.kind === 'page') return { world, body: pageOf(world, asked, op.reply.table) }
  const isShown = op.reply.kind === 'record' && gone?.kind === 'gone'
  return { world, body: isShown ? recordOf(world, op.reply.table, gone.gone.entity, variation) : {} }
}

const carryOut = (world: World, asked: Asked): Done => {
  const { op, read, dice } = asked
  if (!read.resolved) return haunt(world, asked)
  const facts = {
    ...read.facts,
    world,
    made: op.makes ? mintFor(op.makes, asked) : '',
    chosen: op.chooses?.(read.facts, dice) ?? {},
  }
  const applied = op.apply ? op.apply(facts) : world
  const chosen = op.draws?.({ ...facts, world: applied }, dice) ?? {}
  const named = (op.besides ?? []).reduce((before, table) => nameLatent(before, table, asked), applied)
  const steady = kept(world, named, read, chosen)
  const withMade = op.makes ? drawn(steady, op.makes, facts.made, dice, chosen) : steady
  const subject = subjectOf(op, read, facts.made)
  const after = subject ? drawn(withMade, subject.table, subject.key, dice, chosen) : withMade
  const body = op.render ? op.render({ ...facts, after }, dice) : bodyOf(after, asked, subject?.key)
  return { world: after, body }
}

/** The dice by which an account's resources are numbered. */
const countingFor = (table: AnyTable, account: string | undefined, dice: Dice, { idsByAccount }: Variation): Dice =>
  idsByAccount && table.mayRepeat ? { ...dice, next: (series) => dice.next(`${series} of ${account}`) } : dice

const mintFor = (table: AnyTable, { op, read, dice, variation }: Asked): string => {
  const { facts } = read
  const { world, account, path, body } = facts
  const counting = countingFor(table, account, dice, variation)
  const id =
    op.keys?.(facts) ??
    (variation.idsAgain
      ? lowestFree(world, table, (n) => table.mint?.({ ...dice, next: () => n }, path, body))
      : undefined) ??
    table.mint?.(counting, path, body) ??
    table.identify(body as WireRecord, path, account) ??
    ''
  return keyIn(world, table, id, account)
}

/** The first id that nothing has. */
const lowestFree = (world: World, table: AnyTable, mint: (n: number) => string | undefined): string | undefined => {
  const taken = new Set(live(world, table).map(({ key }) => idIn(key)))
  for (let n = 1001; ; n += 1) {
    const id = mint(n)
    if (id === undefined || !taken.has(id)) return id
  }
}

const bodyOf = (world: World, asked: Asked, key: string | undefined): unknown => {
  const { reply } = asked.op
  if (reply.kind === 'record') {
    const entity = find(world, reply.table, key)
    if (!entity) return {}
    const told = asked.variation.trailing ? trailing(asked, reply.table, entity) : entity
    return shownBy(asked, world, reply.table, told)
  }
  return isListed(reply) ? pageOf(world, asked, reply.table) : {}
}

/** A resource with what the reply may show as it was before the call, and of a new one as nothing. */
const trailing = ({ op: { trails = [] }, read }: Asked, table: AnyTable, entity: AnyEntity): AnyEntity => {
  const before = find(read.facts.world, table, entity.key)
  return { ...entity, ...Object.fromEntries(trails.map((name) => [name, before ? before[name] : null])) }
}

/** A resource as this reply shows it: as any does, but for the members that the operation shows otherwise. */
const shownBy = ({ op, read, variation }: Asked, world: World, table: AnyTable, entity: AnyEntity): WireRecord => {
  const told = recordOf(world, table, entity, variation)
  const otherwise = Object.entries(op.shownAs?.(read.facts, entity) ?? {}).filter(
    ([name, value]) => value !== undefined && name in told,
  )
  return otherwise.length === 0 ? told : { ...told, ...Object.fromEntries(otherwise) }
}

/** A resource as replies show it. */
export const recordOf = (world: World, table: AnyTable, entity: AnyEntity, variation: Variation): WireRecord => {
  const derived = table.view?.(world, entity) ?? {}
  const full = {
    ...pick(entity, table.fields),
    ...pick(derived, Object.keys(derived)),
    ...(!variation.bare && table.unjudged?.(world, entity)),
    ...(variation.extraFields && { x_note: 'an implementation may say more', links: [] }),
  }
  const spelled = variation.otherwise && table.otherwise ? table.otherwise(full, entity) : full
  return variation.bare && table.bare ? table.bare(spelled) : spelled
}

/** There is no page before the first, and none of less than one record, whatever bounds are shown. */
const pageless = ({ facts }: Read): string | undefined => {
  const query = facts.query as Readonly<Record<string, unknown>>
  return ['page', 'page_size'].find((name) => typeof query[name] === 'number' && Number(query[name]) < 1)
}

const pageOf = (world: World, asked: Asked, table: AnyTable): unknown => {
  const { op, read, variation } = asked
  const query = read.facts.query as { readonly page?: unknown; readonly page_size?: unknown }
  const page = typeof query.page === 'number' ? query.page : 1
  const size = typeof query.page_size === 'number' ? query.page_size : defaultPageSize
  const { account } = read.facts
  const all = live(world, table, account).filter((entity) => op.lists?.({ ...read.facts, world }, entity) !== false)
  const sorted = op.sort ? op.sort(all) : variation.descending ? [...all].reverse() : all
  const records = sorted.slice((page - 1) * size, page * size).map((entity) => shownBy(asked, world, table, entity))
  return { data: records, page, pages: Math.ceil(sorted.length / size) || variation.emptyPages, results: sorted.length }
}
