// Requests over time, cut into equal slices: few enough to draw, and additive, so that shards can be merged.
import type { Results } from './results-schema.js'

export type Timeline = Results['timeline']
export type Slice = Timeline['slices'][number]

const MOST_SLICES = 96
const MINUTE_MS = 60_000
const NICE_MS: readonly number[] = [
  10,
  20,
  50,
  100,
  200,
  500,
  1_000,
  2_000,
  5_000,
  10_000,
  30_000,
  ...[1, 2, 5, 10, 30, 60, 120, 360, 720, 1_440].map((minutes) => minutes * MINUTE_MS),
]
const EMPTY: Slice = { requests: 0, lost: 0, totalMs: 0, slowestMs: 0 }

/** Width of a slice for a run that lasts so long. */
export const sliceWidth = (lastMs: number): number =>
  NICE_MS.find((width) => lastMs / width < MOST_SLICES) ?? Math.ceil((lastMs + 1) / MOST_SLICES)

/** Cuts requests, given as moments since the start of the run, into slices. */
export function cutTimeline(
  requests: readonly { readonly at: number; readonly ms: number; readonly lost: boolean }[],
): Timeline {
  const sliceMs = sliceWidth(requests.reduce((last, { at }) => Math.max(last, at), 0))
  const parts = requests.map(({ at, ms, lost }) => ({
    at,
    slice: { requests: 1, lost: lost ? 1 : 0, totalMs: ms, slowestMs: ms },
  }))
  return { sliceMs, slices: collect(parts, sliceMs) }
}

/** Lays timelines over each other from their starts; all are cut to the widest of their slices. */
export function overlayTimelines(timelines: readonly Timeline[]): Timeline {
  const sliceMs = Math.max(...timelines.map((timeline) => timeline.sliceMs))
  const parts = timelines.flatMap((timeline) =>
    timeline.slices.map((slice, index) => ({ at: index * timeline.sliceMs, slice })),
  )
  return { sliceMs, slices: collect(parts, sliceMs) }
}

function collect(parts: readonly { readonly at: number; readonly slice: Slice }[], sliceMs: number): Slice[] {
  const slices: Slice[] = []
  for (const { at, slice } of parts) {
    const index = Math.max(0, Math.floor(at / sliceMs))
    while (slices.length <= index) slices.push(EMPTY)
    slices[index] = add(slices[index] ?? EMPTY, slice)
  }
  return slices
}

const add = (a: Slice, b: Slice): Slice => ({
  requests: a.requests + b.requests,
  lost: a.lost + b.lost,
  totalMs: a.totalMs + b.totalMs,
  slowestMs: Math.max(a.slowestMs, b.slowestMs),
})
