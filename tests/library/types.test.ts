// What the package offers can be used with its types from a module and from CommonJS, as docs/library.md says.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { root } from '../sources.js'

const folder = mkdtempSync(join(tmpdir(), 'touchstone-types-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
symlinkSync(root, join(folder, 'node_modules/touchstone'))
for (const name of ['fast-check', 'vitest', '@types/node'])
  symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))

const use = `import fc from 'fast-check'
import { defineTarget } from 'touchstone'
import { accountCommands, openAccount, requests } from 'touchstone/fast-check'
import { openHistory } from 'touchstone/oracle'
import { startReference } from 'touchstone/reference'
import { conformance } from 'touchstone/vitest'

export const used = async (): Promise<unknown> => {
  const { target } = await startReference({ listen: false })
  const account = await openAccount({ target })
  const model = fc.asyncProperty(accountCommands(account), (commands) => fc.asyncModelRun(account.setup, commands))
  const alone = fc.property(requests('volumes.create'), ({ operation }) => operation === 'volumes.create')
  return [model, alone, defineTarget(target), openHistory, conformance]
}

// A type that is not found takes anything.
export const misused = (): unknown => [
  // @ts-expect-error
  defineTarget(7),
  // @ts-expect-error
  accountCommands(7),
  // @ts-expect-error
  openAccount(7),
  // @ts-expect-error
  requests(7),
  // @ts-expect-error
  openHistory(7),
  // @ts-expect-error
  startReference(7),
  // @ts-expect-error
  conformance(7),
]
`

test.each([
  ['use.mts', ['--module', 'nodenext']],
  ['use.mts', ['--module', 'node16']],
  ['use.mts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ['use.cts', ['--module', 'nodenext']],
  ['use.cts', ['--module', 'commonjs', '--moduleResolution', 'bundler']],
] as const)('%s finds all types with %j', (name, flags) => {
  writeFileSync(join(folder, name), use)
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node', '--skipLibCheck', ...flags]
  const compile = (): unknown =>
    execFileSync(process.execPath, [compiler, ...options, name], { cwd: folder, encoding: 'utf8' })
  expect(told(compile)).toBe('')
})

/** What the compiler complains of. */
const told = (compile: () => unknown): string => {
  try {
    compile()
    return ''
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout)
  }
}
