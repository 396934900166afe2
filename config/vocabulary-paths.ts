// Translates the segments of paths; only those that an operation's path spells out, so that a resource may bear such a name.

import { operations } from '../models/index.js'

interface PathTranslator {
  readonly out: (path: string) => string
  readonly back: (path: string) => string
  /** The path of an operation, its parameters still in braces. */
  readonly template: (path: string) => string
}

type Segments = readonly string[]
interface Pair {
  readonly ours: Segments
  readonly theirs: Segments
}

/** What clients ask beside the interface, as the embedded target answers it. */
const besides = [
  '/node/instances',
  '/node/instances/{id}',
  '/node/types',
  '/node/types/{id}',
  '/regions',
  '/regions/{id}',
  '/account/events',
]

/** @param spelled the document's segment to the target's, which may hold slashes */
export const pathTranslator = (spelled: Readonly<Record<string, string>>): PathTranslator => {
  const template = (path: string): string =>
    path
      .split('/')
      .map((segment) => spelled[segment] ?? segment)
      .join('/')
  if (Object.keys(spelled).length === 0) return { out: same, back: same, template: same }
  const paths = [...new Set([...operations.map(({ path }) => path), ...besides])]
  const pairs = paths
    .map((path): Pair => ({ ours: path.split('/'), theirs: template(path).split('/') }))
    .sort((a, b) => parameters(a.ours) - parameters(b.ours))
  return {
    out: (path) => translated(path, pairs, 'ours', 'theirs'),
    back: (path) => translated(path, pairs, 'theirs', 'ours'),
    template,
  }
}

const same = (path: string): string => path

const isParameter = (segment: string): boolean => segment.startsWith('{')

const parameters = (segments: Segments): number => segments.filter(isParameter).length

/** The path by the first pair that it fits; those with the fewest parameters come first. */
const translated = (path: string, pairs: readonly Pair[], from: keyof Pair, to: keyof Pair): string => {
  const segments = path.replace(/(?<=.)\/$/, '').split('/')
  const pair = pairs.find((one) => fits(one[from], segments))
  if (!pair) return path
  const values = segments.filter((_, i) => isParameter(pair[from][i] ?? ''))
  return pair[to].map((segment) => (isParameter(segment) ? (values.shift() ?? '') : segment)).join('/')
}

const fits = (template: Segments, segments: Segments): boolean =>
  template.length === segments.length && template.every((one, i) => isParameter(one) || one === segments[i])
