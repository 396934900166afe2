// Breaks one clause in one reply of a scene. No tests.

import { recordsIn } from '../../history/pages.js'
import type { Outcome } from '../../history/wire.js'
import { isObject } from '../../models/language/objects.js'
import { constraintsOf } from '../../models/language/schema.js'
import type { Played } from './lanes.js'

type Entry = Played['entries'][number]
type Fields = Readonly<Record<string, unknown>>

/** One way to break one reply. */
interface Break {
  readonly entry: Entry
  readonly record: Fields
  readonly wrong: Fields
  readonly clause: string
}

/** All ways in which a reply shows one member of another type, or not at all. */
const breaksOf = (entry: Entry): readonly Break[] => {
  const { op, outcome } = entry
  if (!('table' in op.reply) || !('status' in outcome) || outcome.status >= 300) return []
  const record = recordsIn(outcome.body)[0] ?? outcome.body
  if (!op.reply.table.record || !isObject(record)) return []
  return constraintsOf(op.reply.table.record).flatMap(({ path: [member = '', ...deeper], keyword }) => {
    // Without its id nothing tells which resource it is.
    if (deeper.length > 0 || member === 'id' || record[member] == null) return []
    const { [member]: value, ...rest } = record
    const wrong = Array.isArray(value) ? 'text' : { of: 'another type' }
    const clause = `${op.id}.reply.${member}.${keyword}`
    if (keyword === 'required') return [{ entry, record, clause, wrong: rest }]
    return keyword === 'type' ? [{ entry, record, clause, wrong: { ...record, [member]: wrong } }] : []
  })
}

/** The same scene with one reply that breaks one clause; undefined where no reply can. */
export const withOneBroken = (
  played: Played,
  at: number,
): { readonly played: Played; readonly clause: string } | undefined => {
  const breaks = played.entries.flatMap(breaksOf)
  const one = breaks[at % Math.max(1, breaks.length)]
  if (!one) return undefined
  const { entry, record, wrong, clause } = one
  const swap = (some: unknown): unknown => (some === record ? wrong : some)
  const { body, ...rest } = entry.outcome as Extract<Outcome, { readonly status: number }>
  const inside = isObject(body) && Array.isArray(body.data) ? { ...body, data: body.data.map(swap) } : body
  const broken = Array.isArray(body) ? body.map(swap) : swap(inside)
  const entries = played.entries.map((some) =>
    some === entry ? { ...some, outcome: { ...rest, body: broken } } : some,
  )
  return { played: { ...played, entries }, clause }
}
