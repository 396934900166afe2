// Tells a limit on open files under which no command gets far: Node.js stands still while it loads code, or fails on whichever file came next.

import { closeSync, openSync } from 'node:fs'

/** Code is loaded side by side, and each connection is open as well. */
const fewest = 40

export const raiseLimit = 'raise the limit on open files, as by ulimit -n 1024, then run it again'

/** @param path any file that can be read */
export const tooFewFiles = (
  path: string,
  { open = (name: string): number => openSync(name, 'r'), close = closeSync } = {},
): string | undefined => {
  const opened: number[] = []
  try {
    for (let count = 0; count < fewest; count += 1) opened.push(open(path))
    return undefined
  } catch (error) {
    if (!isOfLimit(error)) return undefined
    return `this process may open ${opened.length} more files, and needs at least ${fewest}: ${raiseLimit}`
  } finally {
    for (const file of opened) close(file)
  }
}

/** Whether an error says that too many files are open. */
export const isOfLimit = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')
