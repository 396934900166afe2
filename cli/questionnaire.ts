// The choices as questions for whoever writes an implementation: what is open, what the reference does, what the last target did.

import { alternatives } from '../config/errors.js'
import { passagesFor } from '../models/document/quotes.js'
import { allClauses, operationById } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import type { Choice, Pin } from '../suites/choices.js'
import type { Evidence } from './evidence.js'
import type { Listing } from './list-kinds.js'
import { readingsFor } from './readings.js'

export const questionnaire = (choices: readonly Choice[], evidence: Evidence | undefined): Listing => {
  const clauses = new Map(allClauses().map((clause) => [clause.id, clause]))
  const seen = new Map(evidence?.results?.choices.map((choice) => [choice.id, choice]))
  const items = choices.map((choice) => {
    const clause = clauses.get(choice.id)
    const { observed = [], pinned = null } = seen.get(choice.id) ?? {}
    return {
      ...choice,
      quote: clause ? saidOf(clause) : [],
      readings: readingsFor(choice.id),
      reference: referenceDoes(choice, clause),
      observed,
      pinned,
    }
  })
  const target = evidence?.results?.target.name ?? 'the target'
  return {
    items,
    rows: items.flatMap(({ id, text, quote, readings, reference, observed, pinned, ...choice }) => [
      [id],
      [`  ${text}`],
      ...quote.map((one) => [`  the document: “${one}”`]),
      ...readings.map(({ taken }) => [`  it is read so: ${taken}`]),
      [`  the reference: ${reference}`],
      [
        `  ${target}: ${observed.join(', ') || 'not seen yet'}${pinned === null ? '' : `, pinned to ${String(pinned)}`}`,
      ],
      [`  what does yours do? pins: { '${id}': ${exampleOf(choice, observed)} } holds it to that`],
      [''],
    ]),
  }
}

/** How a pin is written where nothing was seen and no values are listed. */
const unseenPins: Readonly<Record<Pin, string>> = {
  outcome: "'accepted' or 'refused'",
  status: '200',
  refusal: '403',
  time: '500',
  value: "'a word of yours'",
}

/** How a pin is written: to what was seen, where that is one value; the longest time is nobody's to read off a run. */
const exampleOf = ({ pin, values = [] }: Pick<Choice, 'pin' | 'values'>, observed: readonly unknown[]): string => {
  const [seen, ...more] = observed.map(String)
  if (seen === undefined || more.length > 0 || pin === 'time')
    return values.length > 0 ? alternatives(values.map(literal)) : unseenPins[pin]
  return pin === 'status' || pin === 'refusal' ? seen : literal(values.find((value) => String(value) === seen) ?? seen)
}

const literal = (value: string | boolean): string => (typeof value === 'string' ? `'${value}'` : String(value))

const saidOf = (clause: Clause): readonly string[] => {
  const op = operationById(clause.operation)
  return op ? passagesFor(op, clause).map(({ text }) => text) : []
}

/** What the embedded target does, unless a variation says otherwise. */
const referenceDoes = (choice: Choice, clause: Clause | undefined): string => {
  if (clause?.kind === 'choice') return 'shows one of the possible values'
  if (clause) return 'takes the call'
  return choice.operation === undefined ? '400, 401, 403 or 404, as the cause is' : '200'
}
