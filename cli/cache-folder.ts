// Where the user's own cache is: code in a folder that others may write to could be theirs.
import { isAbsolute, join } from 'node:path'

/** Undefined where the environment names none; one that cannot be written to is for the caller to do without. */
export const cacheFolder = (
  { XDG_CACHE_HOME: own = '', HOME: home = '', LOCALAPPDATA: local = '' }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | undefined => {
  const base = platform === 'win32' ? local : isAbsolute(own) ? own : home && join(home, '.cache')
  return isAbsolute(base) ? join(base, 'touchstone') : undefined
}
