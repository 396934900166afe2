// Targets whose clock is put right during a run: the times of volumes go back with it.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { allClauses } from '../../models/index.js'
import type { Clause } from '../../models/language/derive.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const hourMs = 3_600_000

/** Findings of the programs for clauses, where the clock is set back an hour once everything was looked at. */
const findingsAfter = async (...ids: readonly string[]): Promise<readonly string[]> => {
  let now = Date.UTC(2026, 0, 1)
  const clock = (): number => {
    now += 700
    return now
  }
  const { session } = inProcess({ environment: embeddedEnvironment(), seed: 1, clock })
  await survey(session)
  now -= hourMs
  const found: string[] = []
  for (const id of ids) {
    const clause = allClauses().find((one) => one.id === id) as Clause
    const probe = probeFor(clause, session.context)
    if (probe.kind !== 'program') throw new Error('no program')
    found.push(...(await runProgram(session, probe.program, clause)).findings.map((finding) => finding.id))
  }
  return found
}

test('updates are not told to be too early because of what a clock said before it was set back', async () => {
  const ids = ['volumes.update.updated', 'volumes.update.updated-when-tagged', 'volumes.update.accepts']
  expect(await findingsAfter(...ids)).toEqual([])
})

test('updates are not told to be too early by a machine whose clock is some seconds behind that of another', async () => {
  let times = 0
  const clock = (): number => {
    times += 1
    return Date.UTC(2026, 0, 1) + 700 * times - (times % 2) * 7000
  }
  const { session } = inProcess({ environment: embeddedEnvironment(), seed: 1, clock })
  const found: string[] = []
  for (const id of ['volumes.update.updated', 'volumes.update.updated-when-tagged', 'volumes.update.accepts']) {
    const probe = probeFor(allClauses().find((one) => one.id === id) as Clause, session.context)
    if (probe.kind !== 'program') throw new Error('no program')
    found.push(...(await runProgram(session, probe.program)).findings.map((finding) => finding.id))
  }
  expect(found).toEqual([])
})
