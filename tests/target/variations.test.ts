// Every variation is legal: the checker accepts it; and each one makes a difference.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { clausesOf } from '../../models/derive.js'
import { operations } from '../../models/index.js'
import { runProgram } from '../../target/programs.js'
import type { createEmbedded } from '../../target/embedded.js'
import { inProcess } from '../../target/in-process.js'
import { survey } from '../../target/session.js'
import { embeddedSetting } from '../../target/setting.js'
import { combined, conflictAmong, variationNames, variations } from '../../target/variations.js'

const some = /^(volumes\.(create|resize|list|view)|tags\.(create|list)|firewalls\.create|firewall-devices\.list)$/

/** Findings at any level of the probes of a few operations, and everything that was answered. */
const probed = async (options: Partial<Parameters<typeof createEmbedded>[0]>) => {
  const { session, lines } = inProcess({ setting: embeddedSetting(), seed: 1, ...options })
  await survey(session)
  for (const clause of operations.filter(({ id }) => some.test(id)).flatMap(clausesOf)) {
    const probe = probeFor(clause, session.context)
    if (probe.kind === 'program' && probe.program.missing.length === 0) await runProgram(session, probe.program, clause)
  }
  return {
    findings: lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : [])),
    answers: JSON.stringify(lines.flatMap((line) => (line.type === 'step' ? [line.call, line.outcome] : []))),
  }
}

const plain = probed({})

test.each(variationNames)('%s breaks no clause that a run gates on', async (name) => {
  const { findings } = await probed(variations[name])
  expect(findings.filter(({ level }) => level === 'must').map(({ id, received }) => `${id}: ${received}`)).toEqual([])
})

test.each(variationNames)('%s is answered otherwise than the plain target', async (name) => {
  expect((await probed(variations[name])).answers).not.toBe((await plain).answers)
})

test('combined variations keep what each of them says', () => {
  const { variation, randomIds } = combined([variations.descending, variations['random-ids'], variations.strict])
  expect([variation?.descending, variation?.strict, randomIds]).toEqual([true, true, true])
})

test('variations about different matters go together, and those about one matter do not', () => {
  expect(conflictAmong(['descending', 'strict', 'slow-rest'])).toBeUndefined()
  expect(conflictAmong(['slow-rest', 'instant-rest'])).toEqual(['slow-rest', 'instant-rest', 'restAfter'])
})
