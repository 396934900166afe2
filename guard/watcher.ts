// Keeps what the proxy tells until judging has it, within bounds: what is beyond them is counted and not judged.

import type { Judging, Outcome } from './judging.js'
import type { Ended, Missed, Passed, PassedReply, PassedRequest, Passing } from './traffic.js'

/** A request from its beginning to its end; the proxy calls these as things happen. */
export interface Watched {
  /** The request has gone out whole. */
  readonly sent: (request: PassedRequest) => void
  /** It is over; `broken` says why there is no reply, or not the whole of it. */
  readonly ended: (request: PassedRequest, reply: PassedReply | undefined, broken?: string) => void
}

export interface Watcher {
  /** A request begins. */
  readonly begin: () => Watched
  /** Whether bodies are worth keeping at the moment. */
  readonly isKeeping: () => boolean
  /** Judging has dealt with one more of the batches. */
  readonly taken: () => void
  /** Judging has come to its end by a fault. */
  readonly stop: () => void
  /** What is under way by then is not judged. */
  readonly close: () => Promise<Outcome>
}

export interface WatcherBounds {
  /** How long is collected before judging is told. */
  readonly batchMs: number
  /** The most bytes that wait for judging. */
  readonly mostBytes: number
}

const defaultBounds: WatcherBounds = { batchMs: 50, mostBytes: 64 * 1024 * 1024 }

/** What an exchange weighs beyond its bodies. */
const leastBytes = 2048

const weightOf = ({ request, reply }: Ended): number => leastBytes + bytesOf(request) + (reply ? bytesOf(reply) : 0)

const bytesOf = ({ body }: Passed): number => body?.length ?? 0

/** A request under way. */
interface Open {
  readonly startedAt: number
  /** Once it has gone out whole. */
  request?: PassedRequest
  /** Whether judging knows of it. */
  isTold: boolean
}

export const createWatcher = (
  judging: Judging,
  clock: () => number,
  { batchMs, mostBytes }: WatcherBounds = defaultBounds,
): Watcher => {
  let n = 0
  let batch: Passing[] = []
  let batchBytes = 0
  /** Bytes of the batches that judging was told and has not dealt with. */
  const outstanding: number[] = []
  let waitingBytes = 0
  let missed: Missed | undefined
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const open = new Map<number, Open>()

  const isBehind = (): boolean => waitingBytes + batchBytes > mostBytes
  /** Tells all at once: what has ended, and beside it what is under way, so that nothing is judged without the other. */
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (isStopped) return
    for (const [number, one] of open) {
      if (!one.request || one.isTold) continue
      one.isTold = true
      batch.push({ kind: 'under way', n: number, startedAt: one.startedAt, request: one.request })
    }
    if (missed && !isBehind()) {
      batch.push(missed)
      missed = undefined
    }
    if (batch.length === 0) return
    outstanding.push(batchBytes)
    waitingBytes += batchBytes
    const told = batch
    batch = []
    batchBytes = 0
    judging.take(told)
  }
  const flushSoon = (): void => {
    timer ??= setTimeout(flush, batchMs)
  }
  const end = (ended: Ended): void => {
    const { n: number, endedAt: until } = ended
    if (!missed && isBehind()) {
      flush()
      batch.push({ kind: 'missed', count: 0, until })
      missed = { kind: 'missed', count: 0, until }
    }
    const isTold = open.get(number)?.isTold === true
    open.delete(number)
    if (missed) missed = { kind: 'missed', count: missed.count + 1, until }
    // What may still take effect has to be known later on, and what was told to be under way has to end.
    if (!missed || isTold || mayTakeEffectLater(ended)) {
      const told = missed ? { ...ended, reply: undefined, broken: 'judging was behind' } : ended
      batch.push(told)
      batchBytes += weightOf(told)
    }
    flushSoon()
  }
  return {
    begin: () => {
      n += 1
      const number = n
      const one: Open = { startedAt: clock(), isTold: false }
      open.set(number, one)
      return {
        sent: (request) => {
          one.request = request
          flushSoon()
        },
        ended: (request, reply, broken) => {
          if (!open.has(number) || isStopped) return
          const ended = {
            kind: 'ended',
            n: number,
            startedAt: one.startedAt,
            endedAt: clock(),
            request,
            reply,
          } as const
          end(broken === undefined ? ended : { ...ended, broken })
        },
      }
    },
    isKeeping: () => !isStopped && !isBehind(),
    taken: () => {
      waitingBytes -= outstanding.shift() ?? 0
      if (missed) flushSoon()
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
    close: async () => {
      flush()
      if (missed) judging.take([missed])
      isStopped = true
      return judging.close(clock())
    },
  }
}

const mayTakeEffectLater = ({ request: { method }, reply, broken }: Ended): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(method) && (broken !== undefined || !reply || reply.status >= 500)
