// A night of random programs, in this process.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RecordLine } from '../../history/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { defaultOptions } from '../../suites/defaults.js'
import { fuzz, pauseAfter } from '../../suites/fuzz.js'
import type { Worker } from '../../suites/worker.js'

test('a night goes on, and says so, where its corpus cannot be written any more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-fuzz-'))
  const { session } = inProcess({ environment: embeddedEnvironment(), restAfter: 1 })
  const lines: RecordLine[] = []
  let programs = 0
  const worker = {
    session,
    context: { options: { ...defaultOptions('fuzz'), fuzz: true, programs: 3, seed: 1, corpus: folder } },
    over: () => {
      programs += 1
      rmSync(folder, { recursive: true, force: true })
      return undefined
    },
    keep: async () => undefined,
    emit: (line: RecordLine) => void lines.push(line),
    flush: () => undefined,
  } as unknown as Worker
  expect(await fuzz(worker)).toEqual([])
  expect(programs).toBe(3)
  const troubles = lines.flatMap((line) => (line.type === 'trouble' ? [`${line.kind}: ${line.text}`] : []))
  expect(troubles).toEqual([
    expect.stringMatching(/^inconclusive: the corpus can't be written: ENOENT.*; what this night/),
  ])
})

test('a night says how far it is every ten seconds at first, and once a minute in the end', () => {
  const toldBy = (endMs: number): number => {
    let lines = 0
    for (let now = pauseAfter(0); now <= endMs; now += pauseAfter(now)) lines += 1
    return lines
  }
  expect([toldBy(180_000), toldBy(2 * 3_600_000) - toldBy(3_600_000)]).toEqual([18, 60])
})
