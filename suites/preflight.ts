// Asks a target once with each token before a run: whether the interface is there, and whether it knows the tokens; it judges no clause.

import type { Target } from '../config/target-file.js'
import { atOnce } from '../driver/at-once.js'
import { pageOfHtml } from '../driver/client.js'
import { isBarredByProxy, wayThrough } from '../driver/connections.js'
import { type Credentials, isForeign } from '../driver/expiry.js'
import type { Lost } from '../driver/loss.js'
import { lossOfConnecting } from '../driver/reachable.js'
import { openAccess, outcomeText, type TargetAccess } from '../driver/target-access.js'
import { isAccepted, mayHaveCome } from '../history/outcomes.js'
import type { Outcome } from '../history/wire.js'
import { operationById, operations } from '../models/index.js'
import { lacksScope, principal, wrongToken } from '../models/language/access.js'
import type { Environment, Token } from '../models/language/environment.js'
import type { Operation } from '../models/language/operation.js'
import { type Absent, absentFixtures } from './absent.js'

export interface Preflight {
  /** What the target file has wrong, with what to do about it. */
  readonly wrong?: string
  /** Why nothing can be judged now. */
  readonly unreachable?: string
  readonly credentials?: Credentials
  /** How long the quickest call took. */
  readonly quickestMs?: number
  /** How many were sent. */
  readonly requests?: number
  /** Fixtures that are not there. */
  readonly absent?: readonly Absent[]
}

/** The lists, of different areas, that a token surely may read: a target that refuses one of them may be at fault, one that refuses all does not know it. */
const mostLists = 3
/** How often a target that is not ready is asked again unless told otherwise, and after how long at first. */
const patience = { times: 5, firstPauseMs: 250 }

/** How often a target that is not ready is asked again, and how long it is asked at all. */
interface Patience {
  readonly times?: number
  readonly withinMs?: number
}

/** The way to a target, with how often it is asked again, and how much of the time is left. */
type Asking = Pick<TargetAccess, 'call' | 'sleep'> & { readonly times?: number; readonly leftMs?: () => number }

/** A timer may go off so many milliseconds early. */
const timerMs = 2

/**
 * Sends a call for each token, and more where that was not accepted. A call that came through and has no answer is left to the run.
 * @param areas what a run is about: of these the first token has to have what the target file says
 */
export const preflight = async (
  target: Target,
  areas: ReadonlySet<string> = new Set(),
  { times = patience.times, withinMs = Number.POSITIVE_INFINITY }: Patience = {},
): Promise<Preflight> => {
  const access = openAccess(target, `${target.environment.safety.prefix}-preflight`, { withinMs, isCutOff: true })
  const until = access.clock() + withinMs
  const leftMs = (): number => until - access.clock()
  let quickestMs = Number.POSITIVE_INFINITY
  const call: TargetAccess['call'] = async (op, args) => {
    const from = access.clock()
    const outcome = await access.call(op, args)
    quickestMs = Math.min(quickestMs, access.clock() - from)
    return outcome
  }
  try {
    const told = await askOnce(target, { ...access, call, times, leftMs }, areas)
    const isOut = told.unreachable !== undefined && leftMs() <= timerMs
    const asked = isOut ? { unreachable: outOfTime(target) } : told
    // A target that is not known to tell tokens apart, or gives no answers, is not asked more.
    const absent = asked.credentials ? await absentFixtures(target, { ...access, call }, areas) : []
    const all = { ...asked, ...(absent.length > 0 && { absent }), requests: access.requests() }
    return Number.isFinite(quickestMs) ? { ...all, quickestMs } : all
  } finally {
    await access.close()
  }
}

const outOfTime = ({ baseUrl }: Target): string =>
  `the time that the run may take (--max-time) had passed before ${baseUrl} answered: give it more, or see that the target is up`

