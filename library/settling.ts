// A history that judges what has settled for good, and the latest calls again with those that come; what the library and the command share.

import type { Target } from '../config/target-file.js'
import { createVocabulary } from '../config/vocabulary.js'
import type { CallEntry } from '../history/entry.js'
import { environmentFor } from '../history/har.js'
import { createFinder } from '../history/routes.js'
import type { WireCall } from '../history/wire.js'
import { operations } from '../models/index.js'
import { unknownToken, wrongToken } from '../models/language/access.js'
import { bookkeeping } from '../models/language/changes.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { AnyEntity } from '../models/language/world.js'
import { diagnose } from '../oracle/diagnosis/diagnose.js'
import { findingOf, type JudgedHistory } from '../oracle/found.js'
import { openTraffic, type TrafficSetting } from '../oracle/judge-traffic.js'
import type { Judged as JudgedStep } from '../oracle/judgement.js'
import { replayCommand } from '../reports/names.js'
import type { BelievedWorld, Exchange, History, Judged, JudgedCall, SentRequest } from './history.js'

/** A history that tells what it has judged for good. */
export interface SettlingHistory extends History {
  /** Calls that were judged for good since this was last asked; a finding may still be added to one of them. */
  readonly settled: () => readonly JudgedCall[]
  /** Judges all for good, and tells what was not told. */
  readonly close: () => readonly JudgedCall[]
}

/** At least so many of the latest calls are judged together with those to come. */
const mostOpen = 128

/**
 * Opens a history of a target that has been read.
 * @param behind how many calls at least are kept open, for those that come late
 */
export const openHistoryOf = (target: Target | undefined, prefix: string, behind = mostOpen): SettlingHistory => {
  const read = createReader(target, prefix)
  const calls: CallEntry[] = []
  let settled = openTraffic(settingOf(target))
  let horizon = Number.NEGATIVE_INFINITY
  let open: CallEntry[] = []
  let judged: JudgedHistory | undefined
  let due = 2 * behind
  let fresh: JudgedStep[] = []
  const told = new Set<number>()

  const settle = (until: number): void => {
    for (const step of settled.take(open.slice(0, until))) fresh.push(step)
    horizon = open.slice(0, until).reduce((latest, { endedAt }) => Math.max(latest, endedAt), horizon)
    open = open.slice(until)
  }
  const moveOn = (): void => {
    if (open.length <= due) return
    open.sort(bySending)
    settle(quietPlace(open, open.length - behind))
    due = open.length + behind
  }
  const judge = (): JudgedHistory => {
    if (judged) return judged
    const traffic = settled.fork()
    traffic.take([...open].sort(bySending))
    judged = traffic.judged()
    return judged
  }
  const news = (): readonly JudgedCall[] => {
    const untold = fresh.filter(({ n }) => !told.has(n))
    for (const { n } of untold) told.add(n)
    fresh = []
    return untold.map(judgedCall)
  }
  return {
    size: () => calls.length,
    add: (exchange) => {
      const call = read(exchange, calls.length + 1)
      if (!call) return undefined
      calls.push(call)
      judged = undefined
      if (call.startedAt > horizon) open.push(call)
      else {
        // It may have met what is judged already, so all is judged anew.
        settled = openTraffic(settingOf(target))
        horizon = Number.NEGATIVE_INFINITY
        open = [...calls]
      }
      moveOn()
      return call.n
    },
    judge: () => toldOf(judge()),
    world: (as) => worldAfter(judge(), as),
    settled: news,
    close: () => {
      open.sort(bySending)
      settle(open.length)
      return news()
    },
  }
}

const bySending = (one: CallEntry, other: CallEntry): number => one.startedAt - other.startedAt

/** The last place up to there, where all calls before had ended when those after were sent; 0 where there is none. */
const quietPlace = (calls: readonly CallEntry[], most: number): number => {
  let place = 0
  let latest = Number.NEGATIVE_INFINITY
  for (const [i, { startedAt, endedAt }] of calls.entries()) {
    if (i > most) break
    if (startedAt > latest) place = i
    latest = Math.max(latest, endedAt)
  }
  return place
}

const settingOf = (target: Target | undefined): TrafficSetting => ({
  kind: 'traffic',
  // What others do is not known, so nothing is known to be all there is.
  environment: target ? { ...target.environment, exclusive: false } : environmentFor([]),
  nonce: '',
  listLagMs: target?.pace.listLagMs ?? 0,
})

/** Reads exchanges as calls of the interface; knows who called by the secret, which it does not keep otherwise. */
const createReader = (target: Target | undefined, prefix: string) => {
  const routeOf = createFinder(operations)
  const words = target && createVocabulary(target.vocabulary)
  const names = new Map([...(target?.secrets ?? [])].map(([name, secret]) => [secret, name]))
  let strangers = 0
  const callerOf = ({ as, authorization }: SentRequest): string | null => {
    if (as !== undefined) return as
    if (authorization === undefined) return null
    const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    if (secret === undefined) return wrongToken
    return getOrInsert(names, secret, () => {
      strangers += 1
      return `${unknownToken}${strangers}`
    })
  }
  return ({ request, reply, startedAt, endedAt }: Exchange, n: number): CallEntry | undefined => {
    const given = pathOf(request.url, prefix)
    const url = words?.serving.url(given) ?? given
    const [pathname = '', search = ''] = url.split(/\?(.*)/s)
    const route = routeOf(request.method.toUpperCase(), pathname)
    if (!route) return undefined
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

const toldOf = ({ steps, found, unordered }: JudgedHistory): Judged => {
  const findings = found.map(({ id, deviation, steps: program, shrunkFrom }) =>
    findingOf(deviation, program, { shrunkFrom, replay: replayCommand(id) }),
  )
  return {
    calls: steps.map(judgedCall),
    findings,
    causes: diagnose(findings).map(({ program, ...cause }) => ({ ...cause, program: program.map(({ line }) => line) })),
    undecided: unordered,
  }
}

const judgedCall = ({ n, op, judgement, verdict, deviations }: JudgedStep): JudgedCall => ({
  n,
  operation: op.id,
  expects: judgement.expects,
  verdict,
  deviations,
  held: judgement.held,
  choices: judgement.choices,
})

const worldAfter = ({ steps }: JudgedHistory, as: string | undefined): BelievedWorld => {
  const last = steps.findLast(({ call }) => as === undefined || call.as === as)
  if (!last) return {}
  const fieldsOf = (entity: AnyEntity) =>
    Object.fromEntries(Object.entries(entity).filter(([field]) => !bookkeeping.has(field)))
  const tables = [...last.judgement.world.tables].filter(([, { live }]) => live.size > 0)
  return Object.fromEntries(tables.map(([name, { live }]) => [name, [...live.values()].map(fieldsOf)]))
}
