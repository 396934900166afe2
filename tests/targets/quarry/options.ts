// How oddly Quarry uses the document's freedom, and which one sentence it breaks; not what it does with either.

export interface Options {
  readonly seed: number
  /** What it does where the document is silent about a request. */
  readonly silence: 'accept' | 'refuse' | 'mixed'
  readonly codes: 'plain' | 'odd'
  /** How an error spells the field. */
  readonly fields: 'leaf' | 'dotted' | 'bracketed'
  readonly manyErrors: boolean
  /** The field of an error that concerns none. */
  readonly noField: string
  readonly order: 'made' | 'shuffled' | 'newest'
  readonly ids: 'small' | 'huge'
  readonly records: 'plain' | 'extra' | 'bare'
  readonly creation: 'record' | 'without id' | 'empty'
  readonly removal: 'object' | 'none' | 'record'
  readonly normalises: boolean
  readonly exactScopes: boolean
  readonly keepsDeleted: boolean
  readonly shareExtends: boolean
  readonly volumeTagsListed: boolean
  readonly emptyPages: 0 | 1
  /** Most live resources of a kind on an account; 0 for no quota. */
  readonly quota: number
  /** One request in so many is put off with 429 or 503; 0 for none. */
  readonly busyEvery: number
  readonly offsetDates: boolean
  readonly restricted: 'accept' | 'refuse'
  /** The name of the broken sentence. */
  readonly fault: string
}

export const PLAIN: Options = {
  seed: 1,
  silence: 'mixed',
  codes: 'plain',
  fields: 'leaf',
  manyErrors: false,
  noField: '',
  order: 'made',
  ids: 'small',
  records: 'plain',
  creation: 'record',
  removal: 'object',
  normalises: false,
  exactScopes: false,
  keepsDeleted: false,
  shareExtends: false,
  volumeTagsListed: true,
  emptyPages: 1,
  quota: 0,
  busyEvery: 0,
  offsetDates: false,
  restricted: 'accept',
  fault: '',
}

export const STERN: Options = {
  ...PLAIN,
  seed: 2,
  silence: 'refuse',
  codes: 'odd',
  fields: 'bracketed',
  manyErrors: true,
  noField: 'request',
  order: 'shuffled',
  ids: 'huge',
  records: 'bare',
  creation: 'without id',
  removal: 'none',
  normalises: true,
  exactScopes: true,
  volumeTagsListed: false,
  emptyPages: 0,
  quota: 30,
  busyEvery: 97,
  offsetDates: true,
  restricted: 'refuse',
}

export const LAX: Options = {
  ...PLAIN,
  seed: 3,
  silence: 'accept',
  codes: 'odd',
  fields: 'dotted',
  noField: 'object',
  order: 'newest',
  ids: 'huge',
  records: 'extra',
  creation: 'empty',
  removal: 'record',
  normalises: true,
  keepsDeleted: true,
  shareExtends: true,
}

/** The asking side of the options: whether a rule holds, where a bound lies, whether a silent matter is accepted. */
export interface Rules {
  readonly options: Options
  /** False for the one sentence that is broken. */
  readonly holds: (name: string) => boolean
  /** The bound, moved by one when the fault is its name with `+1` or `-1`. */
  readonly bound: (name: string, value: number) => number
  readonly silent: (name: string) => boolean
}

export const rules = (options: Options): Rules => ({
  options,
  holds: (name) => options.fault !== name,
  bound: (name, value) => value + (options.fault === `${name}+1` ? 1 : options.fault === `${name}-1` ? -1 : 0),
  silent: (name) =>
    options.silence === 'mixed' ? hash(`${options.seed} ${name}`) % 2 === 0 : options.silence === 'accept',
})

export const hash = (text: string): number => {
  let value = 2166136261
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0
  value = Math.imul(value ^ (value >>> 15), 2246822519) >>> 0
  return (value ^ (value >>> 13)) >>> 0
}
