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

/** What TOUCHSTONE_SEED says, which vitest.config.ts hands to every worker. */
export const seed = Number(process.env.TOUCHSTONE_SEED || seedOf(commitOf(import.meta.dirname)))
