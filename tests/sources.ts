// The project's own source files and what they import, for tests about the code itself; no test.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Import {
  /** A package or `node:` module as written; a file of the project as its path from the root, without extension. */
  readonly what: string
  readonly isLocal: boolean
  /** Gone after compilation. */
  readonly isTypeOnly: boolean
}

export interface Source {
  /** From the project's root, with `/`. */
  readonly path: string
  /** The folder at the root that holds it; empty for a file at the root. */
  readonly room: string
  readonly text: string
  readonly imports: readonly Import[]
}

export const root = fileURLToPath(new URL('..', import.meta.url))

const importPattern =
  /^(?:import|export) (?<kind>type )?(?:[^'"`;]*? from )?'(?<named>[^']+)'|\bimport\('(?<loaded>[^']+)'\)/gm

const importsOf = (path: string, text: string): readonly Import[] =>
  [...text.matchAll(importPattern)].map(({ groups = {} }) => {
    const what = groups.named ?? groups.loaded ?? ''
    const isLocal = what.startsWith('.')
    return {
      what: isLocal ? posix.join(posix.dirname(path), what).replace(/\.[jt]s$/, '') : what,
      isLocal,
      isTypeOnly: groups.kind !== undefined,
    }
  })

const read = (path: string): Source => {
  const text = readFileSync(join(root, path), 'utf8')
  const room = path.includes('/') ? (path.split('/')[0] as string) : ''
  return { path, room, text, imports: importsOf(path, text) }
}

/** Every TypeScript file of these folders and below; a folder that is not there has none. */
export const sourcesIn = (...rooms: readonly string[]): readonly Source[] =>
  rooms
    .filter((room) => existsSync(join(root, room)))
    .flatMap((room) =>
      (readdirSync(join(root, room), { recursive: true }) as string[]).map((name) => `${room}/${name}`),
    )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map(read)

/** The file in words that a test's failure can show. */
export const placed = ({ path }: Source, { what }: Import): string => `${path} imports ${what}`
