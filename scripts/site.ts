// `npm run site [folder]`: writes the project's pages, clauses, readings and defects as static pages; fails where a link leads nowhere.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readFlags } from './flags.js'
import { brokenLinks, pageSources, renderSite } from './site-pages.js'

const main = (folder: string): number => {
  const site = renderSite(pageSources(process.cwd()))
  const broken = brokenLinks(site)
  for (const link of broken) process.stderr.write(`a link leads nowhere: ${link}\n`)
  for (const [page, html] of site) {
    mkdirSync(dirname(join(folder, page)), { recursive: true })
    writeFileSync(join(folder, page), html)
  }
  process.stdout.write(`${site.size} pages in ${folder}\n`)
  return broken.length === 0 ? 0 : 1
}

const usage = `usage: npm run site -- [folder]

  folder   where the pages are written; site when left out`

const { positionals } = readFlags(usage, {}, 1)
process.exitCode = main(positionals[0] ?? 'site')
