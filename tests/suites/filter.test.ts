import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { actsOnLent, allClauses, operations } from '../../models/index.js'
import {
  isCrossed,
  isIdle,
  isOperationSelected,
  isPassive,
  isProgramSelected,
  isSelected,
  suitesFor,
} from '../../suites/filter.js'
import { root } from '../sources.js'

const everything = { areas: [], operations: [], clauses: [], shard: [1, 1] } as const

describe('the suites of a run', () => {
  it('are all of them where it is about everything', () => {
    const files = readdirSync(join(root, 'suites')).filter((name) => name.endsWith('.test.ts'))
    expect([...suitesFor(everything)].sort()).toEqual(files.map((name) => name.replace('.test.ts', '')).sort())
  })

  it('are those of the resources that it is about, and those across resources', () => {
    const across = ['journeys', 'node-deletion', 'pagination', 'races', 'random', 'sequences']
    expect(suitesFor({ ...everything, areas: ['volumes'] })).toEqual(['volumes', ...across])
    expect(suitesFor({ ...everything, clauses: ['tags.create.*', 'vlans.*'] }).toSorted()).toEqual(
      [...across, 'tags', 'vlans'].sort(),
    )
  })
})

it('has a plain use of the operation for what is judged in passing, and for nothing else', () => {
  const programsFor = (id: string): readonly string[] =>
    allClauses().flatMap((clause) =>
      isProgramSelected({ ...everything, clauses: [id] }, clause) && !isPassive(clause) ? [clause.id] : [],
    )
  expect(programsFor('volumes.create.reply.size.required')).toEqual(['volumes.create.accepts'])
  expect(programsFor('volumes.create.refusal.envelope')).toEqual(['volumes.create.token'])
  expect(programsFor('volumes.resize.only-up')).toEqual(['volumes.resize.only-up'])
})

describe('a program across resources', () => {
  const called = operations.filter(({ id }) => ['volumes.create', 'tags.create'].includes(id))

  it('belongs to a run that is about everything, or about one of the operations that it calls', () => {
    expect([isCrossed(everything, called), isCrossed(everything, [])]).toEqual([true, true])
    expect(isCrossed({ ...everything, areas: ['tags'] }, called)).toBe(true)
    expect(isCrossed({ ...everything, operations: ['volumes.*'] }, called)).toBe(true)
  })

  it('belongs to no run about other areas, other operations or single clauses', () => {
    expect(isCrossed({ ...everything, areas: ['support'] }, called)).toBe(false)
    expect(isCrossed({ ...everything, areas: ['tags'], operations: ['volumes.create'] }, called)).toBe(false)
    expect(isCrossed({ ...everything, clauses: ['tags.create.*'] }, called)).toBe(false)
  })
})

describe('the shards of a run', () => {
  const shards = [1, 2, 3, 4].map((index) => ({ ...everything, shard: [index, 4] as const }))

  it('have every clause once', () => {
    for (const clause of allClauses())
      expect(
        shards.filter((shard) => isSelected(shard, clause)),
        clause.id,
      ).toHaveLength(1)
  })

  it('leave what the target file lends to the first', () => {
    const [, ...others] = shards
    const lent = operations.filter(({ id }) => actsOnLent(id))
    expect(lent.length).toBeGreaterThan(20)
    for (const op of lent)
      expect(
        others.filter((shard) => isOperationSelected(shard, op)),
        op.id,
      ).toEqual([])
    for (const clause of allClauses().filter(({ operation }) => actsOnLent(operation)))
      expect(
        others.filter((shard) => isSelected(shard, clause)),
        clause.id,
      ).toEqual([])
  })
})

test('a shard that has nothing of a narrowed run is idle', () => {
  const idle = (shard: readonly [number, number]) => isIdle({ ...everything, areas: ['tags'], shard })
  expect([idle([1, 1]), idle([1, 2]), idle([2, 2])]).toEqual([false, true, false])
})
