// While a run writes to a folder, others are refused it.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { claimFolder } from '../../suites/claim.js'
import { defaultOptions } from '../../suites/defaults.js'
import { openIdle } from '../../suites/run.js'
import { folder } from '../cli/invoke.js'
import { root } from '../sources.js'

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

test('a folder that a killed run wrote to can be had again, by one run at a time', async () => {
  const out = folder()
  const module = pathToFileURL(join(root, 'dist/suites/claim.js'))
  const text = `import { claimFolder } from '${module}'
    await claimFolder(${JSON.stringify(out)})
    process.kill(process.pid, 'SIGKILL')`
  expect(spawnSync(process.execPath, ['--input-type=module', '-e', text]).signal).toBe('SIGKILL')
  const free = await claimFolder(out)
  await expect(claimFolder(out)).rejects.toThrow('another run, sweep or replay writes to')
  free()
})
