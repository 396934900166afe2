// What crosses clauses in a vitest run of one's own, this one: walks, races and random programs over what is selected, and nothing else.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { startReference } from '../../library/reference.js'
import { conformance } from '../../library/vitest.js'

const out = mkdtempSync(join(tmpdir(), 'touchstone-'))
const starting = startReference()

/** Names of the programs of a kind that sent something. */
const ran = (record: string, kind: RegExp): boolean =>
  record.split('\n').some((line) => line.startsWith('{"type":"step"') && kind.test(JSON.parse(line).program ?? ''))

afterAll(async () => {
  const record = readFileSync(join(out, 'run.ndjson'), 'utf8')
  const { verdict, findings } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'))
  await (await starting).close()
  rmSync(out, { recursive: true })
  expect([verdict, findings]).toEqual(['conforms', []])
  expect([/^tags\.list/, /^race on tags/, /^tags, random program 1$/].map((kind) => ran(record, kind))).toEqual([
    true,
    true,
    true,
  ])
  expect(ran(record, /^race on volumes|^volumes.list/)).toBe(false)
})

conformance({
  target: async () => (await starting).target,
  select: { operations: ['tags.list', 'tags.create', 'tags.delete'] },
  crossing: true,
  out,
  seed: 1,
})
