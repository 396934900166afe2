import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allClauses } from '../../models/index.js'
import { brokenLinks, pageSources, renderSite } from '../../scripts/site-pages.js'
import { root } from '../sources.js'

const site = renderSite(pageSources(root))

test('every link of the site leads to a page and to an anchor in it', () => {
  expect(brokenLinks(site)).toEqual([])
})

test('a link that leads nowhere is named with its page', () => {
  const broken = renderSite(new Map([['README.md', '# A\n\n[b](docs/b.md), [c](#c), [a](#a)\n']]))
  expect(brokenLinks(broken).filter((link) => /#c$|b\.html$/.test(link))).toEqual([
    'index.html: docs/b.html',
    'index.html: #c',
  ])
})

test('every clause has an address', () => {
  const missing = allClauses().filter(
    ({ id, operation }) => !site.get(`clauses/${operation}.html`)?.includes(` id="${id}"`),
  )
  expect(missing).toEqual([])
})

test.each([
  ['--help', 0],
  ['--folder', 2],
])('a flag such as %s is no folder, and nothing is written', (flag, status) => {
  const cwd = mkdtempSync(join(tmpdir(), 'touchstone-site-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  const ended = spawnSync(process.execPath, [join(root, 'dist', 'scripts', 'site.js'), flag], { cwd, encoding: 'utf8' })
  expect([ended.status, `${ended.stdout}${ended.stderr}`]).toEqual([status, expect.stringContaining('usage: ')])
  expect(readdirSync(cwd)).toEqual([])
})
