// The five firewall operations: sections "Firewall", "Firewall status", "Endpoints / Networking" and "Limits" of the document.

import { entityOf, firewallDevices } from '../firewall-devices/record.js'
import { ofWriters } from '../language/access.js'
import { drop, loosen, patch } from '../language/changes.js'
import { known, type Ternary } from '../language/clause.js'
import { anything, operation, page, record, ref } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import type { Plan } from '../language/plan.js'
import { arePlainTags } from '../language/promises.js'
import { withTags } from '../language/reach.js'
import { isNothing } from '../language/same.js'
import { array, object, oneOf, optional, text, without } from '../language/schema.js'
import { live, type World } from '../language/world.js'
import { addsNoTags, mentionTags, releaseTags, tags, tagsLeftOut } from '../tags/record.js'
import { createFirewall, statusIs } from './create.js'
import { labelRefusals, labelSilences } from './labels.js'
import { firewalls } from './record.js'
import { calmNode, hasActiveFirewall, hasDevice, hasMigratingNode, onTwoNodes, restrictedUse } from './services.js'

const endpoints = 'Endpoints / Networking'
const states = 'States and transitions, "Firewall status"'
const label = () => text({ min: 3, max: 32, ascii: true })
const firewallId = { firewallId: ref(firewalls) }

const renaming = {
  operation: 'firewalls.update',
  source: 'Limits, "Firewall label"',
  send: (plan: Plan, label: unknown) => ({ path: { firewallId: plan.make(firewalls).id }, body: { label } }),
}

export const listFirewalls = operation({
  id: 'firewalls.list',
  area: 'networking',
  method: 'GET',
  path: '/networking/firewalls',
  reach: { in: 'firewalls', alone: false, lent: 'looks', concerns: withTags },
  source: endpoints,
  summary: 'Lists the firewalls of the account.',
  scopes: ['firewall:read_only'],
  params: {},
  query: standardPaging,
  reply: page(firewalls),
  draft: () => ({}),
  silences: [restrictedUse('firewalls.list')],
})

export const viewFirewall = operation({
  id: 'firewalls.view',
  area: 'networking',
  method: 'GET',
  path: '/networking/firewalls/{firewallId}',
  reach: { in: 'firewalls', alone: true, lent: 'looks', concerns: withTags },
  source: endpoints,
  summary: 'Shows one firewall, without its devices.',
  scopes: ['firewall:read_only'],
  params: firewallId,
  reply: record(firewalls),
  shows: 'firewallId',
  draft: (plan) => ({ path: { firewallId: plan.make(firewalls).id } }),
  silences: [restrictedUse('firewalls.view')],
  statements: [
    {
      id: 'firewalls.view.omits-devices',
      source: `Firewall; ${endpoints}, GET /networking/firewalls/{firewallId}`,
      text: 'A firewall is shown without its devices.',
      holds: ({ reply, refs: { firewallId: firewall }, world }) => {
        const { devices } = reply as { readonly devices?: unknown }
        if (devices === undefined) return true
        if (!isNothing(devices)) return false
        // An empty list says that there are none.
        const isUntrue = Array.isArray(devices) && hasDevice(world, firewall, () => true) === true
        return isUntrue ? false : undefined
      },
      probe: (plan) => {
        const firewall = plan.make(firewalls, { devices: { nodes: [calmNode(plan).id] } })
        plan.check('firewalls.view', { path: { firewallId: firewall.id } })
      },
    },
    {
      id: 'firewalls.view.named-fields',
      level: 'should',
      source: 'Firewall, "Fields named by the interface"',
      text: 'A firewall is shown with the fields that the interface names: its label, status and tags.',
      holds: ({ refs: { firewallId: firewall }, reply }) => {
        // How nothing is shown is not said: a firewall without tags may be shown without them.
        const named = ['label', 'status', ...(firewall.tags?.length ? ['tags'] : [])]
        const hidden = named.filter((name) => !(name in (reply as object)))
        return hidden.length === 0 || `no ${hidden.join(', ')}`
      },
      probe: (plan) => {
        const firewall = plan.make(firewalls, { tags: [plan.tag()] })
        plan.check('firewalls.view', { path: { firewallId: firewall.id } })
      },
    },
  ],
})

