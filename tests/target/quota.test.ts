// A refused creation may be a quota's doing; what shows that it is not.
import { describe, expect, it } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { clausesOf } from '../../models/derive.js'
import { operationById, operations } from '../../models/index.js'
import type { Operation } from '../../models/operation.js'
import type { Fault } from '../../target/answer.js'
import { inProcess } from '../../target/in-process.js'
import { mutantsOf } from '../../target/mutants.js'
import { runProgram } from '../../target/programs.js'
import { embeddedSetting } from '../../target/setting.js'
import { survey } from '../../target/upkeep.js'

/** The ids of what every probe of an operation finds. */
const probeAll = async (operation: string, exclusive: boolean, fault: Fault): Promise<readonly string[]> => {
  const all = embeddedSetting()
  const setting = { ...all, exclusive, safety: { ...all.safety, allow: [operation] } }
  const { session, lines } = inProcess({ setting, fault })
  await survey(session)
  for (const clause of clausesOf(operationById(operation) as Operation)) {
    const probe = probeFor(clause, session.context)
    if (probe.kind === 'program' && probe.program.missing.length === 0) await runProgram(session, probe.program, clause)
  }
  return lines.flatMap((line) => (line.type === 'finding' && line.finding.level === 'must' ? [line.finding.id] : []))
}

const demanding = (id: string): Fault =>
  operations
    .flatMap(mutantsOf)
    .find((one) => one.id === id)
    ?.arm().fault as Fault

describe('a refused creation', () => {
  it.each([
    ['managed-services.create: demands consultation_group', 'managed-services.create', false],
    ['tickets.create: demands volume_id', 'tickets.create', true],
    ['tickets.create: demands vlan', 'tickets.create', false],
  ])('is found where other ones succeed: %s', async (id, operation, exclusive) => {
    expect(await probeAll(operation, exclusive, demanding(id))).toContain(`${operation}.accepts:refused`)
  })
})
