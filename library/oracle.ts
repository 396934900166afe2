// `touchstone/oracle`: calls and replies of any client in, judgements, findings, causes and the believed world out; nothing is sent.

import { loadFixtures, type Target, type TargetFile } from '../config/target-file.js'
import { createVocabulary } from '../config/vocabulary.js'
import type { CallEntry } from '../history/entry.js'
import { environmentFor } from '../history/har.js'
import type { Finding, Outcome, WireCall } from '../history/record.js'
import type { Recording } from '../history/recording.js'
import { operations } from '../models/index.js'
import { unknownToken, wrongToken } from '../models/language/access.js'
import { diagnose } from '../oracle/diagnosis/diagnose.js'
import { findingOf, type JudgedHistory } from '../oracle/found.js'
import { judgeTraffic } from '../oracle/judge-traffic.js'
import type { Deviation, Judgement } from '../oracle/judgement.js'
import { createRoutes } from '../reference/routes.js'

export type { Finding } from '../history/record.js'
export type { Deviation } from '../oracle/judgement.js'

export interface HistoryOptions {
  /**
   * What is known of the target, as a target file says it: accounts, users, tokens with their secrets, fixtures, pins,
   * vocabulary. Without it everything is learnt from the calls, and less can be held against the target.
   */
  readonly target?: string | Partial<TargetFile>
  /** What stands before the paths of the interface; `/v4` when left out, and nothing as well. */
  readonly prefix?: string
}

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string
  /** A URL, or its path and query. */
  readonly url: string
  /** The header `Authorization`; undefined where none was sent. It is compared and forgotten. */
  readonly authorization?: string
  /** Name of a token of the target file in its place; null for nobody. */
  readonly as?: string | null
  /** Parsed JSON; absent where there was no body. */
  readonly body?: unknown
  /** A file that was sent as multipart/form-data. */
  readonly file?: { readonly field: string; readonly name: string; readonly bytes: number }
}

/** A request with its reply, or with the reason why there was none. Times are milliseconds from any moment on. */
export interface Exchange {
  readonly request: SentRequest
  readonly reply: Outcome
  readonly startedAt: number
  readonly endedAt: number
}

/** What one call is judged to be. */
export interface JudgedCall {
  /** The number that `add` gave. */
  readonly n: number
  readonly operation: string
  /** Whether a refusal was due, an acceptance, or either was legal. */
  readonly expects: Judgement['expects']
  readonly verdict: Judgement['verdict']
  readonly deviations: readonly Deviation[]
  /** Ids of the clauses that were decided by this reply, and held. */
  readonly held: readonly string[]
  /** What the target decided by itself, by the id of the choice. */
  readonly choices: readonly { readonly id: string; readonly value: string }[]
}

/** What explains one or more findings, with the shortest program that shows it. */
export interface Cause {
  readonly id: string
  readonly summary: string
  /** Ids. */
  readonly findings: readonly string[]
  readonly operations: readonly string[]
  readonly program: readonly string[]
}

export interface Judged {
  /** In the order in which they were sent. */
  readonly calls: readonly JudgedCall[]
  readonly findings: readonly Finding[]
  readonly causes: readonly Cause[]
  /** Numbers of calls that overlap too much to be put in order; only what is wrong in itself is told of them. */
  readonly undecided: readonly number[]
}

/** What is believed to exist, by table: `volumes`, `firewalls`, … An absent member is not known. */
export type BelievedWorld = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

export interface History {
  /**
   * Takes in an exchange, in the order in which they ended or any other.
   * @returns its number from 1, or undefined where no operation of the interface has its method and path
   */
  readonly add: (exchange: Exchange) => number | undefined
  /** How many exchanges were taken in. */
  readonly size: () => number
  /** Judges all that was taken in so far; the judgement of a call may be refined by calls that come later. */
  readonly judge: () => Judged
  /** What is believed after the last call of a caller: a token of the target, or by default whoever called last. */
  readonly world: (as?: string) => BelievedWorld
}

/**
 * Opens a history. Several clients may be recorded in one, calls may overlap, and clients that are not recorded may be
 * at the target as well: what they could have done is not held against it.
 * @throws TargetError naming every problem of the target file
 * @example
 * const history = await openHistory({ target: { tokens: [{ name: 'owner', scopes: '*', secret }] } })
 * history.add({ request: { method: 'GET', url: '/volumes', as: 'owner' }, reply: { status: 200, body }, startedAt: 0, endedAt: 12 })
 * expect(history.judge().findings).toEqual([])
 */
