// Everything that an implementation decides and a run observes, by id; what was observed stands in the run record.

import { allClauses, operations } from '../models/index.js'
import type { ClauseLevel } from '../models/language/clause.js'
import { keywords } from '../models/language/schema.js'
import { choiceOfLag } from '../oracle/explanations/lag.js'

export interface Choice {
  readonly id: string
  readonly text: string
  /** Undefined where it is not about one operation. */
  readonly operation?: string
  readonly area?: string
  readonly source?: string
  readonly pin: Pin
  /** All that replies can show, where that is known. */
  readonly values?: readonly (string | boolean)[]
}

/**
 * What a pin of a choice is: whether a call is accepted, the status of an accepted or of a refused call, or a value that replies show. The
 * longest time that a change may take to show only bounds what is assumed: what exceeds it is told by the clauses that it breaks.
 */
export type Pin = 'outcome' | 'status' | 'refusal' | 'value' | 'time'

const open: ClauseLevel = 'choice'

const refusalCauses = [
  'token',
  'scope',
  'unrestricted',
  'exists',
  'json',
  'names',
  'state',
  'path-type',
  ...['query', 'body'].flatMap((place) => ['required', ...keywords].map((keyword) => `${place}-${keyword}`)),
]

/** What a target file may pin. */
export const allChoices = (): readonly Choice[] => [
  ...allClauses()
    .filter(({ level }) => level === open)
    .map((clause) => {
      const { id, text, operation, area, source } = clause
      const about = { id, text, operation, area, source }
      if (clause.kind !== 'choice') return { ...about, pin: 'outcome' as const }
      const { values } = clause.choice
      return { ...about, pin: 'value' as const, ...(values && { values }) }
    }),
  ...operations.map(({ id, area }) => ({
    id: `${id}.status`,
    text: `Status of an accepted ${id}.`,
    operation: id,
    area,
    pin: 'status' as const,
  })),
  ...operations
    .filter(({ method, apply }) => method !== 'GET' && apply)
    .map(({ id, area }) => ({
      id: choiceOfLag(id),
      text: `How long after its reply what ${id} changes may not show; a pin is the longest time, in milliseconds.`,
      operation: id,
      area,
      pin: 'time' as const,
    })),
  ...refusalCauses.map((cause) => ({
    id: `refusals.${cause}`,
    text: `Status of a refusal for: ${cause}.`,
    pin: 'refusal' as const,
  })),
]
