// What is known of a target whose traffic is read, in the words of the readers; nothing is read here.

import type { Target } from '../config/target-file.js'
import { createVocabulary, type VocabularyFile } from '../config/vocabulary.js'
import type { HarOptions } from '../history/har.js'
import { createFinder } from '../history/routes.js'
import { operations } from '../models/index.js'
import type { Environment } from '../models/language/environment.js'

export interface RecordedTarget {
  readonly environment: Environment
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** By token name. */
  readonly secrets: ReadonlyMap<string, string>
  readonly vocabulary: VocabularyFile
  readonly listLagMs: number
}

export const recordedTargetOf = ({ environment, baseUrl, secrets, vocabulary, pace }: Target): RecordedTarget => ({
  environment,
  baseUrl,
  secrets,
  vocabulary,
  listLagMs: pace.listLagMs,
})

/** How the traffic of a target is read; by default of one of which nothing is known. */
export const harOptionsOf = (target?: RecordedTarget): HarOptions => {
  const route = createFinder(operations)
  if (!target) return { route }
  const { vocabulary, ...known } = target
  const words = createVocabulary(vocabulary)
  return { route, target: { ...known, ...(words && { translate: { body: words.reply, url: words.serving.url } }) } }
}
