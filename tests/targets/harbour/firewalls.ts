// Firewalls as far as tickets need one to be about; not the operations under /networking.
import { emit, type Handler, identifier, mint, paged, Refusal, type Route } from './call.js'

const create: Handler = ({ world, body }) => {
  const id = mint(world)
  const firewall = { ...(body as object), id, status: 'enabled' }
  world.state.firewalls.set(id, firewall)
  emit(world, 'firewall_create', 'firewall', id)
  return { status: 200, body: firewall }
}

const view: Handler = (call) => {
  const firewall = call.world.state.firewalls.get(identifier(call, 'firewallId'))
  if (!firewall) throw new Refusal([['firewallId', 'no such firewall']], 404)
  return { status: 200, body: firewall }
}

const remove: Handler = (call) => {
  view(call)
  const id = identifier(call, 'firewallId')
  call.world.state.firewalls.delete(id)
  emit(call.world, 'firewall_delete', 'firewall', id)
  return { status: 200, body: {} }
}

const path = '/networking/firewalls'

export const firewallRoutes: readonly Route[] = [
  {
    method: 'GET',
    path,
    scopes: ['firewall:read_only'],
    handle: (call) => paged(call, [...call.world.state.firewalls.values()]),
  },
  { method: 'POST', path, scopes: ['firewall:read_write'], handle: create },
  { method: 'GET', path: `${path}/:firewallId`, scopes: ['firewall:read_only'], handle: view },
  { method: 'DELETE', path: `${path}/:firewallId`, scopes: ['firewall:read_write'], handle: remove },
]
