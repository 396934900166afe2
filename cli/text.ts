// The text of a file that a command is given, however a shell or an editor has written it; not what the text means.

import { readFile } from 'node:fs/promises'
import { UsageError } from './errors.js'

/** Some shells write what a command prints as UTF-16, and some editors put a byte order mark before it. */
export const textOf = (bytes: Buffer): string => {
  const text = bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString('utf16le') : bytes.toString()
  return text.replace(/^\uFEFF/, '')
}

/**
 * The text of the JSON file that a flag names.
 * @throws UsageError where it cannot be read
 */
export const textNamedBy = async (flag: string, file: string): Promise<string> => {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${flag}: cannot read ${file} (${error.code}); name a JSON file that is there.`)
  })
  return textOf(bytes)
}
