// Loads a target file into what a run works with, defaults filled in; not what a file may hold (config-schema.ts), nor whether the target answers.

import { dirname, extname } from 'node:path'
import type { Account, Environment, Token, User } from '../models/language/environment.js'
import { isObject } from '../models/language/objects.js'
import { overrideByVariables, readVariable, variableAt } from './env.js'
import { type Path, type Problem, showPath, targetError } from './errors.js'
import { type HttpProxy, proxyFor } from './proxy.js'
import { defaultCaps, defaults, type Hooks, type TargetFile } from './schema.js'
import { findSource, readSource, type TargetSource } from './source.js'
import { readTls, type TlsIdentity } from './tls.js'
import { documentEvent, documentScopes, type VocabularyFile } from './vocabulary.js'

export { nearest, TargetError } from './errors.js'
export type { Hooks, TargetEvent, TargetFile } from './schema.js'

export interface Pace {
  /** The most requests in a second; no bound when undefined. */
  readonly perSecond: number | undefined
  readonly concurrency: number
  readonly requestTimeoutMs: number
  readonly settleMs: number
  readonly listLagMs: number
  /** How long a hook may take. */
  readonly hooks?: number
}

/** Everything a run knows of its target beforehand. */
export interface Target {
  readonly environment: Environment
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** By token name. */
  readonly secrets: ReadonlyMap<string, string>
  /** The environment variables that they come from, by token name. */
  readonly secretVariables?: ReadonlyMap<string, string>
  /** The document's word to the target's. */
  readonly vocabulary: VocabularyFile
  readonly pace: Pace
  readonly hooks: Hooks
  /** What leads to it, where the environment names one. */
  readonly proxy?: HttpProxy
  /** What a client and the target prove with who they are. */
  readonly tls?: TlsIdentity
  /** The form field that carries a ticket attachment. */
  readonly attachmentField: string
  /** Fewer passed clauses make a run of everything inconclusive. */
  readonly leastPassed?: number
  /** The file that it was read from, absolute; absent when it was given by its URL. */
  readonly path?: string
}

export interface LoadOptions {
  /** A URL, or a file relative to `cwd`; else TOUCHSTONE_TARGET, else the nearest target file upward. */
  readonly target?: string | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** 'optional' where nothing is sent: a secret whose variable is not set is left out. */
  readonly secrets?: 'required' | 'optional'
  /** Whether it is connected to; where secrets are required when left out. */
  readonly connects?: boolean
}

/** Types a target file; returns it unchanged. */
export function defineTarget(file: TargetFile): TargetFile {
  return file
}

/**
 * The target to run against, or undefined when none is named and no target file is found.
 * @throws TargetError naming every problem of the file, or of the variables that override it
 */
export async function loadTarget(options: LoadOptions): Promise<Target | undefined> {
  const source = await sourceOf(options)
  if (source === undefined) return undefined
  // A URL that was named is the one to use: TOUCHSTONE_BASE_URL stands above files alone.
  const env = source.path === undefined ? { ...options.env, TOUCHSTONE_BASE_URL: undefined } : options.env
  const { secrets = 'required', connects = secrets === 'required', cwd } = options
  const target = await resolved(source, env, secrets)
  return connects ? identified(target, source, env, cwd) : target
}

/**
 * What a served target begins with: a target file, relative to `cwd`, or its content. `baseUrl` may be left out, and
 * secrets that are not there are; without `exclusive` nobody else is at it.
 * @throws TargetError naming every problem
 */
export async function loadFixtures(file: string | object, cwd: string): Promise<Target> {
  const source = typeof file === 'string' ? await readSource(file, cwd) : contentSource(file)
  const content = isObject(source.content) ? { ...standIn, ...source.content } : source.content
  return resolved({ ...source, content }, {}, 'optional')
}

/**
 * A target by its file or URL, or from the content of such a file.
 * @throws TargetError naming every problem
 */
export async function targetFrom(file: string | TargetFile, cwd: string): Promise<Target> {
  if (typeof file !== 'string') {
    const source = contentSource(file)
    return identified(await resolved(source, process.env, 'required'), source, process.env, cwd)
  }
  return (await loadTarget({ target: file, cwd, env: process.env })) as Target
}

