// How recorded traffic stands in a record, so that it is judged again as what it is: where a history begins, when each call was under way.

import type { Environment } from '../models/language/environment.js'
import type { BlankEntry, CallEntry, Entry } from './entry.js'
import { withKnown } from './har-ids.js'
import type { RecordLine } from './record.js'
import type { Reading, Recording } from './recording.js'

type TrafficLine = Extract<RecordLine, { readonly type: 'traffic' }>
type BlankLine = Extract<RecordLine, { readonly type: 'blank' }>
type StepLine = Extract<RecordLine, { readonly type: 'step' }>
type Times = BlankLine['times']

/** @param setting that of the first line, which need not be told again */
export const trafficLine = (
  {
    environment,
    baseUrl,
    listLagMs,
    mayLack,
    late = [],
    ignored,
  }: Omit<Recording, 'kind' | 'nonce' | 'events' | 'sequential'>,
  supposes: Reading['supposes'],
  setting?: Environment,
): TrafficLine => ({
  type: 'traffic',
  baseUrl,
  ...(JSON.stringify(environment) !== JSON.stringify(setting) && { setting: environment }),
  listLagMs,
  ...(mayLack && { mayLack }),
  ...(late.length > 0 && { late: late.map(({ n }) => n) }),
  ...(supposes.length > 0 && { supposes }),
  ...(Object.keys(ignored).length > 0 && { ignored }),
})

export const blankLine = (entry: BlankEntry): BlankLine => ({
  type: 'blank',
  n: entry.n,
  as: entry.as,
  times: timesOf(entry),
})

export const timesOf = ({
  startedAt,
  endedAt,
  turn,
  own,
  ...more
}: Pick<CallEntry, 'startedAt' | 'endedAt' | 'turn' | 'own' | 'surely'>): Times => ({
  from: startedAt,
  to: endedAt,
  ...(more.surely && { surely: more.surely }),
  ...(turn && { turn }),
  ...(own && { own: { clock: own.clock, from: own.from, ...(Number.isFinite(own.to) && { to: own.to }) } }),
})

const timed = ({ from, to, surely, turn, own }: Times) => ({
  startedAt: from,
  endedAt: to,
  ...(surely && { surely }),
  ...(turn && { turn }),
  ...(own && { own: { ...own, to: own.to ?? Number.POSITIVE_INFINITY } }),
})

/** The call as it was timed where it was recorded. */
export const timedAs = (call: CallEntry, { times }: StepLine): CallEntry =>
  times ? { ...call, ...timed(times) } : call

interface History {
  readonly line: TrafficLine
  readonly late: readonly CallEntry[]
  /** How many steps the record has before it. */
  readonly before: number
  readonly entries: Entry[]
}

/** Collects the entries of histories of which a record tells. */
export const createTrafficReader = () => {
  const histories: History[] = []
  const calls = new Map<number, CallEntry>()
  let last = 0
  return {
    begin: (line: TrafficLine): void => {
      const late = (line.late ?? []).flatMap((n) => calls.get(n) ?? [])
      histories.push({ line, late: late.map((one) => ({ ...one, n: one.n - last })), before: last, entries: [] })
    },
    /** Whether the entry is one of a history. */
    add: (entry: CallEntry): boolean => {
      const { before, entries } = histories.at(-1) ?? {}
      last = Math.max(last, entry.n)
      calls.set(entry.n, entry)
      entries?.push({ ...entry, n: entry.n - (before ?? 0) })
      return entries !== undefined
    },
    blank: ({ n, as, times }: BlankLine): void => {
      const { before, entries } = histories.at(-1) ?? {}
      last = Math.max(last, n)
      entries?.push({ kind: 'blank', n: n - (before ?? 0), as, program: '', ...timed(times) })
    },
    readings: (setting: Environment): readonly Reading[] =>
      histories.map((one) => ({
        recordings: [recordingOf(one, setting)],
        supposes: one.line.supposes ?? [],
      })),
  }
}

const recordingOf = ({ line, late, entries }: History, setting: Environment): Recording => ({
  kind: 'traffic',
  environment: line.setting ?? setting,
  baseUrl: line.baseUrl,
  nonce: '',
  events: withKnown([...entries].sort((a, b) => a.n - b.n)),
  ...(late.length > 0 && { late }),
  sequential: false,
  ...(line.mayLack && { mayLack: true }),
  listLagMs: line.listLagMs,
  ignored: line.ignored ?? {},
})
