// `touchstone/reference`: the embedded target for tests of clients, in the process, over HTTP or without a socket.

import { type Duplex, duplexPair } from 'node:stream'
// That of a test may be a fake one, which waits until the test lets time pass.
import { setImmediate } from 'node:timers'
import { Type } from '@sinclair/typebox'
import { Agent, type Dispatcher, fetch as undiciFetch } from 'undici'
import { type Hooks, loadFixtures, type TargetFile } from '../config/target-file.js'
import { type Disturbance, disturbanceSchema, type Latency, latencySchema } from '../reference/disturbances.js'
import { hooksOf, type Rest } from '../reference/embedded.js'
import { createAnswer } from '../reference/gateway.js'
import type { JournalEntry } from '../reference/journal.js'
import { prepare, targetFileOf } from '../reference/serve.js'
import { closed, createHttpServer, startServer } from '../reference/server.js'
import { faultNamed, variationsNamed } from '../reference/switches.js'
import type { VariationName } from '../reference/variations.js'
import type { WorldsSnapshot } from '../reference/worlds.js'

import { anything, check, flag, optionsOf, text, texts, whole } from './options.js'

export type { Disturbance, Latency } from '../reference/disturbances.js'
export type { Rest } from '../reference/embedded.js'
export type { JournalEntry } from '../reference/journal.js'
export type { VariationName } from '../reference/variations.js'

export interface ReferenceOptions {
  /**
   * What there is at the beginning, and who may call: a target file or a part of one, by its path or as a value. The
   * embedded target's own fixtures and tokens when left out. A token without a secret has `embedded-` and its name.
   */
  readonly fixtures?: string | Partial<TargetFile>
  /** Legal ways to be different, by name; `touchstone serve --variation list` shows them. */
  readonly variations?: readonly VariationName[]
  /** A way to be wrong, by the id of its mutant; `touchstone serve --fault list` shows them. */
  readonly fault?: string
  /** What goes wrong between client and target; see {@link Disturbance}. */
  readonly faults?: readonly Disturbance[]
  readonly latency?: Latency
  /** When what was changed comes to rest: after 4 further calls when left out. */
  readonly restAfter?: Rest
  /** The present in milliseconds since 1970; when left out, dates are a second apart, from 2026 on. */
  readonly clock?: () => number
  /** What random choices start from, 1 when left out: the same seed and the same calls give the same replies. */
  readonly seed?: number
  /** A world for each token: `SECRET@NAME` is that token in the world of that name, any other text its owner. */
  readonly worldPerToken?: boolean
  /** The target's own words, as a target file has them under `vocabulary`. */
  readonly vocabulary?: NonNullable<TargetFile['vocabulary']>
  /** Where to listen: any free port of 127.0.0.1 when left out, nowhere when false. */
  readonly listen?: false | { readonly port?: number; readonly host?: string }
}

/** A state to come back to, any number of times, on the same reference. */
export interface ReferenceSnapshot {
  readonly worlds: WorldsSnapshot
}

export interface Reference {
  /** With the version segment; without a socket a URL that only `fetch` and `dispatcher` reach. */
  readonly baseUrl: string
  /** By token name. */
  readonly secrets: Readonly<Record<string, string>>
  /** A whole target file for it, secrets and hooks included. */
  readonly target: TargetFile
  /** A dispatcher of undici that reaches the reference without a socket, whatever the origin of a URL. */
  readonly dispatcher: Dispatcher
  /** A `fetch` that does the same; a URL that begins with a slash is below `baseUrl`. */
  readonly fetch: (input: string | URL, init?: RequestInit) => Promise<Response>
  /** Back to the fixtures, the first ids and the first dice. Settings, disturbances and the journal stay. */
  readonly reset: () => void
  readonly snapshot: () => ReferenceSnapshot
  readonly restore: (snapshot: ReferenceSnapshot) => void
  /** Lets calls or milliseconds pass; without either everything comes to rest that is under way. */
  readonly advance: (by?: { readonly calls?: number; readonly ms?: number }) => void
  /** The latest requests, oldest first. Passwords and keys are masked, and repetitions of eight characters or more. */
  readonly journal: () => readonly JournalEntry[]
  readonly clearJournal: () => void
  /** Disturbs calls to come. */
  readonly disturb: (disturbance: Disturbance) => void
  readonly clearDisturbances: () => void
  readonly setLatency: (latency: Latency) => void
  readonly setRestAfter: (rest: Rest) => void
  /** @throws Error for an unknown name, or for two that contradict each other */
  readonly setVariations: (names: readonly VariationName[]) => void
  /** @throws Error for an unknown id */
  readonly setFault: (id: string | undefined) => void
  /** Changes that come about outside the interface, and its events. */
  readonly hooks: Hooks
  /** Breaks off what is under way, and stops listening. */
  readonly close: () => Promise<void>
}

/**
 * Starts a reference implementation of the interface, held in memory.
 * @throws TargetError naming every problem of the fixtures, TypeError naming each option that is unknown or ill-typed, Error for an unknown variation or fault, or a port that is taken
 * @example
 * const reference = await startReference({ listen: false, restAfter: 'by-hand' })
 * const reply = await reference.fetch('/volumes', { headers: { authorization: `Bearer ${reference.secrets.owner}` } })
 */
