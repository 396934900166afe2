// What a session takes for its own making, and removes when a program is over.
import { expect, it } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { allClauses } from '../../models/index.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

it('a lent bucket that is created again stays', async () => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1 })
  const clause = allClauses().find(({ id }) => id === 'buckets.create.again')
  const probe = clause && probeFor(clause, session.context)
  if (probe?.kind !== 'program') throw new Error('no program')
  await runProgram(session, probe.program, clause)
  const sent = lines.flatMap((line) => (line.type === 'step' ? [line.call] : []))
  const lent = sent.filter(({ body }) => (body as { readonly label?: unknown } | undefined)?.label === 'photos')
  const removed = sent.filter(({ method }) => method === 'DELETE').map(({ path }) => path.bucket)
  expect(lent).toHaveLength(1)
  expect(removed).toHaveLength(1)
  expect(removed).not.toContain('photos')
})
