// The Managed service: the fields that requests send, how they are stored and compared; not its operations.

import { loosen } from '../language/changes.js'
import type { Ternary } from '../language/clause.js'
import { byId, sameId } from '../language/facts.js'
import { isObject } from '../language/objects.js'
import { ended, saysOneOf } from '../language/remains.js'
import { agrees, asProse, asText } from '../language/same.js'
import { type Entity, live, type Table, type World } from '../language/world.js'

export interface Service {
  readonly id: number
  readonly label: string
  readonly service_type: 'url' | 'tcp'
  /** Without its fragment, which is not preserved. */
  readonly address: string
  readonly timeout: number
  readonly body: string | null
  readonly consultation_group: string
  readonly credentials: readonly number[]
  readonly notes: string | null
  readonly region: string | null
  /** Whether it is being monitored; under which name a reply tells that is not shown. */
  readonly monitored: boolean
}

/** An address as it is kept: without its fragment. */
export const withoutFragment = (address: string): string => String(address).replace(/#.*$/s, '')

/** The query of an address, `?` included; empty where there is none. */
export const queryOf = (address: string): string => /\?[^#]*/s.exec(address)?.[0] ?? ''

/** Whether two queries say the same, however they are encoded. */
export const isSameQuery = (known: string, seen: string): boolean =>
  known === seen || new URLSearchParams(known).toString() === new URLSearchParams(seen).toString()

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** Whether a text that is no URL may stand for one: it has to say which host. One beyond ASCII has several spellings. */
const namesHost = (seen: string, { hostname }: URL): boolean =>
  !/^(?!.*xn--)[a-z\d.-]*[a-z]$/.test(hostname) || seen.toLowerCase().includes(hostname.replace(/^www\./, ''))

/** Whether two spellings are of one address. Undecided where one of them is no URL: how such a one is shown is not said. */
export const isSameAddress = (known: string, seen: unknown): Ternary => {
  if (known === seen) return true
  if (typeof seen !== 'string') return false
  const [a, b] = [parse(known), parse(seen)]
  if (!a?.host) return undefined
  if (!b?.host) return namesHost(seen, a) ? undefined : false
  return (
    a.protocol === b.protocol &&
    a.host === b.host &&
    trimmed(a.pathname) === trimmed(b.pathname) &&
    isSameQuery(a.search, b.search) &&
    b.hash === ''
  )
}

const trimmed = (path: string): string => path.replace(/\/$/, '')

const saysEnded = saysOneOf([...ended, 'stopped', 'unmonitored'])

const saysDeleted = saysOneOf(['deleted'])

export const services: Table<Service> = {
  name: 'managed-services',
  fields: [
    'id',
    'label',
    'service_type',
    'address',
    'timeout',
    'body',
    'consultation_group',
    'credentials',
    'notes',
    'region',
  ],
  identify: byId,
  mayRepeat: true,
  fillable: ['body', 'notes'],
  same: {
    id: sameId,
    label: asText,
    body: asText,
    consultation_group: asText,
    notes: asProse,
    address: isSameAddress,
    credentials: (known: readonly number[], seen) =>
      !Array.isArray(known)
        ? agrees(known, seen)
        : Array.isArray(seen) && new Set(known).size === new Set(seen).size && known.every((id) => seen.includes(id)),
  },
  // The document has its monitoring stopped, not the service deleted: that a service is stopped which was so before tells nothing more.
  tombstone: (record, service) => (service?.monitored === false ? saysDeleted(record) || undefined : saysEnded(record)),
  // Whether a service that is disabled can be deleted is not said.
  release: ({ monitored }) => (monitored === true ? [] : ['managed-services.enable']),
  bare: ({ id }) => ({ id }),
  unjudged: (_, { monitored }) => ({ status: monitored === false ? 'disabled' : 'ok' }),
  change: { lasting: ['id', 'region'], outside: [], renewable: false },
  closable: true,
  mint: (dice) => String(dice.next('managed-services')),
  draw: () => ({ body: null, credentials: [], notes: null, region: null }),
}

/** Whether a service names the credential. A target may show its id or its record, and may show anything else as well. */
const names = ({ credentials }: Entity<Service>, id: string | undefined): boolean => {
  const idOf = (one: unknown): unknown => (isObject(one) ? one.id : one)
  return id !== undefined && Array.isArray(credentials) && credentials.some((one) => String(idOf(one)) === id)
}

const isNotified = ({ consultation_group }: Entity<Service>, group: unknown): boolean =>
  typeof group === 'string' && consultation_group === group

/** Whether a service of the account uses the credential, as far as is known. */
export const usesCredential = (world: World, account: string | undefined, id: string): boolean =>
  live(world, services, account).some((service) => names(service, id))

/** Whether a service of the account notifies the group, as far as is known. */
export const notifies = (world: World, account: string | undefined, group: unknown): boolean =>
  live(world, services, account).some((service) => isNotified(service, group))

/** What becomes of a service that names a credential or a group which is no longer there is not said. */
export const loosenUsers = (
  world: World,
  account: string | undefined,
  lost: { readonly credential?: string; readonly group?: unknown },
): World =>
  live(world, services, account).reduce((before, service) => {
    const fields = [
      ...(names(service, lost.credential) ? (['credentials'] as const) : []),
      ...(isNotified(service, lost.group) ? (['consultation_group'] as const) : []),
    ]
    return fields.length > 0 ? loosen(before, services, service.key, fields) : before
  }, world)
