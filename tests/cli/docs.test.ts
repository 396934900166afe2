// The generated reference pages are up to date; `-u` writes them anew.
import { expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import { clausesPage, cliPage, operationsPage } from '../../scripts/reference-pages.js'

const at = (page: string): string => `../../docs/${page}`

test('docs/operations.md says what the registry says', async () => {
  await expect(operationsPage()).toMatchFileSnapshot(at('operations.md'))
})

test('docs/clauses.md says what the registry says', async () => {
  await expect(clausesPage()).toMatchFileSnapshot(at('clauses.md'))
})

test('docs/cli.md says what the commands print as their help', async () => {
  await expect(cliPage()).toMatchFileSnapshot(at('cli.md'))
})

test('every operation has a line in the page of operations', () => {
  const page = operationsPage()
  expect(operations.filter(({ id }) => !page.includes(`| \`${id}\` |`)).map(({ id }) => id)).toEqual([])
})

test('every clause that is not about the form of a reply has a line in the page of clauses', () => {
  const page = clausesPage()
  const own = operations.flatMap(clausesOf).filter(({ kind }) => kind !== 'shape' && kind !== 'shows')
  expect(own.filter(({ id }) => !page.includes(`| \`${id}\` |`)).map(({ id }) => id)).toEqual([])
})

test('every command has a section with examples in the page of the command line', () => {
  const sections = cliPage().split('\n## touchstone ').slice(1)
  expect(sections.map((section) => section.split('\n')[0])).toEqual(
    'run fuzz watch replay judge report serve guard doctor sweep list explain openapi init'.split(' '),
  )
  expect(sections.filter((section) => !section.includes('Examples:\n  $ touchstone '))).toEqual([])
})
