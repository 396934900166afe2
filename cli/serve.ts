// `touchstone serve`: the embedded target until it is interrupted, and what one needs to call it.

import { chmodSync, writeFileSync } from 'node:fs'
import { loadFixtures } from '../config/target-file.js'
import type { Latency } from '../reference/disturbances.js'
import type { Rest } from '../reference/embedded.js'
import { embeddedEnvironment } from '../reference/environment.js'
import {
  type EmbeddedTarget,
  type ServeOptions,
  servedTokens,
  startEmbedded,
  targetFileOf,
} from '../reference/serve.js'
import { faultIds, faultNamed, variationsNamed } from '../reference/switches.js'
import { namedVariations, variationNames } from '../reference/variations.js'
import { count, targetFlag } from '../reports/index.js'
import { asUsage, UsageError } from './errors.js'
import { interrupted } from './interrupt.js'
import { aligned } from './table.js'
import { readVocabulary } from './vocabulary.js'

export interface ServeCommand {
  readonly port: number
  readonly host: string
  readonly seed?: number
  readonly restAfter?: Rest
  readonly randomIds?: boolean
  readonly latency?: Latency
  /** A target file, or a part of one. */
  readonly fixtures?: string
  /** File with the words of a target. */
  readonly vocabulary?: string
  readonly worldPerToken?: boolean
  /** File to write the target file of this server to. */
  readonly targetFile?: string
  readonly variation: readonly string[]
  /** Id of a mutant. */
  readonly fault?: string
  readonly json: boolean
}

/** @param until when to end; by default when the process is asked to */
export const serve = async (command: ServeCommand, until: () => Promise<unknown> = interrupted): Promise<number> => {
  if (command.variation.includes('list')) return listVariations(command)
  if (command.fault === 'list') return print(command.json ? JSON.stringify(faultIds()) : faultIds().join('\n'))
  const mutant = command.fault === undefined ? undefined : asUsage('--fault', () => faultNamed(command.fault ?? ''))
  const names = asUsage('--variation', () => variationsNamed(command.variation))
  const target = await startEmbedded(await optionsOf(command)).catch(usageWhereTaken)
  const { switches } = target.gateway
  switches.setVariations(names)
  if (mutant) switches.setFault(mutant)
  if (command.restAfter !== undefined) switches.setRest(command.restAfter)
  try {
    if (command.targetFile !== undefined) writePrivately(command.targetFile, targetFileText(target))
    print(command.json ? JSON.stringify(announcement(target)) : welcome(target, command))
    await until()
  } finally {
    await target.server.close()
  }
  if (mutant) process.stderr.write(`touchstone: the fault made a difference ${count(switches.activations(), 'time')}\n`)
  return 0
}

/** Writes what holds secrets; a file that was there keeps its mode otherwise. */
const writePrivately = (file: string, text: string): void => {
  writeFileSync(file, text, { mode: 0o600 })
  chmodSync(file, 0o600)
}

const targetFileText = (target: EmbeddedTarget): string => `${JSON.stringify(targetFileOf(target), null, 2)}\n`

const listVariations = ({ json }: ServeCommand): 0 => {
  const all = variationNames.map((name) => ({ name, text: namedVariations[name].text }))
  return print(json ? JSON.stringify(all) : aligned(all.map(({ name, text }) => [name, text])))
}

const optionsOf = async (command: ServeCommand): Promise<ServeOptions> => {
  const { port, host, seed, randomIds, latency, fixtures, vocabulary, worldPerToken } = command
  const cwd = process.cwd()
  const loaded = fixtures === undefined ? undefined : await loadFixtures(fixtures, cwd)
  const words = vocabulary === undefined ? loaded?.vocabulary : await readVocabulary(vocabulary, cwd)
  return {
    port,
    host,
    // Whoever reaches the port could use them.
    control: isLoopback(host),
    journal: isLoopback(host),
    aids: true,
    // What it shows is not shown by the embedded target of a run or replay, to which no fault belongs.
    environment: loaded?.environment ?? { ...embeddedEnvironment(), name: 'served' },
    ...(loaded && { secrets: loaded.secrets }),
    ...(words && { vocabulary: words }),
    ...(seed !== undefined && { seed }),
    ...(randomIds && { randomIds }),
    ...(latency && { latency }),
    ...(worldPerToken && { worldPerToken }),
  }
}

const print = (text: string): 0 => {
  process.stdout.write(`${text}\n`)
  return 0
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

const usageWhereTaken = (error: unknown): never => {
  if (error instanceof Error && error.message.startsWith('cannot listen')) throw new UsageError(error.message)
  throw error
}

/** What a script needs: `target` is a whole target file. */
const announcement = (target: EmbeddedTarget) => ({
  baseUrl: target.baseUrl,
  controlUrl: controlUrlOf(target),
  target: targetFileOf(target),
})

const controlUrlOf = ({ gateway, server }: EmbeddedTarget): string | null =>
  gateway.control ? server.controlUrl : null

const welcome = (target: EmbeddedTarget, { variation, fault, targetFile }: ServeCommand): string => {
  const { baseUrl, secrets } = target
  const tokens = servedTokens(target)
  const [first = ''] = secrets.values()
  const controlUrl = controlUrlOf(target)
  const allScopes = [...new Set(tokens.flatMap(({ scopes }) => (scopes === '*' ? [] : scopes)))]
  const rows = tokens.map(({ name, user, scopes }): readonly string[] => [
    secrets.get(name) ?? '',
    user,
    scopesText(scopes, allScopes),
  ])
  return [
    `base URL  ${baseUrl}`,
    ...(variation.length > 0 ? [`variation ${variation.join(', ')}`] : []),
    ...(fault === undefined ? [] : [`fault     ${fault}`]),
    ...(controlUrl === null ? [] : [`control   ${controlUrl}   (${controlUrl}/openapi.json tells how)`]),
    `OpenAPI   ${new URL(baseUrl).origin}/openapi.json`,
    '',
    'tokens, each with its user and scopes:',
    aligned(rows, '  '),
    '',
    'a call:',
    `  curl -H 'Authorization: Bearer ${first}' ${baseUrl}/volumes`,
    '',
    ...(targetFile === undefined
      ? [
          'a target file, for run --target served.json (serve --target-file served.json writes a whole one):',
          snippet(target),
        ]
      : [`its target file is ${targetFile}: ${['touchstone run', ...targetFlag(targetFile)].join(' ')}`]),
    '',
    'Everything is held in memory. Ctrl-C ends it.',
    `A run with the whole target file ends with what nothing gives back. Before the next one ${resetText(controlUrl)}.`,
  ].join('\n')
}

const resetText = (controlUrl: string | null): string =>
  controlUrl === null ? 'start it anew' : `reset it: curl -X POST ${controlUrl}/reset`

/** The few that a token has, or the few that it lacks. */
const scopesText = (scopes: '*' | readonly string[], all: readonly string[]): string => {
  if (scopes === '*') return 'all scopes'
  const lacking = all.filter((scope) => !scopes.includes(scope))
  return lacking.length < scopes.length ? `all scopes but ${lacking.join(', ')}` : scopes.join(', ')
}

const snippet = ({ baseUrl, secrets, vocabulary }: EmbeddedTarget): string =>
  JSON.stringify(
    {
      name: 'served',
      baseUrl,
      exclusive: true,
      ...(vocabulary && { vocabulary }),
      tokens: [{ name: 'owner', scopes: '*', secret: [...secrets.values()][0] }],
      fixtures: { regions: [{ id: 'r1', vlans: true }], clusters: [{ id: 'c1', region: 'r1' }] },
    },
    null,
    2,
  )
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
