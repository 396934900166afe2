// Translates between the document's words and a target's own spelling of them; whole words in known places alone.

export interface Vocabulary {
  /** A body in the document's words, as the target spells it. */
  readonly body: (body: unknown) => unknown
  /** Path and query: the names of the query are translated. */
  readonly url: (url: string) => string
  /** A reply of the target in the document's words. */
  readonly reply: (body: unknown) => unknown
}

type Words = ReadonlyMap<string, string>

/** @param spelling the document's word to the target's; undefined is returned where it has none */
export const createVocabulary = (spelling: Readonly<Record<string, string>>): Vocabulary | undefined => {
  const entries = Object.entries(spelling)
  if (entries.length === 0) return undefined
  const out: Words = new Map(entries)
  const back: Words = new Map(entries.map(([word, theirs]) => [theirs, word]))
  return {
    body: (body) => translate(body, out, (key) => key),
    url: (url) => translateUrl(url, out),
    reply: (body) =>
      withFields(
        translate(body, back, (_, translated) => translated),
        back,
      ),
  }
}

/**
 * Object keys, and values that name a kind of thing. `neutral` picks the document's spelling of a key out of the key
 * as it was and as it becomes.
 */
const translate = (value: unknown, words: Words, neutral: (key: string, translated: string) => string): unknown => {
  const walk = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(walk)
    if (typeof given !== 'object' || given === null) return given
    const entries = Object.entries(given)
    const taken = new Set(entries.flatMap(([key]) => words.get(key) ?? []))
    return Object.fromEntries(
      entries.flatMap(([key, member]) => {
        const translated = words.get(key)
        // A word that a translated one becomes gives way to it.
        if (translated === undefined && taken.has(key)) return []
        const name = translated ?? key
        const isKind = typeof member === 'string' && namesKind(neutral(key, name))
        return [[name, isKind ? (words.get(member) ?? member) : walk(member)]]
      }),
    )
  }
  return walk(value)
}

const namesKind = (key: string): boolean => key === 'type' || key.endsWith('_type')

const translateUrl = (url: string, words: Words): string => {
  const at = url.indexOf('?')
  if (at < 0) return url
  const query = [...new URLSearchParams(url.slice(at))].map(([name, value]): [string, string] => [
    words.get(name) ?? name,
    value,
  ])
  return `${url.slice(0, at)}?${new URLSearchParams(query)}`
}

/** The fields that an error envelope names, each segment of a path such as `devices.nodes[0]` by itself. */
const withFields = (body: unknown, words: Words): unknown => {
  if (typeof body !== 'object' || body === null || !('errors' in body) || !Array.isArray(body.errors)) return body
  return { ...body, errors: body.errors.map((error) => withField(error, words)) }
}

const withField = (error: unknown, words: Words): unknown =>
  typeof error === 'object' && error !== null && 'field' in error && typeof error.field === 'string'
    ? { ...error, field: error.field.replace(/[\w-]+/g, (segment) => words.get(segment) ?? segment) }
    : error
