// What several commands make of their flags alike; what was not given is left out.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseExpected } from '../reports/index.js'
import { UsageError } from './errors.js'
import type { SharedFlags } from './flags.js'

export const targetOf = ({ target }: Pick<SharedFlags, 'target'>): { readonly target?: string } =>
  target === undefined ? {} : { target }

/**
 * The file of expected findings, read once before anything is done, since that would be in vain otherwise.
 * @throws UsageError where it cannot be read, or does not hold expected findings
 */
export const expectedOf = async ({
  expectedFindings: file,
}: Pick<SharedFlags, 'expectedFindings'>): Promise<{ readonly expectedFindings?: string }> => {
  if (file === undefined) return {}
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--expected-findings: cannot read ${file} (${error.code}); name a JSON file that is there.`)
  })
  try {
    parseExpected(text, file)
  } catch (error) {
    throw new UsageError(`--expected-findings: ${error instanceof Error ? error.message : String(error)}`)
  }
  return { expectedFindings: resolve(file) }
}
