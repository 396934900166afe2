// The firewall device: the assignment of a firewall to one service; the document shows no record of it.
import type { Ternary } from '../clause.js'
import type { Table } from '../world.js'
import { byId } from './facts.js'

export type ServiceType = 'node' | 'nodebalancer'

/** The service that a device assigns its firewall to. */
export interface Service {
  readonly id: number
  readonly type: ServiceType
}

export interface FirewallDevice {
  /** The device's own id, not the service's. */
  readonly id: number
  readonly entity: Service
  /** As requests name the service's type. */
  readonly type: ServiceType
  readonly firewallId: string
}

const sameService = (known: Service, seen: unknown): Ternary => {
  if (typeof seen !== 'object' || seen === null) return undefined
  const { id, type } = seen as Partial<Service>
  return (id === undefined || id === known.id) && (type === undefined || type === known.type)
}

export const firewallDevices: Table<FirewallDevice> = {
  name: 'firewall-devices',
  fields: ['id', 'entity'],
  identify: byId,
  same: { entity: sameService },
  derived: ['type'],
  view: (_world, device) => ({ type: device.entity?.type }),
  bare: ({ id }) => ({ id }),
  closable: true,
  mint: (dice) => String(dice.next('firewall-devices')),
}
