// Makes the folder of a run's files, for its owner alone.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder, and what it lies in. Level by level: where the file system has no room for a name, as in /proc, `recursive` never ends.
 * @throws the error of the file system, which names the folder
 */
export const makeFolder = (path: string): void => {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at)
  for (const one of missing.reverse()) mkdirSync(one, { mode: 0o700 })
  // Something else of that name is told of as such.
  if (missing.length === 0) mkdirSync(path, { recursive: true, mode: 0o700 })
}
