// What a run may start its random choices from: the bound of seeds, and the one that the environment names.

/** The largest seed that every generator takes. */
export const mostSeed = 2 ** 31 - 1

/**
 * What TOUCHSTONE_SEED says, or else the time.
 * @throws Error where it says anything but a seed, with which nothing would be drawn
 */
export const defaultSeed = (text = process.env.TOUCHSTONE_SEED): number => {
  if (!text) return Date.now() % mostSeed
  if (/^\d+$/.test(text) && Number(text) <= mostSeed) return Number(text)
  const expected = `a whole number from 0 to ${mostSeed}`
  throw new Error(`TOUCHSTONE_SEED: expected ${expected}, received ${JSON.stringify(text)}; set it so, or unset it`)
}
