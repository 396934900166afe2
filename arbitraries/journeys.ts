// Named programs across resources: what an account holder really does in a day, judged step by step like any other program.

import { filledBucket } from '../models/buckets/common.js'
import { buckets } from '../models/buckets/record.js'
import { firewalls } from '../models/firewalls/record.js'
import { giver, taker } from '../models/ips/fixtures.js'
import { ips } from '../models/ips/record.js'
import { needTwoRegions } from '../models/ipv6-ranges/targets.js'
import type { NodeFixture } from '../models/language/environment.js'
import { sparesNamesake } from '../models/language/namesakes.js'
import { addressed, aFixture, aNode, profiled, together } from '../models/language/needs.js'
import type { Made, Plan } from '../models/language/plan.js'
import { objectKeys } from '../models/object-keys/record.js'
import { tags } from '../models/tags/record.js'
import { needSize } from '../models/volumes/common.js'
import { calm } from '../models/volumes/grants.js'
import { volumes } from '../models/volumes/record.js'

interface Journey {
  readonly name: string
  readonly write: (plan: Plan) => void
}

/** Two nodes of one region that nothing special is going on with. */
const neighbours = (plan: Plan): readonly [NodeFixture, NodeFixture] => {
  const first = plan.node(
    (node) =>
      calm(node) &&
      (plan.environment.fixtures.nodes ?? []).some(
        (other) =>
          other.id !== node.id && other.region === node.region && other.account === node.account && calm(other),
      ),
    together('two nodes in one region', aNode('a node', profiled), aNode('another', profiled)),
  )
  const second = plan.node(
    (node) => calm(node) && node.id !== first.id && node.region === first.region,
    aNode('a second node in the same region', profiled, 2),
  )
  return [first, second]
}

const volumeMoves = (plan: Plan): void => {
  const [first, second] = neighbours(plan)
  needSize(plan, 22)
  const path = { volumeId: plan.make(volumes, { region: first.region }).id }
  plan.check('volumes.attach', { path, body: { node_id: first.id } })
  plan.check('volumes.detach', { path })
  plan.check('volumes.resize', { path, body: { size: 22 } })
  plan.check('volumes.attach', { path, body: { node_id: second.id } })
  plan.check('volumes.view', { path })
  const label = plan.name()
  plan.check('tags.create', { body: { label, volumes: [path.volumeId] } })
  plan.check('volumes.view', { path })
  plan.check('volumes.update', { path, body: { label: plan.name(), tags: [] } })
  plan.check('tags.view', { path: { tagLabel: label } })
  const other = plan.name()
  plan.check('tags.create', { body: { label: other, volumes: [path.volumeId] } })
  plan.check('tags.delete', { path: { tagLabel: other } })
  plan.check('volumes.view', { path })
  plan.check('volumes.detach', { path })
}

const tagged = (plan: Plan): void => {
  const volume = plan.make(volumes, { tags: [] })
  const [later, gone] = [plan.make(volumes), plan.make(volumes)]
  const label = plan.name()
  plan.check('tags.create', { body: { label, volumes: [volume.id, gone.id] } })
  plan.check('volumes.view', { path: { volumeId: volume.id } })
  // An existing tag may be created again; that removes it from nothing.
  plan.check('tags.create', { body: { label, volumes: [later.id] } })
  plan.check('volumes.view', { path: { volumeId: volume.id } })
  plan.check('volumes.delete', { path: { volumeId: gone.id } })
  plan.check('tags.view', { path: { tagLabel: label } })
  plan.check('tags.delete', { path: { tagLabel: label } })
  plan.check('volumes.view', { path: { volumeId: volume.id } })
}

/** The region of a node; if possible not the one in which volumes are made by default. */
const elsewhere = (plan: Plan): { readonly region?: string } => {
  const region = plan.environment.fixtures.nodes?.find((node) => node.region !== plan.region().id)?.region
  return region === undefined ? {} : { region }
}

