// The seed of what tests draw: the same every time, or what TOUCHSTONE_SEED says; vitest.config.ts sets it.
export const seed = Number(process.env.TOUCHSTONE_SEED)
