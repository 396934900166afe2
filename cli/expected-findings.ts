// Reads the file of --expected-findings; what a command does with them is its own.

import { type ExpectedFinding, parseExpected } from '../reports/index.js'
import { asUsage } from './errors.js'
import { textNamedBy } from './text.js'

/**
 * The expected findings of a file, read before anything is done, since that would be in vain if the file is no good.
 * @throws UsageError where it cannot be read, or does not hold expected findings
 */
export const expectedIn = async (file: string | undefined): Promise<readonly ExpectedFinding[] | undefined> => {
  if (file === undefined) return undefined
  const text = await textNamedBy('--expected-findings', file)
  return asUsage('--expected-findings', () => parseExpected(text, file))
}
