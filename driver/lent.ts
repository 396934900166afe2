// What lent things were like before a run changed them, and how they come to be so again; judges nothing.

import isEqual from 'fast-deep-equal'
import { buildCall, type SendableCall } from '../history/calls.js'
import { isAccepted } from '../history/outcomes.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { actsOnLent, operationById, operations } from '../models/index.js'
import { ownerTokens, principal } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { lastTableOf } from '../models/language/references.js'
import type { WireRecord } from '../models/language/world.js'
import { outstanding, pathIn } from './ledger.js'
import type { LedgerLine } from './session.js'
import { outcomeText, recordOf, type TargetAccess } from './target-access.js'

interface Options {
  readonly environment: Environment
  readonly send: (call: SendableCall) => Promise<Outcome>
  readonly isLent: (op: Operation, call: WireCall) => boolean
  readonly ledger: (line: LedgerLine) => void
}

/** Looks at a lent thing before the first update of it is sent, and writes down what the update may change. */
export const createLentBook = ({ environment, send, isLent, ledger }: Options) => {
  const noted = new Set<string>()
  return async (op: Operation, call: WireCall, step: number): Promise<void> => {
    const viewer = viewerOfUpdate(op)
    if (!viewer || !isLent(op, call)) return
    const account = principal(environment, call.as).account?.name
    const token = ownerTokens(environment).find((one) => one.account === account)?.token
    if (account === undefined || token === undefined) return
    const query = queryOf(viewer, call.body)
    // It names nothing that could be looked at.
    if (Object.keys(viewer.query?.properties ?? {}).some((name) => query[name] === undefined)) return
    const key = keyOf(call.url, query)
    if (noted.has(key)) return
    noted.add(key)
    const record = recordOf(await send(buildCall(viewer, { path: call.path, query, as: token })))
    const was = record && membersOf(op, record)
    if (!was || Object.keys(was).length === 0) return
    const body = { ...was, ...query }
    ledger({ event: 'lent', step, kind: kindOf(op), operation: op.id, key, account, url: call.url, body })
  }
}

/** What became of a lent thing that had changed. */
export interface GivenBack {
  readonly kind: string
  readonly key: string
  readonly account: string
  readonly result: 'returned' | 'listed' | 'failed'
  readonly reason: string
}

interface GivingBack {
  readonly environment: Environment
  readonly access: TargetAccess
  readonly ledger: readonly LedgerLine[]
  readonly dryRun: boolean
  /** Whether a run deletes a node at its end, with all that belongs to it; the target is reset after that. */
  readonly endsNodes: boolean
}

/** Gives lent things back as they were before the first of the runs; tells of each that had changed. */
export const giveBack = async (options: GivingBack): Promise<readonly GivenBack[]> => {
  const first = new Map<string, LedgerLine>()
  for (const line of outstanding(options.ledger))
    if (line.event === 'lent' && !first.has(`${line.account} ${line.key}`))
      first.set(`${line.account} ${line.key}`, line)
  const told: GivenBack[] = []
  for (const line of first.values()) {
    const one = await giveOneBack(options, line)
    if (one) told.push(one)
  }
  return told
}

const giveOneBack = async (
  { environment, access, dryRun, endsNodes }: GivingBack,
  line: LedgerLine,
): Promise<GivenBack | undefined> => {
  const { kind, key = '', account = '', operation } = line
  const op = operationById(operation)
  const viewer = op && viewerOfUpdate(op)
  const token = ownerTokens(environment).find((one) => one.account === account)?.token
  if (!op || !viewer || token === undefined || !isObject(line.body)) return undefined
  const body = line.body as WireRecord
  const query = queryOf(viewer, body)
  const was = membersOf(op, body)
  const args = { path: pathIn(line), as: token }
  const look = async (): Promise<WireRecord | undefined> => {
    const record = recordOf(await access.call(viewer, { ...args, query }))
    return record && membersOf(op, record)
  }
  const isAsItWas = (now: WireRecord | undefined): boolean => now !== undefined && isEqual({ ...query, ...now }, body)
  const now = await look()
  if (isAsItWas(now) || (now === undefined && ((endsNodes && isOfNode(op)) || mayHaveEnded(environment, op))))
    return undefined
  const difference = `it had ${JSON.stringify(was)} before the run, and has ${JSON.stringify(now) ?? 'nothing'} now`
  if (dryRun) return { kind, key, account, result: 'listed', reason: difference }
  const outcome = await access.call(op, { ...args, body })
  for (const pauseMs of isAccepted(outcome) ? pausesMs : []) {
    await access.sleep(pauseMs)
    if (isAsItWas(await look())) return { kind, key, account, result: 'returned', reason: difference }
  }
  return { kind, key, account, result: 'failed', reason: `${difference}; ${op.id}: ${outcomeText(outcome)}` }
}

const isOfNode = (op: Operation): boolean => lastTableOf(op)?.node !== undefined

/** Whether the target file allows to end everything of its area, and lent things with it. */
const mayHaveEnded = ({ exclusive, safety }: Environment, { area }: Operation): boolean =>
  exclusive && operations.some((op) => op.area === area && op.endsAll === true && safety.allow.includes(op.id))

/** What was given back may show late. */
const pausesMs = [0, 200, 1000, 2000]

/** What shows at the same address what an update changes. */
const viewerOfUpdate = (op: Operation): Operation | undefined =>
  op.method === 'PUT' && actsOnLent(op.id)
    ? operations.find(({ method, path }) => method === 'GET' && path === op.path)
    : undefined

const kindOf = ({ reply, path }: Operation): string =>
  'table' in reply ? reply.table.name : (path.split('/').at(-1) ?? '')

const keyOf = (url: string, query: WireRecord): string => [url, ...Object.values(query)].join(' ')

/** What the body of an update names that a view takes in its query. */
const queryOf = (viewer: Operation, body: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(body) ? body : {}).flatMap(([name, value]) =>
      viewer.query?.properties[name] !== undefined && typeof value === 'string' ? [[name, value]] : [],
    ),
  )

/** What of a record an update can set. */
const membersOf = ({ body }: Operation, record: WireRecord): WireRecord => picked(body, record)

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
