// The version of this package, read from its own package.json.
import { readFileSync } from 'node:fs'

/** Found beside the sources or one folder above the compiled code. */
export const packageVersion = (): string => {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as {
        readonly name?: string
        readonly version?: string
      }
      if (name === 'touchstone' && version) return version
    } catch {
      // Not there: the other place is tried.
    }
  }
  return 'unknown'
}