const cloned = (plan: Plan): void => {
  needSize(plan, 21)
  const source = plan.make(volumes, { size: 20, ...elsewhere(plan) })
  const clone = plan.check('volumes.clone', { path: { volumeId: source.id }, body: { label: plan.name() } })
  // From then on neither changes with the other.
  plan.check('tags.create', { body: { label: plan.name(), volumes: [source.id] } })
  plan.check('volumes.view', { path: { volumeId: clone.id } })
  plan.check('volumes.update', { path: { volumeId: source.id }, body: { label: plan.name(), tags: [plan.tag()] } })
  plan.check('volumes.view', { path: { volumeId: clone.id } })
  plan.check('volumes.update', { path: { volumeId: clone.id }, body: { label: plan.name(), tags: [] } })
  plan.check('volumes.view', { path: { volumeId: source.id } })
  plan.check('volumes.resize', { path: { volumeId: clone.id }, body: { size: 21 } })
  plan.check('volumes.list')
  plan.check('volumes.delete', { path: { volumeId: source.id } })
  plan.check('volumes.view', { path: { volumeId: clone.id } })
  plan.check('volumes.list')
}

const rules = { inbound: [], inbound_policy: 'DROP', outbound: [], outbound_policy: 'ACCEPT' }

const firewallsSwap = (plan: Plan): void => {
  const [node] = neighbours(plan)
  const first = plan.make(firewalls, { label: plan.name(), rules, devices: { nodes: [node.id] } })
  const second = plan.make(firewalls, { label: plan.name(), rules })
  plan.check('firewalls.update', { path: { firewallId: second.id }, body: { status: 'disabled' } })
  plan.check('firewall-devices.create', { path: { firewallId: second.id }, body: { id: node.id, type: 'node' } })
  plan.check('firewalls.update', { path: { firewallId: second.id }, body: { status: 'enabled' } })
  plan.check('firewalls.update', { path: { firewallId: first.id }, body: { status: 'disabled' } })
  plan.check('firewalls.update', { path: { firewallId: second.id }, body: { status: 'enabled' } })
  plan.check('firewalls.update', { path: { firewallId: first.id }, body: { status: 'enabled' } })
  plan.check('firewalls.delete', { path: { firewallId: second.id } })
  plan.check('firewalls.update', { path: { firewallId: first.id }, body: { status: 'enabled' } })
  // What was enabled again is as much in the way of others as what was enabled from the start.
  plan.check('firewalls.create', { body: { label: plan.name(), rules, devices: { nodes: [node.id] } } })
  const third = plan.make(firewalls, { label: plan.name(), rules })
  plan.check('firewall-devices.create', { path: { firewallId: third.id }, body: { id: node.id, type: 'node' } })
}

/** Removes the devices of a firewall one after another: two, or three with a node balancer. The others stay. */
const devicesApart = (plan: Plan): void => {
  const nodes = neighbours(plan)
  const path = { firewallId: plan.make(firewalls, { label: plan.name(), rules }).id }
  plan.check('firewalls.update', { path, body: { status: 'disabled' } })
  const balancer = plan.attempt(() => plan.nodebalancer())
  const services = [
    ...nodes.map(({ id }) => ({ id, type: 'node' })),
    ...(balancer ? [{ id: balancer.id, type: 'nodebalancer' }] : []),
  ]
  const made = services.map((body) => plan.check('firewall-devices.create', { path, body }))
  for (const device of made.toReversed()) {
    plan.check('firewall-devices.list', { path })
    plan.check('firewall-devices.delete', { path: { ...path, deviceId: device.field('id') } })
  }
}

