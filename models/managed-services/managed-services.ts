// The operations on Managed services, of which changing, disabling and enabling are apart: section "Managed", "Service body", of the document.

import { drop, put } from '../language/changes.js'
import { known } from '../language/clause.js'
import { anything, operation, record, records, ref } from '../language/operation.js'
import { object } from '../language/schema.js'
import { unseen } from '../language/unseen.js'
import { endpoints, ofTheAccount, reading, withoutManagedShown, writing } from '../managed/common.js'
import {
  addressForm,
  addressStatements,
  forbidsRegion,
  full,
  minimal,
  needsRegion,
  nodeAddress,
  nullShown,
  oddServices,
  serviceBody,
  source,
  stored,
} from './body.js'
import { services } from './record.js'
import { updateService } from './update.js'

const serviceId = { serviceId: ref(services) }
const members = serviceBody()

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