const standIn = { name: 'reference', baseUrl: 'http://127.0.0.1/v4', exclusive: true }

const contentSource = (content: object): TargetSource => ({ label: 'target', content, position: () => '' })

/**
 * The target with what its `tls` names.
 * @throws TargetError naming every file that is no good
 */
async function identified(
  target: Target,
  source: TargetSource,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<Target> {
  const { tls: files } = source.content as TargetFile
  if (!files) return target
  const { tls, problems } = await readTls(files, source.path === undefined ? cwd : dirname(source.path))
  if (problems.length > 0) throw targetError(source.label, problems, (path) => locate(path, source, env))
  return { ...target, ...(tls && { tls }) }
}

async function resolved(
  source: TargetSource,
  env: Readonly<Record<string, string | undefined>>,
  secretsWanted: 'required' | 'optional',
): Promise<Target> {
  // What checks a file is loaded only where there is one.
  const { referenceProblems, shapeProblems } = await import('./check.js')
  const fail = (problems: readonly Problem[]) => {
    if (problems.length > 0) throw targetError(source.label, problems, (path) => locate(path, source, env))
  }
  const content = overrideByVariables(source.content, env)
  fail(shapeProblems(content, source.path && extname(source.path) === '.json' ? 'json' : 'module'))
  const file = content as TargetFile
  const tokens = file.tokens ?? impliedTokens
  const { secrets, problems } = readSecrets(tokens, env, secretsWanted)
  fail([...referenceProblems(file), ...problems])
  const proxy = secretsWanted === 'required' ? proxyFor(file.baseUrl, env) : undefined
  return {
    environment: environmentOf(file, tokens),
    baseUrl: file.baseUrl.replace(/\/+$/, '').replace(/^https?/i, (scheme) => scheme.toLowerCase()),
    secrets,
    secretVariables: new Map(
      tokens.flatMap(({ name, secret }) => (typeof secret === 'string' ? [] : [[name, secret.env] as const])),
    ),
    vocabulary: file.vocabulary ?? {},
    pace: paceOf(file.pace),
    hooks: hooksOf(file),
    attachmentField: file.attachmentField ?? defaults.attachmentField,
    ...(file.expect?.passed === undefined ? {} : { leastPassed: file.expect.passed }),
    ...(proxy && { proxy }),
    ...(source.path === undefined ? {} : { path: source.path }),
  }
}

/**
 * Requests per second of a rate such as '20/s', '300/min' or '5000/h'.
 * @returns undefined where the text is no such rate
 */
export function parseRate(rate: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\/(s|min|h)$/.exec(rate) ?? []
  const perSecond = Number(count) / { s: 1, min: 60, h: 3600 }[unit as 's' | 'min' | 'h']
  return perSecond > 0 ? perSecond : undefined
}

type FileTokens = NonNullable<TargetFile['tokens']>

const impliedTokens: FileTokens = [{ name: defaults.token, scopes: '*', secret: { env: defaults.secretVariable } }]

async function sourceOf({ target, cwd, env }: LoadOptions): Promise<TargetSource | undefined> {
  const named = target ?? readVariable(env, 'TOUCHSTONE_TARGET')
  if (named !== undefined) {
    return isUrl(named)
      ? urlSource(named, target === undefined ? 'TOUCHSTONE_TARGET' : '--target')
      : readSource(named, cwd)
  }
  const address = readVariable(env, 'TOUCHSTONE_BASE_URL')
  return (await findSource(cwd)) ?? (address === undefined ? undefined : urlSource(address, 'TOUCHSTONE_BASE_URL'))
}

function urlSource(baseUrl: string, label: string): TargetSource {
  return { label, content: { baseUrl }, position: () => '' }
}

function isUrl(target: string): boolean {
  return /^https?:\/\//i.test(target)
}

function locate(path: Path, source: TargetSource, env: Readonly<Record<string, string | undefined>>): string {
  const variable = variableAt(path, env)
  return variable === undefined ? source.label + source.position(path) : `environment variable ${variable}`
}

/** The hooks, with events in the document's words. */
function hooksOf({ hooks = {}, vocabulary }: TargetFile): Hooks {
  const { readEvents } = hooks
  if (!readEvents || !vocabulary?.events) return hooks
  return {
    ...hooks,
    readEvents: async (since) =>
      (await readEvents(since)).map((event) => ({ ...event, action: documentEvent(vocabulary, event.action) })),
  }
}

function environmentOf(file: TargetFile, tokens: FileTokens): Environment {
  const exclusive = file.exclusive ?? defaults.exclusive
  const accounts: readonly Account[] = file.accounts ?? [{ name: defaults.account }]
  const account = accounts[0]?.name ?? defaults.account
  const users = (file.users ?? [{ name: defaults.user }]).map((user): User => ({ account, restricted: false, ...user }))
  const user = users[0]?.name ?? defaults.user
  const caps = defaultCaps(exclusive)
  return {
    name: file.name ?? new URL(file.baseUrl).host,
    exclusive,
    accounts,
    users,
    tokens: tokens.map(
      ({ secret: _, scopes, ...token }): Token => ({
        user,
        ...token,
        scopes: scopes === '*' ? scopes : documentScopes(file.vocabulary ?? {}, scopes),
      }),
    ),
    fixtures: file.fixtures ?? {},
    pins: file.pins ?? {},
    ...(file.explanations && { explanations: file.explanations }),
    safety: {
      prefix: file.safety?.prefix ?? defaults.prefix,
      maxLive: { default: caps.maxLive, ...file.safety?.maxLive },
      maxVolumeGiB: file.safety?.maxVolumeGiB ?? caps.maxVolumeGiB,
      allow: file.safety?.allow ?? [],
    },
  }
}

function paceOf({ rate, ...pace }: NonNullable<TargetFile['pace']> = {}): Pace {
  return { ...defaults.pace, ...pace, perSecond: rate === undefined ? undefined : parseRate(rate) }
}

interface Secrets {
  readonly secrets: ReadonlyMap<string, string>
  readonly problems: readonly Problem[]
}

function readSecrets(
  tokens: FileTokens,
  env: Readonly<Record<string, string | undefined>>,
  wanted: 'required' | 'optional',
): Secrets {
  const secrets = new Map<string, string>()
  const problems: Problem[] = []
  for (const [at, { name, secret }] of tokens.entries()) {
    const path = ['tokens', at, 'secret']
    const value = typeof secret === 'string' ? secret : readVariable(env, secret.env)
    const problem =
      value !== undefined
        ? unusable(path, name, value, secrets)
        : wanted === 'required' && unset(path, name, secret, tokens === impliedTokens)
    if (problem) problems.push(problem)
    else if (value !== undefined) secrets.set(name, value)
  }
  return { secrets, problems }
}

function unset(path: Path, name: string, secret: FileTokens[number]['secret'], implied: boolean): Problem {
  const variable = typeof secret === 'string' ? '' : secret.env
  return {
    path: implied ? [] : path,
    expected: `the secret of token ${JSON.stringify(name)} in the environment variable ${variable}`,
    received: 'a variable that is not set, or is empty',
    next: `Set ${variable}, or ${implied ? 'list the tokens under "tokens" in a target file' : 'remove the token'}.`,
  }
}

function unusable(path: Path, name: string, value: string, others: ReadonlyMap<string, string>): Problem | undefined {
  if (!/^[\x21-\x7e]+$/.test(value)) {
    const expected = `a secret of token ${JSON.stringify(name)} that a header can carry`
    const received = 'one with a space, a line break or a character beyond ASCII (not shown)'
    return { path, expected, received, next: 'Take that character out; it is often a line break at the end.' }
  }
  const variable = /^\$\{(\w+)\}$/.exec(value)?.[1]
  if (variable !== undefined) {
    const expected = `the secret of token ${JSON.stringify(name)} itself, or the variable that has it`
    const next = `Write { "env": ${JSON.stringify(variable)} }: nothing is put in place of a name in braces.`
    return { path, expected, received: 'the name of a variable in braces', next }
  }
  const twin = [...others].find(([, secret]) => secret === value)?.[0]
  if (twin === undefined) return undefined
  const expected = `a secret of token ${JSON.stringify(name)} that no other token has`
  const received = `the secret of token ${JSON.stringify(twin)}`
  return { path, expected, received, next: `Correct ${showPath(path)}, or remove one of the two tokens.` }
}
