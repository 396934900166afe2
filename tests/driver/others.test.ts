// Others who use the account and touch what a run made: no finding of it, and no silence about it.
import { describe, expect, it } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import type { RecordLine } from '../../history/record.js'
import { allClauses } from '../../models/index.js'
import { judgeRun } from '../../oracle/judge-run.js'
import type { Embedded } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { runIn } from '../history/recorded.js'
import { firstLine } from '../oracle/traffic.js'

const environment = { ...embeddedEnvironment(), exclusive: false }

type Reply = ReturnType<Embedded['handle']>

/** Runs the program of a clause some times, on a target or beside a person who sees each creation of a volume, counted from 1. */
const runOften = async (
  clauseId: string,
  times: number,
  act: (created: number, id: number, embedded: Embedded) => void,
) => {
  let created = 0
  const target = inProcess({ environment, seed: 1 }, 'ts-t', (options) => ({
    ...options,
    transport: {
      send: async (call, n) => {
        const outcome = (await options.transport.send(call, n)) as Reply
        if (call.operation !== 'volumes.create' || !('body' in outcome) || outcome.status !== 200) return outcome
        created += 1
        act(created, (outcome.body as { readonly id: number }).id, target.embedded)
        return outcome
      },
    },
  }))
  const { session, lines } = target
  const clause = allClauses().find(({ id }) => id === clauseId)
  for (let time = 0; time < times; time += 1) {
    const probe = clause && probeFor(clause, session.context)
    if (probe?.kind !== 'program') throw new Error('no program')
    await runProgram(session, probe.program, clause)
  }
  return {
    found: lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : [])),
    again: judgeRun(runIn([sharedStart(), ...lines])).found.map(({ id }) => id),
    troubles: lines.flatMap((line) => (line.type === 'trouble' ? [line.text] : [])),
    created,
  }
}

const sharedStart = (): RecordLine => {
  const line = firstLine()
  return line.type === 'start'
    ? { ...line, setting: { ...line.setting, exclusive: false } as typeof line.setting }
    : line
}

const remove = (id: number, embedded: Embedded): void => {
  const call = { operation: 'volumes.delete', method: 'DELETE' as const, url: `/volumes/${id}`, as: 'owner', query: {} }
  embedded.handle({ ...call, path: { volumeId: `${id}` } })
}

describe('a person who deletes a volume of ours now and then', () => {
  it('is no finding, and what is gone is not expected in the next program', async () => {
    const { found, again, troubles } = await runOften('volumes.view.accepts', 6, (created, id, embedded) => {
      if (created === 2) remove(id, embedded)
    })
    expect([found, again, troubles]).toEqual([[], [], []])
  })

  it('is told as a trouble in the end, and then tried again no more', async () => {
    // Each second one: never when a program is sent again.
    const act = (created: number, id: number, embedded: Embedded): void => {
      if (created % 2 === 1) remove(id, embedded)
    }
    const { found, again, troubles, created } = await runOften('volumes.view.accepts', 9, act)
    expect([found, again]).toEqual([[], []])
    expect(troubles).toContainEqual(
      expect.stringMatching(/^volumes\.view\.accepts:refused was seen in 3 programs, .* others who use the account/),
    )
    expect((await runOften('volumes.view.accepts', 12, act)).created).toBe(created + 3)
  })
})

it('a target that loses each volume is told all the same', async () => {
  const { found, again } = await runOften('volumes.view.accepts', 1, (_, id, embedded) => remove(id, embedded))
  expect(found).not.toEqual([])
  expect(again).toEqual(found)
})
