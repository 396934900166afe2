// The corpus of fuzzing: what is kept, in which order it comes back, and what is made of it.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mutationOf } from '../../arbitraries/mutations.js'
import { programSeed, type StepSeed } from '../../arbitraries/programs.js'
import { labelsOf } from '../../driver/novelty.js'
import { randomWalk } from '../../driver/random-walk.js'
import { operations } from '../../models/index.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { openCorpus } from '../../suites/corpus.js'
import { seed } from '../seed.js'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-corpus-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

const own = operations.filter(({ area }) => area === 'volumes')
const programs = fc.sample(programSeed(own, 25), { seed: 5, numRuns: 20 })
const [first, second, third] = programs as [readonly StepSeed[], readonly StepSeed[], readonly StepSeed[]]

describe('a corpus', () => {
  test('keeps what reached something new, and nothing that did not', () => {
    const corpus = openCorpus(folder)
    expect(corpus.take(first, new Set(['a', 'b']), [])).toBe(2)
    expect(corpus.take(second, new Set(['a']), [])).toBe(0)
    expect(corpus.take(third, new Set(['a', 'c']), [])).toBe(1)
    expect(corpus.programs()).toEqual([first, third])
    expect(corpus.reached()).toBe(3)
  })

  test('is there again for the next night, programs with findings first', () => {
    const before = openCorpus(folder)
    before.take(first, new Set(['a']), [])
    before.take(second, new Set(['a']), ['volumes.resize.only-up:accepted'])
    const after = openCorpus(folder)
    expect(after.programs()).toEqual([second, first])
    expect(after.finders).toBe(1)
    expect(after.take(third, new Set(['a']), [])).toBe(0)
  })

  test('remembers what a program reached when it shows its finding again', () => {
    const id = 'volumes.resize.only-up:accepted'
    openCorpus(folder).take(first, new Set(['a', 'b']), [id])
    expect(openCorpus(folder).take(first, new Set(['a']), [id])).toBe(0)
    const after = openCorpus(folder)
    expect([after.reached(), after.finders, after.programs()]).toEqual([2, 1, [first]])
  })

  test('takes a program that another night is about to write', () => {
    openCorpus(folder).take(first, new Set(['a']), [])
    const [name] = readdirSync(folder)
    rmSync(join(folder, `${name}`))
    mkdirSync(join(folder, `${name}.part`))
    openCorpus(folder).take(first, new Set(['a']), [])
    expect(openCorpus(folder).programs()).toEqual([first])
  })

  test('is refused by name where a file of it is something else', () => {
    openCorpus(folder).take(first, new Set(['a']), [])
    writeFileSync(join(folder, 'notes.json'), '{"format":1}')
    expect(() => openCorpus(folder)).toThrow(/notes\.json: expected a program that fuzz --corpus has written/)
  })

  test('leaves out what a later version no longer knows', () => {
    openCorpus(folder).take([{ ...(first[0] as StepSeed), operation: 'volumes.fly' }], new Set(['a']), [])
    expect(openCorpus(folder).programs()).toEqual([])
    expect(readdirSync(folder)).toHaveLength(1)
  })
})

test('mutations hold steps of what they were made of, and are no longer than asked for', () => {
  const known = new Set(programs.flat().map((step) => JSON.stringify(step)))
  fc.assert(
    fc.property(mutationOf(programs, own, 25), (steps) => {
      expect(steps.length).toBeLessThanOrEqual(25)
      expect(steps.filter((step) => known.has(JSON.stringify(step))).length).toBeGreaterThan(steps.length / 2 - 4)
    }),
    { seed },
  )
})

test('what programs reach grows ever more slowly', async () => {
  const { session } = inProcess({ environment: embeddedEnvironment(), restAfter: 1 })
  const corpus = openCorpus(folder)
  const fresh: number[] = []
  for (const [n, steps] of programs.entries())
    fresh.push(corpus.take(steps, labelsOf((await randomWalk(session, `program ${n}`, steps)).sent), []))
  const half = fresh.length / 2
  const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0)
  expect(sum(fresh.slice(half))).toBeLessThan(sum(fresh.slice(0, half)) / 3)
})
