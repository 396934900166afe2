// Reads the file of `--vocabulary`: a target's words in JSON, by themselves or in a target file.

import { resolve } from 'node:path'
import { ambiguityIn, type VocabularyFile } from '../config/vocabulary.js'
import { isObject } from '../models/language/objects.js'
import { documentWords } from '../models/words.js'
import { UsageError } from './errors.js'
import { textNamedBy } from './text.js'

/** @throws UsageError that says what was expected of the file, and what was received */
export const readVocabulary = async (file: string, cwd: string): Promise<VocabularyFile> => {
  const content = parsed(await textNamedBy('--vocabulary', resolve(cwd, file)), file)
  const words = isObject(content) && isObject(content.vocabulary) ? content.vocabulary : content
  const wrong = isObject(words) ? ill(words, '') : 'no object'
  if (wrong !== undefined)
    throw new UsageError(
      `--vocabulary: ${file}: expected a map from the document's word to the target's, as the key vocabulary of a target file; received ${wrong}.`,
    )
  const ambiguity = ambiguityIn(words as VocabularyFile, documentWords())
  if (ambiguity !== undefined)
    throw new UsageError(`--vocabulary: ${file}: expected a word of its own for each, received ${ambiguity}.`)
  return words as VocabularyFile
}

const parsed = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(
      `--vocabulary: ${file}: expected JSON; ${error instanceof Error ? error.message : ''}. Correct the file.`,
    )
  }
}

/** The first member that is neither a word nor a map of such, by its path. */
const ill = (words: Readonly<Record<string, unknown>>, at: string): string | undefined =>
  Object.entries(words)
    .map(([key, value]) =>
      typeof value === 'string' && value !== ''
        ? undefined
        : isObject(value) && at.split('.').length < 3
          ? ill(value, `${at}.${key}`)
          : `${JSON.stringify(value)} at ${`${at}.${key}`.slice(1)}`,
    )
    .find((found) => found !== undefined)