export const startReference = async (options: ReferenceOptions = {}): Promise<Reference> => {
  check('startReference(options)', optionsSchema, options)
  const { fixtures, listen = {}, vocabulary, clock, seed, worldPerToken, latency } = options
  const loaded = fixtures === undefined ? undefined : await loadFixtures(fixtures, process.cwd())
  const words = vocabulary ?? loaded?.vocabulary
  const prepared = prepare({
    control: true,
    journal: true,
    aids: true,
    ...(loaded && { environment: loaded.environment, secrets: loaded.secrets }),
    ...(words && { vocabulary: words }),
    ...(clock && { clock }),
    ...(seed !== undefined && { seed }),
    ...(worldPerToken !== undefined && { worldPerToken }),
    ...(latency && { latency }),
  })
  const { gateway, embedded, secrets } = prepared
  const { worlds, switches, disturbances, journal } = gateway
  switches.setVariations(variationsNamed(options.variations ?? []))
  if (options.fault !== undefined) switches.setFault(faultNamed(options.fault))
  if (options.restAfter !== undefined) switches.setRest(options.restAfter)
  for (const disturbance of options.faults ?? []) disturbances.add(disturbance)
  const answer = createAnswer(gateway)
  const running = listen === false ? undefined : await startServer(answer, listen)
  const baseUrl = running?.baseUrl ?? 'http://touchstone.invalid/v4'
  const unsocketed = withoutSocket(answer, baseUrl)
  const hooks = hooksOf(embedded)
  const reset = async (): Promise<void> => worlds.restore(new Map())
  return {
    baseUrl,
    secrets: Object.fromEntries(secrets),
    target: targetFileOf({ ...prepared, baseUrl }, { ...hooks, reset }) as TargetFile,
    dispatcher: unsocketed.dispatcher,
    fetch: unsocketed.fetch,
    reset: () => void reset(),
    snapshot: () => ({ worlds: worlds.snapshot() }),
    restore: (snapshot) => {
      check('restore(snapshot)', snapshotSchema, snapshot)
      worlds.restore(snapshot.worlds)
    },
    advance: (by) => {
      if (by !== undefined) check('advance(by)', advanceSchema, by)
      for (const name of worlds.names()) worlds.find(name)?.advance(by)
    },
    journal: () => [...(journal?.all() ?? [])],
    clearJournal: () => journal?.clear(),
    disturb: (disturbance) => {
      check('disturb(disturbance)', disturbanceSchema, disturbance)
      disturbances.add(disturbance)
    },
    clearDisturbances: disturbances.clear,
    setLatency: (next) => {
      check('setLatency(latency)', latencySchema, next)
      disturbances.setLatency(next)
    },
    setRestAfter: (rest) => {
      check('setRestAfter(rest)', restSchema, rest)
      switches.setRest(rest)
    },
    setVariations: (names) => switches.setVariations(variationsNamed(names)),
    setFault: (id) => switches.setFault(id === undefined ? undefined : faultNamed(id)),
    hooks,
    close: async () => {
      await Promise.all([running?.close(), unsocketed.close()])
    },
  }
}

const calls = Type.Integer({ minimum: 0 })
const ms = Type.Number({ minimum: 0 })

const restSchema = Type.Union([Type.Literal('by-hand'), calls, optionsOf({ ms })], {
  title: 'a number of calls, { ms } or "by-hand"',
})

const advanceSchema = optionsOf({ calls: Type.Optional(calls), ms: Type.Optional(ms) })

const snapshotSchema = Type.Object({ worlds: Type.Object({}) }, { title: 'what snapshot() gave' })

const optionsSchema = optionsOf<ReferenceOptions>({
  fixtures: anything,
  variations: texts,
  fault: text,
  faults: Type.Optional(Type.Array(disturbanceSchema)),
  latency: Type.Optional(latencySchema),
  restAfter: Type.Optional(restSchema),
  clock: anything,
  seed: whole,
  worldPerToken: flag,
  vocabulary: anything,
  listen: anything,
})

/** The server of HTTP with streams in place of sockets: what clients see is the same to the byte. */
const withoutSocket = (answer: ReturnType<typeof createAnswer>, baseUrl: string) => {
  const server = createHttpServer(answer)
  const open = new Set<Duplex>()
  const dispatcher = new Agent({
    // A connection that is used again is looked at first, by a timer of the test.
    pipelining: 0,
    connect: (_, done) => {
      const [near, far] = duplexPair()
      open.add(near)
      near.on('close', () => open.delete(near))
      // A pair of streams ends together, as the two ends of a connection do.
      far.on('close', () => near.destroy())
      server.emit('connection', far)
      // undici counts on a connection that comes later; what a stream lacks of a socket it does without.
      setImmediate(() => done(null, near as never))
    },
  })
  return {
    dispatcher,
    fetch: (input: string | URL, init: RequestInit = {}) => {
      const url = typeof input === 'string' && input.startsWith('/') ? baseUrl + input : input
      return undiciFetch(url, { ...init, dispatcher } as never) as unknown as Promise<Response>
    },
    close: async () => {
      for (const one of open) one.destroy()
      await dispatcher.destroy()
      if (server.listening) await closed(server)
    },
  }
}