export const updateFirewall = operation({
  id: 'firewalls.update',
  area: 'networking',
  method: 'PUT',
  path: '/networking/firewalls/{firewallId}',
  reach: { in: 'firewalls', alone: false, lent: 'firewalls', concerns: withTags },
  source: endpoints,
  summary: 'Changes the label, the status and the tags of a firewall.',
  scopes: ['firewall:read_write'],
  params: firewallId,
  owned: ofWriters,
  body: object({
    label: optional(label()),
    status: optional(without(oneOf('enabled', 'disabled'), 'active')),
    tags: optional(array(text())),
  }),
  reply: record(firewalls),
  shows: 'firewallId',
  emits: [
    { event: 'firewall_enable', when: ({ body, refs }) => changesTo('enabled', body.status, refs.firewallId.status) },
    { event: 'firewall_disable', when: ({ body, refs }) => changesTo('disabled', body.status, refs.firewallId.status) },
  ],
  draft: (plan) => ({
    path: { firewallId: plan.make(firewalls, { tags: [plan.tag('web')] }).id },
    body: { label: plan.name(), status: 'disabled', tags: [plan.tag('staging'), plan.tag(), plan.tag()] },
  }),
  contest: (plan) => {
    const devices = { nodes: [calmNode(plan).id] }
    const enabling = () => {
      const path = { firewallId: plan.make(firewalls, { devices }).id }
      plan.call('firewalls.update', { path, body: { status: 'disabled' } })
      return { path, body: { status: 'enabled' } }
    }
    return { rivals: [enabling(), enabling()] }
  },
  refusals: [
    ...labelRefusals(renaming),
    {
      id: 'firewalls.update.status-deleted',
      source: `${states}; Errors, "firewall update with status deleted"`,
      text: 'An update does not set the status deleted.',
      fields: ['status'],
      instead: 'body.status.enum',
      when: ({ body }) => (body.status as string | undefined) === 'deleted',
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls).id }
        plan.probe('firewalls.update', { path, body: { status: 'deleted' } })
        plan.twin('firewalls.update', { path, body: { status: 'disabled' } })
        // Nor of one that is out of use.
        plan.check('firewalls.update', { path, body: { status: 'deleted' } })
        plan.twin('firewalls.update', { path, body: { status: 'enabled' } })
      },
    },
    {
      id: 'firewalls.update.one-active',
      source: `${states}; Limits, "Firewall"; Errors, "enabling a firewall while another active firewall is assigned"`,
      text: 'A firewall is not enabled while another enabled one is assigned to the same service.',
      when: ({ world, body, refs: { firewallId: firewall } }) =>
        body.status !== 'enabled' ? false : isBlocked(world, firewall),
      probe: (plan) => {
        const nodes = [calmNode(plan).id]
        const both = { nodes, nodebalancers: [plan.nodebalancer().id] }
        blockedByAdded(plan, both)
        const enable = { status: 'enabled' }
        const first = { firewallId: plan.make(firewalls, { devices: both }).id }
        plan.call('firewalls.update', { path: first, body: { status: 'disabled' } })
        const second = { firewallId: plan.make(firewalls, { devices: { nodes } }).id }
        plan.probe('firewalls.update', {
          path: first,
          body: { ...enable, label: plan.name(), tags: [plan.tag('mail')] },
        })
        plan.call('firewalls.update', { path: second, body: { status: 'disabled' } })
        plan.twin('firewalls.update', { path: first, body: enable })
        plan.probe('firewalls.update', { path: second, body: enable })
        plan.call('firewalls.delete', { path: first })
        plan.twin('firewalls.update', { path: second, body: enable })
      },
    },
    {
      id: 'firewalls.update.live-migration',
      source: `${states}; Errors, "firewall operations on nodes with an ongoing live migration"`,
      text: 'A firewall is not updated while a node that it is assigned to has a live migration under way.',
      when: ({ world, refs }) => hasMigratingNode(world, refs.firewallId),
      probe: (plan) => {
        const { path, first, second } = onTwoNodes(plan)
        const [label, tags] = [plan.name(), [plan.tag('mail')]]
        plan.hook('setLiveMigration', first, true)
        plan.probe('firewalls.update', { path, body: { label, tags } })
        plan.hook('setLiveMigration', first, false)
        plan.hook('setLiveMigration', second, true)
        plan.probe('firewalls.update', { path, body: { tags } })
        plan.probe('firewalls.update', { path, body: { status: 'disabled' } })
        plan.hook('setLiveMigration', second, false)
        plan.twin('firewalls.update', { path, body: { label, tags, status: 'disabled' } })
        plan.hook('setLiveMigration', second, true)
        plan.probe('firewalls.update', { path, body: { status: 'enabled' } })
        plan.hook('setLiveMigration', second, false)
        plan.twin('firewalls.update', { path, body: { status: 'enabled' } })
      },
    },
  ],
  silences: [
    {
      id: 'firewalls.update.own-label',
      level: 'should',
      source: 'Limits, "Firewall label", "unique"',
      text: 'A firewall can be given the label that it has: no other one has it.',
      when: ({ body, refs }) =>
        body.label === undefined ? false : known(refs.firewallId.label, body.label, (a, b) => a === b),
      probe: (plan) => {
        const label = plan.name()
        const path = { firewallId: plan.make(firewalls).id }
        plan.call('firewalls.update', { path, body: { label } })
        plan.check('firewalls.update', { path, body: { label, status: 'disabled' } })
      },
    },
    ...labelSilences(renaming),
    {
      id: 'firewalls.update.tag-characters',
      source: endpoints,
      text: 'Which tags a firewall may carry, and how many, is not said.',
      fields: ['tags'],
      probe: (plan) =>
        void plan.check('firewalls.update', {
          path: { firewallId: plan.make(firewalls).id },
          body: { tags: [`${plan.tag()} B`] },
        }),
      when: ({ body }) => !arePlainTags(body.tags),
    },
    {
      id: 'firewalls.update.nothing',
      source: endpoints,
      text: 'Whether an update that changes nothing is refused is not said.',
      when: ({ body }) => body.label === undefined && body.status === undefined && body.tags === undefined,
      probe: (plan) => void plan.check('firewalls.update', { path: { firewallId: plan.make(firewalls).id }, body: {} }),
    },
    {
      id: 'firewalls.update.disabled-again',
      source: states,
      text: 'Whether a disabled firewall can be disabled is not said.',
      when: ({ body, refs }) =>
        body.status === 'disabled' ? known(refs.firewallId.status, 'disabled', (a, b) => a === b) : false,
      probe: (plan) => {
        const args = { path: { firewallId: plan.make(firewalls).id }, body: { status: 'disabled' } }
        plan.call('firewalls.update', args)
        plan.check('firewalls.update', args)
      },
    },
    restrictedUse('firewalls.update'),
  ],
  statements: [
    {
      id: 'firewalls.update.replaces-tags',
      source: `${endpoints}, PUT /networking/firewalls/{firewallId}, tags`,
      text: 'The tags that an update gives are the tags of the firewall, and no earlier ones.',
      holds: ({ body, refs }) => (body.tags !== undefined && (refs.firewallId.tags?.length ?? 0) > 0) || undefined,
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls, { tags: [plan.tag('staging'), plan.tag('web')] }).id }
        for (const tags of [[plan.tag('mail'), plan.tag('web')], []])
          plan.check('firewalls.update', { path, body: { tags } })
      },
    },
    {
      id: 'firewalls.update.adds-no-tags',
      source: `${endpoints}, PUT /networking/firewalls/{firewallId}, tags; Endpoints / Tags, DELETE /tags/{tagLabel}`,
      text: 'An update without tags gives a firewall none that it did not have, such as one that was deleted.',
      holds: ({ body, refs, reply }) => addsNoTags(refs.firewallId, body.tags, reply),
      probe: (plan) => {
        const [label, kept] = [plan.name(), plan.tag()]
        const made = plan.attempt(() => plan.make(tags, { label }))
        const path = { firewallId: plan.make(firewalls, { tags: [label, kept] }).id }
        if (made) {
          plan.call('tags.delete', { path: { tagLabel: label } })
          // Whether it takes a tag from firewalls is not said, and shows here.
          plan.check('firewalls.view', { path })
        }
        plan.check('firewalls.update', { path, body: { label: plan.name() } })
      },
    },
    {
      id: 'firewalls.update.keeps-status',
      source: states,
      text: 'An update without a status leaves a firewall enabled or disabled, as it is.',
      holds: ({ body, refs, reply }) =>
        body.status === undefined && refs.firewallId.status === 'disabled' ? statusIs(reply, 'disabled') : undefined,
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls).id }
        plan.call('firewalls.update', { path, body: { status: 'disabled' } })
        plan.check('firewalls.update', { path, body: { label: plan.name() } })
        plan.check('firewalls.update', { path, body: { tags: [plan.tag('staging')] } })
      },
    },
    {
      id: 'firewalls.update.enabled-again',
      source: states,
      text: 'An update to enabled is accepted for a firewall that is enabled already.',
      holds: ({ body, refs }) => (body.status === 'enabled' && refs.firewallId.status === 'enabled') || undefined,
      probe: (plan) => {
        const path = { firewallId: plan.make(firewalls).id }
        plan.check('firewalls.update', { path, body: { status: 'enabled' } })
      },
    },
  ],
  choices: [
    {
      id: 'firewalls.update.tags-left-out',
      text: 'Tags of a firewall after an update without tags.',
      source: endpoints,
      values: ['kept', 'dropped'],
      observe: ({ body, refs, reply }) => tagsLeftOut(refs.firewallId, body.tags, reply),
    },
  ],
  apply: ({ world, account, body, refs: { firewallId: firewall } }) => {
    const mentioned = mentionTags(world, account, firewall.tags, body.tags)
    const before = releaseTags(mentioned, account, firewall.tags, body.tags)
    return patch(body.tags ? before : loosen(before, firewalls, firewall.key, ['tags']), firewalls, firewall.key, {
      ...(body.label !== undefined && { label: body.label }),
      ...(body.status !== undefined && { status: body.status }),
      ...(body.tags && { tags: body.tags }),
    })
  },
})

