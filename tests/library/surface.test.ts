// The surface of the library: what is public is written down, and what is written down is there.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import { type ExchangeLine, exchangeSchema } from '../../library/exchange-schema.js'
import type { Exchange } from '../../library/oracle.js'
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

test('the schema of an exchange is the one that is published, and every line of it is an exchange', async () => {
  expectTypeOf<ExchangeLine['request']>().toExtend<Exchange['request']>()
  const published = `${JSON.stringify(exchangeSchema, null, 2)}\n`
  await expect(published).toMatchFileSnapshot('../../library/exchange.schema.json')
})
