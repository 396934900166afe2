// report.html in a real browser: without violations of accessibility, at any width, with and without script.
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RecordLine } from '../../history/record.js'
import { allClauses, operations } from '../../models/index.js'
import { compare } from '../../reports/compare.js'
import { comparisonHtml } from '../../reports/comparison-html.js'
import { fold } from '../../reports/fold.js'
import { htmlReport } from '../../reports/html.js'
import type { Results } from '../../reports/results-schema.js'
import { clean, hostile, onlyUp, resized, sample, start } from './sample.js'

const executablePath = '/usr/bin/chromium'
/** A browser has as long as a test has. */
const endedMs = 600_000
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A run of every clause of the registry, with as many causes as asked for. */
function fullResults(causes: number): Results {
  const clauses = allClauses().map(({ id, operation, level, source, text }) => {
    const area = operations.find((op) => op.id === operation)?.area ?? 'other'
    return { id, area, operation, level, source, text, quote: 'What the document says.' }
  })
  const every = Math.floor(clauses.length / causes)
  const findings = clauses
    .filter((_, index) => index % every === 0)
    .slice(0, causes)
    .map(({ id, operation, level, source }) => ({ ...onlyUp, id: `${id}:odd`, clause: id, operation, level, source }))
  const results = fold([
    {
      ...start,
      clauses,
      operations: operations.map(({ id, area, method, path }) => ({ id, area, method, path, scopes: [] })),
    },
    resized,
    ...clauses.map(({ id }): RecordLine => ({ type: 'exercised', clause: id, step: 1 })),
    ...findings.map((finding): RecordLine => ({ type: 'finding', finding })),
    { type: 'end', durationMs: 100, verdict: 'nonconforming' },
  ])
  const callers = [
    null,
    'owner',
    'limited',
    'wrong',
    '!doubled owner',
    '!prefixed owner',
    '!basic owner',
    '!token owner',
  ]
  return {
    ...results,
    access: operations.flatMap(({ id }) =>
      callers.map((as) => ({ operation: id, as, accepted: as === 'owner' ? 1_200 : 0, refused: 4, wrong: 1 })),
    ),
    findings: results.findings.map((finding) => ({ ...finding, cause: finding.id })),
    causes: findings.map(({ id, operation, steps }) => ({
      id,
      summary: `${operation} is odd`,
      findings: [id],
      operations: [operation],
      program: steps,
    })),
  }
}

