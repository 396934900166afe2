import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import { allClauses } from '../../models/index.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const known = embeddedEnvironment()
const environment = { ...known, fixtures: { ...known.fixtures, buckets: [] } }
const { session, lines } = inProcess({ environment })
const programs = allClauses().flatMap((clause) => {
  if (clause.area !== 'object-storage') return []
  const probe = probeFor(clause, session.context)
  return probe.kind === 'program' ? [{ clause, program: probe.program }] : []
})
const filling = programs.filter(({ program: { steps } }) => steps.some((step) => 'hook' in step))

describe('where the target file lends no bucket', () => {
  test('new ones are filled for what is about objects', () => {
    const ids = filling.map(({ clause }) => clause.id)
    expect(ids).toEqual(
      expect.arrayContaining(['buckets.delete.empty-first', 'bucket-objects.list.prefix', 'object-acl.view.of-object']),
    )
  })
  test('nothing else needs one', () =>
    expect(programs.filter(({ program }) => program.missing.some(({ what }) => what.includes('bucket')))).toEqual([]))
  test('that shows the clauses, and finds nothing', async () => {
    await survey(session)
    for (const { clause, program } of filling) await runProgram(session, program, clause)
    const held = lines.flatMap((line) => (line.type === 'exercised' ? [line.clause] : []))
    expect(lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : []))).toEqual([])
    expect(held).toEqual(
      expect.arrayContaining([
        'buckets.delete.empty-first',
        'bucket-objects.list.prefix',
        'bucket-objects.list.complete',
      ]),
    )
  })
})
