// Nodes are created and deleted outside of the interface. Infers from what is attached to them which are gone; nothing is judged here.

import type { Entry } from '../../history/entry.js'
import { bodyOf, isAccepted } from '../../history/outcomes.js'
import { allTables } from '../../models/index.js'
import { nodes } from '../../models/language/facts.js'
import { memoised } from '../../models/language/memoised.js'
import type { AnyTable } from '../../models/language/operation.js'
import { live, type World } from '../../models/language/world.js'
import { nodesNamed, withoutNode } from '../../models/nodes.js'

/** Whether a node certainly existed at some time from then on. */
export type IsThere = (node: number) => boolean

/** When each node was last seen: a call that names it was accepted, or a reply shows it. */
export const createNodeWatch = (latest = new Map<number, number>()) => {
  return {
    note: (events: readonly Entry[]): void => {
      for (const event of events) {
        for (const id of nodesIn(event)) latest.set(id, Math.max(latest.get(id) ?? event.startedAt, event.startedAt))
      }
    },
    since:
      (time: number): IsThere =>
      (node) =>
        (latest.get(node) ?? Number.NEGATIVE_INFINITY) >= time,
    fork: () => createNodeWatch(new Map(latest)),
  }
}

/** Nodes that were there when a call was taken. */
export const nodesIn = memoised((event: Entry): readonly number[] =>
  event.kind === 'call' && isAccepted(event.outcome)
    ? [...nodesNamed(event.op, event.call, bodyOf(event.outcome))]
    : [],
)

/** The world in which every node that is not seen any more has been deleted. */
export const withoutNodes = (world: World, isThere: IsThere): World => {
  const left = attachedTo(world)
    .filter((id) => !isThere(id))
    .reduce((before, id) => withoutNode(before, id), world)
  const state = left.tables.get(nodes.name)
  // The deletion is a guess, so naming the node again is no deviation.
  return state && left !== world
    ? { ...left, tables: new Map(left.tables).set(nodes.name, { ...state, gone: [] }) }
    : left
}

/** Ids of the nodes that the world knows of. */
const attachedTo = (world: World): readonly number[] => {
  const tables: readonly AnyTable[] = [nodes, ...allTables()]
  const told = tables.flatMap((table) => live(world, table).map((entity) => table.node?.(entity)))
  return [...new Set(told)].filter((id) => typeof id === 'number')
}
