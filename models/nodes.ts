// How calls and replies name nodes, which belong to no resource of the interface, and what is gone with one.

import { entityOf, firewallDevices } from './firewall-devices/record.js'
import { applyHook } from './hooks.js'
import { lose } from './language/changes.js'
import { isObject } from './language/objects.js'
import type { Operation } from './language/operation.js'
import { live, type Path, type World } from './language/world.js'

/** Ids of the nodes that a call names or its reply shows. */
export const nodesNamed = (
  { reply }: Operation,
  call: { readonly path: Path; readonly body?: unknown },
  told: unknown,
): readonly number[] => {
  // Where there is one entity for each node, its id may be that of the node.
  const isOnePerNode = 'table' in reply && reply.table.toldBy === 'nodes'
  const rows = isOnePerNode && isObject(told) && Array.isArray(told.data) ? told.data : []
  const ids = [
    ...Object.entries(call.path).flatMap(([name, value]) => (/^node(?:Id)?$/.test(name) ? [value] : [])),
    ...rows.flatMap((row) => (isObject(row) ? [row.id] : [])),
    ...namedIn(call.body),
    ...namedIn(told),
  ]
  return ids.map(Number).filter(Number.isInteger)
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

/** The world in which a node may have been deleted, and what it was a part of with it. */
export const withoutNode = (world: World, id: number): World =>
  live(world, firewallDevices)
    .filter((device) => isOfNode(entityOf(device), id))
    .reduce((before, { key }) => lose(before, firewallDevices, key), applyHook(world, 'deleteNode', [id]))

const isOfNode = (entity: ReturnType<typeof entityOf>, id: number): boolean =>
  entity !== undefined && entity.type !== 'nodebalancer' && Number(entity.id) === id
