// The text of a HAR and of the bodies in it: how it is written down, how long it was, and whether it was cut; nothing is judged here.

import { gunzipSync } from 'node:zlib'
import { headerOf, type Json } from './har-headers.js'

/** A byte order mark is part of the text, in whatever form that was recorded: JSON has none. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Some recorders write down a body as it came over the wire. One that does not unpack, or to more than this, stands as it is. */
const mostBytes = 64 * 1024 * 1024

const unpacked = (bytes: Uint8Array): Uint8Array => {
  try {
    return gunzipSync(bytes, { maxOutputLength: mostBytes })
  } catch {
    return bytes
  }
}

/** Whether a body stands there packed, in base64; its lengths are those of what was packed, or of what it was packed from. */
export const isPackedBody = ({ text, encoding }: Json): boolean =>
  encoding === 'base64' && typeof text === 'string' && text.startsWith('H4sI')

export const textOf = (part: Json): string | undefined => {
  if (typeof part.text !== 'string') return undefined
  if (part.encoding !== 'base64') return part.text
  const bytes = Buffer.from(part.text, 'base64')
  return utf8.decode(isPackedBody(part) ? unpacked(bytes) : bytes)
}

export const contentLength = (part: Json): number | undefined => {
  const told = headerOf(part, 'content-length')
  return told !== undefined && /^\d+$/.test(told) ? Number(told) : undefined
}

/** Whether a text begins as JSON does and ends within a value, whatever note a recorder put where it cut. */
export const endsWithin = (text: string): boolean => {
  if (!/^\s*[[{]/.test(text)) return false
  let depth = 0
  const isInString = scan(text, 0, (step) => {
    depth += step
  })
  return isInString || depth > 0
}

/** What was read of a HAR whose text ends early. */
export interface UpToCut {
  /** The HAR with the entries that are whole. */
  readonly json: unknown
  /** Whether its list of entries is not at its end; otherwise it holds every entry. */
  readonly isCut?: true
}

/** A HAR whose text ends within its entries or after them, up to there; undefined where it is not so, or is no JSON up to there. */
export const upToCut = (text: string): UpToCut | undefined => {
  const head = /^\s*\{\s*"log"\s*:\s*\{.*?"entries"\s*:\s*\[/s.exec(text)?.[0]
  if (head === undefined) return undefined
  let depth = 0
  let lowest = 0
  let end = head.length
  scan(text, head.length, (step, at) => {
    depth += step
    lowest = Math.min(lowest, depth)
    if (depth === 0 && lowest === 0) end = at + 1
  })
  // Below the list of entries are the log and the HAR itself: where that is closed too, nothing was cut.
  if (lowest <= -3) return undefined
  try {
    return { json: JSON.parse(`${text.slice(0, end)}]}}`), ...(lowest === 0 && { isCut: true }) }
  } catch {
    return undefined
  }
}

/**
 * Takes each bracket outside of strings, with 1 where it opens and -1 where it closes; returns whether the text ends within a string. A
 * regular expression for strings keeps a way back for each character, and there is no room for those of a long body.
 */
const scan = (text: string, from: number, take: (step: 1 | -1, at: number) => void): boolean => {
  let isInString = false
  for (let at = from; at < text.length; at += 1) {
    const sign = text.charAt(at)
    if (sign === '"') isInString = !isInString
    else if (isInString) at += sign === '\\' ? 1 : 0
    else if (sign === '{' || sign === '[') take(1, at)
    else if (sign === '}' || sign === ']') take(-1, at)
  }
  return isInString
}
