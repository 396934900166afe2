// After a violation that took effect the world follows the target: it is told once, and nothing that follows from it.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import type { WireCall } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

/** Tokens of other accounts. */
const strangers = new Set<string | null>(['other', 'debtor'])

/** What all probes of an operation show where another account's calls of it are done as the owner's; or only answered so. */
const probedOn = async (id: string, isEffective: boolean) => {
  const { session, embedded, lines } = inProcess({ environment: embeddedEnvironment() })
  const { handle } = embedded
  const asOwner = (call: WireCall) =>
    isEffective ? handle({ ...call, as: 'owner' }) : { status: 200, body: {}, contentType: 'application/json' }
  Object.assign(embedded, {
    handle: (call: WireCall) => (call.operation === id && strangers.has(call.as) ? asOwner(call) : handle(call)),
  })
  await survey(session)
  for (const clause of clausesOf(operationById(id) as Operation)) {
    const probe = probeFor(clause, session.context)
    if (probe.kind === 'program' && probe.program.missing.length === 0) await runProgram(session, probe.program, clause)
  }
  return {
    findings: lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : [])),
    left: lines.filter(({ type }) => type === 'left'),
  }
}

test('a deletion by another account that is answered as done is one finding', async () => {
  const { findings, left } = await probedOn('firewall-devices.delete', false)
  expect(findings).toEqual([expect.stringMatching(/^firewall-devices\.delete\..*:accepted$/)])
  expect(left).toEqual([])
}, 60_000)

test('one that is done shows in what its owner calls next, and nothing is left', async () => {
  const { findings, left } = await probedOn('volumes.delete', true)
  const shown = ['volumes.view.accepts:refused', 'volumes.list.complete:missing']
  expect(findings).toEqual([expect.stringMatching(/^volumes\.delete\..*:accepted$/), ...shown])
  expect(left).toEqual([])
}, 60_000)
