// What the proxy tells of the traffic: plain data that can be sent to another thread; nothing is read or judged.

/** A message as it went by. */
export interface Passed {
  /** Names and values by turns, as they were sent. */
  readonly headers: readonly string[]
  /** Bytes of the body that went by. */
  readonly size: number
  /** Undefined where there were too many to keep. */
  readonly body: Uint8Array | undefined
}

export interface PassedRequest extends Passed {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly httpVersion: string
}

export interface PassedReply extends Passed {
  readonly status: number
  readonly statusText: string
  readonly httpVersion: string
}

/** A request that has reached the target whole, and is not answered yet. Times are milliseconds since the guard began. */
export interface UnderWay {
  readonly kind: 'under way'
  /** From 1, in the order in which requests began. */
  readonly n: number
  readonly startedAt: number
  readonly request: PassedRequest
}

/** A request that is over, with its reply if it came. */
export interface Ended extends Omit<UnderWay, 'kind'> {
  readonly kind: 'ended'
  readonly endedAt: number
  readonly reply: PassedReply | undefined
  /** Why the reply is not there, or not whole. */
  readonly broken?: string
}

/** From here on, or until here, requests were not told, since judging was behind: what was known before holds no longer. */
export interface Missed {
  readonly kind: 'missed'
  readonly count: number
  readonly until: number
}

export type Passing = UnderWay | Ended | Missed