// Where it is missing on a developer's own machine the tests are left out; CI has it.
describe.skipIf(!existsSync(executablePath) && process.env.CI === undefined)('report.html in Chromium', () => {
  let browser: Browser
  let folder: string
  const addresses = new Map<string, string>()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'report-page-'))
    browser = await chromium.launch({ executablePath, args: flags, timeout: endedMs })
    for (const [name, results] of Object.entries({
      sample: fold(sample),
      hostile: fold(hostile),
      full: fullResults(100),
    })) {
      const file = join(folder, `${name}.html`)
      await writeFile(file, htmlReport(results))
      addresses.set(name, pathToFileURL(file).href)
    }
    const nights = [sample, clean, sample].map((lines, index) => ({ name: `night ${index}`, results: fold(lines) }))
    await writeFile(join(folder, 'trend.html'), comparisonHtml(compare(nights)))
    addresses.set('trend', pathToFileURL(join(folder, 'trend.html')).href)
  })

  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const patient = (page: Page): Page => {
    page.setDefaultTimeout(endedMs)
    return page
  }

  const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)

  const opened = async (name: string, options: BrowserContextOptions = {}, query = ''): Promise<Page> => {
    const page = patient(await browser.newPage(options))
    await page.goto(`${addresses.get(name)}${query}`)
    return page
  }

  it.each([
    ['sample', 'light', 1280],
    ['sample', 'dark', 1280],
    ['sample', 'light', 390],
    ['trend', 'light', 1280],
    ['trend', 'dark', 390],
  ] as const)('breaks no rule of accessibility (%s in %s at %d pixels)', async (name, colorScheme, width) => {
    const page = await opened(name, { colorScheme, viewport: { width, height: 900 } })
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    await page.evaluate(axe.source)
    const { violations }: { violations: { id: string; nodes: { html: string }[] }[] } = await page.evaluate(
      'axe.run(document, { resultTypes: ["violations"] })',
    )
    const broken = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join('\n')}`)
    expect(broken).toEqual([])
    await page.close()
  })

  it.each(['sample', 'full', 'hostile', 'trend'])('does not scroll sideways at 390 pixels (%s)', async (name) => {
    const page = await opened(name, { viewport: { width: 390, height: 800 } })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.close()
  })

  it.each(['sample', 'full', 'trend'])(
    'stacks what no narrow page has room for beside each other (%s)',
    async (name) => {
      const page = await opened(name, { viewport: { width: 390, height: 800 } })
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
      const wide: readonly string[] = await page.evaluate(`Array.from(document.querySelectorAll('.scroll'))
      .filter((one) => one.querySelector('table') && one.scrollWidth > one.clientWidth)
      .map((one) => one.getAttribute('aria-label'))`)
      expect(wide).toEqual([])
      const small: readonly string[] = await page.evaluate(
        `Array.from(document.querySelectorAll('.columns svg text'), (one) => one.textContent)`,
      )
      expect(small).toEqual([])
      expect(await page.locator('.columns .ends').first().isVisible()).toBe(true)
      await page.close()
    },
  )

  it('says of each figure of a stacked row what it counts', async () => {
    const page = await opened('full', { viewport: { width: 390, height: 800 } })
    const said: string = await page.evaluate(
      "getComputedStyle(document.querySelector('.shares td:nth-child(2)'), '::after').content",
    )
    expect(said).toBe('" pass"')
    expect(await page.locator('.shares thead').isVisible()).toBe(false)
    await page.close()
  })

  it('runs nothing that a target sends, and breaks its own policy nowhere', async () => {
    const page = patient(await browser.newPage())
    const said: string[] = []
    page.on('dialog', async (dialog) => {
      said.push(dialog.message())
      await dialog.dismiss()
    })
    page.on('console', (message) => void said.push(message.text()))
    page.on('pageerror', ({ message }) => void said.push(message))
    await page.goto(addresses.get('hostile') ?? '')
    expect(said).toEqual([])
    await page.close()
  })

  it('keeps what it is filtered by in its address', async () => {
    const page = await opened('full')
    await page.selectOption('select[name=area]', 'volumes')
    await page.fill('input[name=words]', 'resize')
    const shown = await page.textContent('form.filter output')
    expect(shown).toMatch(/^\d+ of \d+ shown$/)
    expect(new URL(page.url()).search).toBe('?area=volumes&words=resize')
    const again = await opened('full', {}, new URL(page.url()).search)
    expect(await again.textContent('form.filter output')).toBe(shown)
    await Promise.all([page.close(), again.close()])
  })

  it('opens what a link to a clause leads to', async () => {
    const page = await opened('full', {}, '#clause-volumes.resize.only-up')
    expect(await page.isVisible('#clause-volumes\\.resize\\.only-up')).toBe(true)
    await page.close()
  })

  it('shows every cause and every clause without script, and no button that would do nothing', async () => {
    const page = await opened('full', { javaScriptEnabled: false })
    const count = (selector: string): Promise<number> => page.locator(selector).count()
    expect(await count('section.cause')).toBe(100)
    expect(await count('tr[data-kind]')).toBe(allClauses().length)
    expect(await count('button.copy:visible')).toBe(0)
    expect(await count('.picture')).toBeGreaterThan(8)
    await page.close()
  })

  it('prints of a cause its calls with their replies and the names of its symptoms, and no script', async () => {
    const page = await opened('sample')
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(await page.locator('.cause > article .program pre').first().isVisible()).toBe(true)
    expect(await page.locator('[id$="-curl"]:visible').count()).toBe(0)
    await page.close()
  })

  it('prints a cause from where the one before it ends, within margins, without what only opens on a screen', async () => {
    const page = await opened('full')
    await page.emulateMedia({ media: 'print' })
    expect(await styleOf(page, 'article', 'breakInside')).toBe('auto')
    expect(await page.getByText('show the script').first().isVisible()).toBe(false)
    const margins: string = await page.evaluate(
      "Array.from(document.styleSheets[0].cssRules, (one) => one.cssText).find((text) => text.startsWith('@page'))",
    )
    expect(margins).toContain('margin: 14mm')
    expect(margins).toContain('counter(page)')
    for (const whole of ['.cause > h3', '.cause h5', 'figure'])
      expect([whole, await styleOf(page, whole, 'breakInside')]).toEqual([whole, 'avoid'])
    expect(await styleOf(page, '.cause h5', 'breakAfter')).toBe('avoid')
    expect(await styleOf(page, '.cause > .replay', 'breakBefore')).toBe('avoid')
    await page.close()
  })

  it('copies the command that replays a finding', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = patient(await context.newPage())
    await page.goto(addresses.get('sample') ?? '')
    await page.click('[aria-label="Copy the replay command"] >> nth=0')
    await page.getByText('Copied', { exact: true }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'touchstone replay findings/volumes.resize.only-up.json --out . --target <file or URL>',
    )
    await context.close()
  })

  it('copies the curl script of a finding whole, without its being opened', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = patient(await context.newPage())
    await page.goto(addresses.get('sample') ?? '')
    await page.click('[aria-label="Copy the curl script"] >> nth=0')
    await page.getByText('Copied', { exact: true }).waitFor()
    const copied: string = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toMatch(/^#!\/bin\/sh\n/)
    expect(copied).toMatch(/\nexit "\$conclusion"\n$/)
    await context.close()
  })
})
