// A creation of which a part shows later than what it made.
import { expect, test } from 'vitest'
import { type Live, live } from './live.js'
import { volume } from './traffic.js'

const path = { volumeId: 7 }
const creates: Live = ['volumes.create', { body: { label: 'disk', node_id: 101 } }, volume({ status: 'creating' })]
const views = (fields: object, overdue?: true): Live => ['volumes.view', { path }, volume(fields), overdue]
const attached = { node_id: 101, node_label: 'web-1' }
const told = (steps: readonly Live[]) => live(steps).map(({ deviations }) => deviations.map(({ clause }) => clause))

test('a volume may be active a while before it is shown attached to the node that it was created for', () => {
  expect(told([creates, views({}), views(attached)])).toEqual([[], [], []])
})

test('it is shown attached at last', () => {
  expect(told([creates, views({}, true)]).at(-1)).toEqual(['volumes.create.attached', 'volumes.view.shows.node_label'])
})

test('it is not shown attached to another node meanwhile', () => {
  const other = views({ node_id: 102, node_label: 'web-2' })
  expect(told([creates, other]).at(-1)).toContain('volumes.view.shows.node_id')
})
