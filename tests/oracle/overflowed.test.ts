// A run goes on judging after more was possible than it can follow.
import { expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import type { CallEntry } from '../../history/entry.js'
import { operationById } from '../../models/index.js'
import { put } from '../../models/language/changes.js'
import type { Args } from '../../models/language/plan.js'
import { find, type World } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { volumes } from '../../models/volumes/record.js'
import { believe, orElse, worldOf } from '../../oracle/belief.js'
import { open } from '../../oracle/fold.js'
import { goingOn } from '../../oracle/overflowed.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { volume } from './traffic.js'

const renamed = (label: string) =>
  volume({ id: 7, label, filesystem_path: `/dev/disk/by-id/scsi-0Node_Volume_${label}` })

let n = 0
const entry = (id: string, args: Args, body: object, at: readonly [number, number]): CallEntry => {
  n += 1
  const op = operationById(id)
  if (!op) throw new Error(`no operation ${id}`)
  const outcome = { status: 200, body, contentType: 'application/json' }
  const from = { program: 'p', instance: 1, role: 'check', startedAt: at[0], endedAt: at[1] }
  return { kind: 'call', n, op, call: buildCall(op, { as: 'owner', ...args }), outcome, ...from } as never
}

test('after more calls at a time than can be ordered, only what they may have changed is unknown', () => {
  const fold = open({ ...embeddedEnvironment(), exclusive: true }, { nonce: 'ts-t' })
  for (const id of [7, 8])
    fold.take(entry('volumes.create', { body: { label: 'disk', region: 'r1' } }, volume({ id }), [id, id]))
  const renames = Array.from({ length: 12 }, (_, i) => {
    const label = `disk-${i}`
    return entry('volumes.update', { path: { volumeId: 7 }, body: { label } }, renamed(label), [20, 30])
  })
  expect(fold.takeTogether(renames).map(({ verdict }) => verdict)).not.toContain('pass')
  const seen = (id: number, shown: object): unknown =>
    fold.take(entry('volumes.view', { path: { volumeId: id } }, shown, [40, 40])).verdict
  expect(seen(7, renamed('disk-3'))).toBe('pass')
  expect(seen(7, { ...renamed('disk-3'), size: 99 })).toBe('finding')
  expect(seen(8, volume({ id: 8, size: 99 }))).toBe('finding')
})

test('of more worlds than are followed, what holds in all of them is known', () => {
  const start = believe(startWorld(embeddedEnvironment()))
  const withSize = (size: number) => (world: World) =>
    put(world, volumes, { key: '7', account: 'main', label: 'disk', size } as never)
  const many = Array.from({ length: 40 }, (_, size) => size)
  const hypotheses = many.flatMap((size) =>
    start.hypotheses.map((one) => ({ ...one, world: withSize(size)(one.world) })),
  )
  const after = goingOn(start, orElse({ ...start, hypotheses }, withSize(99)), [])
  expect([after.overflow, after.hypotheses.length]).toEqual([false, 1])
  expect(find(worldOf(after), volumes, '7')).toMatchObject({ label: 'disk' })
  expect(find(worldOf(after), volumes, '7')?.size).toBeUndefined()
})
