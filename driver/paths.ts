// How a session addresses a resource: the path of an operation on it, its account, and the token that sees it.

import type { WireCall } from '../history/wire.js'
import { viewerOf } from '../models/index.js'
import { accountOf as accountIn, ownerTokens } from '../models/language/access.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type AnyEntity, find, gone, idIn, type Path, type WireRecord, type World } from '../models/language/world.js'
import type { Planned, Session } from './session.js'

/** The path of an operation on a resource: from its key, its fields, and the path of the call that made it. */
export const pathTo = (op: Operation, table: AnyTable, entity: AnyEntity, from: Path): Path =>
  Object.fromEntries(
    Object.entries(op.params).map(([name, reference]) => {
      if (typeof reference === 'object' && reference.table === table)
        return [name, String((reference.field && entity[reference.field]) ?? idIn(entity.key))]
      const parent = entity[name]
      return [name, from[name] ?? (typeof parent === 'string' || typeof parent === 'number' ? String(parent) : '')]
    }),
  )

/** The path of a list, from one that names what it is of. */
export const pathOfList = (lister: Operation, from: Path): Path =>
  Object.fromEntries(Object.keys(lister.params).map((name) => [name, from[name] ?? '']))

/** How to look at a resource; undefined where nothing shows it. */
export const viewing = (session: Session, table: AnyTable, entity: AnyEntity, from: Path): Planned | undefined => {
  const op = viewerOf(table)
  return op && { op, args: { path: pathTo(op, table, entity, from), as: tokenFor(session, entity.account) } }
}

/** Where something stands, for paths: these call the cluster of a bucket clusterId, requests and records call it cluster. */
export const placeIn = ({ cluster }: WireRecord): Path => (typeof cluster === 'string' ? { clusterId: cluster } : {})

/** What is known about a resource, live or gone. */
export const entityOf = (world: World, table: AnyTable, key: string): AnyEntity | undefined =>
  find(world, table, key) ?? gone(world, table, key)?.entity

/** The account that a call is sent for. */
export const accountOf = ({ options }: Session, { as }: Pick<WireCall, 'as'>): string | undefined =>
  accountIn(options.environment, as)

/** The token that sees an account's resources: the unrestricted one with all scopes. */
export const tokenFor = ({ options, mainToken }: Session, account: string | undefined): string | null =>
  ownerTokens(options.environment).find((one) => one.account === account)?.token ?? mainToken
