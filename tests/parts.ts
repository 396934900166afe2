// A part of what takes long to try, another one with each seed; all of it by `npm run whole`.

import { seed } from './seed.js'

const isWhole = Boolean(process.env.TOUCHSTONE_WHOLE)

/** One in so many of them, and at least one. With one seed after another each of them comes up. */
export const partOf = <T>(all: readonly T[], oneIn: number): readonly T[] => {
  const stride = isWhole ? 1 : Math.min(oneIn, all.length)
  return all.filter((_, i) => i % stride === seed % stride)
}
