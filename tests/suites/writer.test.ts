// A full disk is told as that, with the file that could not be written, and is no fault of the suite.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { endingOf } from '../../cli/errors.js'
import { beginLedger } from '../../suites/ledger.js'
import { appendText, openWriter } from '../../suites/writer.js'

const full = '/dev/full'

const endingOfThrown = (write: () => void) => {
  try {
    write()
  } catch (error) {
    return endingOf(error, false)
  }
  return undefined
}

const flushed = (): void => {
  const writer = openWriter(full)
  writer.write({ type: 'end' })
  try {
    writer.flush()
  } finally {
    writer.close()
  }
}

it.runIf(existsSync(full)).each([
  ['the record', flushed],
  ['a single line', () => appendText(full, 'x')],
] as const)('a disk that is full ends the command with 3 and names the file: %s', (_, write) => {
  expect(endingOfThrown(write)).toEqual({
    exitCode: 3,
    message: 'touchstone: cannot write /dev/full: the disk is full. Name another path, or correct that one.',
  })
})

it('what was written is there at the end, though its folder was removed meanwhile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'writer-'))
  const file = join(folder, 'out', 'run.ndjson')
  appendText(file, '{"n":0}\n')
  const writer = openWriter(file)
  const long = 'x'.repeat(100_000)
  writer.write({ n: 1, long })
  writer.flush()
  rmSync(join(folder, 'out'), { recursive: true })
  writer.write({ n: 2 })
  writer.flush()
  const lines = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
  expect(lines()).toEqual([{ n: 0 }, { n: 1, long }, { n: 2 }])
  rmSync(join(folder, 'out'), { recursive: true })
  writer.close()
  expect(lines()).toHaveLength(3)
  rmSync(folder, { recursive: true })
})

it('a limit on the size of files is told in words, once', () => {
  const error = Object.assign(new Error('cannot write a: EFBIG: file too large, write'), {
    code: 'EFBIG',
    syscall: 'write',
    path: 'a',
  })
  expect(endingOf(error, false).message).toMatch(
    /^touchstone: cannot write a: the file is larger than this user may write/,
  )
})

it.runIf(existsSync(full))('a ledger that cannot be written anew is named, and stays as it was', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'))
  const file = join(folder, 'ledger.ndjson')
  const line = { event: 'run', step: 0, kind: '', operation: '', key: 'ts-a', baseUrl: 'http://127.0.0.1/v4' }
  const text = `${JSON.stringify(line)}\n${JSON.stringify({ ...line, event: 'created', key: '7' })}\n`
  writeFileSync(file, text)
  symlinkSync(full, `${file}.new`)
  const ending = endingOfThrown(() => beginLedger(file, 'ts-b', 'http://127.0.0.1/v4'))
  expect(ending).toMatchObject({
    exitCode: 3,
    message: expect.stringContaining(`cannot write ${file}: the disk is full`),
  })
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.new`)]).toEqual([text, false])
  rmSync(folder, { recursive: true })
})
