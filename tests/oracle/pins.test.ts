// Choices that a target file pins: from then on another choice is a finding.
import { describe, expect, test } from 'vitest'
import { planProgram } from '../../arbitraries/plan.js'
import { runProgram } from '../../driver/programs.js'
import { survey } from '../../driver/survey.js'
import type { RecordLine } from '../../history/record.js'
import { volumes } from '../../models/volumes/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const findingsWith = async (pins: Readonly<Record<string, string | number | boolean>>): Promise<readonly string[]> => {
  const { session } = inProcess({ environment: { ...embeddedEnvironment(), pins } })
  await survey(session)
  const program = planProgram('pins', session.context, (plan) => {
    const first = plan.make(volumes)
    plan.check('volumes.create', { body: { ...plan.draft('volumes.create').body, label: first.field('label') } })
    plan.check('volumes.create', { body: { label: plan.name() } })
  })
  const { findings } = await runProgram(session, program)
  expect(findings.every(({ level }) => level === 'pinned')).toBe(true)
  return findings.map(({ clause }) => clause)
}

describe('a pinned choice', () => {
  test('is no finding while the target keeps to it', async () => {
    expect(
      await findingsWith({
        'volumes.create.label-reused': 'accepted',
        'volumes.create.status': 200,
        'refusals.state': 400,
      }),
    ).toEqual([])
  })

  test('is a finding when the target accepts what it was pinned to refuse', async () => {
    expect(await findingsWith({ 'volumes.create.label-reused': 'refused' })).toEqual(['volumes.create.label-reused'])
  })

  test('is a finding when another status comes, of an acceptance and of a refusal', async () => {
    expect(await findingsWith({ 'volumes.create.status': 201, 'refusals.state': 422 })).toEqual([
      'volumes.create.status',
      'refusals.state',
    ])
  })
})

test('an acceptance tells of everything that might have been a reason to refuse it', async () => {
  const chosen: string[] = []
  const emit = (line: RecordLine) => void (line.type === 'choice' && chosen.push(`${line.id}: ${line.value}`))
  const { session } = inProcess({ environment: embeddedEnvironment() }, undefined, (plain) => ({ ...plain, emit }))
  await survey(session)
  const program = planProgram('two reasons', session.context, (plan) => {
    const { body } = plan.draft('managed-contacts.create')
    const phone = { primary: '+12015550123', secondary: null }
    plan.check('managed-contacts.create', { body: { ...body, name: plan.oddText(64), phone } })
  })
  await runProgram(session, program)
  expect(chosen).toContain('managed-contacts.create.characters: accepted')
  expect(chosen).toContain('managed-contacts.create.numbers: accepted')
})