/** The same, over a connection that stays open. */
export const askOnce = async (
  target: Target,
  access: Asking,
  areas: ReadonlySet<string> = new Set(),
): Promise<Preflight> => {
  const { environment, pace } = target
  const [first, ...others] = environment.tokens
  const alone = first ? await askToken(target, first, access) : {}
  if (alone.problem) return alone.problem
  // Where the first is not answered, neither are the others.
  if (isLost(alone)) return {}
  const isThere = alone.read !== undefined
  const more = await atOnce(pace.concurrency, others, (token) => askToken(target, token, access, isThere))
  const asked = [alone, ...more]
  const end = asked.find((one) => one.problem !== undefined || isLost(one))
  if (end) return end.problem ?? {}
  const wrong = first && (await tooNarrow(target, first, access, { read: alone.read, areas }))
  if (wrong !== undefined) return { wrong }
  const reads = asked.flatMap(({ read }, i) => (read === undefined ? [] : [[environment.tokens[i]?.name, read]]))
  return askWrongly(access, Object.fromEntries(reads))
}

/**
 * What is wrong where two lists or more, each of another area, are refused to a token of all scopes, and one is given. A target that is at
 * fault so widely is told the same: whoever runs it finds that the scopes are right.
 */
export const tooNarrow = async (
  { environment, pace }: Target,
  token: Token,
  access: Asking,
  { read, areas }: { readonly read: string | undefined; readonly areas: ReadonlySet<string> },
): Promise<string | undefined> => {
  if (token.scopes !== '*' || read === undefined || isInDebt(environment, token)) return undefined
  const lists = firstOfAreas(readableBy(environment, token)).filter(({ id, area }) => id !== read && areas.has(area))
  const outcomes = await atOnce(pace.concurrency, lists, (op) => patiently(access, op, token.name))
  const isRefused = (outcome: Outcome | undefined) => outcome && 'status' in outcome && outcome.status === 403
  const refused = lists.filter((_, i) => isRefused(outcomes[i])).map(({ path }) => `GET ${path}`)
  if (refused.length < 2) return undefined
  const given = operationById(read)?.path
  return `token ${token.name} has all scopes and an unrestricted user by the target file, but ${refused.join(', ')} answered it 403, and GET ${given} did not: name the scopes that it has, and say whether its user is restricted`
}

const isLost = ({ last }: AskedToken): boolean => last !== undefined && 'lost' in last.outcome

/** How a wrong token is refused, by a list that one of the tokens reads. */
const askWrongly = async (
  access: Pick<TargetAccess, 'call'>,
  reads: Readonly<Record<string, string>>,
): Promise<Preflight> => {
  const [id] = Object.values(reads)
  const op = operations.find((one) => one.id === id)
  const refused = op && (await access.call(op, { as: wrongToken }))
  const isTold = refused && 'status' in refused && refused.status >= 400 && refused.status < 500
  return isTold ? { credentials: { refusedWith: refused.status, inEnvelope: !isForeign(refused), reads } } : {}
}

/** What a token was seen to be good for. */
export interface AskedToken {
  /** The last call for it; undefined where there is no list that the token surely may read. */
  readonly last?: { readonly op: Operation; readonly outcome: Outcome }
  /** The list that it read. */
  readonly read?: string
  readonly problem?: Preflight
}

/**
 * Reads lists with a token until one is given.
 * @param isThere whether another token was given a list: then the address is that of the interface
 */
export const askToken = async (target: Target, token: Token, access: Asking, isThere = false): Promise<AskedToken> => {
  const { environment, baseUrl, secrets, secretVariables } = target
  const lists = secrets.has(token.name) ? readableBy(environment, token).slice(0, mostLists) : []
  const tries: Try[] = []
  for (const op of lists) {
    const outcome = await patiently(access, op, token.name)
    const last = { op, outcome }
    if (isTaken(outcome)) return { last, read: op.id }
    const wrong = 'lost' in outcome ? wrongWay(op, baseUrl, await reasonOf(target, outcome)) : undefined
    if (wrong !== undefined) return { last, problem: { wrong } }
    tries.push(last)
    // Where a call came to nobody, no other would.
    if ('lost' in outcome ? !mayHaveCome(outcome) : outcome.status === 500) break
  }
  const [last] = tries
  if (!last) return {}
  const isBarred = isInDebt(environment, token)
  const problem = problemOf(tries, { ...token, isBarred, isThere }, baseUrl, secretVariables?.get(token.name))
  return { last, ...(problem && { problem }) }
}

interface Try {
  readonly op: Operation
  readonly outcome: Outcome
}

