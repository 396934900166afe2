// A finding gives as its reasons what the broken rule looks at, and nothing else.
import { expect, test } from 'vitest'
import { type Told, told } from '../models/stories.js'

const volume = (id: number, more: object = {}) => ({
  id,
  label: `v-${id}`,
  status: 'active',
  size: 20,
  region: 'r1',
  hardware_type: 'hdd',
  filesystem_path: `/dev/disk/by-id/scsi-0Node_Volume_v-${id}`,
  node_id: null,
  node_label: null,
  tags: [],
  created: '2026-01-01T00:00:00',
  updated: '2026-01-01T00:00:00',
  ...more,
})
const made = (id: number, more: object = {}): Told => [
  'volumes.create',
  { body: { label: `v-${id}`, size: 20, region: 'r1' } },
  200,
  volume(id, more),
]

const reasons: readonly (readonly [
  rule: string,
  clause: string,
  story: readonly Told[],
  because: readonly string[],
])[] = [
  [
    'the regions of a volume and a node',
    'volumes.attach.same-region',
    [made(9001), ['volumes.attach', { path: { volumeId: 9001 }, body: { node_id: 103 } }, 200, volume(9001)]],
    ['volumes 9001 has region "r1" since step 1 (volumes.create)', 'nodes 103 has region "r2" (target file)'],
  ],
  [
    'a size, and not what else is known of the volume',
    'volumes.resize.only-up',
    [made(9001), ['volumes.resize', { path: { volumeId: 9001 }, body: { size: 10 } }, 200, volume(9001, { size: 10 })]],
    ['volumes 9001 has size 20 since step 1 (volumes.create)'],
  ],
  [
    'who else has the name, and nobody with another one',
    'managed-credentials.create.unique-label',
    ['a', 'b', 'a'].map((label, i) => [
      'managed-credentials.create',
      { body: { label: `${label}${label}`, password: 'secret' } },
      200,
      { id: 9001 + i, label: `${label}${label}` },
    ]),
    ['managed-credentials 9001 has label "aa" since step 1 (managed-credentials.create)'],
  ],
]

test.each(reasons)('tells %s', (_, clause, story, because) => {
  const { deviations, because: given } = told(story)
  expect(deviations).toEqual([`must ${clause}`])
  expect(given).toEqual(because)
})

test('never tells what only the model keeps of an entity, such as a password', () => {
  const story: readonly Told[] = [
    ['managed-credentials.create', { body: { label: 'aa', password: 'secret' } }, 200, { id: 9001, label: 'aa' }],
    ['managed-credentials.create', { body: { label: 'aa', password: 'secret' } }, 200, { id: 9002, label: 'aa' }],
  ]
  expect(told(story).because.join()).not.toContain('secret')
})

test('has what steps established as data beside the sentences', () => {
  const removed: readonly Told[] = [
    made(9001),
    ['volumes.delete', { path: { volumeId: 9001 } }, 200, {}],
    ['volumes.view', { path: { volumeId: 9001 } }, 200, volume(9001)],
  ]
  const { because, facts } = told(removed)
  expect(because).toEqual(['volumes 9001 was removed by step 2 (volumes.delete)'])
  expect(facts).toEqual([{ text: because[0], step: 2, by: 'volumes.delete', table: 'volumes', key: '9001' }])
})
