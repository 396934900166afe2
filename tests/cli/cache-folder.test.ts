import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { cacheFolder } from '../../cli/cache-folder.js'

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
