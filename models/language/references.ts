// What an operation is about: the resources that its path names, and their tables; which of them exist is no question of it.

import { memoised } from './memoised.js'
import type { AnyTable, Operation, ParamRef } from './operation.js'
import type { Path } from './world.js'

/** A parameter of a path that names a resource. */
// biome-ignore lint/suspicious/noExplicitAny: the generic core, where resources of every kind meet
export type Reference = ParamRef<any>

type Named = readonly [param: string, reference: Reference]

/** The parameters of the path that name resources, in its order. */
export const referencesOf = ({ params }: Pick<Operation, 'params'>): readonly Named[] => referencesIn(params)

const referencesIn = memoised((params: Operation['params']): readonly Named[] =>
  Object.entries(params).flatMap(([param, one]) => (typeof one === 'object' ? [[param, one] as const] : [])),
)

/** The one parameter of a path that has no other. */
export const soleReferenceOf = (op: Pick<Operation, 'params'>): Named | undefined =>
  Object.keys(op.params).length === 1 ? referencesOf(op)[0] : undefined

/** The table of what the path ends in; undefined where that is no resource. */
export const lastTableOf = ({ params }: Pick<Operation, 'params'>): AnyTable | undefined => {
  const last = Object.values(params).at(-1)
  return typeof last === 'object' ? last.table : undefined
}

/** What an accepted call removes. */
export const removedBy = (op: Pick<Operation, 'params' | 'removes'>): Reference | undefined =>
  referencesOf(op).find(([param]) => param === op.removes)?.[1]

/** The tables of what an operation shows, makes and names. */
export const tablesOf = (op: Operation): readonly AnyTable[] => [
  ...('table' in op.reply ? [op.reply.table] : []),
  ...(op.makes ? [op.makes] : []),
  ...referencesOf(op).map(([, { table }]) => table),
]

/** What a path calls a resource; undefined where its name is ill-formed. */
export const idNamed = ([param, { key }]: Named, path: Path, account: string | undefined): string | undefined =>
  key ? key(path, account) : path[param]
