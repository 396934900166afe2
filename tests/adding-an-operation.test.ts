import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { root } from './sources.js'

const run = promisify(execFile)
const page = readFileSync(join(root, 'docs/adding-an-operation.md'), 'utf8')

/** Code blocks of a kind, each with the path of a source that the text before it names last. */
const blocks = (kind: string): readonly { readonly file: string; readonly code: string }[] =>
  [...page.matchAll(new RegExp(`\`(models/[\\w/.-]+)\`:\\n\\n\`\`\`${kind}\\n([^]*?)\`\`\``, 'g'))].map(
    ([, file = '', code = '']) => ({ file, code }),
  )

/** The text with the lines that a diff takes out replaced by those that it puts in; each must be there. */
const patched = (text: string, diff: string): string => {
  const lines = diff.trimEnd().split('\n')
  const side = (other: string): readonly string[] =>
    lines.filter((line) => !line.startsWith(other)).map((line) => line.slice(1))
  const hunks = lines.flatMap((line, i) => (line.startsWith('-') ? [[line, lines[i + 1] ?? ''] as const] : []))
  const changed = hunks.reduce((now, [out, into]) => {
    expect(now).toContain(out.slice(1))
    return now.replace(out.slice(1), () => into.slice(1))
  }, text)
  const [added, kept] = [side('-')[0] ?? '', side('+')[0] ?? '']
  expect(changed).toContain(kept)
  return changed.replace(kept, () => `${added}\n${kept}`)
}

const copy = mkdtempSync(join(tmpdir(), 'adding-'))
afterAll(() => rmSync(copy, { recursive: true }))

test('the operation of the page on adding one type-checks, and conforms with evidence', async () => {
  const skipped = new Set(['node_modules', 'dist', '.git', 'docs', 'touchstone-report'])
  cpSync(root, copy, { recursive: true, filter: (from) => !skipped.has(from.slice(root.length).replace(/^\//, '')) })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const [source] = blocks('ts')
  const [entry] = blocks('diff')
  if (!source || !entry) throw new Error('the page has no whole operation with its files')
  writeFileSync(join(copy, source.file), source.code)
  const list = join(copy, entry.file)
  writeFileSync(list, patched(readFileSync(list, 'utf8'), entry.code))
  await run(process.execPath, ['scripts/build.js'], { cwd: copy })
  const [, operation = ''] = /--operation (\S+)/.exec(page) ?? []
  const out = join(copy, 'out')
  await run(process.execPath, ['dist/cli/main.js', 'run', '--operation', operation, '--quiet', '--out', out], {
    cwd: copy,
  })
  const { verdict, clauses } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'))
  const passed = clauses.filter((one: { readonly verdict: string }) => one.verdict === 'pass')
  expect(verdict).toBe('conforms')
  expect(passed.map(({ id }: { readonly id: string }) => id)).toContain(`${operation}.other`)
  expect(passed.length).toBeGreaterThan(20)
  expect(source.code.split('\n').length).toBeLessThan(50)
})
