// Writes the reference pages of operations, clauses and the command line from the code; the pages hold nothing else.

import type { Command } from 'commander'
import { createProgram } from '../cli/program.js'
import { defects } from '../models/defects.js'
import { passagesFor } from '../models/document/quotes.js'
import { interfaceVersion, operations } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import { type Operation, sentWhere } from '../models/language/operation.js'
import { namedVariations, variationNames } from '../reference/variations.js'

const generated = (from: string): string =>
  `<!-- Generated from ${from} by scripts/reference-pages.ts; \`npx vitest run tests/cli/docs.test.ts -u\` writes it anew. -->`

/** The content of `docs/operations.md`. */
export const operationsPage = (): string =>
  page([
    generated('models/'),
    '# Operations',
    `The ${operations.length} operations of interface ${interfaceVersion}, by area. Scopes are those that the document lists; all are needed. [clauses.md](clauses.md) has what is judged of each.`,
    ...byArea(operations).flatMap(([area, all]) => [
      `## ${area}`,
      table(
        ['operation', 'request', 'does', 'scopes', 'clauses'],
        all.map((op) => [
          code(op.id),
          code(`${op.method} ${op.path}`),
          cell(op.summary),
          scopesOf(op),
          String(clausesOf(op).length),
        ]),
      ),
      ...all.flatMap((op) =>
        op.guarded === undefined ? [] : [`${code(op.id)} is sent ${sentWhere(op)}: ${op.guarded}.`],
      ),
    ]),
  ])

/** The content of `docs/clauses.md`. */
export const clausesPage = (): string => {
  const all = operations.flatMap(clausesOf)
  const count = (level: Clause['level']): number => all.filter((clause) => clause.level === level).length
  return page([
    generated('models/'),
    '# Clauses',
    `Everything that is judged, ${all.length} clauses: ${count('must')} must (the document says it), ${count('should')} should (it follows from HTTP or by inference), ${count('choice')} choices (the document is silent, so what the target does is observed). Ids are permanent. Each stands beside the sentences of the document that it rests on; [concordance.md](concordance.md) goes the other way. \`touchstone explain <clause>\` shows how one is checked.`,
    'Clauses about the form and the values of replies are in one line for each operation; `touchstone list clauses` has each of them.',
    ...byArea(operations).flatMap(([area, some]) => [`## ${area}`, ...some.flatMap(clausesOfOperation)]),
    '## Known defects of the document',
    table(
      ['id', 'source', 'what is odd', 'read as'],
      defects.map(({ id, source, text, reading }) => [code(id), cell(source), cell(text), cell(reading)]),
    ),
  ])
}

const clausesOfOperation = (op: Operation): readonly string[] => {
  const clauses = clausesOf(op)
  const own = clauses.filter(({ kind }) => kind !== 'shape' && kind !== 'shows')
  const shapes = clauses.filter(({ kind }) => kind === 'shape').length
  const fields = clauses.flatMap((clause) => (clause.kind === 'shows' ? [code(clause.field)] : []))
  return [
    `### ${op.id}`,
    `${code(`${op.method} ${op.path}`)}: ${op.summary}`,
    table(
      ['clause', 'level', 'what', 'the document says', 'source'],
      own.map((clause) => {
        const { id, level, text, source } = clause
        return [code(id), level, cell(text), saidOf(op, clause), cell(source)]
      }),
    ),
    ...(shapes > 0 ? [`And ${shapes} of the form of the record shown, ${code(`${op.id}.reply.*`)}.`] : []),
    ...(fields.length > 0 ? [`And ${code(`${op.id}.shows.*`)}, the values of ${fields.join(', ')}.`] : []),
  ]
}

/** The sentences that a clause rests on, word for word. */
const saidOf = (op: Operation, clause: Clause): string =>
  passagesFor(op, clause)
    .slice(0, mostQuoted)
    .map(({ text }) => `“${cell(text)}”`)
    .join('<br>')

const mostQuoted = 2

/** The content of `docs/cli.md`. */
export const cliPage = (): string => {
  const program = createProgram('', () => undefined)
  return page([
    generated('cli/'),
    '# The command line',
    'Results go to standard output, progress to standard error. `NO_COLOR` is respected. An environment variable stands above the target file, a flag above both; an empty variable counts as not set.',
    'Node.js 22.8 or newer keeps what it compiles of the command in `$XDG_CACHE_HOME/touchstone`, else in `~/.cache/touchstone`, on Windows in `%LOCALAPPDATA%\\touchstone`; where that cannot be written to, nothing is kept. `NODE_DISABLE_COMPILE_CACHE=1` turns this off.',
    table(
      ['exit code', 'means'],
      [
        ['0', 'conforms, or done'],
        ['1', 'nonconforming, or an expected finding that is stale'],
        ['2', 'bad usage, a bad target file, or a folder that another run writes to'],
        ['3', 'inconclusive: the target was not reachable, the run was cut short, or a defect of the suite'],
        ['130', 'interrupted'],
      ],
    ),
    'An unexpected error is reported as `suite defect: …`; `TOUCHSTONE_DEBUG=1` shows where it happened. The variables that override single keys of the target file are in [target-file.md](target-file.md).',
    ...program.commands.filter((command) => command.name() !== 'help').flatMap(commandSection),
    '## Variations of the embedded target',
    'For `touchstone serve --variation`. Each is a legal way to implement the interface; several may be combined with commas.',
    table(
      ['name', 'what is different'],
      variationNames.map((name) => [code(name), cell(namedVariations[name].text)]),
    ),
  ])
}

/** The help as it is printed, so that page and program can't differ. */
const commandSection = (command: Command): readonly string[] => {
  const printed: string[] = []
  command.configureOutput({
    writeOut: (text) => printed.push(text),
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return [`## touchstone ${command.name()}`, ['```text', printed.join('').trimEnd(), '```'].join('\n')]
}

const byArea = (all: readonly Operation[]): readonly (readonly [string, readonly Operation[]])[] =>
  [...new Set(all.map(({ area }) => area))].map((area) => [area, all.filter((op) => op.area === area)])

const scopesOf = ({ scopes }: Operation): string => (scopes === undefined ? 'none listed' : scopes.map(code).join(', '))

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

/** Text in a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

const page = (blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`
