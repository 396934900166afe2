// The headers of the parts of a HAR entry.
import { isObject } from '../models/language/objects.js'

export type Json = Readonly<Record<string, unknown>>

export const headersOf = (part: Json): readonly { readonly name: string; readonly value: string }[] =>
  Array.isArray(part.headers)
    ? part.headers.filter(
        (header): header is { name: string; value: string } =>
          isObject(header) && typeof header.name === 'string' && typeof header.value === 'string',
      )
    : []

export const headerOf = (part: Json, name: string): string | undefined =>
  headersOf(part).find((header) => header.name.toLowerCase() === name)?.value
