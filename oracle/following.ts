// Changes the world after an acceptance that is forbidden: what was wrongly accepted and shows has happened.

import type { WireCall } from '../history/wire.js'
import { accountOf } from '../models/language/access.js'
import type { Operation } from '../models/language/operation.js'
import type { World } from '../models/language/world.js'
import { type Read, readCall } from './facts.js'

/** A call on what belongs to another account, read as a call of that account; as it stands where that tells nothing. */
export const readAsOwner = (world: World, op: Operation, call: WireCall, read: Read): Read => {
  if (read.resolved || op.method === 'GET') return read
  const { accounts, tokens } = world.environment
  const others = accounts.filter(({ name }) => name !== read.caller.account?.name)
  for (const { name } of others) {
    const token = tokens.find((one) => accountOf(world.environment, one.name) === name)
    const theirs = token && readCall(world, op, { ...call, as: token.name })
    if (theirs && isFound(theirs)) return theirs
  }
  return read
}

const isFound = ({ named }: Read): boolean => named.every(({ resolution }) => resolution.kind === 'found')
