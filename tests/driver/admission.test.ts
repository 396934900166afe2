// Which calls and hooks of programs side by side may be under way together.
import { expect, test } from 'vitest'
import { type Claim, claimOf, claimOfHook, createAdmission, doMeet } from '../../driver/admission.js'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import { drop } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import { live, type World } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { volumes } from '../../models/volumes/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const world = startWorld(embeddedEnvironment())

const claim = (id: string, path: Record<string, string> = {}, body = {}, now: World = world): Claim => {
  const op = operationById(id) as Operation
  return claimOf(now, op, recorded(buildCall(op, { path, as: 'owner', body }, 'file')))
}

const never = (): boolean => false
const meet = (one: Claim, other: Claim): boolean => {
  expect(doMeet(other, one, never)).toBe(doMeet(one, other, never))
  return doMeet(one, other, never)
}

test('A hook waits for calls in the part of the interface that it changes, and for what shows that part', () => {
  const migrating = claimOfHook('setVolumeMigrating')
  for (const id of ['volumes.list', 'volumes.create', 'tags.list', 'tickets.list'])
    expect([id, meet(migrating, claim(id))]).toEqual([id, true])
  for (const id of ['managed-services.create', 'buckets.list', 'ips.list', 'firewalls.list'])
    expect([id, meet(migrating, claim(id))]).toEqual([id, false])
})

test('A hook waits for other hooks, and for calls that emit events, which it may emit as well', () => {
  const putting = claimOfHook('putObjects')
  expect(meet(putting, claimOfHook('setLiveMigration'))).toBe(true)
  expect(meet(putting, claim('firewalls.create'))).toBe(true)
  expect(meet(putting, claim('firewalls.list'))).toBe(false)
})

test('Of a hook that deletes a node nothing is known to be apart', () => {
  const deleting = claimOfHook('deleteNode')
  for (const id of ['clusters.list', 'buckets.list', 'managed-contacts.create'])
    expect([id, meet(deleting, claim(id))]).toEqual([id, true])
})

test('What a hook waits for is not held up by calls that come later', async () => {
  const admission = createAdmission(3, never)
  const done: string[] = []
  const ends: (() => void)[] = []
  const enter = (name: string, one: Claim, rank = 0): void =>
    void admission.admit(
      [one],
      () => new Promise<void>((resolve) => ends.push(() => resolve(void done.push(name)))),
      rank,
    )
  enter('a list', claim('volumes.list'))
  enter('a hook', claimOfHook('setVolumeMigrating'))
  enter('a later list', claim('volumes.list'), 9)
  enter('a list elsewhere', claim('buckets.list'))
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    for (const end of ends.splice(0)) end()
  }
  expect(done).toEqual(['a list', 'a list elsewhere', 'a hook', 'a later list'])
})

test('What is made waits for calls that remove one of its kind and do more about it, since it may have its id', async () => {
  const view = claim('volumes.view', { volumeId: '7' })
  const removal = claim('volumes.delete', { volumeId: '7' })
  const waits = async (group: readonly Claim[], id: string): Promise<boolean> => {
    const { admit } = createAdmission(9, never)
    let isWaiting = true
    let end = (): void => undefined
    const held = admit(group, () => new Promise<void>((resolve) => (end = resolve)))
    const made = admit([claim(id)], async () => (isWaiting = false))
    await new Promise(setImmediate)
    const waited = isWaiting
    end()
    await Promise.all([held, made])
    return waited
  }
  expect(await waits([removal, view], 'volumes.create')).toBe(true)
  expect(await waits([removal, removal], 'volumes.create')).toBe(true)
  expect(await waits([removal], 'volumes.create')).toBe(false)
  expect(await waits([removal, view], 'tags.create')).toBe(false)
})

test('What may be given the id of what is gone, and a write about that, wait for each other', () => {
  const volumeId = live(world, volumes)[0]?.key as string
  const after = drop(world, volumes, volumeId)
  const [making, tagging] = [claim('volumes.create'), claim('tags.create')]
  expect(meet(claim('volumes.delete', { volumeId }, {}, after), making)).toBe(true)
  expect(meet(claim('tags.create', {}, { volumes: [Number(volumeId)] }, after), making)).toBe(true)
  expect(meet(claim('volumes.delete', { volumeId }, {}, after), tagging)).toBe(false)
  expect(meet(claim('volumes.delete', { volumeId }), making)).toBe(false)
  expect(meet(claim('volumes.view', { volumeId }, {}, after), making)).toBe(false)
})
