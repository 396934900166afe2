import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operations } from '../models/index.js'
import { placed, root, type Source, sourcesIn } from './sources.js'

/** What a conformance run is made of. */
const ofRuns = ['models', 'history', 'oracle', 'arbitraries', 'config', 'driver', 'reference', 'reports', 'suites']

/** Room by room, the rooms it may import from. What is not listed here is not a room. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  models: [],
  history: ['models'],
  oracle: ['models', 'history', 'arbitraries'],
  arbitraries: ['models'],
  config: ['models'],
  driver: ['models', 'history', 'oracle', 'arbitraries', 'config'],
  reference: ['models', 'history', 'oracle', 'arbitraries', 'config', 'driver'],
  reports: [],
  library: [...ofRuns, 'guard'],
  guard: ['models', 'history', 'oracle', 'config', 'driver', 'reference', 'reports', 'suites'],
  suites: ['models', 'history', 'oracle', 'arbitraries', 'config', 'driver', 'reference', 'reports'],
  cli: [...ofRuns, 'guard', 'library'],
}

const rooms = Object.keys(mayImport)
const sources = sourcesIn(...rooms)
const models = sources.filter(({ room }) => room === 'models')

const resourceOf = ({ id }: { readonly id: string }): string => id.slice(0, id.lastIndexOf('.'))
const resources = [...new Set(operations.map(resourceOf))].sort()

const stem = ({ path }: Source): string => path.replace(/\.ts$/, '')

const resourcesOf = async ({ path }: Source): Promise<readonly string[]> => {
  const exported = Object.values((await import(join(root, path))) as Readonly<Record<string, unknown>>)
  const defined = operations.filter((op) => exported.flat().includes(op))
  return [...new Set(defined.map(resourceOf))]
}

/** The resources of whose operations a file exports some; the registry, which exports all, is left out. */
const defines = new Map(
  await Promise.all(
    models
      .filter(({ path }) => path !== 'models/index.ts')
      .map(async (source) => [stem(source), await resourcesOf(source)] as const),
  ),
)

/** What one room may take from another beyond the table: types alone, of the one file. */
const typesOnly: readonly { readonly room: string; readonly file: string }[] = [
  { room: 'reports', file: 'history/record' },
  { room: 'reports', file: 'history/wire' },
]

/** What reports ask of rooms beside them: causes, the schemas of what they read and write, which calls were sent, what a need is, and two helpers that know no resource. */
const asked: readonly { readonly room: string; readonly file: string }[] = [
  { room: 'reports', file: 'oracle/diagnosis/diagnose' },
  { room: 'reports', file: 'history/lines' },
  { room: 'reports', file: 'history/unsent' },
  { room: 'reports', file: 'history/shapes' },
  { room: 'reports', file: 'history/schema-words' },
  { room: 'reports', file: 'models/language/grouped' },
  { room: 'reports', file: 'models/language/get-or-insert' },
  { room: 'reports', file: 'models/language/needs' },
]

const roomOf = (path: string): string => path.slice(0, path.indexOf('/'))

const isAllowed = (source: Source, { what, isTypeOnly }: Source['imports'][number]): boolean =>
  roomOf(what) === source.room ||
  (mayImport[source.room] ?? []).includes(roomOf(what)) ||
  asked.some(({ room, file }) => room === source.room && file === what) ||
  typesOnly.some(({ room, file }) => room === source.room && file === what && isTypeOnly)

describe('imports', () => {
  test.each(rooms)('%s/ has files', (room) => {
    expect(sources.filter((source) => source.room === room)).not.toEqual([])
  })

  test.each(rooms)('%s/ imports only from rooms below it', (room) => {
    const wrong = sources
      .filter((source) => source.room === room)
      .flatMap((source) =>
        source.imports.filter((one) => one.isLocal && !isAllowed(source, one)).map((one) => placed(source, one)),
      )
    expect(wrong).toEqual([])
  })

  test('no files import each other in a ring', () => {
    expect(ringsIn(sources)).toEqual([])
  })

  test('a ring of files is found', () => {
    const file = (name: string, ...imports: string[]): Source => ({
      path: `models/${name}.ts`,
      room: 'models',
      text: '',
      imports: imports.map((what) => ({ what: `models/${what}`, isLocal: true, isTypeOnly: false })),
    })
    expect(ringsIn([file('a', 'b'), file('b', 'c'), file('c', 'b', 'd'), file('d')])).toEqual([
      'models/b.ts',
      'models/c.ts',
    ])
  })

  test('no file of the product imports a test, a benchmark or a script', () => {
    const wrong = sources.flatMap((source) =>
      source.imports
        .filter(({ what, isLocal }) => isLocal && !rooms.includes(roomOf(what)))
        .map((one) => placed(source, one)),
    )
    expect(wrong).toEqual([])
  })
})

/** Files that import each other in a ring: takes away, until none is left, what imports no other of them or is imported by none. */
const ringsIn = (all: readonly Source[]): readonly string[] => {
  const local = (source: Source) => source.imports.filter(({ isLocal }) => isLocal).map(({ what }) => what)
  const names = new Set(all.map(stem))
  const imported = new Set(all.flatMap(local))
  const rest = all.filter((source) => imported.has(stem(source)) && local(source).some((what) => names.has(what)))
  return rest.length < all.length ? ringsIn(rest) : rest.map(({ path }) => path)
}