type Reply = Extract<Outcome, { readonly status: number }>

/** JSON, or nothing, with a status of success. */
const isTaken = (outcome: Outcome): boolean => isAccepted(outcome) && !isPage(outcome)

/** Whether a page came in place of a result. */
const isPage = (outcome: Outcome): boolean =>
  'lost' in outcome
    ? outcome.detail?.startsWith(pageOfHtml) === true
    : outcome.status < 300 && /^\s*<(!doctype|html)/i.test(outcome.text ?? '')

/** Codes by which a target tells that it wants to know who the client is, or does not trust what it was shown. */
const unproven =
  /CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|CERTIFICATE_(?:UNKNOWN|EXPIRED|REVOKED)|ALERT_UNKNOWN_CA/

const naming =
  "it wants a certificate of the client's that it trusts: name its files in tls.cert and tls.key of the target file"
/** What gateways say in their pages where they ask for one and get none, or one that they don't trust. */
const aboutCertificate = /\b(?:SSL|TLS|client) certificate\b/i

/** What to do where the two ends could not prove who they are. */
const proving = (detail: string): string => {
  if (detail.includes('WRONG_VERSION_NUMBER'))
    return 'what answers there does not speak TLS; see whether baseUrl is to begin with http://'
  if (detail.startsWith('CERT_HAS_EXPIRED')) return "have its certificate renewed, or set this machine's clock"
  if (detail.startsWith('CERT_NOT_YET_VALID'))
    return "set this machine's clock, or have the target show a certificate that is valid now"
  if (detail.includes('NO_APPLICATION_PROTOCOL'))
    return 'what answers there does not take HTTP/1.1, which the suite speaks: have it offer that beside HTTP/2'
  if (detail.includes('ALTNAME_INVALID')) return 'see that baseUrl names the host by a name that its certificate has'
  if (unproven.test(detail)) return naming
  return 'see that baseUrl is right; where an authority of your own vouches for it, name the file of its certificate in tls.ca of the target file, or in NODE_EXTRA_CA_CERTS'
}

/** What is wrong where nothing that is sent to a target would ever come to it. */
export const wrongConnection = (baseUrl: string, { lost, detail = '' }: Lost): string | undefined => {
  if (lost === 'tls') return `TLS with ${baseUrl} failed (${detail.trim() || 'no reason given'}): ${proving(detail)}`
  if (detail.includes('ENOTFOUND'))
    return `${baseUrl} names a host that is not known (${detail}): see that baseUrl is right`
  return undefined
}

/** What is wrong where a call came to nobody that would come to nobody again. */
const wrongWay = (op: Operation, baseUrl: string, lost: Lost): string | undefined =>
  isBarredByProxy(lost.detail) ? barred(op, baseUrl) : wrongConnection(baseUrl, lost)

/** A connection that was ended over who the client is looks like any other that was closed, until it is left alone. */
const reasonOf = async (target: Target, lost: Lost): Promise<Lost> => {
  if (lost.lost !== 'reset' || target.proxy || !target.baseUrl.startsWith('https:')) return lost
  const told = await lossOfConnecting(target)
  return told?.lost === 'tls' ? told : lost
}

const barred = ({ path }: Operation, baseUrl: string): string =>
  `a proxy on the way to ${baseUrl} answered GET ${path} 407: ${wayThrough}`

const isNotReady = (outcome: Outcome): boolean => 'status' in outcome && [429, 502, 503, 504].includes(outcome.status)

const patiently = async (access: Asking, op: Operation, as: string): Promise<Outcome> => {
  const { times = patience.times, leftMs = () => Number.POSITIVE_INFINITY } = access
  for (let time = 0; ; time += 1) {
    const outcome = await access.call(op, { as })
    const pauseMs = patience.firstPauseMs * 2 ** time
    if (!isNotReady(outcome) || time === times || pauseMs > leftMs()) return outcome
    await access.sleep(pauseMs)
  }
}

