import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { suitesFor } from '../../suites/filter.js'
import { root } from '../sources.js'

const everything = { areas: [], operations: [], clauses: [], shard: [1, 1] } as const

describe('the suites of a run', () => {
  it('are all of them where it is about everything', () => {
    const files = readdirSync(join(root, 'suites')).filter((name) => name.endsWith('.test.ts'))
    expect([...suitesFor(everything)].sort()).toEqual(files.map((name) => name.replace('.test.ts', '')).sort())
  })

  it('are those of the resources that it is about, and those across resources', () => {
    const across = ['journeys', 'node-deletion', 'pagination', 'races', 'random']
    expect(suitesFor({ ...everything, areas: ['volumes'] })).toEqual(['volumes', ...across])
    expect(suitesFor({ ...everything, clauses: ['tags.create.*', 'vlans.*'] }).toSorted()).toEqual(
      [...across, 'tags', 'vlans'].sort(),
    )
  })
})
