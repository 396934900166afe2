// What is wrong with a target file, in words: problems, where they are, and the error that carries them; not the checks themselves.

import { closest, distance } from 'fastest-levenshtein'
import type { SchemaNode } from './schema.js'

/** Keys and positions from the root of the file down. */
export type Path = readonly (string | number)[]

export interface Problem {
  readonly path: Path
  readonly expected: string
  readonly received: string
  /** What to do, as a sentence. */
  readonly next: string
}

/** A target that can't be used: its file is missing, unreadable or wrong. The message names every problem. */
export class TargetError extends Error {
  override readonly name = 'TargetError'
}

/**
 * One error for all problems of a file, a line each.
 * @param file what was read, as the user would name it
 * @param locate says where in the file a path is, such as ':3:7', or which environment variable set it
 */
export function targetError(file: string, problems: readonly Problem[], locate: (path: Path) => string): TargetError {
  const lines = problems.map((problem) => showProblem(problem, locate(problem.path)))
  if (lines.length === 1) return new TargetError(lines[0])
  return new TargetError([`${lines.length} problems in ${file}:`, ...lines.map((line) => `  ${line}`)].join('\n'))
}

/** A problem as a line. @param where what was checked, or the place in it */
export function showProblem({ path, expected, received, next }: Problem, where: string): string {
  const key = showPath(path)
  return `${where}${key === '' ? '' : ` ${key}`}: expected ${expected}; received ${received}. ${next}`
}

/** `tokens[0].secret`, `pins["volumes.create.status"]`, or '' for the root. */
export function showPath(path: Path): string {
  return path
    .map((key, position) => {
      if (typeof key === 'number') return `[${key}]`
      if (!/^[\w$]+$/.test(key)) return `[${JSON.stringify(key)}]`
      return position === 0 ? key : `.${key}`
    })
    .join('')
}

/** The known word that was probably meant, if one is near enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const candidate = closest(word, [...known])
  // Short words are near to most others.
  const most = candidate.length <= 3 ? 1 : Math.max(2, Math.floor(candidate.length / 3))
  return distance(word, candidate) <= most ? candidate : undefined
}

/** The known word of which a word is a slip: a letter more, less or other, or two neighbouring ones swapped. */
export function slipOf(word: string, known: readonly string[]): string | undefined {
  return known.find((one) => distance(word, one) === 1 || isSwapped(word, one))
}

function isSwapped(word: string, known: string): boolean {
  const at = [...known].findIndex((letter, position) => letter !== word[position])
  return word === `${known.slice(0, at)}${known[at + 1]}${known[at]}${known.slice(at + 2)}`
}

/** What a schema expects, as a noun phrase. */
export function expectation(schema: SchemaNode): string {
  if (schema.title !== undefined) return schema.title
  if (schema.enum) return alternatives(schema.enum.map((value) => JSON.stringify(value)))
  if (schema.type === 'array' && schema.items) return `an array${members(schema.items)}`
  const least = schema.minimum === undefined ? '' : ` of at least ${schema.minimum}`
  return alternatives([schema.type ?? 'value'].flat().map(article)) + least
}

/** What was received, without a secret that it may hold. */
export function showReceived(value: unknown, path: Path): string {
  if (value === undefined) return 'nothing'
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (typeof value === 'object') return showKeys(Object.keys(value))
  if (typeof value !== 'string') return article(typeof value)
  if (mayBeSecret(path)) return 'a string that is not shown here'
  const open = value.replace(/\/\/[^/@]*@/, '//…@')
  return JSON.stringify(open.length > 60 ? `${open.slice(0, 60)}…` : open)
}

/** The problem of a key that the file may not have at this place. */
export function unknownKey(path: Path, key: string, schema: SchemaNode): Problem {
  const { properties = {} } = schema
  const known = Object.keys(properties).filter((name) => name !== '$schema')
  const home = known.find((name) => Object.hasOwn(properties[name]?.properties ?? {}, key))
  const meant = nearest(key, known)
  const hint = meant === undefined ? 'Remove it.' : `Did you mean ${JSON.stringify(meant)}? Rename it or remove it.`
  return {
    path: [...path, key],
    expected: known.length === 0 ? expectation(schema) : `one of the keys ${known.join(', ')}`,
    received: `the unknown key ${JSON.stringify(key)}`,
    next: home === undefined ? hint : `Put it under ${JSON.stringify(home)}.`,
  }
}

/** Whatever stands under `tokens`, but for the keys that hold none, could be a secret put in the wrong place. */
function mayBeSecret(path: Path): boolean {
  return path[0] === 'tokens' && !['name', 'user', 'scopes'].includes(String(path[2]))
}

function showKeys(keys: readonly string[]): string {
  if (keys.length === 0) return 'an object without keys'
  return `an object with the key${keys.length === 1 ? '' : 's'} ${keys.join(', ')}`
}

function members(schema: SchemaNode): string {
  return schema.title === undefined ? ` of ${schema.type ?? 'value'}s` : `, each ${schema.title}`
}

function article(noun: string): string {
  return noun === 'null' ? noun : `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}

export function alternatives(words: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(words)
}
