// The fewest calls of what was recorded that show a deviation: each of them is one that the target would answer so again.
import { expect, test } from 'vitest'
import { close } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { believe, worldOf } from '../../oracle/belief.js'
import { shows, shrink } from '../../oracle/shrink.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { live } from './live.js'
import { volume } from './traffic.js'

const id = 'volumes.resize.only-up:accepted'
const path = { volumeId: '7' }
const sized = (size: number) => volume({ size })
const start = believe(startWorld(embeddedEnvironment(), { nonce: 'ts-t' }))

/** A volume that grows, is looked at, grows again, and is made smaller than it is, but larger than it was made. */
const steps = live([
  ['volumes.create', { body: { label: 'disk', size: 20, region: 'r1' } }, sized(20)],
  ['volumes.view', { path }, sized(20)],
  ['volumes.resize', { path, body: { size: 36 } }, sized(36)],
  ['volumes.view', { path }, sized(36)],
  ['volumes.view', { path }, sized(36)],
  ['volumes.resize', { path, body: { size: 21 } }, sized(21)],
])

test('a reply that contradicts the calls that are left does not stand in for the call that explains it', () => {
  const kept = shrink(start, steps, id)
  expect(kept.map(({ op }) => op.id)).toEqual(['volumes.create', 'volumes.resize', 'volumes.resize'])
})

test('calls show a deviation only where the others tell no more than they did', () => {
  const [create, view, grow, , , last] = steps as Required<typeof steps>
  expect(shows(start, [create, grow, last] as typeof steps, id)).toBe(true)
  expect(shows(start, [create, steps[3], last] as typeof steps, id)).toBe(false)
  expect(shows(start, [create, view, last] as typeof steps, id)).toBe(false)
})

test('a call goes once the one that needed it has gone, though it was tried before', () => {
  const other = volume({ id: 8, label: 'other' })
  const all = live([
    ['volumes.create', { body: { label: 'other', size: 20, region: 'r1' } }, other],
    ['volumes.view', { path: { volumeId: '8' } }, other],
    ['volumes.create', { body: { label: 'disk', size: 20, region: 'r1' } }, sized(20)],
    ['volumes.resize', { path, body: { size: 16 } }, sized(16)],
  ])
  const closed = believe(close(worldOf(start), { name: 'volumes' }, 'main'))
  expect(shrink(closed, all, id).map(({ n }) => n)).toEqual([3, 4])
})