export const openHistory = async ({ target: file, prefix = '/v4' }: HistoryOptions = {}): Promise<History> => {
  const target = file === undefined ? undefined : await loadFixtures(file, process.cwd())
  const read = createReader(target, prefix)
  const events: CallEntry[] = []
  let judged: JudgedHistory | undefined
  const judge = (): JudgedHistory => {
    judged ??= judgeTraffic(recordingOf(target, events))
    return judged
  }
  return {
    size: () => events.length,
    add: (exchange) => {
      const event = read(exchange, events.length + 1)
      if (!event) return undefined
      events.push(event)
      judged = undefined
      return event.n
    },
    judge: () => told(judge()),
    world: (as) => worldAfter(judge(), as),
  }
}

const recordingOf = (target: Target | undefined, events: readonly CallEntry[]): Recording => ({
  kind: 'traffic',
  // What others do is not known, so nothing is known to be all there is.
  environment: target
    ? { ...target.environment, exclusive: false }
    : environmentFor([...new Set(events.map(({ call }) => call.as))]),
  baseUrl: target?.baseUrl ?? '',
  nonce: '',
  events: [...events].sort((a, b) => a.startedAt - b.startedAt),
  sequential: false,
  listLagMs: target?.pace.listLagMs ?? 0,
  ignored: {},
})

/** Reads exchanges as calls of the interface; knows who called by the secret, which it does not keep otherwise. */
const createReader = (target: Target | undefined, prefix: string) => {
  const routes = createRoutes(operations)
  const words = target && createVocabulary(target.vocabulary)
  const names = new Map([...(target?.secrets ?? [])].map(([name, secret]) => [secret, name]))
  let strangers = 0
  const callerOf = ({ as, authorization }: SentRequest): string | null => {
    if (as !== undefined) return as
    if (authorization === undefined) return null
    const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    if (secret === undefined) return wrongToken
    const known = names.get(secret)
    if (known !== undefined) return known
    strangers += 1
    names.set(secret, `${unknownToken}${strangers}`)
    return names.get(secret) as string
  }
  return ({ request, reply, startedAt, endedAt }: Exchange, n: number): CallEntry | undefined => {
    const given = pathOf(request.url, prefix)
    const url = words?.serving.url(given) ?? given
    const [pathname = '', search = ''] = url.split(/\?(.*)/s)
    const route = routes(request.method.toUpperCase(), pathname)
    if (route === undefined || 'allow' in route) return undefined
    const call: WireCall = {
      operation: route.op.id,
      method: route.op.method,
      url,
      as: callerOf(request),
      path: route.path,
      query: Object.fromEntries(new URLSearchParams(search)),
      ...('body' in request &&
        request.body !== undefined && { body: words?.serving.body(request.body) ?? request.body }),
      ...(request.file && { file: request.file }),
    }
    const outcome =
      words && 'status' in reply && reply.body !== undefined ? { ...reply, body: words.reply(reply.body) } : reply
    const ms = Math.max(0, endedAt - startedAt)
    return { kind: 'call', n, op: route.op, call, outcome, startedAt, endedAt: startedAt + ms, ms, program: '' }
  }
}

/** Path and query below the prefix. */
const pathOf = (given: string, prefix: string): string => {
  const { pathname, search } = new URL(given, 'http://localhost')
  return (pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname) + search
}

const told = ({ steps, found, unordered }: JudgedHistory): Judged => {
  const findings = found.map(({ id, deviation, steps: program, shrunkFrom }) =>
    findingOf(deviation, program, { shrunkFrom, replay: `touchstone replay findings/${id.replaceAll(':', '.')}.json` }),
  )
  return {
    calls: steps.map(({ n, op, judgement, verdict, deviations }) => ({
      n,
      operation: op.id,
      expects: judgement.expects,
      verdict,
      deviations,
      held: judgement.held,
      choices: judgement.choices,
    })),
    findings,
    causes: diagnose(findings).map(({ program, ...cause }) => ({ ...cause, program: program.map(({ line }) => line) })),
    undecided: unordered,
  }
}

const bookkeeping = new Set(['key', 'account', 'since', 'stub', 'maker', 'loose'])

const worldAfter = ({ steps }: JudgedHistory, as: string | undefined): BelievedWorld => {
  const last = steps.findLast(({ call }) => as === undefined || call.as === as)
  if (!last) return {}
  return Object.fromEntries(
    [...last.judgement.world.tables].flatMap(([name, { live }]) =>
      live.size === 0
        ? []
        : [
            [
              name,
              [...live.values()].map((entity) =>
                Object.fromEntries(Object.entries(entity).filter(([field]) => !bookkeeping.has(field))),
              ),
            ],
          ],
    ),
  )
}