/** A schema builder and IP arithmetic: pure, both. */
const purePackages = ['@sinclair/typebox', 'fast-deep-equal', 'ipaddr.js']

/** Ways to the clock, to chance and to the outside; what only computes from its arguments is left out. */
const impure: readonly (readonly [string, RegExp])[] = [
  ['the present', /\bnew Date\(\)|\bDate\.now\b|\bDate\(\)|\bperformance\b|\bTemporal\.Now\b/],
  ['chance', /\bMath\.random\b|\bcrypto\b/],
  ['the process', /\bprocess\.|\bglobalThis\b|\bconsole\./],
  ['the network', /\bfetch\(/],
  ['a timer', /\bset(?:Timeout|Interval|Immediate)\(|\bqueueMicrotask\(/],
  ['a later time', /\basync \(|\basync function|\bawait /],
]

/** Without comments, so that prose about clocks is no clock. */
const codeOf = ({ text }: Source): string => text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')

/** Without what stands in quotes, which may hold a bracket. */
const unquoted = (text: string): string => text.replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''")

/** The text of a call from its name on, up to the bracket that ends it. */
const callAt = (text: string, from: number): string => {
  let open = 0
  for (let at = text.indexOf('(', from); at < text.length; at += 1) {
    if (text[at] === '(') open += 1
    else if (text[at] === ')') open -= 1
    if (open === 0) return text.slice(from, at + 1)
  }
  return text.slice(from)
}

describe('what a test draws is drawn from a seed', () => {
  /** Calls whose options, which come last, do not match. */
  const without = (calls: RegExp, options: RegExp): readonly string[] =>
    sourcesIn('tests').flatMap(({ path, text }) => {
      const code = unquoted(text)
      return [...code.matchAll(calls)]
        .map(({ index }) => callAt(code, index))
        .filter((call) => !options.test(call))
        .map((call) => `${path}: ${call.slice(0, 80)}`)
    })

  test('so that it fails for everybody or for nobody', () => {
    expect(without(/\bfc\.(?:assert|check|sample)\(/g, /\{[^{}]*\bseed\b[^{}]*\}\s*,?\s*\)$/)).toEqual([])
  })

  test('and laws from that of the commit, so that each commit tries others', () => {
    expect(without(/\bfc\.assert\(/g, /\{[^{}]*\bseed\b(?!: \d)[^{}]*\}\s*,?\s*\)$/)).toEqual([])
  })
})

describe('models', () => {
  test('models/ imports no package but those that are pure', () => {
    const wrong = models.flatMap((source) =>
      source.imports
        .filter(({ what, isLocal }) => !isLocal && !purePackages.includes(what))
        .map((one) => placed(source, one)),
    )
    expect(wrong).toEqual([])
  })

  test.each(impure)('models/ does not reach for %s', (_, pattern) => {
    const wrong = models.flatMap((source) => {
      const hit = pattern.exec(codeOf(source))
      return hit ? [`${source.path}: ${hit[0]}`] : []
    })
    expect(wrong).toEqual([])
  })

  test('a file that defines operations imports no file that defines those of another resource', () => {
    const wrong = models.flatMap((source) => {
      const own = defines.get(stem(source)) ?? []
      if (own.length === 0) return []
      return source.imports
        .filter(({ what }) => (defines.get(what) ?? []).some((resource) => !own.includes(resource)))
        .map((one) => placed(source, one))
    })
    expect(wrong).toEqual([])
  })

  test('the records import no file that defines operations', () => {
    const wrong = models
      .filter(({ path }) => path.endsWith('/record.ts'))
      .flatMap((source) =>
        source.imports.filter(({ what }) => (defines.get(what) ?? []).length > 0).map((one) => placed(source, one)),
      )
    expect(wrong).toEqual([])
  })

  test('every resource of the registry is defined in a file of models/', () => {
    expect([...new Set([...defines.values()].flat())].sort()).toEqual(resources)
  })
})

describe('rooms', () => {
  test('every resource has a suite of its own name', () => {
    const suites = sources.filter(({ path }) => path.startsWith('suites/') && path.endsWith('.test.ts'))
    const called = suites.flatMap(({ text }) =>
      [...text.matchAll(/\bconformance\('([^']+)'\)/g)].map(([, name]) => name),
    )
    expect(resources.filter((name) => !called.includes(name))).toEqual([])
  })

  test('no file outside of models/ has more than 500 lines', () => {
    const long = sources
      .filter(({ room }) => room !== 'models')
      .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
      .filter(({ lines }) => lines > 500)
    expect(long).toEqual([])
  })

  test('every file opens with a sentence that says what it is', () => {
    const silent = sources
      .filter(({ path }) => !path.endsWith('.test.ts'))
      .filter(({ text }) => !/^(?:#!.*\n)?\/\/ \S.*[.:;]/.test(text))
    expect(silent.map(({ path }) => path)).toEqual([])
  })
})
