import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { clausesOf } from '../../models/derive.js'
import { operations } from '../../models/index.js'
import { runProgram } from '../../target/conduct.js'
import { inProcess } from '../../target/in-process.js'
import { survey } from '../../target/session.js'
import { embeddedSetting } from '../../target/setting.js'

/** Clauses that the embedded target cannot be made to show, each with its reason. */
const unshowable: Readonly<Record<string, RegExp>> = {
  'volumes.attach.sixty-four': /shown by/,
}

for (const op of operations)
  describe(op.id, async () => {
    const { session } = inProcess({ setting: embeddedSetting() })
    await survey(session)
    for (const clause of clausesOf(op)) {
      const probe = probeFor(clause, session.context)
      if (probe.kind === 'passive') continue
      test(`${clause.id} is shown as the sole cause on the embedded target`, async () => {
        if (probe.kind === 'none') {
          expect(probe.reason).toMatch(unshowable[clause.id] ?? /^a named reason for every clause without a program$/)
          return
        }
        expect(probe.program.missing).toEqual([])
        const outcome = await runProgram(session, probe.program, clause)
        expect(outcome.findings.map(({ id, summary, because }) => ({ id, summary, because }))).toEqual([])
        expect(outcome.untested).toBeUndefined()
      })
    }
  })