const addressShared = (plan: Plan): void => {
  const [first, second] = neighbours(plan)
  const address = first.ipv4?.public?.[0] ?? ''
  plan.need(address !== '', aNode('a node with a public IPv4 address', addressed(1)))
  plan.check('ips.share', { body: { ips: [address], node_id: second.id } })
  plan.check('ips.share', { body: { ips: [], node_id: second.id } })
  plan.check('ipv4.share', { body: { ips: [address], node_id: second.id } })
  plan.check('ipv4.share', { body: { ips: [], node_id: second.id } })
}

/** A volume is kept while it migrates, whatever it is like by then: changed, tagged and attached, and detached again. */
const migrationHolds = (plan: Plan): void => {
  const { id: node } = plan.node(calm, aNode('a node with one configuration', profiled))
  const { id } = plan.make(volumes, { region: undefined, node_id: node, tags: [plan.tag()] })
  const path = { volumeId: id }
  plan.check('volumes.update', { path, body: { label: plan.name() } })
  const tryWhileMigrating = (): void => {
    plan.hook('setVolumeMigrating', id, true)
    plan.check('volumes.delete', { path })
    plan.hook('setVolumeMigrating', id, false)
  }
  tryWhileMigrating()
  plan.check('volumes.detach', { path })
  tryWhileMigrating()
}

/** An address that is given to a node beside the one it has, shared, moved to another node, and shared again. */
const addressMoves = (plan: Plan): void => {
  // Allocated addresses stay, so this ends on a node that no program needs with a single address.
  const first = giver(plan).node
  const second = taker(plan, first)
  const given = plan.make(ips, { node_id: first.id, public: true })
  const third = plan.node(
    (node) => calm(node) && node.region === first.region && node.id !== first.id && node.id !== second.id,
    aNode('a third node in the same region', profiled, 3),
  )
  const assign = (node: NodeFixture) => ({
    body: { region: first.region, assignments: [{ address: given.id, node_id: node.id }] },
  })
  plan.check('ips.share', { body: { ips: [given.id], node_id: third.id } })
  plan.check('ips.share', { body: { ips: [], node_id: third.id } })
  plan.check('ips.assign', assign(second))
  plan.check('ips.view', { path: { address: given.id } })
  plan.check('ips.list')
  plan.check('ips.share', { body: { ips: [given.id], node_id: third.id } })
  plan.check('ips.share', { body: { ips: [], node_id: third.id } })
  plan.check('ips.update', { path: { address: given.id }, body: { rdns: null } })
  // The reverse name of another address does not depend on where this one is.
  const named = plan.attempt(() => plan.draft('ips.update'))
  if (named) plan.check('ips.update', named)
  plan.check('ips.view', { path: { address: given.id } })
  plan.check('ips.assign', assign(first))
}

/** Buckets side by side, with one name in two clusters and two names in one: a change of one changes no other. */
const bucketsApart = (plan: Plan): void => {
  const [home, away] = plan.environment.fixtures.clusters ?? []
  plan.need(
    home !== undefined && away !== undefined,
    together('two clusters', aFixture('clusters', 'a cluster'), aFixture('clusters', 'another', { id: 'c2' })),
  )
  const label = plan.name()
  const body = { acl: 'public-read', cors_enabled: true }
  // Of the two of a name both the older and the newer one are changed: either may be the one that is found by its name alone.
  const namesake = plan.make(buckets, { ...body, cluster: away?.id, label })
  const one = plan.make(buckets, { ...body, cluster: home?.id, label })
  const others = [plan.make(buckets, { ...body, cluster: home?.id }), namesake]
  const pathOf = (made: Made) => ({ path: { clusterId: made.field('clusterId'), bucket: made.field('label') } })
  for (const made of [one, ...others])
    plan.check('bucket-certificates.upload', { ...pathOf(made), body: plan.certificate() })
  const look = (certificate: boolean): void => {
    for (const made of others) {
      plan.check('buckets.view', pathOf(made))
      if (certificate) plan.check('bucket-certificates.view', pathOf(made))
    }
  }
  for (const [made, acl] of [
    [namesake, 'authenticated-read'],
    [one, 'private'],
  ] as const) {
    plan.check('bucket-access.update', { ...pathOf(made), body: { acl, cors_enabled: false } })
    plan.check('buckets.view', pathOf(one))
  }
  plan.check('bucket-certificates.view', pathOf(one))
  look(false)
  plan.check('bucket-access.allow', { ...pathOf(one), body: { acl: 'public-read-write', cors_enabled: true } })
  plan.check('buckets.view', pathOf(one))
  look(false)
  plan.check('bucket-certificates.delete', pathOf(one))
  look(true)
  plan.check('buckets.delete', pathOf(one))
  look(true)
  plan.check('buckets.delete', pathOf(one))
  plan.check('buckets.list')
}

