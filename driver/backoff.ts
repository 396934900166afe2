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
/** Where everything is turned away for as long as so many pauses, requests may be this far apart: each that comes too soon may cost as much again. */
const widestForAllMs = 125
/** After so many the run should be made slower. */
const longestWaitMs = 5 * 60_000
/**
 * How many pauses that the target did not ask for may be in vain, after replies of one text and in all, before none is made any more:
 * a quota may be told by the same status as a rate.
 */
const mostInVain = { ofOne: 2, ofAll: 8 }
/** Where so many of so many requests are turned away, though a pause helps, they come too often; now and then any gateway is busy. */
const often = { times: 6, of: 100 }
/** So much of a text tells it from others, without its numbers. */
const longestText = 200

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

/**
 * @param slow called where requests are sent too often, though the target does not say how often they may be; how far apart they may be at most
 * @param requests how many have been sent
 */
export const createBackoff = (
  slow: (mostMs?: number) => void,
  requests: () => number,
  clock: () => number = () => performance.now(),
): { readonly resort: Backoff; readonly helped: (reply: HttpReply) => void } => {
  /** By text, how many pauses after it were in vain, and after how many the call was answered. */
  const inVain = new Map<string, number>()
  const helpful = new Map<string, number>()
  let ofAll = 0
  /** After how many requests the latest were turned away, and until when a pause after one was asked for. */
  const latest: number[] = []
  let pausedUntil = Number.NEGATIVE_INFINITY
  /** Those that are turned away while one waits already came at the same time, and count as one with it. */
  const isOften = (): boolean => {
    if (clock() < pausedUntil) return false
    pausedUntil = clock() + firstPauseMs
    const now = requests()
    latest.push(now)
    if (latest.length > often.times) latest.shift()
    return latest.length === often.times && now - (latest[0] ?? 0) < often.of
  }
  /** Whether the target refuses only this call, however long the pause. */
  const isInVain = async (text: string, isShut: () => Promise<boolean>): Promise<boolean> => {
    const isForAll = await isShut()
    count(isForAll ? helpful : inVain, text)
    if (isForAll) slow(widestForAllMs)
    else ofAll += 1
    return !isForAll
  }
  /** Whether a pause that was not asked for may help. Where one has, a rate may be the reason. */
  const mayHelp = (text: string): boolean => {
    const helps = helpful.get(text) ?? 0
    if (helps > 0 && isOften()) slow()
    return (helps > 0 || ofAll < mostInVain.ofAll) && (inVain.get(text) ?? 0) - helps < mostInVain.ofOne
  }
  return {
    resort: async (reply, repetition, waitedMs, isShut) => {
      const { status, retryAfter } = reply
      const text = textOf(reply)
      const toldMs = timeOf(retryAfter)
      if (toldMs === undefined && (status !== 429 || !mayHelp(text))) return undefined
      if (repetition >= mostRepetitions && (await isInVain(text, isShut))) return undefined
      const pauseMs = Math.max(toldMs ?? 0, Math.min(firstPauseMs * 2 ** repetition, longestPauseMs))
      return waitedMs + pauseMs <= longestWaitMs ? { pauseMs } : { lost: tooLong(status, waitedMs + pauseMs) }
    },
    helped: (reply) => count(helpful, textOf(reply)),
  }
}

const count = (counts: Map<string, number>, text: string): void => void counts.set(text, (counts.get(text) ?? 0) + 1)

/** What a reply says, whatever it counts or names by a number. */
const textOf = ({ text }: HttpReply): string => text.slice(0, longestText).replaceAll(/[0-9a-f]*\d[0-9a-f]*/gi, '0')

const tooLong = (status: number, ms: number): Lost => {
  const seconds = Math.round(ms / 1000)
  return {
    lost: 'refused',
    detail: `the target answers ${status} and would have a request wait for ${seconds} s; lower pace.rate`,
  }
}

/** The pause that the target asks for, within bounds. */
export const pauseOf = ({ retryAfter }: HttpReply): number => Math.min(timeOf(retryAfter) ?? 0, longestPauseMs)

/** A longer pause is taken for a mistake. */
const longestMeantMs = 24 * 3_600_000

/** Milliseconds from now; undefined if there is no header, or it can't be read or makes no sense. */
const timeOf = (retryAfter: string | undefined): number | undefined => {
  if (retryAfter === undefined) return undefined
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(ms) || ms > longestMeantMs ? undefined : Math.max(ms, 0)
}
