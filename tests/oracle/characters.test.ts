import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { runProgram } from '../../driver/programs.js'
import { operationById } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { refusal, told } from '../models/stories.js'

const clause = 'tickets.create.body.summary.characters'
const summary = (letters: number) => ({ body: { summary: `a${'ж'.repeat(letters)}`, description: 'b' } })
const taken = (letters: number, id: number) =>
  ['tickets.create', summary(letters), 200, { id, ...summary(letters).body }] as const
const refused = (letters: number) => ['tickets.create', summary(letters), 400, refusal('summary')] as const
const [short, long] = [5, 63]
const inTurn = (times: number) => Array.from({ length: times }, (_, i) => [taken(short, i + 1), refused(long)]).flat()

describe('letters of two bytes', () => {
  test('may be refused, however many they are', () =>
    expect(told([refused(short), ...inTurn(4), refused(long)]).deviations).toEqual([]))
  test('are taken as many as the limit says', () => expect(told([taken(long, 1)]).held).toContain(clause))
  test('tell nothing of the limit where they are refused by chance', () =>
    expect(told([...inTurn(2), taken(long, 9), ...inTurn(3)]).deviations).toEqual([]))
  test('are not counted as bytes: few were always taken and many always refused', () => {
    expect(told(inTurn(2)).deviations).toEqual([])
    expect(told(inTurn(3)).deviations).toEqual([`should ${clause}`])
  })
})

test('a target that counts bytes is found by its own clause', async () => {
  const op = operationById('tickets.create') as Operation
  const mutant = mutantsOf(op).find((one) => one.kind === 'counts bytes for' && one.clause === clause)
  const own = clausesOf(op).find(({ id }) => id === clause)
  if (!mutant || !own) throw new Error(`no mutant of ${clause}`)
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), fault: mutant.arm().fault })
  const probe = probeFor(own, session.context)
  if (probe.kind === 'program') await runProgram(session, probe.program, own)
  expect(lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : []))).toEqual([`${clause}:refused`])
})