/** The object of a bucket stays whatever is set on the bucket, and the bucket cannot be deleted while it is there. */
const objectStays = (plan: Plan): void => {
  // Not where the target file lends buckets, if that may be: others are tried to be deleted there.
  const { path, objects } = filledBucket(plan, 1, plan.environment.fixtures.clusters?.at(-1)?.id)
  const look = () => plan.check('bucket-objects.list', { path })
  // Nor is an object of that name in another bucket the same one.
  const other = filledBucket(plan, 1).path
  const [name = ''] = objects
  plan.check('object-acl.update', { path: other, body: { acl: 'authenticated-read', name } })
  plan.check('object-acl.update', { path, body: { acl: 'public-read', name } })
  plan.check('object-acl.view', { path: other, query: { name } })
  plan.check('bucket-access.update', { path, body: { acl: 'public-read', cors_enabled: true } })
  look()
  plan.check('buckets.delete', { path })
  plan.check('bucket-access.allow', { path, body: { acl: 'private', cors_enabled: false } })
  plan.check('bucket-certificates.upload', { path, body: plan.certificate() })
  look()
  plan.check('bucket-certificates.delete', { path })
  plan.check('buckets.delete', { path })
  look()
}

/** A key that is limited to buckets stays as it is when one of them is deleted. */
const keyOutlives = (plan: Plan): void => {
  const [gone, left] = [plan.make(buckets), plan.make(buckets)]
  const bucket_access = [gone, left].map((made) => ({
    bucket_name: made.field('label'),
    cluster: made.field('cluster'),
    permissions: 'read_only',
  }))
  const path = { keyId: plan.make(objectKeys, { bucket_access }).id }
  plan.check('buckets.delete', { path: { clusterId: gone.field('cluster'), bucket: gone.field('label') } })
  plan.check('object-keys.view', { path })
  plan.check('object-keys.list')
  plan.check('object-keys.update', { path, body: { label: plan.name() } })
}

/** What is set for one node is set for no other: not for the first of the others, nor for the last. */
const settingsApart = (plan: Plan): void => {
  const own = plan.draft('managed-node-settings.update')
  const { accounts, fixtures } = plan.environment
  const others = (fixtures.nodes ?? []).filter(
    ({ id, account = accounts[0]?.name }) => id !== own.path?.nodeId && account === accounts[0]?.name,
  )
  plan.need(others.length > 0, aNode('a second node', {}, 2))
  const look = (): void => {
    for (const nodeId of new Set([others[0]?.id ?? 0, others.at(-1)?.id ?? 0]))
      plan.check('managed-node-settings.view', { path: { nodeId } })
  }
  look()
  plan.check('managed-node-settings.update', own)
  plan.check('managed-node-settings.update', plan.draft('managed-node-settings.update'))
  look()
}

/** Of two services that are alike in all they were made with, one is disabled and deleted. */
const servicesAlike = (plan: Plan): void => {
  const args = plan.draft('managed-services.create')
  const [one, other] = [plan.check('managed-services.create', args), plan.check('managed-services.create', args)]
  const provided = other.step
  plan.check('managed-services.disable', { path: { serviceId: one.id }, provided })
  plan.check('managed-services.view', { path: { serviceId: other.id }, provided })
  sparesNamesake(plan, { resource: 'managed-services', param: 'serviceId' }, one, other)
}

