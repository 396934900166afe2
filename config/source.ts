// Finds and reads a target file, whatever its format; not what the content means.

import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, relative, resolve } from 'node:path'
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { lilconfig } from 'lilconfig'
import { type Path, showReceived, TargetError } from './errors.js'
import { loadModule } from './module-source.js'

/** A target file as it was read, before it is checked. */
export interface TargetSource {
  /** Absolute path; absent for a target that is given by its URL. */
  readonly path?: string
  /** What messages call it. */
  readonly label: string
  readonly content: unknown
  /** Where in the file a path is: ':3:7' in JSON, '' where that can't be told. */
  readonly position: (path: Path) => string
}

/** The names that a target file may have, the one to prefer first. */
export const searchPlaces = ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `touchstone.config.${extension}`)

/**
 * The nearest target file upward from a folder, or undefined.
 * @throws TargetError where another one lies beside it: a run against another target than the one meant is worse than an error
 */
export async function findSource(cwd: string): Promise<TargetSource | undefined> {
  const found = await searcher(cwd).search(cwd)
  if (found === null) return undefined
  const label = labelOf(found.filepath, cwd)
  const rivals = await rivalsOf(found.filepath)
  if (rivals.length > 0)
    throw new TargetError(
      `${label}: expected no other target file beside it; received ${rivals.join(', ')} as well. Name one with --target, or remove the others.`,
    )
  return asSource(found.filepath, found.config, cwd)
}

/** Other target files in the folder of one; what a compiler makes of a file is none. */
async function rivalsOf(path: string): Promise<readonly string[]> {
  const own = basename(path)
  const files = await readdir(dirname(path))
  return searchPlaces.filter((place) => files.includes(place) && place !== own && place !== own.replace(/ts$/, 'js'))
}

/** The target file of that name, relative to a folder. */
export async function readSource(file: string, cwd: string): Promise<TargetSource> {
  const path = resolve(cwd, file)
  const label = /^\w+:\/\//.test(file) ? file : labelOf(path, cwd)
  const extensions = searchPlaces.map((place) => extname(place))
  if (!extensions.includes(extname(path))) {
    throw new TargetError(
      `${label}: expected a target file ending in ${extensions.join(', ')}, or a URL that begins with http:// or https://; received ${showReceived(file, [])}. Rename the file, or name another one.`,
    )
  }
  const entry = await stat(path).catch(() => undefined)
  if (!entry?.isFile()) {
    throw new TargetError(
      `${label}: expected a target file; received ${entry ? 'a folder' : 'no such file'}. Name another one, or write one with \`touchstone init\`.`,
    )
  }
  const loaded = await searcher(cwd).load(path)
  return asSource(path, loaded?.config, cwd)
}

interface Loaded {
  readonly content: unknown
  readonly position: (path: Path) => string
}

/** Empty files are not skipped: a run against another target than the one meant is worse than an error. */
function searcher(cwd: string) {
  const byModule = async (path: string) => ({
    content: await loadModule(path, labelOf(path, cwd)),
    position: () => '',
  })
  const byJson = (path: string, text: string) => Promise.resolve(loadJson(text, labelOf(path, cwd)))
  return lilconfig('touchstone', {
    searchPlaces,
    ignoreEmptySearchPlaces: false,
    cache: false,
    loaders: { '.ts': byModule, '.mts': byModule, '.js': byModule, '.mjs': byModule, '.json': byJson },
  })
}

function asSource(path: string, loaded: Loaded | undefined, cwd: string): TargetSource {
  const label = labelOf(path, cwd)
  if (loaded === undefined) {
    throw new TargetError(
      `${label}: expected a target file; received an empty file. Write one with \`touchstone init --force\`, or delete it.`,
    )
  }
  return { path, label, ...loaded }
}

function loadJson(text: string, label: string): Loaded {
  const json = text.replace(/^\uFEFF/, '')
  const errors: ParseError[] = []
  const tree = parseTree(json, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error || !tree) throw jsonError(json, label, error)
  const twin = repeatedKey(tree)
  if (twin) {
    throw new TargetError(
      `${label}${lineAndColumn(json, twin.offset)}: expected each key once; received ${twin.value} again. Remove one of the two.`,
    )
  }
  return {
    content: getNodeValue(tree),
    position: (path) => {
      const node = closestNode(tree, path)
      return lineAndColumn(json, node.parent?.type === 'property' ? node.parent.offset : node.offset)
    },
  }
}

/** The first key that its object has twice, of which a reader of JSON would take the last. */
function repeatedKey(node: Node): Node | undefined {
  const children = node.children ?? []
  const keys = node.type === 'object' ? children.flatMap((property) => property.children?.[0] ?? []) : []
  const names = keys.map(({ value }) => value)
  const twin = keys.find(({ value }, at) => names.indexOf(value) < at)
  return twin ?? children.map(repeatedKey).find((found) => found !== undefined)
}

/** Quotes nothing of the file: the text about an error could be a secret. */
function jsonError(json: string, label: string, error: ParseError | undefined): TargetError {
  const code = error ? printParseErrorCode(error.error) : 'ValueExpected'
  const words = code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase()
  const at = lineAndColumn(json, error?.offset ?? 0)
  return new TargetError(`${label}${at}: expected JSON; received text that is none: ${words}. Correct that line.`)
}

/** The node at a path, or the nearest one above it where something is missing. */
function closestNode(tree: Node, path: Path): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length))
    if (node) return node
  }
  return tree
}

function lineAndColumn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n')
  return `:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
}

function labelOf(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short
}
