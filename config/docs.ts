// Writes the reference page of the target file from its schema; the page holds nothing that isn't in the code.

import { variables } from './env.js'
import { expectation, showPath } from './errors.js'
import { defaults, hookDescriptions, type SchemaNode, targetSchema } from './schema.js'
import { searchPlaces } from './source.js'

/** The content of `docs/target-file.md`. */
export function renderTargetFileDocs(): string {
  return [
    intro(),
    ...sections({ schema: targetSchema as SchemaNode, heading: 'Top level' }),
    hooks(),
    environment(),
  ].join('\n')
}

interface Section {
  readonly schema: SchemaNode
  readonly heading: string
  /** The keys down to it. */
  readonly path?: string
}

function intro(): string {
  return `<!-- Generated from config/schema.ts by renderTargetFileDocs(); \`npx vitest run tests/config/target-file.test.ts -u\` writes it anew. -->

# The target file

A target file says how to reach a target and what is known of it. Only \`baseUrl\` is required.

It is the first of these that there is:

1. what \`--target\` names: a file, or a URL;
2. what the environment variable \`TOUCHSTONE_TARGET\` names: a file, or a URL;
3. the nearest of ${code(searchPlaces)} in the working directory or above it, as far up as the home directory; two of them in one folder are refused, unless one is compiled from the other (\`.js\` beside \`.ts\`, \`.mjs\` beside \`.mts\`);
4. the URL in the environment variable \`TOUCHSTONE_BASE_URL\`;
5. none: the run then starts the embedded target.

A URL stands for a file that holds that \`baseUrl\` alone: one account, one unrestricted user, and one token, whose secret is in the environment variable \`${defaults.secretVariable}\`.

A ts or js file has a default export and may hold hooks. It can import \`touchstone\` without having it installed:

\`\`\`ts
import { defineTarget } from 'touchstone'

export default defineTarget({
  baseUrl: 'https://api.staging.example/v4',
  tokens: [{ name: 'owner', scopes: '*', secret: { env: 'STAGING_TOKEN' } }],
})
\`\`\`

A JSON file holds the same keys but \`hooks\`, and may have comments. Its \`$schema\` may name \`target.schema.json\`, so that an editor completes and checks it.

An unknown key, a value of the wrong kind, a name that nothing has, a name or an id that is there twice, and in JSON a repeated key, are errors (exit code 2); the message names the place, what was expected and what was received. So is a variable that should hold a secret and is not set, but for commands that send nothing.
`
}

/** A section for an object, then those of the objects in it. */
function sections({ schema, heading, path = '' }: Section): readonly string[] {
  const keys = Object.entries(schema.properties ?? {})
  const rows = keys.map(([key, value]) => row(key, value, schema.required?.includes(key) ?? false))
  const lead = path === '' || schema.description === undefined ? [] : [`${schema.description}\n`]
  const table = ['| key | expects | default | meaning |', '| --- | --- | --- | --- |', ...rows]
  return [
    [`## ${heading}\n`, ...lead, ...table, ''].join('\n'),
    ...keys.flatMap(([key, value]) => nested(path === '' ? key : `${path}.${key}`, value)),
  ]
}

function nested(path: string, schema: SchemaNode): readonly string[] {
  if (schema.properties) return sections({ schema, heading: code([path]), path })
  if (!schema.items?.properties) return []
  const described = schema.description === undefined ? {} : { description: schema.description }
  return sections({ schema: { ...schema.items, ...described }, heading: code([`${path}[]`]), path: `${path}[]` })
}

function row(key: string, schema: SchemaNode, required: boolean): string {
  const fallback = schema.default === undefined ? '' : code([JSON.stringify(schema.default)])
  const cells = [code([key]), expectation(schema), required ? 'required' : fallback, schema.description ?? '']
  return tableRow(cells)
}

function hooks(): string {
  const rows = Object.values(hookDescriptions).map(({ call, does }) => tableRow([code([call]), does]))
  return `## \`hooks\`

Async functions, in ts and js files only, for what the interface itself can't do. Without a hook, what it would make testable is untestable for that reason. A hook that has no visible effect leads to no finding: what depends on it stays untested, and the run is inconclusive.

| hook | what it does |
| --- | --- |
${rows.join('\n')}
`
}

function environment(): string {
  const rows = variables.map(({ name, path, kind }) =>
    tableRow([code([name]), code([showPath(path)]), kind === 'boolean' ? '`true`, `1`, `false` or `0`' : `a ${kind}`]),
  )
  return `## Environment variables

They stand above the file, and flags stand above them. An empty one counts as not set; one that nothing reads is told where it is
a slip of one of these but that of the secret, or of a flag's.

| variable | overrides | expects |
| --- | --- | --- |
| \`TOUCHSTONE_TARGET\` | which target file is read | a file or a URL |
| \`${defaults.secretVariable}\` | nothing: it is the secret where no \`tokens\` are listed | a string |
${rows.join('\n')}

\`TOUCHSTONE_BASE_URL\` does not change a target that is named by its URL. Where an authority of your own vouches for the target's
TLS certificate, \`tls.ca\` or \`NODE_EXTRA_CA_CERTS\` names the file of that authority's certificate, or of a self-signed one.

\`HTTPS_PROXY\` names the HTTP proxy that leads to a target whose address begins with https, \`HTTP_PROXY\` with http, and \`ALL_PROXY\` either;
each may be in lower case, which then stands above. Credentials go into the address: \`http://user:password@proxy.example:3128\`. What
\`NO_PROXY\` lists is reached directly: hosts with all below them, addresses, networks such as \`10.0.0.0/8\`, each with a port or any, or \`*\`.
So is this machine, always. \`run\` and \`doctor\` say which proxy is used. \`guard\` passes calls on directly.
`
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function code(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ')
}
