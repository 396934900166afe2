// Two runs at a time never write to one folder, whichever of them began first.
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claimFolder } from '../../suites/claim.js'
import { defaultOptions } from '../../suites/defaults.js'
import { openIdle } from '../../suites/run.js'

const folder = (): string => mkdtempSync(join(tmpdir(), 'ts-claim-'))

test('a folder is refused while a run writes to it, and another one is not', async () => {
  const [out, other] = [folder(), folder()]
  const free = await claimFolder(out)
  await expect(claimFolder(out)).rejects.toThrow(`another run, sweep or replay writes to ${out} now`)
  const frees = [await claimFolder(other)]
  free()
  frees.push(await claimFolder(out))
  for (const one of frees) one()
  expect([...readdirSync(out), ...readdirSync(other)]).toEqual([])
})

test('a run that is refused its folder leaves the record of the one that writes there, which frees it at its end', async () => {
  const out = folder()
  const options = { ...defaultOptions('touchstone run'), cwd: out, out }
  const first = await openIdle(options)
  await expect(openIdle(options)).rejects.toThrow('another run, sweep or replay writes to')
  expect(readdirSync(out)).toContain('run.ndjson')
  await first.close()
  await (await openIdle(options)).close()
})
