// `touchstone openapi`: prints the OpenAPI document of the interface, in the document's words or a target's own.

import { createVocabulary } from '../config/vocabulary.js'
import { openapi } from '../reference/openapi.js'
import { examples } from '../reference/openapi-examples.js'
import { readVocabulary } from './vocabulary.js'

export interface OpenapiCommand {
  /** URL of the server that the document names, with its version segment. */
  readonly server?: string
  /** File with the words of a target. */
  readonly vocabulary?: string
}

/** @throws UsageError where the file of words is no good */
export const printOpenapi = async ({ server, vocabulary }: OpenapiCommand): Promise<number> => {
  const words = vocabulary === undefined ? undefined : createVocabulary(await readVocabulary(vocabulary, process.cwd()))
  const document = openapi({
    examples: await examples(),
    ...(server !== undefined && { server }),
    ...(words && { words }),
  })
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
  return 0
}
