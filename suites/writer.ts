// Appends lines to a file as they happen, flushed by size and on demand; a full disk is told, not swallowed.
import { closeSync, openSync, writeSync } from 'node:fs'

export interface Writer {
  readonly write: (line: object) => void
  readonly flush: () => void
  readonly close: () => void
}

const flushBytes = 64 * 1024

/** @throws Error that names the file where a line cannot be written; what was flushed before stays. */
export const openWriter = (path: string, flushAt = flushBytes): Writer => {
  const file = openSync(path, 'a')
  let buffer: string[] = []
  let size = 0
  const flush = (): void => {
    if (size === 0) return
    const text = buffer.join('')
    buffer = []
    size = 0
    try {
      writeSync(file, text)
    } catch (error) {
      throw new Error(
        `cannot write ${path}: ${error instanceof Error ? error.message : String(error)}; free some space and run again, what was recorded before is kept`,
      )
    }
  }
  return {
    write: (line) => {
      const text = `${JSON.stringify(line)}\n`
      buffer.push(text)
      size += text.length
      if (size >= flushAt) flush()
    },
    flush,
    close: () => {
      flush()
      closeSync(file)
    },
  }
}
