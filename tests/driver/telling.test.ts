import { expect, test } from 'vitest'
import { type Telling, tellingFirst } from '../../driver/telling.js'

const names = (all: Readonly<Record<string, Telling>>): readonly string[] =>
  tellingFirst(Object.entries(all), ([, one]) => one).map(([name]) => name)

test('what shows most for its requests comes first, and what costs the same stays as it was', () => {
  expect(
    names({
      walk: { least: 102, tells: 4 },
      many: { least: 30, tells: 12 },
      'one of many': { least: 5, tells: 2 },
      should: { least: 2, tells: 0.25 },
    }),
  ).toEqual(['many', 'one of many', 'should', 'walk'])
})

test('before all of it, each operation is called once in a way that is accepted and one that is refused', () => {
  expect(
    names({
      token: { least: 1, tells: 1, about: 'volumes.view' },
      'costly of one': { least: 40, tells: 1, about: 'volumes.clone' },
      bundle: { least: 12, tells: 6, about: 'volumes.view' },
      bound: { least: 6, tells: 2, about: 'volumes.view' },
    }),
  ).toEqual(['costly of one', 'bundle', 'token', 'bound'])
})
