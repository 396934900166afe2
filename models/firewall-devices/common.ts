// What the device operations have in common: paths, services and firewalls that are in no program's way; no rule of any operation.
import { type Firewall, firewalls } from '../firewalls/record.js'
import type { Principal } from '../language/access.js'
import { ref } from '../language/operation.js'
import type { Made, Plan } from '../language/plan.js'
import type { Entity } from '../language/world.js'
import type { Service } from './record.js'

export const endpoints = 'Endpoints / Networking'

export const states = 'States and transitions, "Firewall status"'

export const devices = '/networking/firewalls/{firewallId}/devices'

export const firewallId = { firewallId: ref(firewalls) }

/** A disabled firewall may be assigned to a service whatever else protects it, so it never is in a program's way. */
export const disabledFirewall = (plan: Plan): Made => {
  const made = plan.make(firewalls)
  plan.call('firewalls.update', { path: { firewallId: made.id }, body: { status: 'disabled' } })
  return made
}

export const asNode = (id: number) => ({ id, type: 'node' as const })

export const asNodebalancer = (id: number) => ({ id, type: 'nodebalancer' as const })

export const add = (plan: Plan, firewall: Made, service: Service): Made =>
  plan.call('firewall-devices.create', { path: { firewallId: firewall.id }, body: { ...service } })

export const addressOf = (firewall: Made, device: Made) => ({
  path: { firewallId: firewall.id, deviceId: device.field('id') },
})

/** Whether the caller has made the firewall, and so hardly lacks a grant on it. */
export const isOwnMaking = ({ user }: Principal, { maker }: Entity<Firewall>): boolean =>
  maker !== undefined && maker === user?.name

/** An id that surely names nothing. */
export const nowhere = 999_999_937
