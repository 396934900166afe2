// The text of a body in a HAR: how it is written down, how long it was, and whether it was cut; nothing is judged here.
import { headerOf, type Json } from './har-headers.js'

/** A byte order mark is part of the text, in whatever form that was recorded: JSON has none. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

const fromBase64 = (text: string): Uint8Array => Buffer.from(text, 'base64')

export const textOf = (part: Json): string | undefined => {
  if (typeof part.text !== 'string') return undefined
  return part.encoding === 'base64' ? utf8.decode(fromBase64(part.text)) : part.text
}

export const contentLength = (part: Json): number | undefined => {
  const told = headerOf(part, 'content-length')
  return told !== undefined && /^\d+$/.test(told) ? Number(told) : undefined
}

/** Whether a text begins as JSON does and ends within a value, whatever note a recorder put where it cut. */
export const endsWithin = (text: string): boolean => {
  if (!/^\s*[[{]/.test(text)) return false
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/gs, '')
  const count = (signs: RegExp): number => bare.match(signs)?.length ?? 0
  return bare.includes('"') || count(/[[{]/g) > count(/[\]}]/g)
}
