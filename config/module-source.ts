// Loads a target file that is a module, and hands over what it exports; not JSON, nor what the content means.

import { extname } from 'node:path'
import { type Path, showPath, TargetError } from './errors.js'

/** So long a module may take to load: it may wait for something. */
const longestLoadMs = 60_000

/**
 * The default export of a module.
 * @param label what messages call it
 * @throws TargetError where it can't be loaded or read, or has none
 */
export async function loadModule(path: string, label: string): Promise<unknown> {
  const { createJiti } = await import('jiti')
  const jiti = createJiti(path, {
    fsCache: false,
    moduleCache: false,
    virtualModules: { touchstone: await ownIndex() },
  })
  try {
    const module = await inTime(jiti.import<{ readonly default?: unknown }>(path))
    if ('default' in module) return withoutUndefined(module.default)
  } catch (cause) {
    const reason = cause instanceof Error ? reasonOf(cause) : String(cause)
    throw new TargetError(
      `${label}: expected a module that loads; received an error while loading it: ${reason.replaceAll(path, label).replace(/\.$/, '')}. Correct the file.`,
      { cause },
    )
  }
  throw new TargetError(
    `${label}: expected a default export; received none. Write \`export default defineTarget({ … })\`.`,
  )
}

/** @throws Error where it takes too long: one that waits for what never comes would wait for ever */
async function inTime<T>(loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it had not ended after a minute')), longestLoadMs)
  })
  return Promise.race([loading, late]).finally(() => clearTimeout(timer))
}

/** The first line of the message, which says what; of what does not parse, the place stands in the second. */
const reasonOf = ({ message }: Error): string => {
  const [what = '', where = ''] = message.split('\n')
  const at = /:(\d+:\d+)\s*$/.exec(where)?.[1]
  return at === undefined ? what.trim() : `${what.trim()} (line and column ${at})`
}

/**
 * A copy without the members that are undefined, which are taken for left out.
 * @param above the objects that it is in
 * @throws Error where an object holds itself
 */
function withoutUndefined(value: unknown, path: Path = [], above: readonly object[] = []): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) throw new Error(`${showPath(path)} is an object that holds itself`)
  const within = (member: unknown, key: string | number): unknown =>
    withoutUndefined(member, [...path, key], [...above, value])
  if (Array.isArray(value)) return value.map(within)
  if (isInstance(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, within(member, name)]))
}

/** Whether an object is of a class, as hooks may be. */
function isInstance(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype !== null && Object.getPrototypeOf(prototype) !== null
}

/** A target file may import 'touchstone' without having it installed: it gets this very package. */
async function ownIndex(): Promise<unknown> {
  return import(new URL(`../index${extname(import.meta.url)}`, import.meta.url).href)
}
