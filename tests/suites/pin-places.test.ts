// Where a target file pins choices: told for files of any kind, and never with a folder of a machine.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { embeddedEnvironment } from '../../reference/environment.js'
import { pinPlaces } from '../../suites/pin-places.js'

const pins = { 'volumes.attach.busy': 'refused', 'tags.create.again': 'accepted' }

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'touchstone-pins-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

const placesOf = (name: string, text: string, own: Readonly<Record<string, string>> = pins) => {
  const cwd = folder()
  const path = join(cwd, name)
  writeFileSync(path, text)
  return [cwd, folder()].map((from) => pinPlaces({ path, environment: { ...embeddedEnvironment(), pins: own } }, from))
}

test.each([
  [
    'touchstone.config.json',
    '{\n  "pins": {\n    "volumes.attach.busy": "refused",\n    "tags.create.again": "accepted" } }',
  ],
  [
    'touchstone.config.ts',
    "export default {\n  pins: {\n    'volumes.attach.busy': 'refused',\n    'tags.create.again': x,\n  } }",
  ],
])('of %s are the lines that name them', (name, text) => {
  const lines = { 'volumes.attach.busy': 3, 'tags.create.again': 4 }
  expect(placesOf(name, text)).toEqual([{ file: name, lines }, undefined])
})

test('a pin that the file does not spell out has none, and without pins there is nothing to tell', () => {
  expect(placesOf('touchstone.config.mjs', 'export default make()')[0]).toEqual({
    file: 'touchstone.config.mjs',
    lines: {},
  })
  expect(placesOf('touchstone.config.json', '{}', {})[0]).toBeUndefined()
})
