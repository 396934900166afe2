// What removes at the end of a program is looked after as well, where nothing else shows that it takes effect.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { clean } from '../../driver/clean-up.js'
import { runProgram } from '../../driver/programs.js'
import type { Bucket } from '../../models/buckets/record.js'
import { allClauses, operationById } from '../../models/index.js'
import type { Clause } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { variations } from '../../reference/variations.js'
import { findingsOf, refuses } from '../models/faulty.js'

/** An operation without effect for some callers. */
const idleFor = (id: string, isMeant: (as: string | null) => boolean): Fault => {
  let as: string | null = null
  return {
    call: (call) => {
      as = call.as
      return call
    },
    world: (after, before, op) => (op.id === id && isMeant(as) ? before : after),
  }
}

test('a removal without effect is found, also where only another account calls it', async () => {
  const isOther = (as: string | null): boolean => as !== 'owner'
  const found = await findingsOf('buckets.create.unique', idleFor('buckets.delete', isOther))
  expect(found).toEqual(['buckets.delete.takes-effect'])
})

test('nothing is found where it takes effect', async () => {
  expect(await findingsOf('buckets.create.unique', {})).toEqual([])
})

test.each([
  ['may be deleted', false, ['delete', 'delete']],
  ['may not be deleted', true, ['delete', 'detach', 'delete', 'detach', 'delete']],
])('an attached volume is detached only where it %s as it is, once that is known at once', async (_, strict, calls) => {
  const environment = embeddedEnvironment()
  const { session, lines } = inProcess({ environment, ...(strict && variations.strict) })
  const clause = allClauses().find(({ id }) => id === 'volumes.create.attached') as Clause
  const probe = probeFor(clause, session.context)
  if (probe.kind === 'program') await runProgram(session, probe.program, clause)
  const removing = lines.flatMap((line) => (line.type === 'step' && line.role === 'clean' ? [line.call.operation] : []))
  expect(removing).toEqual(calls.map((call) => `volumes.${call}`))
})

test('a bucket that is not removed with its certificate is removed without it', async () => {
  const fault = refuses('buckets.delete', ({ refs }: { refs: { bucket: Bucket } }) => refs.bucket.certificate)
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), fault })
  const clause = allClauses().find(({ id }) => id === 'bucket-certificates.view.uploaded') as Clause
  const probe = probeFor(clause, session.context)
  if (probe.kind === 'program') await runProgram(session, probe.program, clause)
  const removing = lines.flatMap((line) => (line.type === 'step' && line.role === 'clean' ? [line.call.operation] : []))
  expect(removing).toContain('bucket-certificates.delete')
  expect(lines.filter(({ type }) => type === 'left')).toEqual([])
})

test.each([
  [2, []],
  [Number.POSITIVE_INFINITY, ['its id could not be obtained']],
])(
  'what was made without an id is removed where its list shows it after %s pauses, or else left',
  async (pauses, left) => {
    let paused = 0
    const { session, lines } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => ({
      ...plain,
      sleep: async () => {
        paused += 1
      },
      transport: {
        send: async (call, step) => {
          const outcome = await plain.transport.send(call, step)
          if (call.method === 'POST' && !call.url.endsWith('/revoke')) return { status: 202, body: {} }
          const isLate = call.url.startsWith('/managed/credentials') && call.method === 'GET' && paused < pauses
          return isLate ? { status: 200, body: { data: [], page: 1, pages: 1, results: 0 } } : outcome
        },
      },
    }))
    const op = operationById('managed-credentials.create') as Operation
    const origin = session.originOf('a credential')
    await session.send(origin, op, { as: 'owner', body: { label: 'ts-t-1', password: 'Aa1-x-Zz9' } }, 'arrange')
    await clean(session, origin, 0)
    const revoked = lines.filter((line) => line.type === 'step' && line.call.operation === 'managed-credentials.revoke')
    expect(lines.flatMap((line) => (line.type === 'left' ? [line.reason] : []))).toEqual(left)
    expect(revoked).toHaveLength(1 - left.length)
  },
)

test('what another account made without being told an id is looked for in the list of that account', async () => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => ({
    ...plain,
    transport: {
      send: async (call, step) => {
        const outcome = await plain.transport.send(call, step)
        return call.method === 'POST' ? { status: 202, body: {} } : outcome
      },
    },
  }))
  const create = operationById('managed-contacts.create') as Operation
  const origin = session.originOf('a contact')
  const body = { name: 'ts-t-1', email: 'a@b.example' }
  await session.send(origin, create, { as: 'other', body }, 'arrange')
  await clean(session, origin, 0)
  const sent = lines.flatMap((line) => (line.type === 'step' ? [`${line.call.operation} ${line.call.as}`] : []))
  expect(sent.slice(0, 3)).toEqual(['create', 'list', 'delete'].map((verb) => `managed-contacts.${verb} other`))
  expect(lines.filter(({ type }) => type === 'left')).toEqual([])
})

test('what there is to remove is told by kind, a creation that is under way or lost among it, until it is removed', async () => {
  const counts: string[] = []
  let isLost = false
  const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => ({
    ...plain,
    transport: {
      send: async (call, step) => {
        counts.push(
          session
            .standing()
            .map(({ name }) => name)
            .join(),
        )
        const outcome = await plain.transport.send(call, step)
        return isLost ? { lost: 'reset' } : outcome
      },
    },
  }))
  const create = operationById('managed-contacts.create') as Operation
  const origin = session.originOf('standing')
  const make = (name: string) =>
    session.send(origin, create, { as: 'owner', body: { name, email: 'a@b.example' } }, 'arrange')
  await make('ts-t-one')
  isLost = true
  await make('ts-t-two')
  isLost = false
  expect([counts[0], counts.at(-1)]).toEqual(
    ['contacts', 'contacts,contacts'].map((all) => all.replaceAll('contacts', create.makes?.name ?? '')),
  )
  expect(session.standing()).toHaveLength(2)
  expect([...session.kinds]).toContain(create.makes?.name)
  await clean(session, origin, 0)
  expect(session.standing()).toEqual([])
})

test.each([
  ['waited for while it is not known that removing it is refused', [], 30_000],
  ['not waited for once that is a finding', ['volumes.delete.accepts:refused'], 0],
])('what could not be removed is %s', async (_, found, expectedMs) => {
  let sleptMs = 0
  const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => ({
    ...plain,
    sleep: async (ms) => {
      sleptMs += ms
    },
    transport: {
      send: async (call, step) =>
        call.method === 'DELETE' ? { status: 500, body: {} } : plain.transport.send(call, step),
    },
  }))
  for (const id of found) session.found.add(id)
  const create = operationById('volumes.create') as Operation
  const origin = session.originOf('three volumes')
  for (const label of ['ts-t-1', 'ts-t-2', 'ts-t-3'])
    await session.send(origin, create, { as: 'owner', body: { label, region: 'r1', size: 20 } }, 'arrange')
  sleptMs = 0
  await clean(session, origin, 0)
  expect(session.memory.leftovers.all).toHaveLength(3)
  if (expectedMs > 0) expect(sleptMs).toBeGreaterThanOrEqual(expectedMs)
  else expect(sleptMs).toBeLessThan(30_000)
})
