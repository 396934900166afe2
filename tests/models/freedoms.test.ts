// Targets that use a freedom which the document leaves, each in one odd way: the probes of what it touches find nothing at any level.
// A part of them here, all of them by `npm run whole`.
import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { partOf } from '../parts.js'
import { type Freedom, freedoms } from './freedoms.js'

/** Findings at any level of the probes of these operations on such a target. */
const findingsOf = async ({ of, target }: Freedom): Promise<readonly string[]> => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1, ...target })
  await survey(session)
  for (const clause of operations.filter(({ id }) => of.test(id)).flatMap(clausesOf)) {
    const planned = probeFor(clause, session.context)
    if (planned.kind === 'program' && planned.program.missing.length === 0)
      await runProgram(session, planned.program, clause)
  }
  return lines.flatMap((line) =>
    line.type === 'finding' ? [`${line.finding.level} ${line.finding.id}: ${line.finding.received}`] : [],
  )
}

describe('no finding comes of a target that', () => {
  test.each(partOf(Object.entries(freedoms), 4))('%s', async (_, freedom) => {
    const found = await findingsOf(freedom)
    const { carried = [] } = freedom
    expect(found.filter((one) => !carried.some((id) => one.startsWith(`${id}: `)))).toEqual([])
    expect(carried.filter((id) => !found.some((one) => one.startsWith(`${id}: `)))).toEqual([])
  })
})
