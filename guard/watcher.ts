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
  const backlog = createBacklog(mostBytes)
  let missed: Missed | undefined
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const open = new Map<number, Open>()

  /** Tells all at once: what has ended, and beside it what is under way, so that nothing is judged without the other. */
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (isStopped) return
    batch.push(...untold(open))
    if (missed && !backlog.isFull()) {
      batch.push(missed)
      missed = undefined
    }
    if (batch.length === 0) return
    backlog.tell()
    const told = batch
    batch = []
    judging.take(told)
  }
  const flushSoon = (): void => {
    timer ??= setTimeout(flush, batchMs)
  }
  const end = (ended: Ended): void => {
    const { n: number, endedAt: until } = ended
    if (!missed && backlog.isFull()) {
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
      backlog.add(weightOf(told))
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
          if (open.has(number) && !isStopped) end(endedOf(number, one, clock(), request, reply, broken))
        },
      }
    },
    isKeeping: () => !isStopped && !backlog.isFull(),
    taken: () => {
      backlog.take()
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

const endedOf = (
  n: number,
  { startedAt }: Open,
  endedAt: number,
  request: PassedRequest,
  reply: PassedReply | undefined,
  broken: string | undefined,
): Ended => ({ kind: 'ended', n, startedAt, endedAt, request, reply, ...(broken !== undefined && { broken }) })

/** Bytes that wait for judging: of batches told to it that it has not dealt with, and of the one that is to be told next. */
const createBacklog = (mostBytes: number) => {
  const told: number[] = []
  let toldBytes = 0
  let nextBytes = 0
  return {
    isFull: () => toldBytes + nextBytes > mostBytes,
    add: (bytes: number) => {
      nextBytes += bytes
    },
    /** The next batch is told. */
    tell: () => {
      told.push(nextBytes)
      toldBytes += nextBytes
      nextBytes = 0
    },
    /** The oldest batch is dealt with. */
    take: () => {
      toldBytes -= told.shift() ?? 0
    },
  }
}

/** Requests under way that judging does not know of yet; from now on it does. */
const untold = (open: ReadonlyMap<number, Open>): readonly Passing[] =>
  [...open].flatMap(([n, one]) => {
    const { startedAt, request, isTold } = one
    if (!request || isTold) return []
    one.isTold = true
    return [{ kind: 'under way', n, startedAt, request }]
  })

const mayTakeEffectLater = ({ request: { method }, reply, broken }: Ended): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(method) && (broken !== undefined || !reply || reply.status >= 500)
