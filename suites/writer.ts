// Appends lines to a file as they happen, flushed by size and on demand; a full disk is told, not swallowed.
import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs'

export interface Writer {
  readonly write: (line: object) => void
  readonly flush: () => void
  readonly close: () => void
}

const flushBytes = 64 * 1024

/** @throws Error that names the file where a line cannot be written; what was flushed before stays. */
export const openWriter = (
  path: string,
  redact: (text: string) => string = (text) => text,
  flushAt = flushBytes,
): Writer => {
  const file = openSync(path, 'a', 0o600)
  let pending: object[] = []
  let buffer: string[] = []
  let size = 0
  const spell = (): void => {
    for (const line of pending) {
      const text = `${redact(JSON.stringify(line))}\n`
      buffer.push(text)
      size += text.length
    }
    pending = []
  }
  const flush = (): void => {
    spell()
    if (size === 0) return
    const text = buffer.join('')
    buffer = []
    size = 0
    naming(path, () => writeSync(file, text))
  }
  // A second Ctrl-C ends the process at once: what has happened by then is written all the same.
  process.on('exit', flush)
  return {
    write: (line) => {
      if (size >= flushAt) flush()
      // Spelled out when the next request has been sent, while its reply is on its way.
      if (pending.length === 0) setImmediate(() => setImmediate(spell))
      pending.push(line)
    },
    flush,
    close: () => {
      process.off('exit', flush)
      flush()
      closeSync(file)
    },
  }
}

/** Appends to a file for its owner alone. @throws Error that names the file where that fails. */
export const appendText = (path: string, text: string): void =>
  naming(path, () => appendFileSync(path, text, { mode: 0o600 }))

/** What the system says of a full disk names no file. */
export const naming = (path: string, write: () => void): void => {
  try {
    write()
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    const text = `cannot write ${path}: ${message}; free some space and run again, what was recorded before is kept`
    throw Object.assign(new Error(text), { code, syscall, path })
  }
}
