// Which members a refusal may name where a call breaks a bound and something else about it is open: no target is held to more than the document says.
import { expect, test } from 'vitest'
import { embeddedEnvironment } from '../../reference/environment.js'
import { conversation } from '../models/conversation.js'
import { volume } from './traffic.js'

const errors = (field?: string) => ({ errors: [{ ...(field !== undefined && { field }), reason: 'no' }] })

test.each([undefined, 'object'])('an ACL of no object may be refused with 404 and the field %s', (field) => {
  const talk = conversation()
  const path = { clusterId: 'us-east-1', bucket: 'ts-t-9' }
  talk.hear(
    'buckets.create',
    { body: { cluster: 'us-east-1', label: 'ts-t-9' } },
    { label: 'ts-t-9', cluster: 'us-east-1' },
  )
  const { deviations } = talk.hear(
    'object-acl.update',
    { path, body: { acl: 'nonsense', name: 'none' } },
    errors(field),
    404,
  )
  expect(deviations.filter(({ level }) => level === 'must')).toEqual([])
})

test.each(['summary', 'volume_id'])(
  'a ticket about what may not exist may be refused with 404 and the field %s',
  (field) => {
    const body = { summary: '', description: 'x', volume_id: 999 }
    const { deviations } = conversation().hear('tickets.create', { body }, errors(field), 404)
    expect(deviations.filter(({ level }) => level === 'must')).toEqual([])
  },
)

test.each(['https://[fd00::1]/x', 'http://2130706433/x'])(
  'a service at %s may be refused for its region',
  (address) => {
    const body = { label: 'ts-t-1', service_type: 'url', timeout: 0, address }
    const { deviations } = conversation().hear('managed-services.create', { body }, errors('region'), 400)
    expect(deviations).toEqual([])
  },
)

test('what seems to hold besides and may blame no member lets the refusal blame none', () => {
  const talk = conversation()
  const shown = { ...volume(), id: 901, label: 'ts-t-1', filesystem_path: '/dev/disk/by-id/scsi-0Node_Volume_ts-t-1' }
  talk.hear('volumes.create', { body: { label: 'ts-t-1', region: 'r1' } }, shown)
  const node = embeddedEnvironment().fixtures.nodes?.find(({ region }) => region !== 'r1')
  const body = { node_id: node?.id, persist_across_boots: 'x' }
  const attach = (field: string) =>
    talk.hear('volumes.attach', { path: { volumeId: '901' }, body }, errors(field), 400).deviations
  expect(attach('')).toEqual([])
  expect(attach('node_id')).toEqual([])
})
