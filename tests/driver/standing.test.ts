// What was removed may give its id to what another program makes: neither is then taken for the other.
import { beforeEach, describe, expect, test } from 'vitest'
import { clean } from '../../driver/clean-up.js'
import { randomWalk } from '../../driver/random-walk.js'
import { runJobs } from '../../driver/schedule.js'
import type { Session } from '../../driver/session.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { variations } from '../../reference/variations.js'
import { jobOf } from './jobs.js'

const op = (id: string): Operation => operationById(id) as Operation

/** Two programs on a target that gives ids again. The first had a volume; the second was given its id. */
const two = async () => {
  let isLosing = false
  const reached: string[] = []
  const { session } = inProcess(
    { environment: embeddedEnvironment(), ...variations['ids-again'] },
    'ts-t',
    (plain) => ({
      ...plain,
      transport: {
        send: async (call, step) => {
          reached.push(`${call.method} ${call.url}`)
          const outcome = await plain.transport.send(call, step)
          return isLosing ? { lost: 'reset' } : outcome
        },
      },
    }),
  )
  const [first, second] = [session.hasty(), session.hasty()]
  const call = (by: Session, id: string, args: Args = {}) =>
    by.send(by.originOf('program'), op(id), { as: 'owner', ...args }, 'check')
  const make = async (by: Session, label: string): Promise<string> =>
    String((await call(by, 'volumes.create', { body: { label, region: 'r1' } })).judgement.made)
  const volumeId = await make(first, 'ts-t-1')
  await call(first, 'volumes.delete', { path: { volumeId } })
  const losing = async (by: Session): Promise<void> => {
    isLosing = true
    await make(by, 'ts-t-2')
    isLosing = false
  }
  const lose = (): Promise<void> => losing(second)
  return { session, first, second, call, make, lose, losing, volumeId, reached }
}

const wasSent = ({ outcome }: { readonly outcome: object }): boolean => 'status' in outcome

describe('a program whose volume is gone, where another has a volume with its id', () => {
  let given: Awaited<ReturnType<typeof two>>
  beforeEach(async () => {
    given = await two()
    expect(await given.make(given.second, 'ts-t-2')).toBe(given.volumeId)
  })

  test('does not remove that one in the end, and the other does', async () => {
    const { first, second, reached, volumeId } = given
    const before = reached.length
    await clean(first, first.originOf('first'), 0)
    expect(reached.slice(before)).toEqual([])
    await clean(second, second.originOf('second'), 0)
    expect(reached).toContain(`DELETE /volumes/${volumeId}`)
    expect(second.standing()).toEqual([])
  })

  test('sends no write about it, by its path or in its body, but reads', async () => {
    const { first, second, call, volumeId } = given
    const path = { volumeId }
    const body = { label: 'ts-t-tag', volumes: [Number(volumeId)] }
    const update = { path, body: { label: 'ts-t-3' } }
    expect(wasSent(await call(first, 'volumes.update', update))).toBe(false)
    expect(wasSent(await call(first, 'tags.create', { body }))).toBe(false)
    expect(wasSent(await call(first, 'volumes.view', { path }))).toBe(true)
    expect(wasSent(await call(second, 'volumes.update', update))).toBe(true)
    expect(wasSent(await call(second, 'tags.create', { body }))).toBe(true)
  })

  test('names others that are gone where a random step asks for one', async () => {
    const { first, second, call, make, reached } = given
    const other = await make(second, 'ts-t-3')
    await call(second, 'volumes.delete', { path: { volumeId: other } })
    await call(second, 'volumes.delete', { path: { volumeId: given.volumeId } })
    await make(second, 'ts-t-4')
    const before = reached.length
    const stale = { operation: 'volumes.delete', positions: [0], reuses: true, full: false, edge: null, beyond: false }
    await randomWalk(first, 'program', [{ ...stale, caller: null, stale: true }])
    const removals = reached.slice(before).filter((line) => line.startsWith('DELETE'))
    expect(removals).not.toEqual([])
    expect(removals).not.toContain(`DELETE /volumes/${given.volumeId}`)
  })
})

test('a program sends no write about what is gone while another may have made something that told no id', async () => {
  const { first, second, call, lose, volumeId } = await two()
  const path = { volumeId }
  expect(wasSent(await call(first, 'volumes.delete', { path }))).toBe(true)
  await lose()
  expect(wasSent(await call(first, 'volumes.delete', { path }))).toBe(false)
  const another = await call(first, 'volumes.delete', { path: { volumeId: '999999' } })
  expect(wasSent(another)).toBe(true)
  // A list shows what it has made, and that it has that id.
  await call(second, 'volumes.list')
  expect(wasSent(await call(first, 'volumes.delete', { path }))).toBe(false)
})

test('what a program beside others has lost is found once it is over, and bars no write from then on', async () => {
  const { session, first, call, losing, make, reached } = await two()
  await clean(first, first.originOf('first'), 0)
  const run = async (own: Session) => {
    await losing(own)
    return { findings: [], exercised: true, sent: [], doubts: [] }
  }
  await runJobs(session, [jobOf(run)], { width: 2, isOver: () => false, onEnd: () => undefined })
  expect(session.standing().map(({ name }) => name)).toEqual(['volumes'])
  await clean(session, session.originOf('end'), 0)
  expect(session.standing()).toEqual([])
  const later = session.hasty()
  const path = { volumeId: await make(later, 'ts-t-5') }
  await call(later, 'volumes.delete', { path })
  expect(wasSent(await call(later, 'volumes.delete', { path }))).toBe(true)
  expect(reached.filter((line) => line === `DELETE /volumes/${path.volumeId}`).length).toBeGreaterThan(1)
})
