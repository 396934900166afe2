// A creation whose reply was lost may have landed before a tag was deleted that it gave what it made, or only then.
import { expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { close } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { type Belief, believe } from '../../oracle/belief.js'
import { observe } from '../../oracle/observe.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const steps: readonly (readonly [id: string, args: Args, outcome: object])[] = [
  ['tags.create', { body: { label: 'ts-n-t' } }, { status: 200, body: { label: 'ts-n-t' } }],
  ['volumes.create', { body: { label: 'ts-n-v', size: 20, region: 'r1', tags: ['ts-n-t'] } }, { lost: 'timeout' }],
  ['tags.delete', { path: { tagLabel: 'ts-n-t' } }, { status: 200, body: {} }],
]

/** What deviates when the volume then shows these tags, and the tags are listed. */
const deviating = (shown: readonly string[], listed: readonly string[]) => {
  let n = 0
  const { fixtures, ...environment } = embeddedEnvironment()
  const world = startWorld({ ...environment, fixtures: { ...fixtures, volumes: [] } }, { nonce: 'ts-n' })
  let belief: Belief = believe(close(world, { name: 'volumes' }, 'main'))
  const take = (id: string, args: Args, outcome: object) => {
    n += 1
    const op = operationById(id) as Operation
    const call = recorded(buildCall(op, { as: 'owner', ...args }))
    const observed = observe(belief, { op, call, outcome: outcome as never, n })
    belief = observed.belief
    return observed.judgement.deviations.map(({ clause, received }) => `${clause}: ${received}`)
  }
  for (const step of steps) take(...step)
  const at = '2026-01-01T00:00:00'
  const volume = {
    ...{ id: 7, label: 'ts-n-v', size: 20, region: 'r1', status: 'creating', node_id: null, tags: shown },
    ...{
      created: at,
      updated: at,
      hardware_type: 'nvme',
      filesystem_path: '/dev/disk/by-id/scsi-0Node_Volume_ts-n-v',
      node_label: null,
    },
  }
  return [
    ...take('volumes.list', {}, { status: 200, body: pageOf([volume]) }),
    ...take('tags.list', {}, { status: 200, body: pageOf(listed.map((label) => ({ label }))) }),
  ]
}

const pageOf = (data: readonly object[]) => ({ data, page: 1, pages: 1, results: data.length })

test.each([
  ['before the tag went', [], []],
  ['after the tag went, which is there again', ['ts-n-t'], ['ts-n-t']],
])('it landed %s', (_, shown, listed) => {
  expect(deviating(shown, listed)).toEqual([])
})

test('it does not carry another tag', () => {
  expect(deviating(['ts-n-u'], [])).not.toEqual([])
})
