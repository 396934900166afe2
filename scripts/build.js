// Builds dist from scratch: compiles the sources, bundles what the package loads, and puts the published schemas beside it. Plain JavaScript, as it runs before the build.

import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const schemas = [
  'config/target.schema.json',
  'history/run.schema.json',
  'library/exchange.schema.json',
  'reports/results.schema.json',
]

// A suite that is no longer there must not be run from an old build.
rmSync(`${root}/dist`, { recursive: true, force: true })

try {
  execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  })
} catch {
  // The compiler has said what is wrong.
  process.exit(1)
}
// fast-check has separate types for CommonJS. A CommonJS program that uses both packages needs ours to refer to those.
copyFileSync(`${root}/dist/library/fast-check.d.ts`, `${root}/dist/library/fast-check.d.cts`)
for (const schema of schemas) copyFileSync(`${root}/${schema}`, `${root}/dist/${schema}`)

/** What is loaded by name from outside, or as a process or thread of its own. */
const doors = [
  'cli/main',
  'guard/worker',
  'index',
  'library/fast-check',
  'library/oracle',
  'library/reference',
  'library/vitest',
]
/** Packages that stay by themselves: shared with who uses the library, or large and seldom needed; all others start faster bundled, and need not be installed. */
const apart = /^(?:@faker-js\/faker|fast-check|jiti|undici|vitest)(?:\/|$)/

/** Modules whose outcome is the same every time and takes longer than most commands: it is put in their place. */
const replacements = {
  'models/document/quoted': async ({ quoteOf }) => {
    const [{ operations }, { clausesOf }] = await Promise.all(['models/index', 'models/language/derive'].map(compiled))
    const quotes = operations.flatMap((op) => clausesOf(op).map((clause) => [clause.id, quoteOf(op, clause)]))
    const texts = [...new Set(quotes.map(([, text]) => text))]
    const places = Object.fromEntries(quotes.map(([clause, text]) => [clause, texts.indexOf(text)]))
    return `const [texts, places] = ${parsing([texts, places])}
export const quoteOf = (op, { id }) => texts[places[id]]`
  },
  'reference/openapi-examples': async ({ examples }) =>
    `const made = new Map(${parsing([...(await examples())])})
export const examples = async () => made`,
}

const compiled = (name) => import(`../dist/${name}.js`)

/** Code that gives the value, read sooner than a literal. */
const parsing = (value) => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`

const workedOut = {
  name: 'worked-out',
  async load(id) {
    const name = Object.keys(replacements).find((one) => id === join(root, `dist/${one}.js`))
    return name === undefined ? null : replacements[name](await compiled(name))
  },
}

const bundle = await rolldown({
  input: Object.fromEntries(doors.map((door) => [door, `${root}/dist/${door}.js`])),
  platform: 'node',
  external: apart,
  plugins: [workedOut],
  // The other build of jsonc-parser loads its parts by names that no bundler sees.
  resolve: { mainFields: ['module', 'main'] },
})
const { output } = await bundle.write({ dir: `${root}/dist`, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' })

/** A package that is bundled keeps its licence. */
mkdirSync(`${root}/dist/licences`)
const bundled = new Set(output.flatMap(({ moduleIds = [] }) => moduleIds.flatMap((id) => packageOf(id) ?? [])))
for (const folder of bundled) {
  const licence = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  if (!licence) throw new Error(`${folder}: expected a file with its licence, which has to go with the bundle`)
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
  copyFileSync(`${folder}/${licence}`, `${root}/dist/licences/${name.replace('/', '+')}.txt`)
}

/** In a clone `npx touchstone` is then what it is where the package is installed. Windows gives links to few. */
if (process.platform !== 'win32') {
  const link = `${root}/node_modules/.bin/touchstone`
  rmSync(link, { force: true })
  symlinkSync('../../dist/cli/main.js', link)
  chmodSync(`${root}/dist/cli/main.js`, 0o755)
}

/** The folder of the package that a module is of; undefined of our own. */
function packageOf(id) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]
}
