// The names that the document gives to members, as far as operations and tables state them: what a target's own spelling must not collide with.

import { allTables, operations } from './index.js'
import { constraintsOf, type TSchema } from './language/schema.js'

const namesIn = (schema: TSchema | undefined): readonly string[] =>
  schema ? constraintsOf(schema).flatMap(({ path }) => path.filter((name) => name !== '[]')) : []

/** Names of members and of what a query holds. */
export const documentWords = (): ReadonlySet<string> =>
  new Set([
    ...operations.flatMap(({ query, body }) => [...namesIn(query), ...namesIn(body)]),
    ...allTables().flatMap(({ record }) => namesIn(record)),
  ])