/** What is wrong where none of the lists was given; undefined where that may be the target's own fault, which the run shows. */
const problemOf = (
  tries: readonly Try[],
  { name, user, scopes, isBarred, isThere }: Token & { readonly isBarred: boolean; readonly isThere: boolean },
  baseUrl: string,
  variable: string | undefined,
): Preflight | undefined => {
  const [{ op, outcome }] = tries as readonly [Try]
  const asked = `GET ${op.path}`
  const all = (is: (reply: Reply) => boolean): boolean =>
    tries.every((one) => 'status' in one.outcome && is(one.outcome))
  const shy = tries.find(
    ({ outcome: one }) => 'status' in one && one.status >= 400 && aboutCertificate.test(one.text ?? ''),
  )
  if (shy && baseUrl.startsWith('https:'))
    return { wrong: `${baseUrl} answered ${asked} ${outcomeText(shy.outcome)} and tells of a certificate: ${naming}` }
  const see = 'see that baseUrl is the address of the interface, with its version segment'
  if (all(isNotReady))
    return {
      unreachable: `${baseUrl} answered ${asked} ${outcomeText(outcome)} for too long: see that it is up, then run again`,
    }
  // Only a proxy answers so (RFC 9110, 15.5.8).
  if (all(({ status }) => status === 407)) return { wrong: barred(op, baseUrl) }
  if (tries.every((one) => isPage(one.outcome)))
    return { wrong: `${baseUrl} serves HTML: ${asked} was answered with a page; ${see}` }
  if (tries.every((one) => 'lost' in one.outcome)) return silence(tries, baseUrl)
  if (all(({ status }) => status >= 300 && status < 400))
    return {
      wrong: `${baseUrl} redirects: ${asked} was answered ${outcomeText(outcome)}; ${see}, and not that of a login page`,
    }
  if (!isThere && tries.length > 1 && all(({ status }) => status === 404))
    return { wrong: `${baseUrl} has no interface: ${asked} was answered 404; ${see}` }
  if (!all(({ status }) => status >= 400 && status < 500) || !isSure(tries, isBarred ? [] : scopes)) return undefined
  return {
    wrong: `token ${name} was answered ${outcomeText(outcome)} by ${asked}: check ${variable ?? 'its secret'}, and that it is of the user ${user}`,
  }
}

/** One list that is silent may be a fault of its own, which the run shows. */
const silence = (tries: readonly Try[], baseUrl: string): Preflight | undefined => {
  const [{ outcome }] = tries as readonly [Try]
  const isReached = mayHaveCome(outcome)
  if (isReached && tries.length === 1) return undefined
  const asked = tries.map(({ op }) => `GET ${op.path}`).join(', ')
  const what = isReached ? `gave no reply to ${asked}` : 'was not reached'
  return { unreachable: `${baseUrl} ${what} (${outcomeText(outcome)}): see that it is up, then run again` }
}

/** Where an account is in debt, that may be why it is refused; whether it may be, the run judges. */
const isInDebt = ({ users, accounts }: Target['environment'], { user }: Token): boolean => {
  const { account } = users.find(({ name }) => name === user) ?? {}
  return accounts.some(({ name, balance }) => name === account && balance === 'negative')
}

/** A token of few scopes that is refused for want of one shows a fault of the target, unless it is said to be unknown. */
const isSure = (tries: readonly Try[], scopes: Token['scopes']): boolean =>
  (scopes === '*' && tries.length === mostLists) ||
  tries.every(({ outcome }) => 'status' in outcome && outcome.status === 401)

/** Lists that any target gives this token, one of each area first. What a restricted user may read is not said for every list. */
const readableBy = (environment: Environment, token: Token): readonly Operation[] => {
  const caller = principal(environment, token.name)
  if (caller.user?.restricted !== false) return []
  const all = operations.filter(
    (op) =>
      op.method === 'GET' &&
      op.reply.kind === 'page' &&
      Object.keys(op.params).length === 0 &&
      (op.scopes ?? []).length > 0 &&
      op.scopes?.every((scope) => lacksScope(caller, scope) === false) === true &&
      op.area !== 'managed',
  )
  const first = firstOfAreas(all)
  return [...first, ...all.filter((op) => !first.includes(op))]
}

const firstOfAreas = (ops: readonly Operation[]): readonly Operation[] =>
  ops.filter(({ area }, i) => ops.findIndex((other) => other.area === area) === i)
