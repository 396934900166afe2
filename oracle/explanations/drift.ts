// A state moves on by itself: a volume becomes active, or is busy for a while. Seeing the old state afterwards refutes the former.

import type { WireCall } from '../../history/wire.js'
import { put } from '../../models/language/changes.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { type AnyEntity, find, type World } from '../../models/language/world.js'
import { readCall } from '../facts.js'
import { type Deviation, type Judgement, withReasons } from '../judgement.js'
import { type Explanation, isAllowed, traceOf } from './explanation.js'

export const drift: Explanation = {
  name: 'drift',
  refutes: 'the old state is seen again afterwards',
  bound:
    'entities that a call names, and states that their table leads to; where drift could always be the reason, twins that are left alone decide; a refusal for a state that came about by itself is asked for again until pace.settleMs is over',
}

/** An entity and field that is assumed to have changed by itself. */
export interface Drifted {
  readonly table: AnyTable
  readonly before: AnyEntity
  readonly after: AnyEntity
}

/** An acceptance that only drift explains. Seeing the old state again refutes it. */
export interface Assumption {
  readonly table: AnyTable
  readonly key: string
  readonly field: string
  readonly before: unknown
  readonly deviation: Deviation
}

/** The worlds in which an entity that the call names has changed by itself, the smallest change first. */
export const driftsOf = (
  world: World,
  op: Operation,
  call: WireCall,
): readonly { readonly world: World; readonly drifted: Drifted }[] => {
  if (!isAllowed(world.environment, drift)) return []
  return readCall(world, op, call).named.flatMap(({ reference: { table }, resolution }) => {
    if (resolution.kind !== 'found' || !table.drifts) return []
    const before = resolution.entity
    return (table.drifts(before) as readonly AnyEntity[]).map((after) => ({
      world: put(world, table, after),
      drifted: { table, before, after },
    }))
  })
}

/** The worlds in which an entity that the call names has left its rest by itself, for a while. */
export const straysOf = (world: World, op: Operation, call: WireCall): readonly World[] => {
  if (!isAllowed(world.environment, drift)) return []
  return readCall(world, op, call).named.flatMap(({ reference: { table }, resolution }) => {
    const stray = resolution.kind === 'found' ? table.strays?.(resolution.entity as never) : undefined
    return stray ? [put(world, table, stray)] : []
  })
}

/** The fields that have changed by themselves. */
const movedIn = ({ table, before, after }: Drifted): readonly string[] =>
  (table.drifting ?? []).filter((field) => before[field] !== after[field])

export const traceOfDrift = (drifted: Drifted): string =>
  traceOf(drift, drifted.table.name, drifted.before.key, ...movedIn(drifted))

/** The assumption behind an acceptance that drift explained: the old state does not come back. */
export const assumptionsOf = (
  drifted: Drifted,
  judgement: Judgement,
  blamed: Deviation | undefined,
  op: Operation,
): readonly Assumption[] => {
  if (!blamed || judgement.accepted !== true || op.method === 'GET') return []
  const { table, before, after } = drifted
  const now = find(judgement.world, table, before.key)
  return movedIn(drifted)
    .filter((field) => now?.[field] === after[field])
    .map((field) => ({ table, key: before.key, field, before: before[field], deviation: blamed }))
}

/** Assumptions that a reply refutes by showing the old state again. */
export const refuted = (assumed: readonly Assumption[], world: World, op: Operation): readonly Assumption[] =>
  op.method === 'GET'
    ? assumed.filter(({ table, key, field, before }) => find(world, table, key)?.[field] === before)
    : []

/** Whether a look decides about an assumption. */
export const isAbout = (assumption: Assumption, op: Operation, call: WireCall): boolean =>
  op.method === 'GET' &&
  op.reply.kind === 'record' &&
  op.reply.table === assumption.table &&
  Object.values(call.path).includes(assumption.key)

/** The judgement with the deviations that refuted assumptions had excused. */
export const withLate = (judgement: Judgement, late: readonly Assumption[]): Judgement => ({
  ...judgement,
  verdict: 'finding',
  deviations: [
    ...judgement.deviations,
    ...late.map(({ table, key, field, before, deviation }) =>
      withReasons(deviation, `${table.name} ${key} was seen with ${field} ${String(before)} before and after`),
    ),
  ],
})
