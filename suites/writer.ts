// Appends lines to a file as they happen, flushed by size and on demand; a full disk is told, not swallowed.
import { appendFileSync, closeSync, existsSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from './folder.js'

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
  let file = openSync(path, 'a+', 0o600)
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
  const keep = (): void =>
    naming(path, () => {
      if (!existsSync(path)) file = putBack(path, file)
    })
  const flush = (): void => {
    spell()
    if (size === 0) return
    const text = buffer.join('')
    buffer = []
    size = 0
    keep()
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
      keep()
      closeSync(file)
    },
  }
}

/** Where a folder is removed in the middle of a run, what the run would have to remove from its target is known only by the file that is gone. */
const putBack = (path: string, gone: number): number => {
  makeFolder(dirname(path))
  const file = openSync(path, 'a+', 0o600)
  const part = Buffer.alloc(flushBytes)
  let at = 0
  for (let read = readSync(gone, part, 0, part.length, at); read > 0; read = readSync(gone, part, 0, part.length, at)) {
    writeSync(file, part, 0, read)
    at += read
  }
  closeSync(gone)
  return file
}

/** Appends to a file for its owner alone. @throws Error that names the file where that fails. */
export const appendText = (path: string, text: string): void =>
  naming(path, () => {
    makeFolder(dirname(path))
    appendFileSync(path, text, { mode: 0o600 })
  })

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
