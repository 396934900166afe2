// Checks a target file: its shape against the schema, then what its parts say of each other; it reads no file.

import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { operations } from '../models/index.js'
import { lazy } from '../models/language/memoised.js'
import { nearest, type Path, type Problem, showReceived, slipOf, unknownKey } from './errors.js'
import { defaults, hookDescriptions, type SchemaNode, type TargetFile, targetSchema } from './schema.js'
import { schemaProblems } from './shape-problems.js'
import { documentScopes } from './vocabulary.js'

/** What is wrong with the shape of the content of a target file; none: it is a `TargetFile`. */
export function shapeProblems(content: unknown, format: 'json' | 'module'): readonly Problem[] {
  const { hooks, rest } = splitHooks(content)
  const validate = validator()
  const shape = validate(rest) ? [] : schemaProblems(targetSchema as SchemaNode, validate.errors ?? [], rest)
  return [...shape, ...hookProblems(hooks, format)]
}

/** What contradicts itself in a file of the right shape: names that are missing or there twice, an unusable address. */
export function referenceProblems(file: TargetFile): readonly Problem[] {
  const accounts = file.accounts?.map((account) => account.name) ?? [defaults.account]
  const users = file.users?.map((user) => user.name) ?? [defaults.user]
  return [
    ...addressProblems(file.baseUrl),
    ...duplicates(['accounts'], accounts),
    ...duplicates(['users'], users),
    ...duplicates(['tokens'], file.tokens?.map((token) => token.name) ?? []),
    ...(file.users ?? []).flatMap((user, at) => [
      ...unknownName(['users', at, 'account'], user.account, 'account', accounts),
      ...uselessGrants(user, at),
    ]),
    ...(file.tokens ?? []).flatMap((token, at) => unknownName(['tokens', at, 'user'], token.user, 'user', users)),
    ...(file.tokens ?? []).flatMap(({ scopes }, at) => (scopes === '*' ? [] : misspeltScopes(file, scopes, at))),
    ...fixtureProblems(file, accounts),
    ...loneProblems(file.tls ?? {}),
  ]
}

/** A certificate without its key proves nothing, nor does a key alone. */
function loneProblems({ cert, key }: NonNullable<TargetFile['tls']>): readonly Problem[] {
  const lack = key === undefined ? 'key' : 'cert'
  if ((cert === undefined) === (key === undefined)) return []
  const next = 'Name both, or neither.'
  return [{ path: ['tls'], expected: `a ${lack} as well`, received: showReceived({ cert, key }[lack], []), next }]
}

const validator = lazy(() => {
  const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true })
  addFormats.default(ajv)
  return ajv.compile(targetSchema)
})

/** The members that tell two fixtures of a kind apart. */
const identities: Readonly<Record<keyof NonNullable<TargetFile['fixtures']>, readonly string[]>> = {
  regions: ['id'],
  clusters: ['id'],
  nodes: ['id'],
  nodebalancers: ['id'],
  domains: ['id'],
  volumes: ['id'],
  vlans: ['account', 'region', 'label'],
  buckets: ['cluster', 'label'],
  dns: ['name', 'address'],
  managedIssues: ['id'],
}

function splitHooks(content: unknown): { readonly hooks: unknown; readonly rest: unknown } {
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return { hooks: undefined, rest: content }
  const { hooks, ...rest } = content as { readonly hooks?: unknown }
  return { hooks, rest }
}

function hookProblems(hooks: unknown, format: 'json' | 'module'): readonly Problem[] {
  if (hooks === undefined) return []
  const path: Path = ['hooks']
  if (format === 'json') {
    const next = 'Hooks are functions: write the target file in ts or js, or remove them.'
    return [{ path, expected: 'no hooks in a JSON file', received: showReceived(hooks, path), next }]
  }
  if (typeof hooks !== 'object' || hooks === null || Array.isArray(hooks)) {
    const next = 'Correct it or leave it out.'
    return [{ path, expected: 'an object of functions', received: showReceived(hooks, path), next }]
  }
  return Object.entries(hooks).flatMap(([name, hook]): readonly Problem[] => {
    if (!(name in hookDescriptions)) return [unknownKey(path, name, hooksSchema)]
    if (typeof hook === 'function') return []
    const next = 'Correct it or leave it out.'
    return [{ path: [...path, name], expected: 'an async function', received: showReceived(hook, path), next }]
  })
}

const hooksSchema: SchemaNode = {
  properties: Object.fromEntries(Object.keys(hookDescriptions).map((name) => [name, {}])),
}

