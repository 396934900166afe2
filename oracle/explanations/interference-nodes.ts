// Nodes are created and deleted outside of the interface. Infers from what is attached to them which are gone; nothing is judged here.

import type { CallEntry, Entry } from '../../history/entry.js'
import { bodyOf, isAccepted } from '../../history/outcomes.js'
import { entityOf, firewallDevices } from '../../models/firewall-devices/record.js'
import { applyHook } from '../../models/hooks.js'
import { allTables } from '../../models/index.js'
import { lose } from '../../models/language/changes.js'
import { nodes } from '../../models/language/facts.js'
import { isObject } from '../../models/language/objects.js'
import type { AnyTable } from '../../models/language/operation.js'
import { live, type World } from '../../models/language/world.js'

/** Whether a node certainly existed at some time from then on. */
export type IsThere = (node: number) => boolean

/** When each node was last seen: a call that names it was accepted, or a reply shows it. */
export const createNodeWatch = (latest = new Map<number, number>()) => {
  return {
    note: (events: readonly Entry[]): void => {
      for (const event of events) {
        if (event.kind !== 'call' || !isAccepted(event.outcome)) continue
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

const withoutNode = (world: World, id: number): World =>
  live(world, firewallDevices)
    .filter((device) => isOfNode(entityOf(device), id))
    .reduce((before, { key }) => lose(before, firewallDevices, key), applyHook(world, 'deleteNode', [id]))

const isOfNode = (entity: ReturnType<typeof entityOf>, id: number): boolean =>
  entity !== undefined && entity.type !== 'nodebalancer' && Number(entity.id) === id

/** Ids of the nodes that the world knows of. */
const attachedTo = (world: World): readonly number[] => {
  const tables: readonly AnyTable[] = [nodes, ...allTables()]
  const told = tables.flatMap((table) => live(world, table).map((entity) => table.node?.(entity)))
  return [...new Set(told)].filter((id) => typeof id === 'number')
}

const nodesIn = ({ op, call, outcome }: CallEntry): readonly number[] => {
  const body = bodyOf(outcome)
  // Where there is one entity for each node, its id may be that of the node.
  const isOnePerNode = 'table' in op.reply && op.reply.table.toldBy === 'nodes'
  const rows = isOnePerNode && isObject(body) && Array.isArray(body.data) ? body.data : []
  const told = [
    ...Object.entries(call.path).flatMap(([name, value]) => (/^node(?:Id)?$/.test(name) ? [value] : [])),
    ...rows.flatMap((row) => (isObject(row) ? [row.id] : [])),
    ...namedIn(call.body),
    ...namedIn(body),
  ]
  return told.map(Number).filter(Number.isInteger)
}

/** Ids under the names that requests and replies give nodes. */
const namedIn = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value.flatMap(namedIn)
  if (!isObject(value)) return []
  const ofType = value.type === 'node' ? [value.id, isObject(value.data) ? value.data.id : undefined] : []
  const own = ['node_id', 'nodes', 'node_ids'].flatMap((name) => [value[name]].flat())
  const told = [...ofType, ...own.map((one) => (isObject(one) ? one.id : one))]
  return [
    ...told.filter((id) => typeof id === 'number' || (typeof id === 'string' && id !== '')),
    ...Object.values(value).flatMap(namedIn),
  ]
}
