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
