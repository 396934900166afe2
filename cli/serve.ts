// `touchstone serve`: the embedded target until it is interrupted, and what one needs to call it.

import { once } from 'node:events'
import { nearest } from '../config/target-file.js'
import { operations } from '../models/index.js'
import { type Mutant, mutantsOf } from '../reference/mutants.js'
import { type EmbeddedTarget, startEmbedded } from '../reference/serve.js'
import {
  combined,
  conflictAmong,
  namedVariations,
  type VariationName,
  variationNames,
  variations,
} from '../reference/variations.js'
import { UsageError } from './errors.js'
import { aligned, countOf } from './table.js'

export interface ServeCommand {
  readonly port: number
  readonly host: string
  readonly seed?: number
  readonly restAfter?: number
  readonly randomIds?: boolean
  readonly variation: readonly string[]
  /** Id of a mutant. */
  readonly fault?: string
  readonly json: boolean
}

/** @param until when to end; by default when the process is asked to */
export const serve = async (command: ServeCommand, until: () => Promise<unknown> = interrupted): Promise<number> => {
  if (command.variation.includes('list'))
    return print(aligned(variationNames.map((name) => [name, namedVariations[name].text])))
  if (command.fault === 'list')
    return print(
      allMutants()
        .map(({ id }) => id)
        .join('\n'),
    )
  const mutant = command.fault === undefined ? undefined : mutantNamed(command.fault)
  const armed = mutant?.arm()
  const { port, host, seed, restAfter, randomIds } = command
  const target = await startEmbedded({
    ...combined(variationsNamed(command.variation).map((name) => variations[name])),
    port,
    host,
    // Whoever reaches the port could use them.
    control: isLoopback(host),
    ...(seed !== undefined && { seed }),
    ...(restAfter !== undefined && { restAfter }),
    ...(randomIds && { randomIds }),
    ...(armed && { fault: armed.fault }),
  }).catch(usageWhereTaken)
  print(command.json ? JSON.stringify(announcement(target)) : welcome(target, command))
  await until()
  await target.server.close()
  if (armed) process.stderr.write(`touchstone: the fault made a difference ${countOf(armed.activations(), 'time')}\n`)
  return 0
}

const print = (text: string): 0 => {
  process.stdout.write(`${text}\n`)
  return 0
}

const interrupted = (): Promise<unknown> => Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

const usageWhereTaken = (error: unknown): never => {
  if (error instanceof Error && error.message.startsWith('cannot listen')) throw new UsageError(error.message)
  throw error
}

const allMutants = (): readonly Mutant[] => operations.flatMap((op) => mutantsOf(op))

const mutantNamed = (id: string): Mutant => {
  const all = allMutants()
  const found = all.find((mutant) => mutant.id === id)
  if (found) return found
  const ids = all.map((mutant) => mutant.id)
  const near = nearest(id, ids) ?? ids.find((one) => one.includes(id))
  const hint = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
  throw new UsageError(`--fault: no mutant ${JSON.stringify(id)}.${hint} \`touchstone serve --fault list\` shows all.`)
}

const variationsNamed = (names: readonly string[]): readonly VariationName[] => {
  for (const name of names) {
    if ((variationNames as readonly string[]).includes(name)) continue
    const near = nearest(name, variationNames)
    const hint = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
    throw new UsageError(
      `--variation: expected one of ${variationNames.join(', ')}; received ${JSON.stringify(name)}.${hint}`,
    )
  }
  const conflict = conflictAmong(names as readonly VariationName[])
  if (conflict)
    throw new UsageError(`--variation: ${conflict[0]} and ${conflict[1]} differ about ${conflict[2]}; leave one out.`)
  return names as readonly VariationName[]
}

/** What a script needs: `target` is a whole target file. */
const announcement = (target: EmbeddedTarget) => ({
  baseUrl: target.baseUrl,
  controlUrl: target.server.controlUrl ?? null,
  target: targetFileOf(target),
})

/** The target file of a served target, with its secrets in it: they protect nothing. */
export const targetFileOf = ({ environment, baseUrl, secrets }: EmbeddedTarget) => {
  const { tokens, ...rest } = environment
  return { ...rest, baseUrl, tokens: tokens.map((token) => ({ ...token, secret: secrets.get(token.name) ?? '' })) }
}

const welcome = (target: EmbeddedTarget, { variation, fault }: ServeCommand): string => {
  const { baseUrl, environment, secrets } = target
  const rows = environment.tokens.map(({ name, user, scopes }) => [
    secrets.get(name) ?? '',
    user,
    scopes === '*' ? 'all scopes' : `all scopes but ${name.replace('without-', '').replace(/-(?=read)/, ':')}`,
  ])
  return [
    `base URL  ${baseUrl}`,
    ...(variation.length > 0 ? [`variation ${variation.join(', ')}`] : []),
    ...(fault === undefined ? [] : [`fault     ${fault}`]),
    '',
    'tokens, each with its user and scopes:',
    aligned(rows, '  '),
    '',
    'a call:',
    `  curl -H 'Authorization: Bearer ${secrets.get('owner')}' ${baseUrl}/volumes`,
    '',
    'a target file (touchstone.config.json; the whole one: touchstone serve --json):',
    snippet(target),
    '',
    'Everything is held in memory. Ctrl-C ends it.',
  ].join('\n')
}

const snippet = ({ baseUrl, secrets }: EmbeddedTarget): string =>
  JSON.stringify(
    {
      name: 'served',
      baseUrl,
      exclusive: true,
      tokens: [{ name: 'owner', scopes: '*', secret: secrets.get('owner') }],
      fixtures: { regions: [{ id: 'r1', vlans: true }], clusters: [{ id: 'c1', region: 'r1' }] },
    },
    null,
    2,
  )
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
