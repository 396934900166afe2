// The text of a HAR and of the bodies in it: how it is written down, how long it was, and whether it was cut; nothing is judged here.
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

/** A HAR whose text ends within an entry, with the entries before that; undefined where it is not so, or is no JSON up to there. */
export const upToCut = (text: string): unknown => {
  const head = /^\s*\{\s*"log"\s*:\s*\{.*?"entries"\s*:\s*\[/s.exec(text)?.[0]
  if (head === undefined) return undefined
  let depth = 0
  let end = head.length
  for (const { 0: token, index } of text.slice(head.length).matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}]/gs)) {
    if (token.startsWith('"')) continue
    depth += token === '{' || token === '[' ? 1 : -1
    if (depth < 0) return undefined
    if (depth === 0) end = head.length + index + 1
  }
  try {
    return JSON.parse(`${text.slice(0, end)}]}}`)
  } catch {
    return undefined
  }
}
