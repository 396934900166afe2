// A refused write that is sent again, as the target may not have known of a change yet, and what looks show of it meanwhile.
import { expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import type { CallEntry } from '../../history/entry.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { open } from '../../oracle/fold.js'
import { findingIdOf } from '../../oracle/judgement.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { volume } from './traffic.js'

test('what a look shows after it is its doing, and it stands in the program that tells so', () => {
  const fold = open(embeddedEnvironment(), { nonce: 'ts-t' })
  let n = 0
  const take = (id: string, args: Args, body: unknown, more: Partial<CallEntry> = {}) => {
    n += 1
    const op = operationById(id) as Operation
    const outcome = { status: 'errors' in (body as object) ? 409 : 200, body, contentType: 'application/json' }
    const from = { program: 'p', instance: 1, role: 'read', startedAt: n, endedAt: n, ...more }
    return fold.take({
      kind: 'call',
      n,
      op,
      call: buildCall(op, { as: 'owner', ...args }),
      outcome,
      ...from,
    } as CallEntry)
  }
  const label = 'ts-t-a'
  const tag = { body: { label, volumes: [7] } }
  take('volumes.create', { body: { label: 'disk', size: 20, region: 'r1' } }, volume())
  take('tags.create', { body: { label } }, { label })
  take('tags.delete', { path: { tagLabel: label } }, {})
  const refused = take('tags.create', tag, { errors: [{ field: 'label', reason: 'taken' }] })
  expect(refused.judgement.late?.by).toBe('tags.delete')
  const look = { phase: 'look', after: refused.n } as const
  const view = take('volumes.view', { path: { volumeId: 7 } }, { ...volume(), tags: [label] }, look)
  expect(view.deviations.map(findingIdOf)).toEqual(['tags.create.refusal.unchanged:changed'])
  const { spotted } = fold.end({ kind: 'ended', instance: 1, program: 'p' } as Parameters<typeof fold.end>[0])
  expect(spotted.map(({ calls }) => calls.map((one) => one.n))).toEqual([[1, 2, 3, 4, 5]])
})
