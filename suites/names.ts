// Checks the names, words and pins of a target file against the registry; nothing is asked of the target.

import { basename } from 'node:path'
import { alternatives } from '../config/errors.js'
import { nearest, type Target, TargetError } from '../config/target-file.js'
import { ambiguityIn } from '../config/vocabulary.js'
import { allTables, operations } from '../models/index.js'
import type { Environment } from '../models/language/environment.js'
import { documentWords } from '../models/words.js'
import { allChoices, type Choice, type Pin } from './choices.js'

export interface Check {
  /** Path in the target file. */
  readonly what: string
  /** `unclear` where the interface can't tell. */
  readonly result: 'good' | 'wrong' | 'unclear' | 'unreachable'
  readonly text: string
}

/** Names in the target file that nothing has, pins that no reply of their kind shows, and words that could mean two things. */
export const checkNames = ({
  environment: { pins, safety },
  vocabulary,
}: Pick<Target, 'environment' | 'vocabulary'>): readonly Check[] => {
  const kinds = [...new Set(allTables().map(({ name }) => name)), 'default']
  const all = allChoices()
  const choices = all.map(({ id }) => id)
  const guarded = operations.map(({ id }) => id)
  const ambiguity = ambiguityIn(vocabulary, documentWords())
  return [
    ...(ambiguity === undefined
      ? []
      : [
          {
            what: 'vocabulary',
            result: 'wrong' as const,
            text: `expected a word of its own for each, received ${ambiguity}`,
          },
        ]),
    ...Object.keys(pins).flatMap((id) =>
      unknown(`pins[${JSON.stringify(id)}]`, id, choices, 'choice', 'touchstone list choices'),
    ),
    ...all.flatMap((choice) => notAsPinned(choice, pins[choice.id])),
    ...safety.allow.flatMap((id) => unknown('safety.allow', id, guarded, 'operation', 'touchstone list operations')),
    ...Object.keys(safety.maxLive).flatMap((id) =>
      unknown(`safety.maxLive.${id}`, id, kinds, 'kind of resource', `one of ${kinds.join(', ')}`),
    ),
  ]
}

/** @throws TargetError naming each of them */
export const refuseUnknownNames = (target: Pick<Target, 'environment' | 'vocabulary' | 'path'>): void => {
  const wrong = checkNames(target)
  const file = target.path === undefined ? '' : `${basename(target.path)} `
  if (wrong.length > 0) throw new TargetError(wrong.map(({ what, text }) => `${file}${what}: ${text}`).join('\n'))
}

type Value = Environment['pins'][string]

interface Pinnable {
  readonly is: (pin: Value) => boolean
  readonly text: string
}

/** What a pin may be where it is not a value that replies show. */
const pinnable: Readonly<Record<Exclude<Pin, 'value'>, Pinnable>> = {
  outcome: { is: (pin) => pin === 'accepted' || pin === 'refused', text: '"accepted" or "refused"' },
  status: { is: (pin) => /^2\d\d$/.test(String(pin)), text: 'the status of an accepted call, such as 200' },
  refusal: { is: (pin) => /^4\d\d$/.test(String(pin)), text: 'the status of a refusal, such as 403' },
  time: {
    is: (pin) => typeof pin === 'number' && pin >= 0,
    text: 'a number of milliseconds, the longest that the change may take to show',
  },
}

/** A pin is compared as text with what replies show. Where the target uses words of its own, any text will do. */
const pinnableOf = ({ pin, values }: Choice): Pinnable => {
  if (pin !== 'value') return pinnable[pin]
  if (!values) return { is: (one) => typeof one === 'string', text: 'a text, as replies show it' }
  return {
    is: (one) => values.map(String).includes(String(one)),
    text: alternatives(values.map((value) => JSON.stringify(value))),
  }
}

const notAsPinned = (choice: Choice, pin: Value | undefined): readonly Check[] => {
  const may = pinnableOf(choice)
  if (pin === undefined || may.is(pin)) return []
  const text = `expected ${may.text}, received ${JSON.stringify(pin)}. Correct it.`
  return [{ what: `pins[${JSON.stringify(choice.id)}]`, result: 'wrong', text }]
}

const unknown = (what: string, id: string, known: readonly string[], noun: string, see: string): readonly Check[] => {
  if (known.includes(id)) return []
  const meant = nearest(id, known)
  const hint = meant === undefined ? `See ${see}.` : `Did you mean ${JSON.stringify(meant)}?`
  return [
    {
      what,
      result: 'wrong',
      text: `expected the id of ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}, received ${JSON.stringify(id)}. ${hint}`,
    },
  ]
}
