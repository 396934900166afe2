// Where a target file pins choices, so that reports can point there.

import { readFileSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import type { Target } from '../config/target-file.js'
import type { PinPlaces } from '../history/record.js'

/** Undefined where no file pins anything, or it is not below that folder: reports name no folder of a machine. */
export const pinPlaces = (
  { path, environment: { pins } }: Pick<Target, 'path' | 'environment'>,
  cwd: string,
): PinPlaces | undefined => {
  if (path === undefined || Object.keys(pins).length === 0) return undefined
  const file = relative(cwd, path)
  if (isAbsolute(file) || file.startsWith('..')) return undefined
  const text = readFileSync(path, 'utf8').split('\n')
  const lines = Object.keys(pins).flatMap((id) => {
    const line = 1 + text.findIndex((one) => [`"${id}"`, `'${id}'`].some((key) => one.includes(key)))
    return line > 0 ? [[id, line] as const] : []
  })
  return { file: file.replaceAll(sep, '/'), lines: Object.fromEntries(lines) }
}
