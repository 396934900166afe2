// Writes down what lent things were like, and where they were, before a run changes them, and what the run makes of them; gives nothing back.

import isEqual from 'fast-deep-equal'
import { buildCall, type SendableCall } from '../history/calls.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { actsOnLent, operationById, operations } from '../models/index.js'
import { ownerTokens, principal } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { isObject, leavesOf, pick } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import type { Move, Places } from '../models/language/places.js'
import type { WireRecord } from '../models/language/world.js'
import { isUnanswered } from './answers.js'
import type { LedgerLine } from './session.js'
import { recordOf } from './target-access.js'

interface Options {
  readonly environment: Environment
  readonly send: (call: SendableCall) => Promise<Outcome>
  readonly sleep: (ms: number) => Promise<void>
  readonly isLent: (op: Operation, call: WireCall) => boolean
  readonly ledger: (line: LedgerLine) => void
}

/** So many looks at a thing may have no reply. Each pause between them is longer than the last by this much: a target may be restarting. */
const mostInVain = 6
const firstPauseMs = 1000

export interface LentBook {
  /**
   * Looks at lent things before the first call that is to change or move them, and writes down what they are like, or where they are, and
   * what each such call asks for. Tells why the call must not be sent, where nothing could give the things back.
   */
  readonly before: (op: Operation, call: WireCall, step: number) => Promise<string | undefined>
  /** Writes down what a reply shows of lent things that the run has changed, and that a change of them had no reply. */
  readonly after: (op: Operation, call: WireCall, step: number, outcome: Outcome) => void
}

export const createLentBook = (options: Options): LentBook => {
  const { environment, isLent, ledger } = options
  /** Calls at the same time wait for one look. */
  const noted = new Map<string, Promise<string | undefined>>()
  /** What was written down, by what shows it. */
  const watched = new Map<string, Watched[]>()

  const noteNow = async (by: Owner, step: number, aspect: Aspect): Promise<string | undefined> => {
    const { op, viewer, query, key, picked, stays } = aspect
    const look = lookFor(by, aspect)
    const url = look.url.split('?')[0] as string
    const outcome = await lookAt(options, look)
    if (!outcome) return `looks at ${url} had no reply, and nothing else tells what to give back after this call`
    const was = picked(recordOf(outcome) ?? {})
    if (Object.keys(was).length === 0) return undefined
    const reason = stays(was)
    if (reason !== undefined) return `${url} is lent, and ${reason}`
    const thing = { kind: kindIn(op, viewer), operation: op.id, key, account: by.account, url }
    const body = { ...was, ...query }
    ledger({ event: 'lent', step, ...thing, body })
    getOrInsert(watched, viewOf(by, look), () => []).push({ thing, query, picked, shown: body })
    return undefined
  }

  const watchedAs = (by: Owner, aspect: Aspect): Watched | undefined =>
    watched.get(viewOf(by, lookFor(by, aspect)))?.find(({ thing }) => thing.key === aspect.key)

  const ownerOf = ({ as }: WireCall): Owner | undefined => {
    const account = principal(environment, as).account?.name
    return ownerTokens(environment).find((one) => one.account === account)
  }

  const hearLoss = (by: Owner, op: Operation, call: WireCall, step: number): void => {
    for (const { thing } of aspectsOf(op, call).flatMap((aspect) => watchedAs(by, aspect) ?? []))
      ledger({ event: 'unanswered', step, ...thing })
  }

  const hearLook = (by: Owner, call: WireCall, step: number, record: WireRecord): void => {
    for (const one of watched.get(viewOf(by, call)) ?? []) {
      const body = { ...one.picked(record), ...one.query }
      // A look that shows what was there before a change does not tell that the change has failed: it may show later.
      if (isEqual(body, one.shown) || !isEqual(Object.keys(body), Object.keys(one.shown))) continue
      one.shown = body
      ledger({ event: 'shown', step, ...one.thing, body })
    }
  }

  /** Notes something that a call changes, and what that changes besides. */
  const note = async (by: Owner, call: WireCall, step: number, aspect: Aspect): Promise<string | undefined> => {
    if (!isLent(aspect.viewer, { ...call, path: aspect.path })) return undefined
    const unknown = await getOrInsert(noted, aspect.key, () => noteNow(by, step, aspect))
    const one = watchedAs(by, aspect)
    const to = one && aspect.to(one.shown)
    if (unknown !== undefined || !one || !to) return unknown
    ledger({ event: 'changing', step, ...one.thing, body: { ...to, ...aspect.query } })
    const besides = aspect.besides(one.shown)
    return besides && note(by, call, step, besides)
  }

  return {
    before: async (op, call, step) => {
      const owner = ownerOf(call)
      if (!owner) return undefined
      for (const aspect of aspectsOf(op, call)) {
        const unknown = await note(owner, call, step, aspect)
        if (unknown !== undefined) return unknown
      }
      return undefined
    },
    after: (op, call, step, outcome) => {
      const owner = ownerOf(call)
      const record = op.method === 'GET' ? recordOf(outcome) : undefined
      if (owner && record) hearLook(owner, call, step, record)
      if (owner && isUnanswered(outcome)) hearLoss(owner, op, call, step)
    },
  }
}

/** Undefined where it had no reply. */
const lookAt = async ({ send, sleep }: Options, call: SendableCall): Promise<Outcome | undefined> => {
  for (let times = 1; times <= mostInVain; times += 1) {
    const outcome = await send(call)
    if (!isUnanswered(outcome)) return outcome
    if (times < mostInVain) await sleep(firstPauseMs * times)
  }
  return undefined
}

