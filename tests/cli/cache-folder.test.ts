import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { cacheFolder, makeCacheFolder } from '../../cli/cache-folder.js'
import { folder } from './invoke.js'

const [cache, home] = [resolve('/cache'), resolve('/home/me')]

test.each([
  [{ XDG_CACHE_HOME: cache, HOME: home }, 'linux', resolve(cache, 'touchstone')],
  [{ HOME: home }, 'darwin', resolve(home, '.cache/touchstone')],
  [{ XDG_CACHE_HOME: '', HOME: home }, 'linux', resolve(home, '.cache/touchstone')],
  [{ XDG_CACHE_HOME: 'beside', HOME: home }, 'linux', resolve(home, '.cache/touchstone')],
  [{ LOCALAPPDATA: cache, HOME: home }, 'win32', resolve(cache, 'touchstone')],
  [{ HOME: home }, 'win32', undefined],
  [{ HOME: 'me' }, 'linux', undefined],
  [{}, 'linux', undefined],
] as const)('of %o on %s, the cache is %s', (env, platform, expected) =>
  expect(cacheFolder(env, platform)).toBe(expected),
)

test('the cache is made below a home that is there, once, and a home is not', () => {
  const there = folder()
  const cached = join(there, '.cache', 'touchstone')
  expect([makeCacheFolder(cached), makeCacheFolder(cached), existsSync(cached)]).toEqual([true, true, true])
  const nobody = join(there, 'nobody')
  expect([makeCacheFolder(join(nobody, '.cache', 'touchstone')), existsSync(nobody)]).toEqual([false, false])
})

test('a place that takes no folder is done without', () => {
  const file = join(folder(), 'file')
  writeFileSync(file, '')
  expect(makeCacheFolder(join(file, 'touchstone'))).toBe(false)
  // Of this one it cannot even be told whether it is there.
  expect(makeCacheFolder(join(folder(), 'x'.repeat(300), 'touchstone'))).toBe(false)
  // No file system of its kind makes folders: it says that what is there is not.
  if (process.platform === 'linux') expect(makeCacheFolder('/proc/cache/touchstone')).toBe(false)
})
