// The suites in a vitest run of one's own, this one: on a broken target the test of the broken clause is expected to fail.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startReference } from '../../library/reference.js'
import { conformance } from '../../library/vitest.js'

const out = mkdtempSync(join(tmpdir(), 'touchstone-'))
const starting = startReference({ fault: 'volumes.resize: drops volumes.resize.only-up' })

// What is registered first ends last: the run has written its reports by then.
afterAll(async () => {
  const { verdict, findings } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'))
  await (await starting).close()
  rmSync(out, { recursive: true })
  expect([verdict, findings.map(({ id }: { readonly id: string }) => id)]).toEqual([
    'nonconforming',
    ['volumes.resize.only-up:accepted'],
  ])
})

conformance({
  target: async () => (await starting).target,
  select: { clauses: ['volumes.resize.only-up', 'volumes.resize.body.*', 'tags.create.body.label.*'] },
  expectedFindings: ['volumes.resize.only-up:accepted'],
  out,
  seed: 1,
})

test('an option that does not exist is refused at once', () => {
  expect(() => conformance({ target: 'x.json', select: { operation: ['volumes.*'] } } as never)).toThrow(
    'conformance(options) select.operation: expected one of the keys areas, operations, clauses',
  )
})

test('a glob that matches nothing is refused at once, beside others that do', () => {
  for (const [select, told] of [
    [{ areas: ['tags', 'volume'] }, 'select.areas: received "volume". No area matches it. Did you mean "volumes"?'],
    [{ operations: ['tags.*', 'volume.*'] }, 'select.operations: received "volume.*". No operation matches it.'],
    [{ clauses: ['tags.*', 'volumes.resize'] }, 'Did you mean "volumes.resize.*"?'],
  ] as const)
    expect(() => conformance({ target: 'x.json', select })).toThrow(told)
})

test('a selection that holds no clause is refused at once', () => {
  const select = { areas: ['tags'], operations: ['volumes.*'] }
  expect(() => conformance({ target: 'x.json', select })).toThrow('no clause has such an id')
  expect(existsSync(out)).toBe(true)
})
