// A folder of its own for each test of the target file, and what is read from it.

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { type LoadOptions, loadTarget, type Target, TargetError } from '../../config/target-file.js'

/** The least that a target file may hold. */
export const minimal = { baseUrl: 'https://api.example/v4' }

/** The environment that it needs. */
export const secret = { TOUCHSTONE_TOKEN: 's3cret' }

export interface Folder {
  readonly path: () => string
  readonly put: (path: string, content: string) => Promise<void>
  readonly load: (options?: Partial<LoadOptions>) => Promise<Target | undefined>
  /** The target of a JSON file of that content. */
  readonly loadJson: (content: unknown, env?: NodeJS.ProcessEnv) => Promise<Target>
}

/** A new folder before each test of the file that calls it, gone after it. */
export function useFolder(): Folder {
  let cwd = ''
  beforeEach(async () => {
    cwd = await realpath(await mkdtemp(join(tmpdir(), 'touchstone-config-')))
  })
  afterEach(async () => {
    await rm(cwd, { recursive: true })
  })
  const put = async (path: string, content: string) => {
    await mkdir(dirname(join(cwd, path)), { recursive: true })
    await writeFile(join(cwd, path), content)
  }
  const load = (options: Partial<LoadOptions> = {}) => loadTarget({ cwd, env: {}, ...options })
  const loadJson = async (content: unknown, env: NodeJS.ProcessEnv = secret) => {
    await put('touchstone.config.json', JSON.stringify(content, null, 2))
    const target = await load({ env })
    if (target === undefined) throw new Error('suite defect: the file was not found')
    return target
  }
  return { path: () => cwd, put, load, loadJson }
}

/** The message of the TargetError that a promise is rejected with. */
export async function refusal(loading: Promise<unknown>): Promise<string> {
  const outcome = await loading.then(
    (value) => value,
    (error: unknown) => error,
  )
  expect(outcome).toBeInstanceOf(TargetError)
  return outcome instanceof TargetError ? outcome.message : ''
}
