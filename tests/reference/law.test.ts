// The law between the two halves of the model: whatever the server answers, the checker accepts, and both believe the same.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { programSeed } from '../../arbitraries/programs.js'
import { randomWalk } from '../../driver/random-walk.js'
import { survey } from '../../driver/survey.js'
import { allTables, operations } from '../../models/index.js'
import { agrees } from '../../models/language/same.js'
import { type AnyEntity, find, live, type World } from '../../models/language/world.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { variations } from '../../reference/variations.js'

/** Where the checker's world says something else than the server's: fields that may drift are not compared. */
const disagreements = (believed: World, actual: World): readonly string[] =>
  allTables()
    .filter(({ closable }) => closable)
    .flatMap((table) =>
      live(believed, table).flatMap((entity) => {
        const real = find(actual, table, entity.key)
        if (!real) return [`${table.name} ${entity.key} is not there`]
        return table.fields
          .filter(
            (field) => !table.drifting?.includes(field) && entity[field] !== undefined && real[field] !== undefined,
          )
          .filter((field) => {
            const same = (
              table.same as Record<string, (a: unknown, b: unknown, e: AnyEntity) => unknown> | undefined
            )?.[field]
            return !agrees(real[field], entity[field]) && same?.(real[field], entity[field], real) !== true
          })
          .map(
            (field) =>
              `${table.name} ${entity.key}: ${field} is ${JSON.stringify(real[field])}, believed ${JSON.stringify(entity[field])}`,
          )
      }),
    )

const obey = async (options: object, seed: number, programs: number): Promise<number> => {
  const { session, embedded, lines } = inProcess({ environment: embeddedEnvironment(), ...options })
  await survey(session)
  for (const seeds of fc.sample(programSeed(operations, 25), { seed, numRuns: programs })) {
    const { findings } = await randomWalk(session, 'law', seeds)
    const gating = findings.filter(({ level }) => level !== 'should')
    expect(gating.map(({ id, because, steps }) => ({ id, because, steps: steps.map(({ line }) => line) }))).toEqual([])
    expect(disagreements(session.world(), embedded.world())).toEqual([])
  }
  return lines.filter((line) => line.type === 'step' && line.expects === 'refuse').length
}

test('what the server answers is accepted and both worlds stay the same, over programs of all operations', async () => {
  expect(await obey({}, 1, 60)).toBeGreaterThan(20)
})

describe('under every legal variation', () => {
  for (const [name, options] of Object.entries(variations))
    test(`what the server answers is accepted: ${name}`, async () => {
      await obey(options, 2, 12)
    })
})
