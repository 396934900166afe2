// A full disk is told as that, with the file that could not be written, and is no fault of the suite.
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { endingOf } from '../../cli/errors.js'
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
