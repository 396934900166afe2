// The reference page of the library, made of the exported declarations and their docstrings; no test.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../sources.js'

/** What packages may import, by the name that they import it by; a further file holds what the first exports of it. */
const entries: readonly (readonly [name: string, ...files: string[]])[] = [
  ['touchstone/vitest', 'library/vitest.ts'],
  ['touchstone/fast-check', 'library/fast-check.ts'],
  ['touchstone/oracle', 'library/oracle.ts', 'library/history.ts'],
  ['touchstone/reference', 'library/reference.ts'],
]

export const renderLibraryPage = (): string =>
  [
    '# The library',
    '',
    'Generated from the code by `npm run docs`. Whatever stands here is public: it changes by the rules of semantic versioning,',
    'so a change of this page is a change of the interface. [examples/](../examples/README.md) shows each in use. `touchstone`',
    'itself exports `defineTarget` and the types of a target file ([target-file.md](target-file.md)). CommonJS can `require` all of it;',
    'with TypeScript that takes `module` `nodenext` (from 5.8 on), or `commonjs` with `moduleResolution` `bundler` (from 6.0 on); `node16` knows of',
    'no such thing.',
    ...entries.flatMap(([name, ...files]) =>
      section(name, files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')),
    ),
    '',
  ].join('\n')

const section = (name: string, source: string): readonly string[] => [
  '',
  `## \`${name}\``,
  '',
  (/^\/\/ `[^`]+`: (.+)/.exec(source)?.[1] ?? '').replace(/^./, (letter) => letter.toUpperCase()),
  '',
  '```ts',
  declarations(source).join('\n\n'),
  '```',
  ...(notes[name] ?? []),
]

/** What else is to be known of an entry. */
const notes: Readonly<Record<string, readonly string[]>> = {
  'touchstone/oracle': [
    '',
    '### From other languages: `touchstone judge --stdin`',
    '',
    'The same for a test in any language: exchanges on standard input, a line of JSON each, in the form of `Exchange` above',
    '(`touchstone/exchange.schema.json`). They come in the order in which they ended. A call is judged once 16 more have come and',
    'one of them was sent when all before had ended, or when the input ends.',
    '',
    '```sh',
    'touchstone judge --stdin < exchanges.ndjson',
    '```',
    '',
    'Each line of the output has a `type`: `call` is a `JudgedCall`, as they are judged; at the end come `finding` and `cause`, as',
    'in `results.json`, and one `end` with the verdict, the numbers of each, of calls that could not be put in order (`undecided`)',
    'and of exchanges that are no call of the interface (`ignored`). The exit code is that of `judge`; a line that is no exchange',
    'ends it with 2.',
  ],
}

/** Every exported declaration with the docstring above it, and without what stands behind the arrow of a function. */
const declarations = (source: string): readonly string[] =>
  source
    .split(/\n{2,}/)
    .filter((block) => /^export /m.test(block))
    .flatMap((block) => (/^export type \{/m.test(block) ? block.split('\n') : [block]))
    .filter((block) => !/ from '\.\/[^']+'$/.test(block))
    .map((block) => (/^export const /m.test(block) ? block.slice(0, endOfHead(block)).trimEnd() : block))

/** The end of the types of a function: the first arrow that no bracket of its own is open at. */
const endOfHead = (block: string): number => {
  let depth = 0
  const from = block.indexOf('export const')
  for (let at = from; at < block.length; at += 1) {
    const letter = block[at] as string
    if ('([{<'.includes(letter)) depth += 1
    else if (')]}'.includes(letter) || (letter === '>' && block[at - 1] !== '=')) depth -= 1
    else if (depth === 0 && block.startsWith(' => ', at) && block.slice(from, at).includes('=')) return at
  }
  return block.length
}
