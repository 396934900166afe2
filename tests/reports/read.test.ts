import { describe, expect, it } from 'vitest'
import type { RecordLine } from '../../history/record.js'
import { parseRecord, readRecord } from '../../reports/read.js'
import { HOSTILE, hostile, resized, sample } from './sample.js'

const text = (lines: readonly unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

/** The bytes in chunks of a few, so that lines and characters are cut anywhere. */
async function* chunksOf(whole: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(whole)
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
}

async function readAll(whole: string, size = 7): Promise<RecordLine[]> {
  const lines: RecordLine[] = []
  for await (const line of readRecord(chunksOf(whole, size), 'run.ndjson')) lines.push(line)
  return lines
}

describe('reading a run record', () => {
  it.each([1, 2, 3, 7, 4_096])('gives the lines that were written, in chunks of %i bytes', async (size) => {
    const lines = [...sample, { type: 'trouble', kind: 'inconclusive', text: `é 𝄞 ${HOSTILE}` }]
    expect(await readAll(text(lines), size)).toEqual(lines)
  })

  it('gives the same from memory as from a stream', async () => {
    expect([...parseRecord(text(hostile), 'run.ndjson')]).toEqual(await readAll(text(hostile)))
  })

  it('forgives a last line that was cut off at any place', async () => {
    const whole = text(sample)
    const lastLine = whole.trimEnd().lastIndexOf('\n') + 1
    for (let cut = lastLine; cut < whole.length - 1; cut += 1) {
      expect(await readAll(whole.slice(0, cut), 64)).toEqual(sample.slice(0, -1))
      expect([...parseRecord(whole.slice(0, cut), 'run.ndjson')]).toEqual(sample.slice(0, -1))
    }
  })

  it('takes a last line that lacks only its line feed', async () => {
    expect(await readAll(text(sample).trimEnd())).toEqual(sample)
  })

  it('forgives zero bytes that a crash left at the end', async () => {
    expect(await readAll(`${text(sample)}${'\u0000'.repeat(40)}`)).toEqual(sample)
  })

  it('refuses a cut line that another follows, with file and line', async () => {
    await expect(readAll(`${text(sample.slice(0, 2))}{"type":"st\n${text(sample.slice(2))}`)).rejects.toThrow(
      /^run\.ndjson:3: expected a line/,
    )
  })

  it.each([
    ['[]', /^run\.ndjson:1: expected an object with a "type"/],
    ['{"type":"toString"}', /^run\.ndjson:1: expected "type" to be one of start, .*newer version/],
    ['{"n":1}', /received nothing/],
    [
      '{"type":"exercised","clause":"x"}',
      /^run\.ndjson:1: \/step of a "exercised" line: expected a whole number, received nothing/,
    ],
    [JSON.stringify({ ...resized, ms: null }), /\/ms of a "step" line: expected milliseconds up to .*, received null/],
  ])('refuses %s with its place', (line, message) => {
    expect(() => [...parseRecord(`${line}\n`, 'run.ndjson')]).toThrow(message)
  })

  it('refuses a record of another format', () => {
    const [start] = sample
    expect(() => [...parseRecord(text([{ ...start, format: 2 }]), 'run.ndjson')]).toThrow(
      /:1: \/format: expected 1, received 2/,
    )
  })

  it('gives no lines for an empty file', async () => {
    expect(await readAll('')).toEqual([])
  })
})
