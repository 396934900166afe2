// Starts the embedded target whole: its environment, a secret for each token, the reference implementation and its server.

import type { Hooks } from '../config/target-file.js'
import type { Environment } from '../models/language/environment.js'
import type { HookName } from '../models/language/plan.js'
import { createEmbedded, type Embedded } from './embedded.js'
import { embeddedEnvironment } from './environment.js'
import type { Fault, Variation } from './handler.js'
import type { Remote } from './remote.js'
import { addressOf, freePort, type RunningServer, startServer } from './server.js'

export interface ServeOptions {
  readonly port?: number
  readonly host?: string
  readonly seed?: number
  readonly variation?: Partial<Variation>
  readonly fault?: Fault
  /** How many further calls it takes until something comes to rest. */
  readonly restAfter?: number
  /** How many milliseconds it takes, in place of that. */
  readonly restMs?: number
  readonly randomIds?: boolean
  readonly latencyMs?: number
  readonly control?: boolean
}

export interface EmbeddedTarget {
  readonly server: RunningServer
  readonly embedded: Embedded
  readonly environment: Environment
  /** By token name: `embedded-owner`. */
  readonly secrets: ReadonlyMap<string, string>
  readonly baseUrl: string
  /** What others need to call it over HTTP. */
  readonly remote: Remote
  /** What a target file would offer as hooks, done directly. */
  readonly hooks: Hooks
}

/** @throws Error where the port cannot be listened on */
export const startEmbedded = async ({
  port,
  host,
  latencyMs,
  control,
  ...options
}: ServeOptions = {}): Promise<EmbeddedTarget> => {
  const environment = embeddedEnvironment()
  const secrets = secretsOf(environment)
  const embedded = createEmbedded({ environment, ...options })
  const server = await startServer({
    embedded,
    secrets,
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(latencyMs !== undefined && { latencyMs }),
    ...(control !== undefined && { control }),
  })
  const { baseUrl, controlUrl = '' } = server
  const remote = { baseUrl, controlUrl, secrets: [...secrets] }
  return { server, embedded, environment, secrets, baseUrl, remote, hooks: hooksOf(embedded) }
}

/** Where it will be found once a worker has started it on that port. */
export const plannedEmbedded = async (): Promise<Remote & { readonly port: number }> => {
  const port = await freePort()
  return { port, ...addressOf(port), secrets: [...secretsOf(embeddedEnvironment())] }
}

const secretsOf = ({ tokens }: Environment): ReadonlyMap<string, string> =>
  new Map(tokens.map(({ name }) => [name, `embedded-${name}`]))

const hooksOf = (embedded: Embedded): Hooks => {
  const call =
    (name: HookName) =>
    async (...args: readonly unknown[]): Promise<void> =>
      embedded.hook(name, args)
  return {
    deleteNode: call('deleteNode'),
    setLiveMigration: call('setLiveMigration'),
    setVolumeMigrating: call('setVolumeMigrating'),
    putObjects: call('putObjects'),
    readEvents: async () => embedded.events(),
  }
}
