// Where the user's own cache is: code in a folder that others may write to could be theirs.
import { mkdirSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

/** Undefined where the environment names none; one that cannot be written to is for the caller to do without. */
export const cacheFolder = (
  { XDG_CACHE_HOME: own = '', HOME: home = '', LOCALAPPDATA: local = '' }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | undefined => {
  const base = platform === 'win32' ? local : isAbsolute(own) ? own : home && join(home, '.cache')
  return isAbsolute(base) ? join(base, 'touchstone') : undefined
}

/**
 * Makes the folder and the one above it where they are not there; tells whether it is there now. Node.js itself would
 * also make every folder above, even a home that does not exist, and hangs where a file system lets nobody make folders.
 */
export const makeCacheFolder = (folder: string): boolean => {
  for (const one of [dirname(folder), folder])
    try {
      mkdirSync(one, { mode: 0o700 })
    } catch {
      if (!isFolder(one)) return false
    }
  return true
}

/** False also where it may not be looked at, as in another user's home. */
const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
