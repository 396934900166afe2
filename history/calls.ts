// From an operation and its values to a wire call, and back to one readable line; nothing is sent.

import type { Operation } from '../models/language/operation.js'
import type { Args } from '../models/language/plan.js'
import { idIn } from '../models/language/world.js'
import { percentEncoded } from './uri.js'
import type { WireCall } from './wire.js'

/** A call as the client sends it: the recorded form, and the file's content where there is one. */
export interface SendableCall extends WireCall {
  /** The file's bytes, a character each (latin1). */
  readonly content?: string
  /** A body that is sent as it stands. */
  readonly raw?: string
}

/** A path segment; a colon may stand in one, so addresses stay readable. */
const segment = (value: string): string => (/^\w*$/.test(value) ? value : percentEncoded(value).replaceAll('%3A', ':'))

/** What a body names a resource by: a number where its id is one. */
export const idValue = (key: string): string | number => {
  const id = idIn(key)
  return /^-?\d+$/.test(id) ? Number(id) : id
}

/** Builds a call from concrete values. */
export const buildCall = (op: Operation, args: Args, attachmentField = 'file'): SendableCall => {
  const path = texts(args.path)
  const given = Object.entries(args.query ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  const search = new URLSearchParams(given).toString()
  const query = Object.fromEntries(given)
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

/** Query parameters that a call gives several times, with values that differ: which of them counts is not said. */
export const repeatedIn = ({ url, query }: WireCall): Readonly<Record<string, readonly string[]>> => {
  const names = Object.keys(query)
  // Nearly no call has any.
  if (names.length === 0 || url.split('=').length - 1 <= names.length) return {}
  const given = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  return Object.fromEntries(
    names.map((name) => [name, given.getAll(name)] as const).filter(([, values]) => new Set(values).size > 1),
  )
}

/** The recorded form of a call. */
export const recorded = ({ content: _, raw: __, ...call }: SendableCall): WireCall => call

const widest = 160

/** `volumes.resize(volumeId 7, {"size":10}) as owner` */
export const lineOf = (call: WireCall): string => {
  const { operation, path, body, file, as } = call
  const query = { ...call.query, ...repeatedIn(call) }
  const values = [
    ...Object.entries(path).map(([name, value]) => `${name} ${value}`),
    ...Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`)),
    ...(body === undefined ? [] : [cut(JSON.stringify(body))]),
    ...(file ? [`file ${file.name}`] : []),
  ]
  return `${operation}(${values.join(', ')}) as ${as ?? 'nobody'}`
}

const cut = (text: string): string => (text.length > widest ? `${text.slice(0, widest)}…` : text)
