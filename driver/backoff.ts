// Tells a target that is asked too often from one that refuses: it may answer both with 429, and need not say when to come again.
import type { HttpReply } from './exchange.js'
import type { Lost } from './loss.js'

/** What to do about a reply: take it, send the request again after a pause, or give up. */
type Resort = { readonly pauseMs: number } | { readonly lost: Lost } | undefined

export const mayBeBusy = ({ status }: HttpReply): boolean => status === 429 || status === 503

/** The first pause, doubled each time up to a maximum; at least as long as the target asks for. */
const firstPauseMs = 200
const longestPauseMs = 10_000
/** How often it is sent again while other requests are answered. */
const mostRepetitions = 3
/** After so many the run should be made slower. */
const longestWaitMs = 5 * 60_000
/** How many pauses that the target did not ask for may be in vain before none is made any more. */
const mostInVain = 2

/**
 * @param repetition how often the request has been sent again
 * @param waitedMs how long it has been put off
 * @param isShut asks whether the target now turns away what it has answered before
 */
type Backoff = (
  reply: HttpReply,
  repetition: number,
  waitedMs: number,
  isShut: () => Promise<boolean>,
) => Promise<Resort>

export const createBackoff = (): Backoff => {
  let inVain = 0
  let isLimited = false
  /** Whether the target refuses only this call, however long the pause. */
  const isInVain = async (isShut: () => Promise<boolean>): Promise<boolean> => {
    const isForAll = await isShut()
    if (isForAll) isLimited = true
    else inVain += 1
    return !isForAll
  }
  return async ({ status, retryAfter }, repetition, waitedMs, isShut) => {
    const toldMs = retryAfter === undefined ? undefined : timeOf(retryAfter)
    const isBusy = status === 429 || (status === 503 && toldMs !== undefined)
    if (!isBusy || (toldMs === undefined && !isLimited && inVain >= mostInVain)) return undefined
    if (repetition >= mostRepetitions && (await isInVain(isShut))) return undefined
    const pauseMs = Math.max(toldMs ?? 0, Math.min(firstPauseMs * 2 ** repetition, longestPauseMs))
    return waitedMs + pauseMs <= longestWaitMs ? { pauseMs } : { lost: tooLong(status, waitedMs + pauseMs) }
  }
}

const tooLong = (status: number, ms: number): Lost => {
  const seconds = Math.round(ms / 1000)
  return {
    lost: 'refused',
    detail: `the target answers ${status} and would have a request wait for ${seconds} s; lower pace.rate`,
  }
}

/** The pause that the target asks for, within bounds. */
export const pauseOf = ({ retryAfter }: HttpReply): number =>
  Math.min((retryAfter === undefined ? undefined : timeOf(retryAfter)) ?? 0, longestPauseMs)

/** A longer pause is taken for a mistake. */
const longestMeantMs = 24 * 3_600_000

/** Milliseconds from now; undefined if the header can't be read or makes no sense. */
const timeOf = (retryAfter: string): number | undefined => {
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(ms) || ms > longestMeantMs ? undefined : Math.max(ms, 0)
}
