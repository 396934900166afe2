// The seed of what tests draw: the same wherever and whenever one commit is tested, another one with the next commit.

import { execFileSync } from 'node:child_process'
import { defaultSeed } from '../suites/seeds.js'

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

const { TOUCHSTONE_SEED: given } = process.env

/** What TOUCHSTONE_SEED says, which vitest.config.ts hands to every worker. */
export const seed = given ? defaultSeed(given) : seedOf(commitOf(import.meta.dirname))
