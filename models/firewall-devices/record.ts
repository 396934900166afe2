// The firewall device: the assignment of a firewall to one service; the document shows no record of it.
import type { Ternary } from '../language/clause.js'
import { byId, sameId } from '../language/facts.js'
import { idIn, type Table } from '../language/world.js'

export type ServiceType = 'node' | 'nodebalancer'

/** The service that a device assigns its firewall to. */
export interface Service {
  readonly id: number
  readonly type: ServiceType
}

export interface FirewallDevice {
  /** As replies show it: the device's own, or whatever else tells the devices of a firewall apart. */
  readonly id: number
  readonly entity: Service
  /** As requests name the service's type. */
  readonly type: ServiceType
  readonly firewallId: string
}

/** Whether ids of devices are told apart across firewalls is not said, so a device is named by its firewall too. */
export const deviceKey = (firewall: string | undefined, id: string | undefined): string | undefined =>
  firewall === undefined || id === undefined ? undefined : `${firewall}/${id}`

/** The service of a device; undefined where not all is known of it: records may show its id alone, or nothing sensible. */
export const entityOf = ({ entity }: Partial<FirewallDevice>): Service | undefined =>
  typeof entity === 'object' && entity?.id !== undefined && entity.type !== undefined ? entity : undefined

const isSame = (known: unknown, seen: unknown): boolean => known === undefined || seen === undefined || known === seen

const sameService = (known: Partial<Service>, seen: unknown): Ternary => {
  if (typeof seen !== 'object' || seen === null) return undefined
  const { id, type } = seen as Partial<Service>
  return isSame(known.id, id) && isSame(known.type, type)
}

/** A type may be that of the record itself, which is a device. */
const sameType = (known: unknown, seen: unknown): Ternary =>
  known === seen || (typeof seen === 'string' && /device/i.test(seen) ? undefined : false)

export const firewallDevices: Table<FirewallDevice> = {
  name: 'firewall-devices',
  fields: ['id', 'entity'],
  identify: (record, path) => deviceKey(path.firewallId, byId(record)),
  mayRepeat: true,
  same: { id: sameId, entity: sameService, type: sameType },
  derived: { type: ['entity'] },
  view: (_world, device) => ({ type: entityOf(device)?.type }),
  bare: ({ id }) => ({ id }),
  node: (device) => {
    const entity = entityOf(device)
    return entity?.type === 'nodebalancer' ? undefined : entity?.id
  },
  change: { lasting: ['id', 'entity', 'firewallId'], outside: [], renewable: false },
  closable: true,
  mint: (dice, path) => `${path.firewallId}/${dice.next('firewall-devices')}`,
  draw: (_, { key }) => ({ id: Number(idIn(key).split('/').at(-1)) }),
}
