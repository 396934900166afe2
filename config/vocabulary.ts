// Translates between the document's words and a target's own spelling of them; whole words in known places alone.

import { errorsIn } from '../models/language/error-envelope.js'
import { pathTranslator } from './vocabulary-paths.js'

type Spelled = Readonly<Record<string, string>>

/**
 * The document's words, each with the target's. Plain words are members, names in the query, kinds of things
 * (`type: 'node'`) and fields that an error names; what stands elsewhere has a group of its own.
 */
export interface VocabularyFile {
  /** Segments of paths: `node: 'instances'`. */
  readonly segments?: Spelled
  /** Scopes, as tokens list them. */
  readonly scopes?: Spelled
  /** Kinds of events. */
  readonly events?: Spelled
  /** Values of a member: `status: { active: 'ready' }`. */
  readonly values?: Readonly<Record<string, Spelled>>
  /** Parts of the texts in a member: `filesystem_path: { scsi-0Node_: 'scsi-0Acme_' }`. */
  readonly parts?: Readonly<Record<string, Spelled>>
  readonly [word: string]: string | Spelled | Readonly<Record<string, Spelled>> | undefined
}

export interface Vocabulary {
  /** A body in the document's words, as the target spells it. */
  readonly body: (body: unknown) => unknown
  /** Path and query: segments of the path, and the names and values of the query. */
  readonly url: (url: string) => string
  /** A reply of the target in the document's words. */
  readonly reply: (body: unknown) => unknown
  /** The other way round: what a client of the target sends, and what it is answered. */
  readonly serving: {
    readonly url: (url: string) => string
    readonly body: (body: unknown) => unknown
    readonly reply: (body: unknown) => unknown
  }
  /** One word of a group, as the target spells it. */
  readonly word: (word: string) => string
  readonly scope: (scope: string) => string
  readonly event: (kind: string) => string
  readonly value: (member: string, value: string) => string
  /** The path of an operation, its parameters still in braces. */
  readonly path: (template: string) => string
}

/** Translates in one direction; `values` and `parts` are found by the document's name of their member. */
interface Direction {
  readonly words: ReadonlyMap<string, string>
  readonly values: Readonly<Record<string, ReadonlyMap<string, string>>>
  readonly parts: Readonly<Record<string, readonly (readonly [string, string])[]>>
  /** The document's spelling of a key, out of the key as it was and as it becomes. */
  readonly neutral: (key: string, translated: string) => string
}

/** @param file the document's words, each with the target's; undefined is returned where it has none */
export const createVocabulary = (file: VocabularyFile): Vocabulary | undefined => {
  const { segments = {}, scopes = {}, events = {}, values = {}, parts = {}, words } = grouped(file)
  if ([words, segments, scopes, events, values, parts].every((group) => Object.keys(group).length === 0))
    return undefined
  const out = direction(words, values, parts, false)
  const back = direction(words, values, parts, true)
  const paths = pathTranslator(segments)
  const replyIn = (body: unknown): unknown => withFields(translate(body, back), back.words)
  return {
    body: (body) => translate(body, out),
    url: (url) => translateUrl(url, out, paths.out),
    reply: replyIn,
    serving: {
      url: (url) => translateUrl(url, back, paths.back),
      body: (body) => translate(body, back),
      reply: (body) => withFields(translate(body, out), out.words),
    },
    word: (word) => words[word] ?? word,
    scope: (scope) => scopes[scope] ?? scope,
    event: (kind) => events[kind] ?? kind,
    value: (member, value) => values[member]?.[value] ?? value,
    path: (template) => paths.template(template).replace(/\{(\w+)\}/g, (_, name: string) => `{${words[name] ?? name}}`),
  }
}

/**
 * A word of the target that could be two of the document's, which no translation can tell apart; undefined where there is none.
 *
 * @param words the names that the document uses
 */
export const ambiguityIn = (file: VocabularyFile, words: ReadonlySet<string>): string | undefined => {
  const spelled = Object.entries(grouped(file).words)
  for (const [word, theirs] of spelled) {
    const other =
      spelled.find(([one, spelling]) => one !== word && spelling === theirs)?.[0] ??
      (theirs !== word && words.has(theirs) && !spelled.some(([one]) => one === theirs) ? theirs : undefined)
    if (other !== undefined)
      return `${JSON.stringify(theirs)} for ${JSON.stringify(word)}, while ${JSON.stringify(other)} of the document is spelled so as well`
  }
  return undefined
}

