import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { operationById } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { judgeRun } from '../../oracle/judge-run.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { runIn } from '../history/recorded.js'
import { type Exchange, firstLine, gating, judgeExchanges, told, volume } from './traffic.js'

const as = 'owner'
const refusal = { errors: [{ field: 'size', reason: 'no' }] }
const disk = { path: { volumeId: 7 } }
const creates = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
const resizes = (size: number, status: number, reply: unknown) =>
  told('volumes.resize', { as, ...disk, body: { size } }, status, reply)
const views = (fields: object = {}) => told('volumes.view', { as, ...disk }, 200, volume(fields))

describe('a refused write that took effect', () => {
  const found = (...exchanges: readonly Exchange[]) => judgeExchanges([creates, ...exchanges], true)
  test('is blamed for what the next look at the resource shows, and stays in the program', () => {
    const judged = found(views(), resizes(10, 400, refusal), views({ size: 10 }))
    expect(gating(judged)).toEqual(['volumes.resize.refusal.unchanged:changed'])
    expect(judged.found[0]?.steps.map(({ call }) => call.operation)).toEqual([
      'volumes.view',
      'volumes.resize',
      'volumes.view',
    ])
  })
  test('is not blamed for a member that follows from others, which are as they were', () => {
    const judged = found(resizes(10, 400, refusal), views({ filesystem_path: '/dev/disk/by-id/disk' }))
    expect(gating(judged)).toEqual(['volumes.view.shows.filesystem_path:filesystem_path'])
  })
  test.each<[string, readonly Exchange[]]>([
    ['where it was seen unchanged in between', [resizes(10, 400, refusal), views(), views({ size: 10 })]],
    [
      'where another write came in between',
      [resizes(10, 400, refusal), resizes(30, 200, volume({ size: 30 })), views({ size: 10 })],
    ],
  ])('is not blamed %s', (_, exchanges) => {
    expect(gating(found(...exchanges))).toEqual(['volumes.view.shows.size:size'])
  })
})

test('A read that would fit had others acted does not come before the call that it shows', () => {
  const at = 500
  const together: readonly Exchange[] = [
    { ...views({ size: 30, status: 'resizing' }), at },
    { ...resizes(30, 200, volume({ size: 30, status: 'resizing' })), at },
    { ...told('volumes.delete', { as, ...disk }, 200, {}), at },
  ]
  const { found, steps } = judgeExchanges([views(), ...together], false)
  expect(found.map(({ id }) => id)).toEqual([])
  expect(steps.flatMap(({ judgement: { assumed = [] } }) => assumed)).toEqual([])
})

test('A quota that may have refused a creation is told as assumed, until a like one is accepted', () => {
  const body = { region: 'r1' }
  const refused = told('volumes.create', { as, body }, 400, refusal)
  const assumed = (...exchanges: readonly Exchange[]) =>
    judgeExchanges(exchanges, true).steps.flatMap(({ judgement }) => judgement.assumed ?? [])
  expect(assumed(creates, refused)).toEqual(['quota volumes.create'])
  const another = told('volumes.create', { as, body: { ...body, label: 'other' } }, 200, {
    ...volume(),
    id: 8,
    label: 'other',
  })
  expect(assumed(creates, refused, another)).not.toContain('quota volumes.create')
})

describe('the record of a run on a broken target, judged again, has the findings of the run:', () => {
  const idsOf = async (id: string, slug: string, kind: string) => {
    const op = operationById(id) as Operation
    const fault = mutantsOf(op)
      .find((mutant) => mutant.kind === kind)
      ?.arm().fault
    const { session, lines } = inProcess({ environment: embeddedEnvironment(), ...(fault && { fault }) })
    await survey(session)
    const clause = clausesOf(op).find((one) => one.id === `${id}.${slug}`)
    const probe = clause && probeFor(clause, session.context)
    if (probe?.kind === 'program') await runProgram(session, probe.program, clause)
    return {
      reported: lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : [])),
      now: judgeRun(runIn([firstLine(), ...lines])).found.map((one) => one.id),
    }
  }
  test.each([
    ['volumes.resize', 'only-up', 'takes effect though refused', 'volumes.resize.refusal.unchanged:changed'],
    ['tags.create', 'nodes-writable', 'takes effect though refused', 'tags.create.refusal.unchanged:changed'],
  ])('%s.%s on one that %s', async (id, slug, kind, finding) => {
    const { reported, now } = await idsOf(id, slug, kind)
    expect(reported).toContain(finding)
    expect(now).toContain(finding)
  })
})
