// How this target uses the freedom that the document leaves, and where it breaks the document on purpose; not its behaviour itself.
import type { FaultName } from './faults.js'

export interface Oddities {
  readonly seed: number
  /** What becomes of a request about which the document is silent; `whim` decides anew each time. */
  readonly silence: 'accept' | 'refuse' | 'mixed' | 'whim'
  readonly ids: 'counting' | 'huge' | 'scattered' | 'negative'
  readonly order: 'made' | 'reverse' | 'scattered'
  /** Records whose members the document does not show. */
  readonly records: 'plain' | 'extra' | 'bare' | 'alien'
  readonly codes: 'plain' | 'odd'
  readonly envelope: 'plain' | 'dotted' | 'bracketed' | 'many'
  /** Bodies of replies that the document does not show. */
  readonly bodies: 'plain' | 'empty' | 'odd'
  /** What is looked at first where several things are wrong. */
  readonly first: 'body' | 'state'
  readonly settling: 'instant' | 'reads' | 'slow' | 'restless'
  readonly dates: 'utc' | 'offset' | 'lower'
  readonly emptyPages: 0 | 1
  /** The most resources of a kind in an account; 0 for no bound. */
  readonly quota: number
  /** Now and then a 429, 502 or 503. */
  readonly flaky: boolean
  /** Somebody else works in the same accounts. */
  readonly strangers: boolean
  readonly fault: FaultName | undefined
}

export const plain: Oddities = {
  seed: 1,
  silence: 'accept',
  ids: 'counting',
  order: 'made',
  records: 'plain',
  codes: 'plain',
  envelope: 'plain',
  bodies: 'plain',
  first: 'body',
  settling: 'instant',
  dates: 'utc',
  emptyPages: 1,
  quota: 0,
  flaky: false,
  strangers: false,
  fault: undefined,
}

/** A mix of oddities that the seed alone decides; flaky and strange only where asked for. */
export const drawn = (seed: number): Oddities => {
  const draw = random(seed * 7919 + 13)
  const of = <T>(...values: readonly T[]): T => values[Math.floor(draw() * values.length)] as T
  return {
    seed,
    silence: of('accept', 'refuse', 'mixed', 'whim'),
    ids: of('counting', 'huge', 'scattered', 'negative'),
    order: of('made', 'reverse', 'scattered'),
    records: of('plain', 'extra', 'bare', 'alien'),
    codes: of('plain', 'odd'),
    envelope: of('plain', 'dotted', 'bracketed', 'many'),
    bodies: of('plain', 'empty', 'odd'),
    first: of('body', 'state'),
    settling: of('instant', 'reads', 'slow', 'restless'),
    dates: of('utc', 'offset', 'lower'),
    emptyPages: of(0, 1),
    quota: of(0, 0, 12),
    flaky: false,
    strangers: false,
    fault: undefined,
  }
}

/** mulberry32: numbers from 0 to below 1. */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** A stable number from 0 to below 1 for a text. */
export const hash = (seed: number, text: string): number => {
  let sum = seed | 0
  for (const character of text) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) | 0
  return random(sum)()
}
