// What clients ask first although it is no part of the interface (regions, account, profile, nodes, types), read-only from the fixtures; an aid, never judged.

import { principal } from '../models/language/access.js'
import type { Environment, NodeFixture, User } from '../models/language/environment.js'
import { envelope, type Reply } from './reply.js'
import type { Identity } from './worlds.js'

/** Tells a client that the reply is not of the interface. */
const mark = { 'x-touchstone-aid': 'not part of the interface' }

interface Asked {
  readonly environment: Environment
  readonly account: string | undefined
  readonly user: User | undefined
  readonly embedded: Identity['embedded']
}

type Records = readonly object[]

/** Records by the path of their list; one is found by its `id` or `label` behind it. */
const lists: Readonly<Record<string, (asked: Asked) => Records>> = {
  '/regions': ({ environment }) => (environment.fixtures.regions ?? []).map(regionOf),
  '/node/types': ({ environment }) =>
    [...new Set((environment.fixtures.nodes ?? []).map(({ memoryGiB = 1 }) => memoryGiB))].map(typeOf),
  '/node/instances': (asked) => ownNodes(asked).map(instanceOf),
  '/nodebalancers': (asked) =>
    own(asked, asked.environment.fixtures.nodebalancers).map(({ account: _, ...one }) => one),
  '/domains': (asked) =>
    own(asked, asked.environment.fixtures.domains).map(({ id }) => ({ id, domain: `domain-${id}.example.org` })),
  '/account/events': ({ embedded }) =>
    embedded.events().map(({ action, at }) => ({ id: at, action, status: 'notification' })),
}

const single: Readonly<Record<string, (asked: Asked) => object>> = {
  '/account': ({ environment, account }) => {
    const { balance, managed } = environment.accounts.find(({ name }) => name === account) ?? {}
    return {
      euuid: account,
      company: account,
      email: `${account}@example.org`,
      balance: balance === 'negative' ? 10 : 0,
      capabilities: ['Block Storage', 'Object Storage', 'Cloud Firewall', ...(managed ? ['Managed'] : [])],
    }
  },
  '/account/settings': ({ environment, account }) => ({
    managed: environment.accounts.find(({ name }) => name === account)?.managed === true,
    object_storage: 'active',
  }),
  '/profile': ({ user }) => ({
    username: user?.name,
    email: `${user?.name}@example.org`,
    restricted: user?.restricted === true,
  }),
  '/profile/grants': ({ user }) => user?.grants ?? {},
}

const regionOf = ({ id, vlans }: { readonly id: string; readonly vlans?: boolean }) => ({
  id,
  label: id,
  country: 'us',
  status: 'ok',
  capabilities: ['Block Storage', 'Object Storage', 'Cloud Firewall', ...(vlans ? ['Vlans'] : [])],
})

const typeOf = (memoryGiB: number) => ({
  id: `standard-${memoryGiB}`,
  label: `Standard ${memoryGiB} GB`,
  class: 'standard',
  memory: memoryGiB * 1024,
  disk: memoryGiB * 25_600,
  vcpus: Math.max(1, Math.floor(memoryGiB / 2)),
  price: { hourly: memoryGiB * 0.0075, monthly: memoryGiB * 5 },
})

const instanceOf = ({ id, label, region, memoryGiB = 1, ipv4, slaac, configs = [] }: NodeFixture) => ({
  id,
  label: label ?? `node-${id}`,
  region,
  type: `standard-${memoryGiB}`,
  status: 'running',
  ipv4: [...(ipv4?.public ?? []), ...(ipv4?.private ?? [])],
  ipv6: slaac === undefined ? null : `${slaac}/128`,
  configs,
  specs: { memory: memoryGiB * 1024 },
  tags: [],
})

const own = <T extends { readonly account?: string }>({ environment, account }: Asked, all: readonly T[] = []) =>
  all.filter((one) => (one.account ?? environment.accounts[0]?.name) === account)

/** Those that have not been deleted by a hook. */
const ownNodes = (asked: Asked): readonly NodeFixture[] => {
  const there = asked.embedded.world().tables.get('nodes')?.live
  return own(asked, asked.environment.fixtures.nodes).filter(({ id }) => there === undefined || there.has(String(id)))
}

/** The reply to a GET of such a path; undefined where this is none. */
export const aid = ({ as, embedded }: Identity, path: string, search: string): Reply | undefined => {
  const { environment } = embedded.world()
  const plain = path.replace(/\/$/, '')
  const at = plain.lastIndexOf('/')
  const whole = lists[plain]
  const above = whole ? undefined : lists[plain.slice(0, at)]
  const one = single[plain]
  if (!whole && !above && !one) return undefined
  const { user, account, anonymous } = principal(environment, as)
  if (anonymous && !isPublic(plain)) return { ...envelope(401, '', 'Invalid Token'), headers: mark }
  const asked: Asked = { environment, account: account?.name, user, embedded }
  if (whole) return { status: 200, body: pageOf(whole(asked), search), headers: mark }
  if (one) return { status: 200, body: one(asked), headers: mark }
  const id = plain.slice(at + 1)
  const found = above?.(asked).find((record) => 'id' in record && encodeURIComponent(String(record.id)) === id)
  return found ? { status: 200, body: found, headers: mark } : { ...envelope(404, '', 'Not found'), headers: mark }
}

/** Regions and types are shown to anyone. */
const isPublic = (path: string): boolean => path.startsWith('/regions') || path.startsWith('/node/types')

const pageOf = (records: Records, search: string): object => {
  const query = new URLSearchParams(search)
  const bounded = (name: string, otherwise: number): number => {
    const value = Number(query.get(name) ?? otherwise)
    return Number.isInteger(value) && value > 0 ? value : otherwise
  }
  const [page, size] = [bounded('page', 1), bounded('page_size', 100)]
  const pages = Math.max(1, Math.ceil(records.length / size))
  return { data: records.slice((page - 1) * size, page * size), page, pages, results: records.length }
}
