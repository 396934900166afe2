// The environment variables that stand above the target file: one table, and how a value gets into the file.

import type { Path } from './errors.js'

interface Variable {
  readonly name: string
  /** The place in the target file that it overrides. */
  readonly path: readonly string[]
  readonly kind: 'string' | 'number' | 'boolean'
}

/** Every variable that overrides a key of the target file. */
export const variables: readonly Variable[] = [
  { name: 'TOUCHSTONE_NAME', path: ['name'], kind: 'string' },
  { name: 'TOUCHSTONE_BASE_URL', path: ['baseUrl'], kind: 'string' },
  { name: 'TOUCHSTONE_EXCLUSIVE', path: ['exclusive'], kind: 'boolean' },
  { name: 'TOUCHSTONE_PREFIX', path: ['safety', 'prefix'], kind: 'string' },
  { name: 'TOUCHSTONE_MAX_VOLUME_GIB', path: ['safety', 'maxVolumeGiB'], kind: 'number' },
  { name: 'TOUCHSTONE_RATE', path: ['pace', 'rate'], kind: 'string' },
  { name: 'TOUCHSTONE_CONCURRENCY', path: ['pace', 'concurrency'], kind: 'number' },
  { name: 'TOUCHSTONE_REQUEST_TIMEOUT_MS', path: ['pace', 'requestTimeoutMs'], kind: 'number' },
  { name: 'TOUCHSTONE_SETTLE_MS', path: ['pace', 'settleMs'], kind: 'number' },
  { name: 'TOUCHSTONE_LIST_LAG_MS', path: ['pace', 'listLagMs'], kind: 'number' },
]

/** A variable's value; an empty one counts as not set, which is what CI systems make of a missing secret. */
export function readVariable(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return env[name] || undefined
}

/** The content of a target file with the variables that are set put over it. A value of the wrong kind stays a string, for the schema to refuse. */
export function overrideByVariables(content: unknown, env: Readonly<Record<string, string | undefined>>): unknown {
  return variables.reduce((result, { name, path, kind }) => {
    const value = readVariable(env, name)
    return value === undefined ? result : put(result, path, convert(value, kind))
  }, content)
}

/** The variable that set the value at a path, if one did. */
export function variableAt(path: Path, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const found = variables.find((variable) => variable.path.join('\n') === path.join('\n'))
  return found && readVariable(env, found.name) !== undefined ? found.name : undefined
}

function convert(value: string, kind: Variable['kind']): string | number | boolean {
  if (kind === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  if (kind === 'boolean' && ['true', '1'].includes(value)) return true
  if (kind === 'boolean' && ['false', '0'].includes(value)) return false
  return value
}

/** A copy with a value at a path; what is no object on the way is left for the schema to refuse. */
function put(content: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const holder = content === undefined ? {} : content
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder)) return content
  return { ...holder, [key]: put((holder as Record<string, unknown>)[key], rest, value) }
}
