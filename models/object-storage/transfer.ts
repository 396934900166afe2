// The operation that shows object storage transfer: section "Endpoints / Object Storage" of the document.

import { commonSilences } from '../buckets/record.js'
import { isObject } from '../language/objects.js'
import { anything, operation } from '../language/operation.js'

const endpoints = 'Endpoints / Object Storage'

export const viewObjectStorageTransfer = operation({
  id: 'object-storage-transfer.view',
  area: 'object-storage',
  method: 'GET',
  path: '/object-storage/transfer',
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: "Shows the outbound transfer that the account's buckets have used.",
  scopes: ['object_storage:read_only'],
  params: {},
  reply: anything,
  draft: () => ({}),
  silences: commonSilences('object-storage-transfer.view'),
  statements: [
    {
      id: 'object-storage-transfer.view.record',
      level: 'should',
      source: 'Resources whose response fields are not fully given, "transfer response records"',
      text: 'The reply is a record: an object, whose fields are not shown.',
      holds: ({ reply }) => isObject(reply),
      probe: (plan) => void plan.check('object-storage-transfer.view'),
    },
    {
      id: 'object-storage-transfer.view.included',
      source: 'Limits, "Object Storage includes 1 terabyte"',
      text: "Object Storage includes one terabyte of outbound transfer in the account's transfer pool.",
      holds: () => undefined,
      unprobed: 'no endpoint of the document shows the transfer pool, and the fields of this reply are not shown',
    },
  ],
  render: () => ({ used: 0 }),
})

export const objectStorageTransferOperations = [viewObjectStorageTransfer]
