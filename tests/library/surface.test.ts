// The surface of the library: what is public is written down, and what is written down is there.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../sources.js'
import { renderLibraryPage } from './page.js'

test('docs/library.md is what the exported declarations say', async () => {
  await expect(renderLibraryPage()).toMatchFileSnapshot('../../docs/library.md')
})

test('every entry of the package is on the page, but for the target file and the schemas', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, unknown>>
  }
  const named = Object.keys(exports).filter((name) => name !== '.' && !name.endsWith('.json'))
  const sections = [...renderLibraryPage().matchAll(/^## `touchstone(.+)`$/gm)].map(([, name]) => `.${name}`)
  expect(sections.sort()).toEqual(named.sort())
})
