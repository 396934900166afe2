// The Managed service: the fields that requests send, how they are stored and compared; not its operations.
import type { Ternary } from '../clause.js'
import { live, loosen, type Table, type World } from '../world.js'
import { byId } from './facts.js'

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
export const withoutFragment = (address: string): string => address.replace(/#.*$/s, '')

/** The query of an address, `?` included; empty where there is none. */
export const queryOf = (address: string): string => /\?[^#]*/s.exec(address)?.[0] ?? ''

/** Whether two queries say the same, however they are encoded. */
export const isSameQuery = (known: string, seen: string): boolean =>
  known === seen || new URLSearchParams(known).toString() === new URLSearchParams(seen).toString()

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** Whether two spellings are of one address. Undecided where one of them is no URL: how such a one is shown is not said. */
export const isSameAddress = (known: string, seen: unknown): Ternary => {
  if (known === seen) return true
  if (typeof seen !== 'string') return false
  const [a, b] = [parse(known), parse(seen)]
  if (!a?.host || !b?.host) return undefined
  return (
    a.protocol === b.protocol &&
    a.host === b.host &&
    trimmed(a.pathname) === trimmed(b.pathname) &&
    isSameQuery(a.search, b.search) &&
    b.hash === ''
  )
}

const trimmed = (path: string): string => path.replace(/\/$/, '')

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
  same: {
    address: isSameAddress,
    credentials: (known: readonly number[], seen) =>
      Array.isArray(seen)
        ? new Set(known).size === new Set(seen).size && known.every((id) => seen.includes(id))
        : known.length === 0 && seen === null,
  },
  bare: ({ id }) => ({ id }),
  closable: true,
  mint: (dice) => String(dice.next('managed-services')),
  draw: () => ({ body: null, credentials: [], notes: null, region: null }),
}

/** Whether a service of the account uses the credential, as far as is known. */
export const usesCredential = (world: World, account: string | undefined, id: string): Ternary =>
  live(world, services, account).some(({ credentials }) => credentials?.some((used) => String(used) === id)) || false

/** Whether a service of the account notifies the group, as far as is known. */
export const notifies = (world: World, account: string | undefined, group: string | null | undefined): boolean =>
  typeof group === 'string' &&
  live(world, services, account).some(({ consultation_group }) => consultation_group === group)

/** What becomes of a service that names a credential or a group which is no longer there is not said. */
export const loosenUsers = (
  world: World,
  account: string | undefined,
  lost: { readonly credential?: string; readonly group?: string | null | undefined },
): World =>
  live(world, services, account).reduce((before, { key, credentials, consultation_group }) => {
    const uses = lost.credential !== undefined && credentials?.some((id) => String(id) === lost.credential)
    const told = typeof lost.group === 'string' && consultation_group === lost.group
    return uses || told
      ? loosen(before, services, key, [
          ...(uses ? (['credentials'] as const) : []),
          ...(told ? (['consultation_group'] as const) : []),
        ])
      : before
  }, world)
