// What this package says of itself in its own package.json: its version, and the Node.js that it needs.
import { readFileSync } from 'node:fs'

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly engines?: { readonly node?: string }
}

export const packageVersion = (): string => manifest().version ?? 'unknown'

/**
 * What to tell whoever starts it with too old a Node.js, where much that it loads is missing.
 * @param running such as '20.19.0'
 */
export const tooOldNode = (running: string): string | undefined => {
  const oldest = /\d+\.\d+/.exec(manifest().engines?.node ?? '')?.[0] ?? '0.0'
  const [[major = 0, minor = 0], [least = 0, leastMinor = 0]] = [numbersOf(running), numbersOf(oldest)]
  return major > least || (major === least && minor >= leastMinor)
    ? undefined
    : `expected Node.js ${oldest} or newer, received ${running}. Install a newer one.`
}

const numbersOf = (version: string): readonly number[] => version.split('.').map(Number)

/** Found beside the sources or one folder above the compiled code. */
const manifest = (): Manifest => {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const found = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as Manifest
      if (found.name === 'touchstone') return found
    } catch {
      // Not there: the other place is tried.
    }
  }
  return {}
}