/** Of two ranges, which take two regions, one is deleted. */
const rangesApart = (plan: Plan): void => {
  needTwoRegions(plan)
  const [one, other] = [plan.draft('ipv6-ranges.create'), plan.draft('ipv6-ranges.create')].map((args) =>
    plan.check('ipv6-ranges.create', args),
  ) as [Made, Made]
  plan.check('ipv6-ranges.delete', { path: { range: one.field('address') }, provided: other.step })
  plan.check('ipv6-ranges.view', { path: { range: other.field('address') } })
}

const tagReborn = (plan: Plan): void => {
  const tag = plan.make(tags)
  plan.check('tags.delete', { path: { tagLabel: tag.field('label') } })
  plan.check('tags.create', { body: { label: tag.field('label') } })
  plan.check('tags.list')
}

/** What becomes of volumes when their node is deleted, however they came to it, and that a firewall stays: the end of that node, and so of the run. */
export const nodeDeletion = {
  clause: 'volumes.view.detached-from-deleted',
  write: (plan: Plan): void => {
    const node = plan.node(calm, aNode('a node with one configuration', profiled))
    const elsewhere = (plan.environment.fixtures.nodes ?? []).find(
      (other) => other.id !== node.id && other.account === node.account && calm(other),
    )
    const made = (body: Readonly<Record<string, unknown>>) => ({ volumeId: plan.make(volumes, body).id })
    const path = made({ region: node.region, tags: [plan.tag()] })
    const unpersisted = made({ region: node.region })
    const paths = [path, made({ region: undefined, node_id: node.id }), unpersisted]
    // All are made before any is used, so that they come to rest together.
    if (elsewhere) paths.push(made({ region: undefined, node_id: elsewhere.id }))
    plan.check('volumes.attach', { path, body: { node_id: node.id } })
    plan.check('volumes.attach', { path: unpersisted, body: { node_id: node.id, persist_across_boots: false } })
    const nodes = elsewhere ? [node.id, elsewhere.id] : []
    const firewall = elsewhere && plan.attempt(() => plan.make(firewalls, { devices: { nodes } }))
    // What is attached as it is made has to be at rest as well.
    for (const one of paths) plan.call('volumes.view', { path: one })
    plan.hook('deleteNode', node.id)
    for (const one of paths) plan.check('volumes.view', { path: one, patient: true })
    plan.check('volumes.list')
    if (firewall) plan.check('firewalls.view', { path: { firewallId: firewall.id }, patient: true })
  },
}

export const journeys: readonly Journey[] = [
  {
    name: 'a volume is attached, detached, resized, attached elsewhere, tagged, and untagged and renamed',
    write: volumeMoves,
  },
  { name: 'a volume is tagged and untagged again', write: tagged },
  { name: 'a volume is kept while it migrates, after its changes', write: migrationHolds },
  { name: 'a clone outlives its source', write: cloned },
  { name: 'two firewalls take turns on one node', write: firewallsSwap },
  { name: 'a firewall is taken from its services one after another', write: devicesApart },
  { name: 'an address is shared, unshared and shared by the equivalent call', write: addressShared },
  { name: 'an address is allocated, shared, assigned away and shared again', write: addressMoves },
  { name: 'a range is deleted beside one in another region', write: rangesApart },
  { name: 'a tag is deleted and made again', write: tagReborn },
  { name: 'a service is disabled and deleted beside one like it', write: servicesAlike },
  { name: 'the settings of a node are changed beside those of others', write: settingsApart },
  { name: 'a bucket is changed and deleted beside others of its name and of its cluster', write: bucketsApart },
  { name: 'an object stays whatever is set of its bucket', write: objectStays },
  { name: 'a key outlives a bucket that it is limited to', write: keyOutlives },
]
