// The schema of one line that `touchstone judge --stdin` reads: an exchange as `touchstone/oracle` takes it; nothing is read here.

import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false }
const named = (...names: readonly string[]) => Type.Unsafe<string>({ enum: [...names] })

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
    file: Type.Optional(
      Type.Object(
        { field: Type.String(), name: Type.String(), bytes: Type.Integer({ minimum: 0 }) },
        { ...closed, description: 'A file that was sent as multipart/form-data in place of a body.' },
      ),
    ),
  },
  closed,
)

const answered = Type.Object(
  {
    status: Type.Integer({ minimum: 100, maximum: 999 }),
    body: Type.Optional(Type.Unknown({ description: 'Parsed JSON; left out where there was none.' })),
    text: Type.Optional(Type.String({ description: 'The body as text where it was not JSON.' })),
    contentType: Type.Optional(Type.String()),
  },
  closed,
)

const unanswered = Type.Object(
  {
    lost: named('timeout', 'reset', 'refused', 'tls', 'too-large', 'malformed', 'foreign'),
    replied: Type.Optional(
      Type.Integer({ description: 'Status of the reply where that is known, and its body is not.' }),
    ),
    detail: Type.Optional(Type.String()),
  },
  closed,
)

export const exchangeSchema = Type.Object(
  {
    request,
    reply: Type.Union([answered, unanswered], { description: 'What came back, or why nothing did.' }),
    startedAt: Type.Number({ description: 'When it was sent, in milliseconds from any moment on.' }),
    endedAt: Type.Number({ description: 'When the reply was there whole, or was given up.' }),
  },
  { ...closed, $id: 'touchstone/exchange', title: 'One exchange, as `touchstone judge --stdin` reads it' },
)

export type ExchangeLine = Static<typeof exchangeSchema>
