// Finds equal parts of programs.

import { isRef, type Ref } from '../models/language/plan.js'

/** Separates a name from the plain words behind it, which do not matter where calls are compared. */
export const proseMark = ': '

export const refsIn = (value: unknown): readonly Ref[] =>
  isRef(value) ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(refsIn) : []

/** A name with more letters than this after the nonce was made as long as possible. */
const longestName = 8

/** Steps or values without their names and texts, so that equal ones can be found. A long text differs from a plain one. */
export const likeness = (value: unknown, nonce: string): string =>
  JSON.stringify(value).replaceAll(
    new RegExp(`${nonce}-(?:tag-)?([0-9a-z]+)(?:${proseMark}(?:[^"\\\\]|\\\\.)*)?`, 'g'),
    (_, name: string) => (name.length > longestName ? `~${name.length}` : '~'),
  )
