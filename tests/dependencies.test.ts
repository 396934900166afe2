import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './sources.js'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly files: readonly string[]
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

const manifest = JSON.parse(read('package.json')) as Manifest

/** The packages that a section of the page names. */
const namedUnder = (heading: string): readonly string[] => {
  const section =
    read('docs/dependencies.md')
      .split('\n## ')
      .find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^\| `([^`]+)` \| .+ \|$/gm)].map(([, name]) => name as string)
}

describe('dependencies', () => {
  test('docs/dependencies.md gives a reason for every dependency in production, and for no other', () => {
    expect(namedUnder('In production')).toEqual(Object.keys(manifest.dependencies).sort())
  })

  test('docs/dependencies.md gives a reason for every dependency in development, and for no other', () => {
    expect(namedUnder('In development')).toEqual(Object.keys(manifest.devDependencies).sort())
  })

  test('the lock file names no registry host', () => {
    const hosts = [...read('package-lock.json').matchAll(/"resolved": "[^"]*"/g)].map(([text]) => text)
    expect(hosts).toEqual([])
  })

  // Binaries of other platforms get lost from a lock file that is written beside an installed node_modules.
  test('the lock file has every optional dependency of what it locks', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>
    }
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
      ),
    )
    expect(missing).toEqual([])
  })
})
