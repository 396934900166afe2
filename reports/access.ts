// Who called what: for each operation and token, how many calls were accepted and refused, and how many of these wrongly.

import type { RecordLine } from '../history/record.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { grouped } from '../models/language/grouped.js'
import type { Results } from './results-schema.js'

type Step = Extract<RecordLine, { type: 'step' }>
type Access = Results['access'][number]

interface Cell {
  readonly operation: string
  readonly as: string | null
  accepted: number
  refused: number
  /** The findings of each reply that was not the one expected. */
  readonly suspects: (readonly string[])[]
}

/** Changed in place, since a record may have a million steps. */
export type AccessTally = Map<string, Cell>

export function noteAccess(tally: AccessTally, { call, outcome, expects, findings = [] }: Step): void {
  if ('lost' in outcome) return
  const isAccepted = outcome.status >= 200 && outcome.status < 300
  const isRefused = outcome.status >= 400 && outcome.status < 500
  if (!isAccepted && !isRefused) return
  const key = keyOf(call.operation, call.as)
  const cell = getOrInsert(tally, key, () => ({
    operation: call.operation,
    as: call.as,
    accepted: 0,
    refused: 0,
    suspects: [],
  }))
  cell[isAccepted ? 'accepted' : 'refused'] += 1
  if (expects === (isAccepted ? 'refuse' : 'accept') && findings.length > 0) cell.suspects.push(findings)
}

/** A reply is wrong where what it showed has become a finding. */
export const accessOf = (tally: AccessTally, findings: ReadonlyMap<string, unknown>): Access[] =>
  [...tally.values()].map(({ suspects, ...cell }) => ({
    ...cell,
    wrong: suspects.filter((ids) => ids.some((id) => findings.has(id))).length,
  }))

export const mergeAccess = (all: readonly Results[]): Access[] =>
  [
    ...grouped(
      all.flatMap(({ access }) => access),
      ({ operation, as }) => keyOf(operation, as),
    ).values(),
  ].flatMap((cells) => {
    const [first] = cells
    const sum = (name: 'accepted' | 'refused' | 'wrong'): number => cells.reduce((total, cell) => total + cell[name], 0)
    return first ? [{ ...first, accepted: sum('accepted'), refused: sum('refused'), wrong: sum('wrong') }] : []
  })

/** A token may be called anything, so that no token is told from each of them. */
const keyOf = (operation: string, as: string | null): string => JSON.stringify([operation, as])