function addressProblems(baseUrl: string): readonly Problem[] {
  const path: Path = ['baseUrl']
  const received = showReceived(baseUrl, path)
  if (!URL.canParse(baseUrl)) {
    return [{ path, expected: 'an http or https URL', received, next: 'Correct it.' }]
  }
  const url = new URL(baseUrl)
  if (url.username !== '' || url.password !== '') {
    const next = 'Take them out: a token\'s secret goes into "tokens".'
    return [{ path, expected: 'a URL without a user name or password', received, next }]
  }
  if (url.search !== '' || url.hash !== '') {
    return [{ path, expected: 'a URL without a query or fragment', received, next: 'Take that part out.' }]
  }
  return []
}

function unknownName(
  path: Path,
  name: string | undefined,
  kind: 'account' | 'user',
  known: readonly string[],
): readonly Problem[] {
  if (name === undefined || known.includes(name)) return []
  const meant = nearest(name, known)
  const expected = `the name of one of the ${kind}s: ${known.join(', ')}`
  const hint = meant === undefined ? '' : `Did you mean ${JSON.stringify(meant)}? `
  return [
    {
      path,
      expected,
      received: JSON.stringify(name),
      next: `${hint}Correct it, or list that ${kind} under "${kind}s".`,
    },
  ]
}

/**
 * Scopes in no form of the document, and those that are a slip for one of it. Others may be of areas that it does not speak of, as are
 * those that `vocabulary.scopes` names.
 */
function misspeltScopes({ vocabulary = {} }: TargetFile, scopes: readonly string[], at: number): readonly Problem[] {
  const families = [...new Set(operations.flatMap((op) => op.scopes ?? []).map(familyOf))]
  return documentScopes(vocabulary, scopes).flatMap((scope, position) => {
    if (Object.hasOwn(vocabulary.scopes ?? {}, scope)) return []
    const path: Path = ['tokens', at, 'scopes', position]
    const received = JSON.stringify(scope)
    if (!scopeForm.test(scope)) {
      const next = 'Correct it, or say under vocabulary.scopes which scope of the document the target spells so.'
      return [{ path, expected: 'a scope such as "volumes:read_only"', received, next }]
    }
    const family = familyOf(scope)
    const meant = families.includes(family) ? undefined : slipOf(family, families)
    if (meant === undefined) return []
    const next = `Did you mean ${JSON.stringify(scope.replace(family, meant))}? Correct it. If the target spells it so, or has an area of that name, say so under vocabulary.scopes: { ${JSON.stringify(scope.replace(family, meant))}: ${received} }, or { ${received}: ${received} }.`
    return [{ path, expected: `a scope for one of ${families.join(', ')}`, received, next }]
  })
}

const scopeForm = /^[a-z_]+:(?:read|read_only|read_write)$/

const familyOf = (scope: string): string => scope.slice(0, scope.indexOf(':'))

function uselessGrants(user: NonNullable<TargetFile['users']>[number], at: number): readonly Problem[] {
  if (user.restricted || user.grants === undefined) return []
  return [
    {
      path: ['users', at, 'grants'],
      expected: 'no grants of a user who is not restricted',
      received: showReceived(user.grants, []),
      next: 'Set "restricted": true, or remove the grants.',
    },
  ]
}

function fixtureProblems(file: TargetFile, accounts: readonly string[]): readonly Problem[] {
  const tables = Object.entries(file.fixtures ?? {}) as [keyof typeof identities, readonly Record<string, unknown>[]][]
  return tables.flatMap(([table, rows]) => {
    const keys = rows.map((row) => {
      const named: Record<string, unknown> = { account: accounts[0], ...row }
      return identities[table].map((member) => String(named[member])).join('\n')
    })
    const strangers = rows.flatMap(({ account }, at) =>
      unknownName(['fixtures', table, at, 'account'], account as string | undefined, 'account', accounts),
    )
    return [...duplicates(['fixtures', table], keys, identities[table]), ...strangers]
  })
}

function duplicates(path: Path, keys: readonly string[], members: readonly string[] = ['name']): readonly Problem[] {
  return keys.flatMap((key, at) => {
    const first = keys.indexOf(key)
    if (first === at) return []
    return [
      {
        path: [...path, at],
        expected: `no second one with the same ${members.join(' and ')}`,
        received: `${JSON.stringify(key.replaceAll('\n', ' '))}, as at position ${first}`,
        next: 'Remove one of the two, or correct it.',
      },
    ]
  })
}
