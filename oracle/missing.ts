// Follows what a run has made and the target shows no more, where others may have removed it: it is told, and not expected again.

import type { CallEntry } from '../history/entry.js'
import { isAbsent } from '../history/outcomes.js'
import { doubt } from '../models/language/changes.js'
import type { Environment } from '../models/language/environment.js'
import type { AnyTable } from '../models/language/operation.js'
import type { World } from '../models/language/world.js'
import { isAllowed } from './explanations/explanation.js'
import { interference } from './explanations/interference.js'
import { readCall } from './facts.js'
import type { Judgement } from './judgement.js'

export const createMissing = (environment: Environment) => {
  const missing = new Map<string, { readonly table: AnyTable; readonly key: string }>()
  const isFollowed = !environment.exclusive && isAllowed(environment, interference)
  return {
    /** Notes what a reply lacks, or says is not there. */
    note: (entry: CallEntry, judgement: Judgement): void => {
      for (const one of isFollowed && !judgement.late ? missingIn(entry, judgement) : [])
        missing.set(`${one.table.name} ${one.key}`, one)
    },
    /** The world in which all that was noted may be gone. */
    doubted: (world: World): World => {
      const all = [...missing.values()]
      missing.clear()
      return all.reduce((before, { table, key }) => doubt(before, table, key), world)
    },
  }
}

/** What a reply lacks that should be there, or says is not there. */
export const missingIn = (
  { op, call, outcome }: Pick<CallEntry, 'op' | 'call' | 'outcome'>,
  { deviations, world }: Pick<Judgement, 'deviations' | 'world'>,
): readonly { readonly table: AnyTable; readonly key: string }[] => {
  if (deviations.length === 0) return []
  const listed = 'table' in op.reply ? op.reply.table : undefined
  const lacking = listed ? deviations.flatMap((one) => one.missing ?? []).map((key) => ({ table: listed, key })) : []
  const isDenied = deviations.some(({ kind }) => kind === 'refused') && isAbsent(outcome)
  const named = isDenied ? readCall(world, op, call).named : []
  return [
    ...lacking,
    ...named.flatMap(({ reference: { table }, resolution }) =>
      resolution.kind === 'found' ? [{ table, key: resolution.entity.key }] : [],
    ),
  ]
}