const lookFor = ({ token }: Owner, { viewer, path, query }: Aspect): SendableCall =>
  buildCall(viewer, { path, query, as: token })

/** Something that is lent, and what was last seen of it. */
interface Watched {
  readonly thing: Required<Pick<LedgerLine, 'kind' | 'operation' | 'key' | 'account' | 'url'>>
  readonly query: Aspect['query']
  readonly picked: Aspect['picked']
  shown: WireRecord
}

const viewOf = ({ account }: Owner, { url }: Pick<WireCall, 'url'>): string => `${account} ${url}`

type Owner = ReturnType<typeof ownerTokens>[number]

/** Something that a call may change about a thing, and what shows it. */
interface Aspect {
  /** What changes it, and puts it back. */
  readonly op: Operation
  readonly viewer: Operation
  readonly path: WireCall['path']
  readonly query: Readonly<Record<string, string>>
  /** The thing and the aspect. */
  readonly key: string
  /** What of the record it is. */
  readonly picked: (record: WireRecord) => WireRecord
  /** What the call asks of a thing that was seen so: members with values, or where it puts the thing. Undefined where it is left as it is. */
  readonly to: (shown: WireRecord) => WireRecord | undefined
  /** Why it has to stay as this tells that it was, if no call puts it back. */
  readonly stays: (was: WireRecord) => string | undefined
  /** What changes as well where a thing that was seen so is moved. */
  readonly besides: (shown: WireRecord) => Aspect | undefined
}

const aspectsOf = (op: Operation, call: WireCall): readonly Aspect[] => {
  const { places } = op
  if (places) return places.of(call).flatMap((move) => placeOf(op, places, move) ?? [])
  const to = isObject(call.body) ? membersOf(op, call.body) : {}
  return [updateOf(op, call.path, call.body, () => to) ?? []].flat()
}

/** Undefined for what acts on nothing that is lent, or names nothing that could be looked at. */
const updateOf = (op: Operation, path: Aspect['path'], body: unknown, to: Aspect['to']): Aspect | undefined => {
  const viewer = viewerOfUpdate(op)
  if (!viewer) return undefined
  const query = queryOf(viewer, body)
  const namedBy = Object.keys(viewer.query?.properties ?? {}).filter((name) => name in (op.body?.properties ?? {}))
  if (namedBy.some((name) => query[name] === undefined)) return undefined
  const key = keyOf(buildCall(op, { path }).url, query)
  const picked = (record: WireRecord): WireRecord => membersOf(op, record)
  return { op, viewer, path, query, key, picked, to, stays: () => undefined, besides: () => undefined }
}

const placeOf = (op: Operation, places: Places, { path, to }: Move): Aspect | undefined => {
  const { members, stays = () => undefined, unsettles } = places
  const viewer = operationById(places.view)
  if (!viewer) return undefined
  const besides = (was: WireRecord): Aspect | undefined => {
    const other = unsettles?.({ path, was })
    const update = operationById(other?.operation ?? '')
    return other && update && updateOf(update, other.path, {}, unsettled(other.name))
  }
  return {
    op,
    viewer,
    path,
    to: () => to,
    stays,
    besides,
    query: {},
    key: [buildCall(viewer, { path }).url, ...members].join(' '),
    picked: (record) => pick(record, members),
  }
}

/** Moving an address resets the settings that name it. The document does not say to what: null stands for any value. */
const unsettled =
  (name: string) =>
  (shown: WireRecord): WireRecord | undefined =>
    leavesOf(shown).includes(name) ? emptied(shown) : undefined

const emptied = (record: WireRecord): WireRecord =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, isObject(value) ? emptied(value as WireRecord) : null]),
  )

/** What shows at the same address what an update changes. */
export const viewerOfUpdate = (op: Operation): Operation | undefined =>
  op.method === 'PUT' && actsOnLent(op.id)
    ? operations.find(({ method, path }) => method === 'GET' && path === op.path)
    : undefined

/** What a call changes or moves. */
const kindIn = (op: Operation, viewer: Operation): string => kindOf(op.places ? viewer : op)

const kindOf = ({ reply, path }: Operation): string =>
  'table' in reply ? reply.table.name : (path.split('/').at(-1) ?? '')

const keyOf = (url: string, query: WireRecord): string => [url, ...Object.values(query)].join(' ')

/** What the body of an update names that a view takes in its query. */
export const queryOf = (viewer: Operation, body: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(body) ? body : {}).flatMap(([name, value]) =>
      viewer.query?.properties[name] !== undefined && typeof value === 'string' ? [[name, value]] : [],
    ),
  )

/** What of a record an update can set. */
export const membersOf = ({ body }: Operation, record: WireRecord): WireRecord => picked(body, record)

interface Shaped {
  readonly properties?: Readonly<Record<string, unknown>>
}

const picked = (shape: unknown, record: WireRecord): WireRecord =>
  Object.fromEntries(
    Object.entries((shape as Shaped | undefined)?.properties ?? {}).flatMap(([name, inner]) => {
      const value = record[name]
      if (value === undefined) return []
      const isDeep = isObject(value) && (inner as Shaped).properties !== undefined
      return [[name, isDeep ? picked(inner, value as WireRecord) : value]]
    }),
  )
