// Questions about what firewalls protect: their devices, live migrations, and which firewall is active; no operation.

import { entityOf, type FirewallDevice, firewallDevices, type Service } from '../firewall-devices/record.js'
import { isOfAnother, lacksScope, lacksWrite, type Principal, principal } from '../language/access.js'
import { and, known, not, or, type Ternary } from '../language/clause.js'
import type { NodebalancerFixture, NodeFixture } from '../language/environment.js'
import { nodebalancers, nodes } from '../language/facts.js'
import { aFixture, aNode, aToken, together } from '../language/needs.js'
import type { Plan } from '../language/plan.js'
import { type Entity, find, gone, isClosed, isLatent, live, sure, type World } from '../language/world.js'
import { type Firewall, firewalls } from './record.js'

type Device = Entity<FirewallDevice>

/** Whether the table of devices holds every device of the account. */
const areDevicesKnown = (world: World, account: string | undefined): boolean =>
  isClosed(world, firewallDevices, account) ||
  (isClosed(world, firewalls, account) &&
    live(world, firewalls, account).every(({ devicesKnown }) => devicesKnown === true))

const isOf =
  (firewall: Entity<Firewall>) =>
  ({ firewallId, stub }: Device): Ternary =>
    firewallId === undefined || (firewallId === firewall.key ? stub : isLatent(firewallId))
      ? undefined
      : firewallId === firewall.key

/** Whether a firewall has a device that is so; false only where all its devices are known. */
export const hasDevice = (world: World, firewall: Entity<Firewall>, where: (device: Device) => Ternary): Ternary =>
  or(
    ...live(world, firewallDevices, firewall.account).map((device) => and(isOf(firewall)(device), where(device))),
    firewall.devicesKnown === true || areDevicesKnown(world, firewall.account) ? false : undefined,
  )

export const isFor =
  (service: Service) =>
  (device: Device): Ternary =>
    known(entityOf(device), service, (a, b) => a.id === b.id && a.type === b.type)

/** Whether another firewall than this one is assigned to the service and enabled. */
export const hasActiveFirewall = (
  world: World,
  account: string | undefined,
  service: Service,
  except?: Entity<Firewall>,
): Ternary =>
  or(
    ...live(world, firewallDevices, account).map((device) =>
      and(
        isFor(service)(device),
        device.stub ? undefined : true,
        except ? not(isOf(except)(device)) : true,
        known(sure(find(world, firewalls, device.firewallId), 'status'), 'enabled', (a, b) => a === b),
      ),
    ),
    areDevicesKnown(world, account) ? false : undefined,
  )

/** Whether a live migration of the service is under way; only nodes are migrated. */
export const isMigrating = (world: World, { id, type }: Service, account?: string): Ternary => {
  if (type === 'nodebalancer') return false
  const node = find(world, nodes, id)
  return node ? node.liveMigration : isClosed(world, nodes, account) ? false : undefined
}

/** Whether a node is migrating that the firewall is assigned to. */
export const hasMigratingNode = (world: World, firewall: Entity<Firewall>): Ternary =>
  hasDevice(world, firewall, (device) => isOnMigrating(world, device))

/** Whether the service of a device is migrating. */
export const isOnMigrating = (world: World, device: Device): Ternary => {
  const entity = entityOf(device)
  return entity && isMigrating(world, entity)
}

/** The table that holds services of its type. */
export const tableOf = ({ type }: Service): { readonly name: string } => (type === 'node' ? nodes : nodebalancers)

/** The service as the target file has it. */
export const serviceOf = (world: World, { id, type }: Service): Entity<object> | undefined =>
  type === 'node' ? find(world, nodes, id) : find(world, nodebalancers, id)

export const lacksService = (world: World, caller: Principal, { id, type }: Service): Ternary =>
  lacksWrite(caller, type === 'node' ? 'nodes' : 'nodebalancers', serviceOf(world, { id, type }))

/** Whether the service is another account's. */
export const isForeign = (world: World, account: string | undefined, service: Service): Ternary =>
  isOfAnother(serviceOf(world, service), account)

/** Whether the service was deleted; what becomes of its devices is not said. */
export const isGone = (world: World, device: Device): boolean => {
  const entity = entityOf(device)
  return entity !== undefined && gone(world, tableOf(entity), String(entity.id)) !== undefined
}

export const deviceIn = (device: Device, firewallId: string | undefined): Ternary =>
  device.firewallId === undefined || firewallId === undefined || isLatent(device.firewallId)
    ? undefined
    : device.firewallId === firewallId

/** What a restricted user may do with a firewall is not among the permission rules. */
export const restrictedUse = (id: string) => ({
  id: `${id}.restricted`,
  source: 'Authentication, "Permission rules beyond scopes"',
  text: 'Whether a restricted user needs a grant on the firewall for this, and which, is not said.',
  when: ({ caller }: { readonly caller: Principal }) => lacksWrite(caller, 'firewalls', undefined),
  unprobed: 'whether a restricted user lacks what it takes cannot be told, so neither answer shows it',
})

