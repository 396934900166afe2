import { expect, test } from 'vitest'
import fc from 'fast-check'
import { probeFor } from '../../arbitraries/probes.js'
import { programSeed } from '../../arbitraries/programs.js'
import { clausesOf } from '../../models/derive.js'
import { operations } from '../../models/index.js'
import { runProgram } from '../../target/conduct.js'
import { inProcess } from '../../target/in-process.js'
import { survey } from '../../target/session.js'
import { embeddedSetting } from '../../target/setting.js'
import { wander } from '../../target/wander.js'

const mine = /^firewall/
const variations = { strict: { strict: true }, bare: { bare: true }, all: { allErrors: true, descending: true, extraFields: true, fieldStyle: 'dotted', emptyPages: 0, createdStatus: 201, omitField: true } } as const
for (const [name, variation] of Object.entries(variations))
  for (const exclusive of [true, false])
    test(`${name} ${exclusive}`, async () => {
      const { session, lines } = inProcess({ setting: { ...embeddedSetting(), exclusive }, variation: variation as never })
      await survey(session)
      const ops = operations.filter(({ id }) => mine.test(id))
      const why = new Map<string, number>()
      for (const op of ops)
        for (const clause of clausesOf(op)) {
          const probe = probeFor(clause, session.context)
          if (probe.kind !== 'program' || probe.program.missing.length) continue
          const out = await runProgram(session, probe.program, clause)
          if (out.untested) console.log(name, exclusive, 'UNTESTED', clause.id, out.untested)
        }
      for (const seeds of fc.sample(programSeed(ops, 25), { seed: 7, numRuns: 120 })) await wander(session, 'random', seeds)
      const findings = lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : []))
      for (const { id, level, summary, steps } of findings.filter(({ level }) => level === 'must')) console.log(name, exclusive, level, id, summary, steps.map(({ line, outcome }) => line + ' => ' + JSON.stringify(outcome).slice(0,150)).join('\n   '))
      expect(findings.filter(({ level }) => level === 'must').length).toBe(0)
    }, 200_000)
