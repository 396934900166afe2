// Starts the embedded target whole: its environment, a secret for each token, the reference implementation and its server.

import type { Hooks } from '../config/target-file.js'
import { createVocabulary, type VocabularyFile } from '../config/vocabulary.js'
import { createTrafficSecrets } from '../driver/traffic-secrets.js'
import type { Environment } from '../models/language/environment.js'
import { createDisturbances, type Latency } from './disturbances.js'
import { createEmbedded, type Embedded, type EmbeddedOptions, hooksOf } from './embedded.js'
import { embeddedEnvironment } from './environment.js'
import { createAnswer, type Gateway } from './gateway.js'
import { createJournal } from './journal.js'
import { addressOf, freePort, type ListenOptions, type RunningServer, startServer } from './server.js'
import { createSwitches } from './switches.js'
import type { Reached } from './target.js'
import { commonWorld, createWorlds } from './worlds.js'

/** How the embedded target is set up, whichever way requests reach it. */
export interface GatewayOptions extends Omit<EmbeddedOptions, 'environment'> {
  readonly environment?: Environment
  /** By token name; `embedded-` and the name where one is missing. */
  readonly secrets?: ReadonlyMap<string, string>
  readonly latency?: Latency
  /** Whether the control interface is offered, to anyone who reaches the address. */
  readonly control?: boolean
  /** Whether requests are kept to be read. */
  readonly journal?: boolean
  /** Whether what clients ask first beside the interface is answered. */
  readonly aids?: boolean
  readonly worldPerToken?: boolean
  readonly vocabulary?: VocabularyFile
}

export type ServeOptions = GatewayOptions & ListenOptions

/** The embedded target before it is reached over anything. */
export interface Prepared {
  readonly gateway: Gateway
  /** The world that everybody is in, unless each token has its own. */
  readonly embedded: Embedded
  readonly environment: Environment
  /** By token name. */
  readonly secrets: ReadonlyMap<string, string>
  /** The words that it is served in, where they are others than the document's. */
  readonly vocabulary?: VocabularyFile
}

export interface EmbeddedTarget extends Prepared {
  readonly server: RunningServer
  readonly baseUrl: string
  /** What a target file would offer as hooks, done directly. */
  readonly hooks: Hooks
}

export const prepare = ({
  environment = embeddedEnvironment(),
  secrets: given,
  latency,
  control = false,
  journal = false,
  aids = false,
  worldPerToken = false,
  vocabulary,
  seed = 1,
  ...options
}: GatewayOptions = {}): Prepared => {
  const secrets = secretsOf(environment, given)
  const make = (): Embedded => createEmbedded({ environment, seed, ...options })
  const worlds = createWorlds({ make, secrets, perToken: worldPerToken })
  const { clock = Date.now, late: _, ...base } = options
  const gateway: Gateway = {
    worlds,
    disturbances: createDisturbances(seed, latency),
    switches: createSwitches(worlds, base),
    journal: journal ? createJournal(clock, createTrafficSecrets(secrets)) : undefined,
    control,
    aids,
    words: vocabulary && createVocabulary(vocabulary),
  }
  const embedded = worlds.find(commonWorld) as Embedded
  return { gateway, embedded, environment, secrets, ...(vocabulary && { vocabulary }) }
}

/** @throws Error where the port cannot be listened on */
export const startEmbedded = async (options: ServeOptions = {}): Promise<EmbeddedTarget> => {
  const prepared = prepare(options)
  const server = await startServer(createAnswer(prepared.gateway), options)
  return { ...prepared, server, baseUrl: server.baseUrl, hooks: hooksOf(prepared.embedded) }
}

/** Where it will be found once a worker has started it on that port. */
export const plannedEmbedded = async (): Promise<Reached & { readonly port: number }> => {
  const port = await freePort()
  return { port, baseUrl: addressOf(port).baseUrl, secrets: [...secretsOf(embeddedEnvironment())] }
}

const secretsOf = ({ tokens }: Environment, given?: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map(tokens.map(({ name }) => [name, given?.get(name) ?? `embedded-${name}`]))

/** The target file of a served target, in its words, with its secrets in it: they protect nothing. */
export const targetFileOf = (
  target: Pick<EmbeddedTarget, 'environment' | 'baseUrl' | 'secrets' | 'vocabulary'>,
  hooks?: Hooks,
) => {
  const { environment, baseUrl, secrets, vocabulary } = target
  return {
    ...environment,
    baseUrl,
    ...(vocabulary && { vocabulary }),
    tokens: servedTokens(target).map((token) => ({ ...token, secret: secrets.get(token.name) ?? '' })),
    ...(hooks && { hooks }),
  }
}

/** The tokens of a served target, with the scopes in its words. */
export const servedTokens = ({
  environment: { tokens },
  vocabulary = {},
}: Pick<EmbeddedTarget, 'environment' | 'vocabulary'>): Environment['tokens'] => {
  const words = createVocabulary(vocabulary)
  return tokens.map(({ scopes, ...token }) => ({
    ...token,
    scopes: words && scopes !== '*' ? scopes.map(words.scope) : scopes,
  }))
}
