// Why a program cannot go on is told with who answered what.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import type { Outcome } from '../../history/wire.js'
import { allClauses } from '../../models/index.js'
import type { Clause } from '../../models/language/derive.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

/** Why the program of a clause cannot go on where what it arranges with is answered so. */
const stoppedBy = async (outcome: Outcome): Promise<string | undefined> => {
  const { session } = inProcess({ environment: embeddedEnvironment(), seed: 1 }, 'ts-t', (options) => ({
    ...options,
    transport: {
      send: async (call, n) =>
        call.operation === 'bucket-certificates.upload' ? outcome : options.transport.send(call, n),
    },
  }))
  const clause = allClauses().find(({ id }) => id === 'buckets.delete.certificate') as Clause
  const probe = probeFor(clause, session.context)
  if (probe.kind !== 'program') throw new Error('no program')
  return (await runProgram(session, probe.program, clause)).untested
}

const refused: Outcome = {
  status: 400,
  body: { errors: [{ field: '', reason: 'no' }] },
  contentType: 'application/json',
}

test.each<readonly [string, Outcome]>([
  ['what stands before the target answered 413', { status: 413, text: '<h1>413</h1>', contentType: 'text/html' }],
  ['it was answered 400', refused],
  ['no reply came (reset)', { lost: 'reset' }],
])('%s', async (why, outcome) => {
  expect(await stoppedBy(outcome)).toBe(`bucket-certificates.upload was not accepted while arranging: ${why}`)
})
