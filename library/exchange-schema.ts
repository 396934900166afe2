// The schema of one line that `touchstone judge --stdin` reads: an exchange as `touchstone/oracle` takes it; nothing is read here.

import { type Static, Type } from '@sinclair/typebox'
import { call, outcome } from '../history/shapes.js'

const closed = { additionalProperties: false }

const request = Type.Object(
  {
    method: Type.String({ minLength: 1 }),
    url: Type.String({ minLength: 1, description: 'A URL, or its path and query.' }),
    authorization: Type.Optional(
      Type.String({
        description: 'The header Authorization; it is compared and forgotten. Left out where none was sent.',
      }),
    ),
    as: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'In place of authorization: the name of a token of the target file, or null for nobody.',
      }),
    ),
    body: Type.Optional(Type.Unknown({ description: 'Parsed JSON, or the text of a body that is not JSON.' })),
    file: call.properties.file,
  },
  closed,
)

/** As a record has it, but with no other members: one that is misspelled would be missed. */
const {
  anyOf: [answered, unanswered],
  title = '',
  description = '',
} = outcome
const about = { title, description }

export const exchangeSchema = Type.Object(
  {
    request,
    reply: Type.Union([Type.Object(answered.properties, closed), Type.Object(unanswered.properties, closed)], about),
    startedAt: Type.Number({ description: 'When it was sent, in milliseconds from any moment on.' }),
    endedAt: Type.Number({ description: 'When the reply was there whole, or was given up.' }),
  },
  { ...closed, $id: 'touchstone/exchange', title: 'an exchange, as `touchstone judge --stdin` reads it' },
)

export type ExchangeLine = Static<typeof exchangeSchema>
