// The seed of what tests draw: the same wherever and whenever one commit is tested, another one with the next commit.

import { execFileSync } from 'node:child_process'

/** Of a commit's id; 7 where there is none. */
export const seedOf = (commit: string | undefined): number =>
  commit === undefined ? 7 : Number.parseInt(commit.slice(0, 7), 16)

const commitOf = (cwd: string): string | undefined => {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return undefined
  }
}

/** @throws Error where it is no whole number, with which nothing would be drawn */
export const seedIn = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text)
  throw new Error(`TOUCHSTONE_SEED: expected a whole number, received ${JSON.stringify(text)}`)
}

const { TOUCHSTONE_SEED: given } = process.env

/** What TOUCHSTONE_SEED says, which vitest.config.ts hands to every worker. */
export const seed = given ? seedIn(given) : seedOf(commitOf(import.meta.dirname))
