// The operations that disable and enable the monitoring of a Managed service; the service itself is apart.

import { patch } from '../language/changes.js'
import { known } from '../language/clause.js'
import { anything, operation, ref } from '../language/operation.js'
import { endpoints, ofTheAccount, withoutManagedShown, writing } from '../managed/common.js'
import { services } from './record.js'

const serviceId = { serviceId: ref(services) }

export const disableService = operation({
  id: 'managed-services.disable',
  area: 'managed',
  method: 'POST',
  path: '/managed/services/{serviceId}/disable',
  reach: { in: 'services', alone: true, lent: false },
  source: endpoints,
  summary: 'Stops the monitoring of a service for a while.',
  scopes: writing,
  unrestrictedOnly: true,
  params: serviceId,
  owned: ofTheAccount,
  reply: anything,
  draft: (plan) => ({ path: { serviceId: plan.make(services).id } }),
  silences: [
    withoutManagedShown('managed-services.disable'),
    {
      id: 'managed-services.disable.disabled',
      source: `${endpoints}; Other status models`,
      text: 'Whether a service that is disabled can be disabled again is not said.',
      when: ({ refs }) => known(refs.serviceId.monitored, true, (a, b) => a !== b),
      probe: (plan) => {
        const path = { serviceId: plan.make(services).id }
        plan.call('managed-services.disable', { path })
        plan.check('managed-services.disable', { path })
      },
    },
  ],
  statements: [
    {
      id: 'managed-services.disable.pauses-monitoring',
      source: `${endpoints}, POST /managed/services/{serviceId}/disable; Other status models`,
      text: 'Monitoring of the service stops for the time being.',
      holds: () => undefined,
      unprobed: 'how a reply tells whether a service is monitored is not shown',
    },
    {
      id: 'managed-services.disable.stays',
      source: `${endpoints}, POST /managed/services/{serviceId}/disable; Other status models`,
      text: 'A service that is disabled is still there, unchanged in what requests set, and can be enabled.',
      holds: () => true,
      probe: (plan) => {
        const path = { serviceId: plan.make(services).id }
        plan.check('managed-services.disable', { path })
        plan.call('managed-services.view', { path })
        plan.call('managed-services.list')
        plan.call('managed-services.enable', { path })
        plan.call('managed-services.view', { path })
      },
    },
  ],
  apply: ({ world, refs }) => patch(world, services, refs.serviceId.key, { monitored: false }),
  unshown: 'how a reply tells whether a service is monitored is not shown',
})

export const enableService = operation({
  id: 'managed-services.enable',
  area: 'managed',
  method: 'POST',
  path: '/managed/services/{serviceId}/enable',
  reach: { in: 'services', alone: true, lent: false },
  source: endpoints,
  summary: 'Starts the monitoring of a service again.',
  scopes: writing,
  unrestrictedOnly: true,
  params: serviceId,
  owned: ofTheAccount,
  reply: anything,
  draft: (plan) => {
    const path = { serviceId: plan.make(services).id }
    plan.call('managed-services.disable', { path })
    return { path }
  },
  silences: [
    withoutManagedShown('managed-services.enable'),
    {
      id: 'managed-services.enable.enabled',
      source: `${endpoints}; Other status models`,
      text: 'Whether a service that is monitored can be enabled is not said.',
      when: ({ refs }) => known(refs.serviceId.monitored, false, (a, b) => a !== b),
      probe: (plan) => void plan.check('managed-services.enable', { path: { serviceId: plan.make(services).id } }),
    },
  ],
  statements: [
    {
      id: 'managed-services.enable.resumes-monitoring',
      source: `${endpoints}, POST /managed/services/{serviceId}/enable; Other status models`,
      text: 'Monitoring of the service goes on.',
      holds: () => undefined,
      unprobed: 'how a reply tells whether a service is monitored is not shown',
    },
  ],
  apply: ({ world, refs }) => patch(world, services, refs.serviceId.key, { monitored: true }),
  unshown: 'how a reply tells whether a service is monitored is not shown',
})

export const managedServiceMonitoringOperations = [disableService, enableService]
