// Changing a Managed service: PUT /managed/services/{serviceId} of the section "Managed", with what it leaves alone.

import { loosen, patch } from '../language/changes.js'
import { and, known } from '../language/clause.js'
import { isPrivateAddress } from '../language/formats.js'
import { operation, record, ref } from '../language/operation.js'
import { asText } from '../language/same.js'
import { object, optional } from '../language/schema.js'
import { sure } from '../language/world.js'
import { endpoints, ofTheAccount, withoutManagedShown, writing } from '../managed/common.js'
import { contacts } from '../managed-contacts/record.js'
import { credentials } from '../managed-credentials/record.js'
import {
  addressForm,
  addressOf,
  addressStatements,
  forbidsRegion,
  full,
  hasNodeAddress,
  minimal,
  needsRegion,
  nodeAddress,
  nullShown,
  oddServices,
  plainAddress,
  required,
  serviceBody,
  source,
  stored,
} from './body.js'
import { isSameAddress, services } from './record.js'

const serviceId = { serviceId: ref(services) }
const members = serviceBody()

export const updateService = operation({
  id: 'managed-services.update',
  area: 'managed',
  method: 'PUT',
  path: '/managed/services/{serviceId}',
  reach: { in: 'services', alone: false, lent: false },
  source: `${source}; PUT /managed/services/{serviceId}`,
  summary: 'Changes a service.',
  scopes: writing,
  unrestrictedOnly: true,
  params: serviceId,
  owned: ofTheAccount,
  body: object({
    ...members,
    label: optional(members.label),
    service_type: optional(members.service_type),
    address: optional(members.address),
    timeout: optional(members.timeout),
  }),
  reply: record(services),
  shows: 'serviceId',
  // What repeats the request still has the fragment.
  shownAs: ({ body }) => (body.address?.includes('#') ? { address: undefined } : undefined),
  draft: (plan) => ({ path: { serviceId: plan.make(services).id }, body: minimal(plan) }),
  full: (plan) => {
    // What the body names is made first, so that it is removed last.
    const body = full(plan)
    return { path: { serviceId: plan.make(services).id }, body }
  },
  refusals: [
    addressForm('managed-services.update'),
    {
      id: 'managed-services.update.region-forbidden',
      source: `${source}, region`,
      text: 'No region may be set where the address is not a private IP.',
      fields: ['address', 'region'],
      when: ({ body, refs }) => forbidsRegion(body.address ?? addressOf(refs.serviceId), body.region),
      probe: (plan) => {
        const path = { serviceId: plan.make(services).id }
        const region = plan.region().id
        plan.probe('managed-services.update', { path, body: { region } })
        plan.probe('managed-services.update', { path, body: { timeout: 31, region } })
        plan.probe('managed-services.update', { path, body: { address: plainAddress(plan), region } })
        plan.twin('managed-services.update', { path, body: { timeout: 31 } })
      },
    },
  ],
  silences: [
    withoutManagedShown('managed-services.update'),
    ...oddServices('managed-services.update'),
    {
      id: 'managed-services.update.nothing',
      source,
      text: 'That no field is required may mean that any may be left out, or all of them at once.',
      when: ({ body }) => Object.keys(members).every((name) => body[name as keyof typeof members] === undefined),
      probe: (plan) =>
        void plan.check('managed-services.update', { path: { serviceId: plan.make(services).id }, body: {} }),
    },
    {
      id: 'managed-services.update.region-required',
      source: `${source}, region; PUT /managed/services/{serviceId}`,
      text: 'Whether a new private address needs a region, where an update requires no field, is not said.',
      when: ({ body }) => (body.address === undefined ? false : needsRegion(body.address, body.region)),
      probe: (plan) =>
        void plan.check('managed-services.update', {
          path: { serviceId: plan.make(services).id },
          body: { address: nodeAddress(plan).address },
        }),
    },
    {
      id: 'managed-services.update.region-left',
      source: `${source}, region`,
      text: 'What becomes of the region where a private address is replaced by another one is not said.',
      when: ({ body, refs }) =>
        body.address === undefined || body.region !== undefined
          ? false
          : and(
              known(addressOf(refs.serviceId), body.address, (a, b) => isSameAddress(a, b) !== true),
              known(addressOf(refs.serviceId), true, (address) => isPrivateAddress(address) !== false),
            ),
      probe: (plan) => {
        const path = { serviceId: plan.make(services, nodeAddress(plan)).id }
        plan.check('managed-services.update', { path, body: { address: plainAddress(plan) } })
      },
    },
    {
      id: 'managed-services.update.other-type',
      source: `${source}, service_type`,
      text: 'Whether a service of one type can become one of the other with the address that it has is not said.',
      when: ({ body, refs }) =>
        body.service_type === undefined || body.address !== undefined
          ? false
          : known(refs.serviceId.service_type, body.service_type, (a, b) => a !== b),
      probe: (plan) =>
        void plan.check('managed-services.update', {
          path: { serviceId: plan.make(services).id },
          body: { service_type: 'tcp' },
        }),
    },
    {
      id: 'managed-services.update.disabled',
      source: `${endpoints}; Other status models`,
      text: 'Whether a service that is disabled can be changed is not said.',
      when: ({ refs }) => known(refs.serviceId.monitored, true, (a, b) => a !== b),
      probe: (plan) => {
        const path = { serviceId: plan.make(services).id }
        plan.call('managed-services.disable', { path })
        plan.check('managed-services.update', { path, body: { timeout: 31 } })
      },
    },
  ],
  statements: [
    ...addressStatements('managed-services.update'),
    nullShown('managed-services.update', (plan) => ({
      path: { serviceId: plan.make(services, { body: 'it works', notes: 'restart the web server' }).id },
      body: { body: null, notes: null },
    })),
    {
      id: 'managed-services.update.no-field-required',
      source: `${endpoints}, PUT /managed/services/{serviceId}`,
      text: 'No field is required: any of them may be given alone, and the others required on creation stay.',
      holds: ({ body, refs, reply }) =>
        required.every((name) => body[name] !== undefined)
          ? undefined
          : required.every((name) => {
              const seen = (reply as Readonly<Record<string, unknown>> | null)?.[name]
              const before = refs.serviceId[name]
              if (body[name] !== undefined || seen === undefined || before === undefined) return true
              if (name === 'address') return isSameAddress(String(before), seen) !== false
              return typeof before === 'string' ? asText(before, seen) !== false : seen === before
            }),
      probe: (plan) => {
        const [earlier, group] = [plan.name(), plan.name()]
        const left = plan.make(contacts, { group: earlier })
        plan.make(contacts, { group })
        const [first, other] = [plan.make(credentials).id, plan.make(credentials).id]
        // An address may lose its query where it is stored again.
        const [address, moved] = ['?a=1&b=two', '?b=two'].map((query) => plainAddress(plan) + query)
        const lists = { consultation_group: earlier, credentials: [first] }
        const path = { serviceId: plan.make(services, { ...lists, address }).id }
        const every = [
          { label: plan.name() },
          { service_type: 'url' },
          { address: moved },
          { timeout: 255 },
          { body: 'it works' },
          { notes: 'restart the web server' },
          { credentials: [other] },
          { consultation_group: group },
        ]
        for (const body of every) plan.check('managed-services.update', { path, body })
        // What the service names no longer can go, and takes nothing else with it.
        plan.call('managed-contacts.delete', { path: { contactId: left.id } })
        plan.call('managed-credentials.revoke', { path: { credentialId: first } })
        plan.check('managed-services.view', { path })
        for (const body of [{ credentials: [] }, { notes: null }, { body: null }])
          plan.check('managed-services.update', { path, body })
        if (!hasNodeAddress(plan)) return
        const near = nodeAddress(plan)
        const nearby = { serviceId: plan.make(services, near).id }
        plan.check('managed-services.update', { path: nearby, body: { region: near.region } })
      },
    },
  ],
  choices: [
    {
      id: 'managed-services.update.left-out',
      source: `${source}; PUT /managed/services/{serviceId}`,
      text: 'What becomes of notes or body where an update leaves them out.',
      values: ['kept', 'changed'],
      observe: ({ body, refs, reply }) => {
        const name = (['notes', 'body'] as const).find(
          (member) => body[member] === undefined && typeof sure(refs.serviceId, member) === 'string',
        )
        const seen = name && (reply as Readonly<Record<string, unknown>> | null)?.[name]
        return seen === undefined || !name ? undefined : seen === refs.serviceId[name] ? 'kept' : 'changed'
      },
    },
  ],
  apply: ({ world, body, refs }) => {
    const left = (['body', 'consultation_group', 'credentials', 'notes', 'region'] as const).filter(
      (name) => body[name] === undefined,
    )
    const { key } = refs.serviceId
    return patch(loosen(world, services, key, left), services, key, stored(body))
  },
})
