// The results of an earlier run, as the evidence that commands show beside what they know; nothing is judged here.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Results } from '../reports/results-schema.js'
import { resultsOf } from './content.js'

export interface Evidence {
  readonly file: string
  readonly results: Results | undefined
  /** Why there are none. */
  readonly reason: string
}

/** The results.json of a folder, where there is one. */
export const evidenceIn = async (out: string): Promise<Evidence> => {
  const file = join(out, 'results.json')
  if (!existsSync(file)) return { file, results: undefined, reason: `there is no ${file}` }
  try {
    return { file, results: await resultsOf(file), reason: '' }
  } catch (error) {
    return {
      file,
      results: undefined,
      reason: error instanceof Error ? error.message : String(error),
    }
  }
}
