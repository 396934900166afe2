// Reads the file of --expected-findings; what a command does with them is its own.

import { readFile } from 'node:fs/promises'
import { type ExpectedFinding, parseExpected } from '../reports/index.js'
import { asUsage, UsageError } from './errors.js'

/**
 * The expected findings of a file, read before anything is done, since that would be in vain if the file is no good.
 * @throws UsageError where it cannot be read, or does not hold expected findings
 */
export const expectedIn = async (file: string | undefined): Promise<readonly ExpectedFinding[] | undefined> => {
  if (file === undefined) return undefined
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--expected-findings: cannot read ${file} (${error.code}); name a JSON file that is there.`)
  })
  return asUsage('--expected-findings', () => parseExpected(text, file))
}
