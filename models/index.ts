// The registry: the one explicit list of operations, and questions about it.

import { bucketAccessOperations } from './buckets/access.js'
import { bucketOperations } from './buckets/buckets.js'
import { bucketCertificateOperations } from './buckets/certificates.js'
import { objectAclOperations } from './buckets/object-acl.js'
import { objectUrlOperations } from './buckets/object-urls.js'
import { bucketObjectOperations } from './buckets/objects.js'
import { firewallDeviceOperations } from './firewall-devices/firewall-devices.js'
import { firewallRulesOperations } from './firewall-rules/firewall-rules.js'
import { firewallOperations } from './firewalls/firewalls.js'
import { ipAssignmentOperations } from './ips/assignments.js'
import { ipOperations } from './ips/ips.js'
import { ipSharingOperations } from './ips/sharing.js'
import { ipv6PoolOperations } from './ipv6-pools/ipv6-pools.js'
import { ipv6RangeOperations } from './ipv6-ranges/ipv6-ranges.js'
import { type Clause, clausesOf } from './language/derive.js'
import { memoised } from './language/memoised.js'
import { type AnyTable, isListed, type Operation } from './language/operation.js'
import { removedBy, tablesOf } from './language/references.js'
import { managedStatsOperations } from './managed/stats.js'
import { managedContactOperations } from './managed-contacts/managed-contacts.js'
import { managedCredentialOperations } from './managed-credentials/managed-credentials.js'
import { managedSshKeyOperations } from './managed-credentials/ssh-key.js'
import { managedIssueOperations } from './managed-issues/managed-issues.js'
import { managedNodeSettingsOperations } from './managed-node-settings/managed-node-settings.js'
import { managedServiceOperations } from './managed-services/managed-services.js'
import { managedServiceMonitoringOperations } from './managed-services/monitoring.js'
import { objectKeyOperations } from './object-keys/object-keys.js'
import { cancellationOperations } from './object-storage/cancellation.js'
import { clusterOperations } from './object-storage/clusters.js'
import { objectStorageTransferOperations } from './object-storage/transfer.js'
import { tagOperations } from './tags/tags.js'
import { ticketAttachmentOperations } from './ticket-attachments/ticket-attachments.js'
import { ticketReplyOperations } from './ticket-replies/ticket-replies.js'
import { ticketOperations } from './tickets/tickets.js'
import { vlanOperations } from './vlans/vlans.js'
import { volumeOperations } from './volumes/volumes.js'

/** Version of the interface that the operations describe. */
export const interfaceVersion = '4.175.0'

export const operations: readonly Operation[] = [
  ...volumeOperations,
  ...bucketOperations,
  ...bucketAccessOperations,
  ...objectAclOperations,
  ...bucketObjectOperations,
  ...objectUrlOperations,
  ...bucketCertificateOperations,
  ...ipOperations,
  ...ipAssignmentOperations,
  ...ipSharingOperations,
  ...ipv6PoolOperations,
  ...ipv6RangeOperations,
  ...vlanOperations,
  ...tagOperations,
  ...managedContactOperations,
  ...managedCredentialOperations,
  ...managedSshKeyOperations,
  ...managedIssueOperations,
  ...managedNodeSettingsOperations,
  ...managedServiceOperations,
  ...managedServiceMonitoringOperations,
  ...managedStatsOperations,
  ...clusterOperations,
  ...objectKeyOperations,
  ...objectStorageTransferOperations,
  ...ticketOperations,
  ...ticketAttachmentOperations,
  ...ticketReplyOperations,
  ...firewallOperations,
  ...firewallDeviceOperations,
  ...firewallRulesOperations,
  // Last, since nothing in Object Storage outlives it.
  ...cancellationOperations,
]

const byId = new Map(operations.map((op) => [op.id, op]))

export const operationById = (id: string): Operation | undefined => byId.get(id)

/** Whether the programs of an operation, named by its id, act on what the target file lends. */
export const actsOnLent = (id: string): boolean => (byId.get(id)?.reach.lent ?? false) !== false

export const allClauses = (): readonly Clause[] => operations.flatMap(clausesOf)

/** Every table that an operation shows, makes or names. */
export const allTables = (): readonly AnyTable[] => tables

export const tableNamed = (name: string): AnyTable | undefined => tables.find((table) => table.name === name)

const tables: readonly AnyTable[] = [...new Set(operations.flatMap(tablesOf))]

/** The operation that makes entities of a table, and those that show one, list all and remove one. */
export const makerOf = memoised((table: AnyTable) => operations.find((op) => op.makes === table))
export const viewerOf = memoised((table: AnyTable) =>
  operations.find(
    (op) => op.method === 'GET' && op.reply.kind === 'record' && op.reply.table === table && op.shows !== undefined,
  ),
)
export const listerOf = memoised((table: AnyTable) => {
  const listers = operations.filter((op) => isListed(op.reply) && op.reply.table === table)
  return listers.find((op) => op.lists === undefined) ?? listers[0]
})
export const removerOf = memoised((table: AnyTable) => operations.find((op) => removedBy(op)?.table === table))
