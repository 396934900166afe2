// From an operation and its values to a wire call, and back to one readable line; nothing is sent.

import type { Operation } from '../models/language/operation.js'
import type { Args } from '../models/language/plan.js'
import { idIn } from '../models/language/world.js'
import type { WireCall } from './record.js'

/** A call as the client sends it: the recorded form, and the file's content where there is one. */
export interface SendableCall extends WireCall {
  /** The file's bytes, a character each (latin1). */
  readonly content?: string
  /** A body that is sent as it stands. */
  readonly raw?: string
}

/** A path segment; a colon may stand in one, so addresses stay readable. */
const segment = (value: string): string =>
  /^\w*$/.test(value) ? value : encodeURIComponent(value).replaceAll('%3A', ':')

/** What a body names a resource by: a number where its id is one. */
export const idValue = (key: string): string | number => {
  const id = idIn(key)
  return /^-?\d+$/.test(id) ? Number(id) : id
}

/** Builds a call from concrete values. */
export const buildCall = (op: Operation, args: Args, attachmentField = 'file'): SendableCall => {
  const path = texts(args.path)
  const query = texts(args.query)
  const search = args.query ? new URLSearchParams(query).toString() : ''
  const filled = op.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(path[name] ?? ''))
  const raw = args.body && '$raw' in args.body ? String(args.body.$raw) : undefined
  return {
    operation: op.id,
    method: op.method,
    url: search ? `${filled}?${search}` : filled,
    as: args.as ?? null,
    path,
    query,
    ...(args.body !== undefined && (raw === undefined ? { body: args.body } : { body: raw, raw })),
    ...(args.file && {
      file: {
        field: args.file.field ?? attachmentField,
        name: args.file.name,
        bytes: args.file.content.length,
      },
      content: args.file.content,
    }),
  }
}

const texts = (values: Args['path']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, String(value)]))

/** The recorded form of a call. */
export const recorded = ({ content: _, raw: __, ...call }: SendableCall): WireCall => call

const widest = 160

/** `volumes.resize(volumeId 7, {"size":10}) as owner` */
export const lineOf = ({ operation, path, query, body, file, as }: WireCall): string => {
  const values = [
    ...Object.entries(path).map(([name, value]) => `${name} ${value}`),
    ...Object.entries(query).map(([name, value]) => `${name}=${value}`),
    ...(body === undefined ? [] : [cut(JSON.stringify(body))]),
    ...(file ? [`file ${file.name}`] : []),
  ]
  return `${operation}(${values.join(', ')}) as ${as ?? 'nobody'}`
}

const cut = (text: string): string => (text.length > widest ? `${text.slice(0, widest)}…` : text)
