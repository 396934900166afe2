// The operations on Managed services, of which disabling and enabling are apart: section "Managed", "Service body", of the document.

import { drop, loosen, patch, put } from '../language/changes.js'
import { and, known } from '../language/clause.js'
import { isPrivateAddress } from '../language/formats.js'
import { isObject } from '../language/objects.js'
import { anything, operation, record, records, ref } from '../language/operation.js'
import type { Args, Plan } from '../language/plan.js'
import { asText } from '../language/same.js'
import { object, optional } from '../language/schema.js'
import { unseen } from '../language/unseen.js'
import { sure } from '../language/world.js'
import { endpoints, ofTheAccount, reading, shown, withoutManagedShown, writing } from '../managed/common.js'
import { contacts } from '../managed-contacts/record.js'
import { credentials } from '../managed-credentials/record.js'
import {
  addressForm,
  addressOf,
  addressStatements,
  forbidsRegion,
  hasNodeAddress,
  longestPlain,
  needsRegion,
  nodeAddress,
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

const minimal = (plan: Plan) => ({
  label: plan.label(64),
  service_type: 'url' as const,
  address: plainAddress(plan),
  timeout: 30 + plan.turn('timeouts'),
  body: plan.text(100),
  notes: plan.text(longestPlain),
})

/** Every member; a region only where a node has a private address beside which it may stand. */
const full = (plan: Plan) => {
  // As long as a group may be, and some contact belongs to it.
  const group = plan.name().padEnd(50, 'x')
  plan.make(contacts, { group })
  return {
    ...minimal(plan),
    ...(hasNodeAddress(plan) && nodeAddress(plan)),
    consultation_group: group,
    credentials: [plan.make(credentials).id, plan.make(credentials).id],
  }
}

export const listServices = operation({
  id: 'managed-services.list',
  area: 'managed',
  method: 'GET',
  path: '/managed/services',
  reach: { in: 'services', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the services of the account.',
  scopes: reading,
  unrestrictedOnly: true,
  params: {},
  reply: records(services),
  draft: () => ({}),
  silences: [withoutManagedShown('managed-services.list')],
})

/** What the document says of the checks that a service is for, and of who is called when one fails. */
const onMonitoring = [
  ['type-of-check', 'service_type, "how the service is monitored"', 'The type says how the service is monitored.'],
  [
    'seconds-to-wait',
    'timeout, "seconds to wait"',
    'A service that does not answer within its timeout counts as down.',
  ],
  ['expected-body', 'body, "Expected text"', 'A service counts as up where its response holds the expected text.'],
  ['notified-group', 'consultation_group, "Group of contacts to notify"', 'The consultation group is notified.'],
  ['credentials-for-issues', 'credentials, "when resolving issues"', 'The credentials are used to resolve issues.'],
  ['notes-for-staff', 'notes, "Information for support staff"', 'The notes are for support staff.'],
] as const

/** As null, as an empty text, or not at all; another text would be one that the target writes by itself. */
const nullShown = (id: string, args: (plan: Plan) => Args) => ({
  id: `${id}.null-shown`,
  level: 'should' as const,
  source,
  text: 'An expected text or notes that are given as null are shown as none.',
  holds: ({
    body,
    reply,
  }: {
    readonly body: { readonly body?: unknown; readonly notes?: unknown }
    readonly reply: unknown
  }) => {
    const given = (['body', 'notes'] as const).filter((name) => body[name] === null)
    if (given.length === 0 || !isObject(reply)) return undefined
    const filled = given.find((name) => (shown(reply, name) ?? '') !== '')
    return filled ? `${filled} ${JSON.stringify(shown(reply, filled))} after null was sent` : true
  },
  probe: (plan: Plan) => void plan.check(id, args(plan)),
})

export const createService = operation({
  id: 'managed-services.create',
  area: 'managed',
  method: 'POST',
  path: '/managed/services',
  reach: { in: 'services', alone: false, lent: false },
  source,
  summary: 'Creates a service, which is monitored from then on.',
  scopes: writing,
  unrestrictedOnly: true,
  params: {},
  body: object(members),
  reply: record(services),
  shows: 'made',
  makes: services,
  // What repeats the request still has the fragment.
  shownAs: ({ body }) => (body.address?.includes('#') ? { address: undefined } : undefined),
  draft: (plan) => ({ body: minimal(plan) }),
  full: (plan) => ({ body: full(plan) }),
  refusals: [
    addressForm('managed-services.create'),
    {
      id: 'managed-services.create.region-required',
      source: `${source}, region`,
      text: 'A region is required where the address is a private IP.',
      fields: ['address', 'region'],
      when: ({ body }) => needsRegion(body.address, body.region),
      probe: (plan) => {
        const { address, region } = nodeAddress(plan)
        const body = { ...minimal(plan), address }
        plan.probe('managed-services.create', { body })
        for (const host of ['10.1.2.3', '172.16.0.9', '172.31.255.9', '192.168.1.9:8080'])
          plan.probe('managed-services.create', { body: { ...body, address: `http://${host}/${plan.name()}` } })
        // That such an address is taken for the other type is not said, but without a region it is not.
        plan.check('managed-services.create', { body: { ...body, service_type: 'tcp' } })
        plan.twin('managed-services.create', { body: { ...body, region } })
      },
    },
    {
      id: 'managed-services.create.region-forbidden',
      source: `${source}, region`,
      text: 'No region may be set where the address is not a private IP.',
      fields: ['address', 'region'],
      when: ({ body }) => forbidsRegion(body.address, body.region),
      probe: (plan) => {
        const body = minimal(plan)
        const region = plan.region().id
        plan.probe('managed-services.create', { body: { ...body, region } })
        // Public addresses, most of them next to private ones; that such an address is taken at all is not said.
        for (const [host, service_type] of [
          ['8.8.8.8', 'tcp'],
          ['172.15.255.9', 'url'],
          ['172.32.0.1', 'url'],
          ['192.169.0.1', 'url'],
          ['11.0.0.1', 'url'],
        ])
          plan.check('managed-services.create', {
            body: { ...body, service_type, address: `http://${host}/${plan.name()}`, region },
          })
        plan.twin('managed-services.create', { body })
      },
    },
  ],
  silences: [withoutManagedShown('managed-services.create'), ...oddServices('managed-services.create')],
  statements: [
    ...addressStatements('managed-services.create'),
    ...onMonitoring.map(([slug, place, text]) =>
      unseen(`managed-services.create.${slug}`, `${source}, ${place}`, text, 'the interface shows no monitoring'),
    ),
    {
      id: 'managed-services.create.nullable',
      source,
      text: 'body and notes may be null.',
      holds: ({ body }) => body.body === null || body.notes === null || undefined,
      probe: (plan) =>
        void plan.check('managed-services.create', { body: { ...minimal(plan), body: null, notes: null } }),
    },
    nullShown('managed-services.create', (plan) => ({ body: { ...minimal(plan), body: null, notes: null } })),
    {
      id: 'managed-services.create.monitoring-begins',
      source: `${endpoints}, POST /managed/services`,
      text: 'Monitoring of the service begins.',
      holds: () => undefined,
      unprobed: 'how a reply tells whether a service is monitored is not shown',
    },
  ],
  apply: ({ world, body, made, account, caller }) =>
    put(world, services, {
      key: made,
      account,
      ...(caller.user && { maker: caller.user.name }),
      ...stored(body),
      monitored: true,
    }),
})

export const viewService = operation({
  id: 'managed-services.view',
  area: 'managed',
  method: 'GET',
  path: '/managed/services/{serviceId}',
  reach: { in: 'services', alone: true, lent: false },
  source: endpoints,
  summary: 'Shows one service.',
  scopes: reading,
  unrestrictedOnly: true,
  params: serviceId,
  owned: ofTheAccount,
  reply: record(services),
  shows: 'serviceId',
  draft: (plan) => ({ path: { serviceId: plan.make(services).id } }),
  silences: [withoutManagedShown('managed-services.view')],
})

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

export const deleteService = operation({
  id: 'managed-services.delete',
  area: 'managed',
  method: 'DELETE',
  path: '/managed/services/{serviceId}',
  reach: { in: 'services', alone: true, lent: false },
  source: endpoints,
  summary: 'Deletes a service, which is no longer monitored.',
  scopes: writing,
  unrestrictedOnly: true,
  params: serviceId,
  owned: ofTheAccount,
  reply: anything,
  removes: 'serviceId',
  draft: (plan) => ({ path: { serviceId: plan.make(services).id } }),
  silences: [
    withoutManagedShown('managed-services.delete'),
    {
      id: 'managed-services.delete.disabled',
      source: `${endpoints}; Other status models`,
      text: 'Whether a service that is disabled can be deleted is not said.',
      when: ({ refs }) => known(refs.serviceId.monitored, true, (a, b) => a !== b),
      probe: (plan) => {
        const path = { serviceId: plan.make(services).id }
        plan.call('managed-services.disable', { path })
        plan.check('managed-services.delete', { path })
      },
    },
  ],
  statements: [
    {
      id: 'managed-services.delete.stops-monitoring',
      source: `${endpoints}, DELETE /managed/services/{serviceId}`,
      text: 'Monitoring of the service stops.',
      holds: () => undefined,
      unprobed: 'how a reply tells whether a service is monitored is not shown',
    },
  ],
  apply: ({ world, refs }) => drop(world, services, refs.serviceId.key),
})

export const managedServiceOperations = [listServices, createService, viewService, updateService, deleteService]
