// The per-node access settings of Managed: how they are stored and compared, and their defaults; not the operations.

import { patch } from '../language/changes.js'
import type { Ternary } from '../language/clause.js'
import { canonicalAddress } from '../language/formats.js'
import { isObject } from '../language/objects.js'
import { find, live, type Table, type WireRecord, type World } from '../language/world.js'

export interface NodeSsh {
  readonly access: boolean
  /** `any` for any of the node's addresses. */
  readonly ip: string
  /** Null means 22. */
  readonly port: number | null
  /** Null means root. */
  readonly user: string | null
}

export interface NodeSettings {
  /** Id of the node. */
  readonly id: number
  /** The members that are known. */
  readonly ssh: Readonly<Partial<NodeSsh>>
  /** Model only: the id that the view of the node has shown in place of a node_id. */
  readonly shownId: number
}

/** What the document gives as the default of each member of `ssh`. */
export const defaultSsh: NodeSsh = { access: true, ip: 'any', port: null, user: null }

const members = ['access', 'ip', 'port', 'user'] as const

/** Whether two values of a member mean the same: null and 22, null and root, two spellings of an address. */
const meansSame: { readonly [K in keyof NodeSsh]: (known: NodeSsh[K], seen: unknown) => boolean } = {
  access: (known, seen) => known === seen,
  // How "any" is shown is not said: in that word, as nothing, or as the address that stands for all.
  // It may be shown otherwise each time, so that what is known may be spelled in any of these ways as well.
  ip: (known, seen) =>
    isAny(known) && isAny(seen) ? true : typeof seen === 'string' ? isSameHost(String(known), seen) : known === seen,
  port: (known, seen) => (known ?? 22) === (seen ?? 22),
  user: (known, seen) => (isNothing(known) ? 'root' : known) === (isNothing(seen) ? 'root' : seen),
}

/** An address of one host, which may be written as a network that holds nothing else. */
const hostIn = (text: string): string =>
  canonicalAddress(text.toLowerCase().replace(/^([\d.]+)\/32$|^([\da-f:.]+)\/128$/, '$1$2'))

/** Whether two texts are the same address, however they are spelled. */
export const isSameHost = (known: string, seen: string): boolean => hostIn(known) === hostIn(seen)

const isNothing = (seen: unknown): boolean => seen === null || seen === ''

const isAny = (seen: unknown): boolean =>
  isNothing(seen) || (typeof seen === 'string' && /^(?:any|all|\*|(?:0\.0\.0\.0|::)(?:\/0)?)$/i.test(seen))

export const nodeSettings: Table<NodeSettings> = {
  name: 'managed-node-settings',
  fields: ['id', 'ssh'],
  // The record is not shown: its own id may be one of its own.
  identify: ({ node_id }) => (typeof node_id === 'number' || typeof node_id === 'string' ? String(node_id) : undefined),
  // Not among the members that are compared: a clause of its own asks for it.
  view: (_world, { key }) => ({ node_id: Number(key) }),
  same: {
    // That the id of an entry is the node's id is not said.
    id: (known: number, seen) => (known === seen ? true : undefined),
    ssh: (known, seen) =>
      isObject(seen) &&
      members.every(
        (name) =>
          known[name] === undefined || seen[name] === undefined || meansSame[name](known[name] as never, seen[name]),
      ),
  },
  change: { lasting: ['id'], outside: [], renewable: true },
  closable: false,
  toldBy: 'nodes',
  node: ({ key }) => Number(key),
  draw: () => ({ ssh: defaultSsh }),
}

/** Remembers what a view shows as the id of a node's entry where it does not say which node it is of. */
export const noteShownId = (world: World, key: string, record: unknown): World => {
  const { id, node_id } = isObject(record) ? record : {}
  const known = find(world, nodeSettings, key)
  return !known || node_id !== undefined || typeof id !== 'number' || known.shownId === id
    ? world
    : patch(world, nodeSettings, key, { shownId: id })
}

/** Whether an entry without a node_id shows what is known of the node whose view has that id; undefined where that is no one's, or not known. */
export const sameAsViewed = (
  world: World,
  account: string | undefined,
  { id, node_id, ssh }: Readonly<Record<string, unknown>>,
): Ternary => {
  if (typeof id !== 'number' || node_id !== undefined || !isObject(ssh)) return undefined
  const [viewed, ...others] = live(world, nodeSettings, account).filter(({ shownId }) => shownId === id)
  if (!viewed?.ssh || others.length > 0 || viewed.loose?.includes('ssh')) return undefined
  return nodeSettings.same?.ssh?.(viewed.ssh, ssh, viewed, world)
}

/**
 * Changes the settings of a node as an update does: `shown` is the `ssh` object of the reply, which tells what became of
 * the members that were left out, a thing the document does not say.
 */
export const changeSsh = (
  world: World,
  key: string,
  given: Readonly<Partial<Record<keyof NodeSsh, unknown>>>,
  shown: unknown,
): World => {
  const settings = find(world, nodeSettings, key)
  if (!settings) return world
  const sent = members.filter((name) => given[name] !== undefined && (given[name] !== null || isNullable(name)))
  const told = isObject(shown) ? members.filter((name) => !sent.includes(name) && shown[name] !== undefined) : []
  const pick = (from: WireRecord, names: readonly string[]): Readonly<Partial<NodeSsh>> =>
    Object.fromEntries(names.map((name) => [name, from[name]]))
  return patch(world, nodeSettings, key, {
    ssh: { ...pick(shown as WireRecord, told), ...pick(given, sent) },
  })
}

/** Sets the access settings of a node back to their defaults. */
export const resetSsh = (world: World, key: string | number): World =>
  patch(world, nodeSettings, key, { ssh: defaultSsh })

const isNullable = (name: keyof NodeSsh): boolean => name === 'port' || name === 'user'
