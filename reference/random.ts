// A small generator of numbers whose state is a number: the same seed gives the same series.

/** The next number from 0 to 1, and the state after it (mulberry32). */
export const draw = (before: number): { readonly state: number; readonly number: number } => {
  const state = (before + 0x6d2b79f5) >>> 0
  let t = Math.imul(state ^ (state >>> 15), state | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return { state, number: ((t ^ (t >>> 14)) >>> 0) / 4294967296 }
}

/** A series of numbers from 0 to 1. */
export const generator = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    const drawn = draw(state)
    state = drawn.state
    return drawn.number
  }
}