/** What deletion of a service does to its devices is not said. */
export const orphaned = (id: string) => ({
  id: `${id}.service-gone`,
  source: 'Firewall; Volume status, Detach',
  text: 'What becomes of a device whose service was deleted is not said.',
  unprobed: 'no call deletes a service, and a program does not delete those that the target file lends it',
  when: ({ world, refs }: { readonly world: World; readonly refs: { readonly deviceId: Device } }) =>
    isGone(world, refs.deviceId),
})

const isCalm = ({ liveMigration }: NodeFixture): boolean => liveMigration !== true

export const calmNode = (plan: Plan): NodeFixture =>
  plan.node(isCalm, aNode('a node with no live migration under way', { liveMigration: false }))

export const otherCalmNode = (plan: Plan, ...taken: readonly NodeFixture[]): NodeFixture =>
  plan.node(
    (node) => isCalm(node) && taken.every(({ id }) => id !== node.id),
    aNode('a further node with no live migration under way', { liveMigration: false }, 2),
  )

/** The same, where there is one. */
export const spareNode = (plan: Plan, taken: NodeFixture): NodeFixture | undefined =>
  own(plan, plan.environment.fixtures.nodes).find((node) => isCalm(node) && node.id !== taken.id)

type Granting = 'nodes' | 'nodebalancers'

interface Denied {
  readonly id: number
  /** Token of the restricted user. */
  readonly as: string
}

/** Every service that a restricted user may not write to, with a token of theirs that reaches firewalls. */
const deniedTo = (plan: Plan, kind: Granting) => {
  const { fixtures, accounts, tokens } = plan.environment
  const services = kind === 'nodes' ? own(plan, fixtures.nodes).filter(isCalm) : own(plan, fixtures.nodebalancers)
  return tokens.flatMap(({ name: as }) => {
    const caller = principal(plan.environment, as)
    const { user, account } = caller
    return user?.restricted === true &&
      user.grants !== undefined &&
      account?.name === accounts[0]?.name &&
      lacksScope(caller, 'firewall:read_write') === false
      ? services.map(({ id }) => ({ id, as, granted: user.grants?.[kind]?.[id] }))
      : []
  })
}

/** A service that a restricted user may not see, and one that may be seen alone, as far as there are; to one user, if that is so. */
const denied = (plan: Plan, kind: Granting, what: string): readonly Denied[] => {
  const all = deniedTo(plan, kind)
  const read = all.find(({ granted }) => granted === 'read_only')
  const others = all.filter(({ granted }) => granted === undefined)
  const found = [others.find(({ as }) => as === read?.as) ?? others[0], read].filter((one) => one !== undefined)
  plan.need(
    found.length > 0,
    together(
      `a token of a restricted user who lacks read_write on ${what}`,
      aFixture(kind, what),
      aToken({ restricted: true, has: ['firewall:read_write'], permission: [] }),
    ),
  )
  return found
}

export const deniedNodes = (plan: Plan): readonly Denied[] =>
  denied(plan, 'nodes', 'a node with no live migration under way')

export const deniedNodebalancers = (plan: Plan): readonly Denied[] => denied(plan, 'nodebalancers', 'a node balancer')

const own = <T extends { readonly account?: string }>({ environment }: Plan, all: readonly T[] = []): readonly T[] =>
  all.filter(({ account }) => account === undefined || account === environment.accounts[0]?.name)

/** Whether the target file has a node that is migrating, which spares bringing one to it. */
export const hasMigratingFixture = (plan: Plan): boolean =>
  own(plan, plan.environment.fixtures.nodes).some(({ liveMigration }) => liveMigration === true)

export const migratingNode = (plan: Plan): NodeFixture =>
  plan.node(
    ({ liveMigration }) => liveMigration === true,
    aNode('a node with a live migration under way', { liveMigration: true }),
  )

/** A firewall that was created for one node and assigned to a second one afterwards. */
export const onTwoNodes = (plan: Plan) => {
  const first = calmNode(plan)
  const second = otherCalmNode(plan, first)
  const path = { firewallId: plan.make(firewalls, { devices: { nodes: [first.id] } }).id }
  plan.call('firewall-devices.create', { path, body: { id: second.id, type: 'node' } })
  return { path, first: first.id, second: second.id }
}

/** Two node balancers. */
export const twoNodebalancers = (plan: Plan): readonly [NodebalancerFixture, NodebalancerFixture] => {
  const first = plan.nodebalancer()
  return [
    first,
    plan.nodebalancer(({ id }) => id !== first.id, aFixture('nodebalancers', 'a second node balancer', {}, 2)),
  ]
}