/** The document's scopes for those that the target file spells as the target does. */
export const documentScopes = ({ scopes = {} }: VocabularyFile, given: readonly string[]): readonly string[] =>
  given.map((scope) => keyOf(scopes, scope))

/** The document's kind of an event that the target spells so. */
export const documentEvent = ({ events = {} }: VocabularyFile, kind: string): string => keyOf(events, kind)

const keyOf = (spelled: Spelled, theirs: string): string =>
  Object.entries(spelled).find(([, spelling]) => spelling === theirs)?.[0] ?? theirs

const groups = ['segments', 'scopes', 'events', 'values', 'parts'] as const

const grouped = (file: VocabularyFile) => ({
  ...(Object.fromEntries(groups.filter((name) => isGroup(file[name])).map((name) => [name, file[name]])) as Pick<
    VocabularyFile,
    (typeof groups)[number]
  >),
  // A group's name may be a word as well, in which case it is a text.
  words: Object.fromEntries(
    Object.entries(file).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  ),
})

const isGroup = (group: unknown): boolean => typeof group === 'object' && group !== null

const direction = (
  words: Spelled,
  values: Readonly<Record<string, Spelled>>,
  parts: Readonly<Record<string, Spelled>>,
  reversed: boolean,
): Direction => {
  const pairs = (spelled: Spelled) =>
    Object.entries(spelled).map(([ours, theirs]) => (reversed ? [theirs, ours] : [ours, theirs]) as [string, string])
  return {
    words: new Map(pairs(words)),
    values: Object.fromEntries(Object.entries(values).map(([member, all]) => [member, new Map(pairs(all))])),
    parts: Object.fromEntries(Object.entries(parts).map(([member, all]) => [member, pairs(all)])),
    neutral: reversed ? (_, translated) => translated : (key) => key,
  }
}

/** Object keys, values that name a kind of thing, and values whose member has words of its own. */
const translate = (value: unknown, direction: Direction): unknown => {
  const { words, neutral } = direction
  const walk = (given: unknown, member: string): unknown => {
    if (typeof given === 'string') return translateText(given, member, direction)
    if (Array.isArray(given)) return given.map((item) => walk(item, member))
    if (typeof given !== 'object' || given === null) return given
    const entries = Object.entries(given)
    const taken = new Set(entries.flatMap(([key]) => words.get(key) ?? []))
    return Object.fromEntries(
      entries.flatMap(([key, inner]) => {
        const translated = words.get(key)
        // A word that a translated one becomes gives way to it.
        if (translated === undefined && taken.has(key)) return []
        const name = translated ?? key
        const ours = neutral(key, name)
        const isKind = typeof inner === 'string' && namesKind(ours) && words.has(inner)
        return [[name, isKind ? words.get(inner) : walk(inner, ours)]]
      }),
    )
  }
  return walk(value, '')
}

const translateText = (text: string, member: string, { values, parts }: Direction): string => {
  const value = Object.hasOwn(values, member) ? values[member]?.get(text) : undefined
  if (value !== undefined || !Object.hasOwn(parts, member)) return value ?? text
  return (parts[member] ?? []).reduce((before, [from, to]) => before.replace(from, () => to), text)
}

const namesKind = (key: string): boolean => key === 'type' || key.endsWith('_type')

const translateUrl = (url: string, direction: Direction, path: (path: string) => string): string => {
  const at = url.indexOf('?')
  if (at < 0) return path(url)
  const query = [...new URLSearchParams(url.slice(at))].map(([name, value]): [string, string] => {
    const translated = direction.words.get(name) ?? name
    return [translated, translateText(value, direction.neutral(name, translated), direction)]
  })
  return `${path(url.slice(0, at))}?${new URLSearchParams(query)}`
}

/** The fields that an error envelope names, each segment of a path such as `devices.nodes[0]` by itself. */
const withFields = (body: unknown, words: ReadonlyMap<string, string>): unknown => {
  const errors = errorsIn(body)
  return errors ? { ...(body as object), errors: errors.map((error) => withField(error, words)) } : body
}

const withField = (error: unknown, words: ReadonlyMap<string, string>): unknown =>
  typeof error === 'object' && error !== null && 'field' in error && typeof error.field === 'string'
    ? { ...error, field: error.field.replace(/[\w-]+/g, (segment) => words.get(segment) ?? segment) }
    : error