export const deleteFirewall = operation({
  id: 'firewalls.delete',
  area: 'networking',
  method: 'DELETE',
  path: '/networking/firewalls/{firewallId}',
  reach: { in: 'firewalls', alone: true, lent: 'firewalls' },
  source: endpoints,
  summary: 'Deletes a firewall and takes its rules from all its services.',
  scopes: ['firewall:read_write'],
  params: firewallId,
  owned: ofWriters,
  reply: anything,
  removes: 'firewallId',
  emits: [{ event: 'firewall_delete' }],
  // It is removed with its devices, and may tell of them.
  stirs: ['firewall_device_remove'],
  draft: (plan) => ({ path: { firewallId: plan.make(firewalls).id } }),
  refusals: [
    {
      id: 'firewalls.delete.live-migration',
      source: `${states}; Errors, "firewall operations on nodes with an ongoing live migration"`,
      text: 'A firewall is not deleted while a node that it is assigned to has a live migration under way.',
      when: ({ world, refs }) => hasMigratingNode(world, refs.firewallId),
      probe: (plan) => {
        const { path, first, second } = onTwoNodes(plan)
        plan.hook('setLiveMigration', second, true)
        plan.probe('firewalls.delete', { path })
        plan.hook('setLiveMigration', second, false)
        plan.call('firewalls.update', { path, body: { status: 'disabled' } })
        plan.hook('setLiveMigration', first, true)
        plan.probe('firewalls.delete', { path })
        plan.hook('setLiveMigration', first, false)
        plan.twin('firewalls.delete', { path })
      },
    },
  ],
  silences: [restrictedUse('firewalls.delete')],
  apply: ({ world, account, refs }) =>
    live(world, firewallDevices, account)
      .filter((device) => device.firewallId === refs.firewallId.key)
      .reduce(
        (before, { key }) => drop(before, firewallDevices, key),
        drop(
          releaseTags(mentionTags(world, account, refs.firewallId.tags), account, refs.firewallId.tags),
          firewalls,
          refs.firewallId.key,
        ),
      ),
})

