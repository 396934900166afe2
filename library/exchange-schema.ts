// The schema of one line that `touchstone judge --stdin` reads: an exchange as `touchstone/oracle` takes it; nothing is read here.

import { type ObjectOptions, type Static, Type } from '@sinclair/typebox'
import { call, outcome } from '../history/shapes.js'

const request = {
  method: Type.String({ minLength: 1 }),
  url: Type.String({ minLength: 1, description: 'A URL, or its path and query.' }),
  authorization: Type.Optional(
    Type.String({
      description: 'The header Authorization; it is compared and forgotten. Left out where none was sent.',
    }),
  ),
  as: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      title: 'the name of a token, or null',
      description: 'In place of authorization: the name of a token of the target file, or null for nobody.',
    }),
  ),
  body: Type.Optional(Type.Unknown({ description: 'Parsed JSON, or the text of a body that is not JSON.' })),
  file: call.properties.file,
}

const {
  anyOf: [answered, unanswered],
  title = '',
  description = '',
} = outcome

const exchangeOf = (options: ObjectOptions, more: ObjectOptions = {}) =>
  Type.Object(
    {
      request: Type.Object(request, options),
      reply: Type.Union([Type.Object(answered.properties, options), Type.Object(unanswered.properties, options)], {
        title,
        description,
      }),
      startedAt: Type.Number({ description: 'When it was sent, in milliseconds from any moment on.' }),
      endedAt: Type.Number({ description: 'When the reply was there whole, or was given up.' }),
    },
    { ...options, ...more },
  )

/** A line has no other members: one that is misspelled would be missed. */
export const exchangeSchema = exchangeOf(
  { additionalProperties: false },
  { $id: 'touchstone/exchange', title: 'an exchange, as `touchstone judge --stdin` reads it' },
)

/** What a program hands over may have more, such as the journal of the reference. */
export const givenExchange = exchangeOf({})

export type ExchangeLine = Static<typeof exchangeSchema>
