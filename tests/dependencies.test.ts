import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './sources.js'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
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
  test('docs/dependencies.md gives a reason for every dependency that is installed with the package, and for no other', () => {
    expect(namedUnder('Installed with the package')).toEqual(Object.keys(manifest.dependencies).sort())
  })

  test('docs/dependencies.md gives a reason for every other dependency, in the bundle or in development', () => {
    const named = [...namedUnder('In the bundle'), ...namedUnder('In development')]
    expect(named.sort()).toEqual(Object.keys(manifest.devDependencies).sort())
  })

  test('the bundle has all that docs/dependencies.md names as being in it', () => {
    const licences = readdirSync(join(root, 'dist/licences'))
    const missing = namedUnder('In the bundle').filter((name) => !licences.includes(`${name.replace('/', '+')}.txt`))
    expect(missing).toEqual([])
  })

  test('the types of the package name no package that is not installed with it', () => {
    const { '.': main, ...others } = manifest.exports
    const seen = new Set<string>()
    const named = new Set<string>()
    const follow = (path: string): void => {
      if (seen.has(path)) return
      seen.add(path)
      for (const [, from = ''] of read(path).matchAll(/(?:from |import\()['"]([^'"]+)['"]/g))
        if (from.startsWith('.')) follow(join(dirname(path), from.replace(/\.js$/, '.d.ts')))
        else if (!from.startsWith('node:')) named.add(/^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? from)
    }
    for (const entry of [main, ...Object.values(others)]) if (typeof entry === 'object') follow(entry.types ?? '')
    const installed = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)]
    expect([...named].filter((name) => !installed.includes(name))).toEqual([])
    expect([...named]).toContain('fast-check')
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