const changesTo = (wanted: string, asked: string | undefined, before: string | undefined): Ternary =>
  asked === wanted ? known(before, wanted, (a, b) => a !== b) : false

/** Firewalls that come to a node balancer after their creation, and one that it is taken from again; the services are free in the end. */
const blockedByAdded = (plan: Plan, devices: { readonly nodebalancers: readonly number[] }): void => {
  const balanced = { id: devices.nodebalancers[0], type: 'nodebalancer' }
  const [enable, disable] = ['enabled', 'disabled'].map((status) => ({ status }))
  const born = { firewallId: plan.make(firewalls, { devices }).id }
  plan.call('firewalls.update', { path: born, body: { ...disable } })
  const grown = { firewallId: plan.make(firewalls).id }
  const device = plan.call('firewall-devices.create', { path: grown, body: balanced })
  plan.probe('firewalls.update', { path: born, body: { ...enable } })
  plan.call('firewall-devices.delete', { path: { ...grown, deviceId: device.field('id') } })
  plan.twin('firewalls.update', { path: born, body: { ...enable } })
  plan.call('firewalls.update', { path: grown, body: { ...disable } })
  plan.call('firewall-devices.create', { path: grown, body: balanced })
  plan.probe('firewalls.update', { path: grown, body: { ...enable } })
  plan.call('firewalls.delete', { path: born })
}

/** Whether another enabled firewall is assigned to one of its services. */
const isBlocked = (world: World, firewall: Parameters<typeof hasMigratingNode>[1]): Ternary =>
  hasDevice(world, firewall, (device) => {
    const entity = entityOf(device)
    return entity && hasActiveFirewall(world, firewall.account, entity, firewall)
  })

export const firewallOperations = [listFirewalls, createFirewall, viewFirewall, updateFirewall, deleteFirewall]
