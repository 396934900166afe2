// Durations as people read them.

import { figure } from './visible.js'

/** `0.8 s`, `62 s`, `12 min 5 s`, `3 h 2 min`; below a tenth of a second `40 ms`. */
export function durationText(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A duration in milliseconds, for latencies: `4 ms`, `1,250 ms`. */
export const latencyText = (ms: number): string => `${figure(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))} ms`

/** `2026-01-31 12:00:00 UTC`; the text itself where it is no date. */
export function momentText(iso: string): string {
  const moment = new Date(iso)
  return Number.isNaN(moment.getTime()) ? iso : `${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
