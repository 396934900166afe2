// What a user may write in a target file: the one schema, the types inferred from it, and the defaults; not how a file is found or resolved.
import { type Static, type TBoolean, type TOptional, Type } from '@sinclair/typebox'
import { type ExplanationName, suppositions } from '../models/language/environment.js'
import { fixtureTables } from './fixtures-schema.js'
import { closed, flag, list, milliseconds, name, oneOf, permission, text } from './schema-words.js'
import type { VocabularyFile } from './vocabulary.js'

/** A target file as it is written. Everything but `baseUrl` may be left out; hooks exist in ts and js files only. */
export type TargetFile = DeepReadonly<Static<typeof targetSchema>> & { readonly hooks?: Hooks }

/** An event as the target tells it; the document names the kinds (`action`) alone. */
export interface TargetEvent {
  readonly action: string
  readonly entity?: { readonly type: string; readonly id: number | string }
}

/** What the interface itself can't do to a target, done by its team. Each is optional. */
export interface Hooks {
  readonly reset?: () => Promise<void>
  readonly deleteNode?: (id: number) => Promise<void>
  readonly setLiveMigration?: (id: number, on: boolean) => Promise<void>
  readonly setVolumeMigrating?: (id: number, on: boolean) => Promise<void>
  readonly putObjects?: (cluster: string, bucket: string, names: readonly string[]) => Promise<void>
  readonly readEvents?: (since: Date) => Promise<readonly TargetEvent[]>
}

/** How each hook is called and what it does, for messages and the reference page. */
export const hookDescriptions: Readonly<Record<keyof Hooks, { readonly call: string; readonly does: string }>> = {
  reset: {
    call: 'reset()',
    does: 'Brings the target back to its first state. Called before a run, and only on an exclusive target that is not shared by shards.',
  },
  deleteNode: {
    call: 'deleteNode(id)',
    does: 'Deletes a node, so that what becomes of its volumes can be observed. Called at the very end of a run, and only where the target is exclusive and has `reset`.',
  },
  setLiveMigration: { call: 'setLiveMigration(id, on)', does: 'Begins or ends a live migration of a node.' },
  setVolumeMigrating: { call: 'setVolumeMigrating(id, on)', does: 'Begins or ends a migration of a volume.' },
  putObjects: {
    call: 'putObjects(cluster, bucket, names)',
    does: 'Puts objects of the given names into a bucket; what they hold does not matter.',
  },
  readEvents: {
    call: 'readEvents(since)',
    does: 'Returns the events of the first account since a moment (a Date), oldest first, as [{ action, entity? }]; an entity is { type, id }.',
  },
}

/** The settings that don't depend on another one. Durations in milliseconds. */
export const defaults = {
  exclusive: false,
  account: 'main',
  user: 'owner',
  token: 'owner',
  secretVariable: 'TOUCHSTONE_TOKEN',
  attachmentField: 'file',
  prefix: 'ts',
  pace: { concurrency: 24, requestTimeoutMs: 10_000, settleMs: 60_000, listLagMs: 0, hooks: 60_000 },
} as const

/** The caps of safety where the file sets none: an exclusive target may hold more. */
export function defaultCaps(exclusive: boolean): { readonly maxLive: number; readonly maxVolumeGiB: number } {
  return exclusive ? { maxLive: 300, maxVolumeGiB: 10_240 } : { maxLive: 20, maxVolumeGiB: 20 }
}

/** The published JSON Schema as text, the content of `config/target.schema.json`. */
export function renderTargetSchema(): string {
  return `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...targetSchema }, null, 2)}\n`
}

/** The parts of JSON Schema that the target file uses, for walking it. */
export interface SchemaNode {
  /** A noun phrase that says what is expected. */
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly minItems?: number
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
}

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T

const granted = (kind: string) =>
  Type.Optional(
    Type.Record(Type.String({ pattern: '^[0-9]+$' }), permission, {
      ...closed,
      title: 'a map from an id to "read_only" or "read_write"',
      description: `What is granted on single ${kind}, by id; one that is not listed is not granted.`,
    }),
  )

const account = Type.Object(
  {
    name: name('What users and fixtures call this account.'),
    balance: Type.Optional(oneOf(['positive', 'negative'], 'Whether the account owes money; unknown when left out.')),
    managed: Type.Optional(flag('Whether the account has Managed enabled; unknown when left out.')),
  },
  closed,
)

const grants = Type.Object(
  {
    global: Type.Optional(
      Type.Array(text('A grant by name, such as "add_volumes".'), { description: 'Grants on the account as a whole.' }),
    ),
    nodes: granted('nodes'),
    nodebalancers: granted('node balancers'),
    volumes: granted('volumes'),
    domains: granted('domains'),
    firewalls: granted('firewalls'),
  },
  { ...closed, description: 'What a restricted user may do.' },
)

const user = Type.Object(
  {
    name: name('What tokens call this user.'),
    account: Type.Optional(name('The account that the user belongs to; the first one when left out.')),
    restricted: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the user may do only what is granted.' }),
    ),
    grants: Type.Optional(grants),
  },
  closed,
)

const token = Type.Object(
  {
    name: name('What reports call this token.'),
    user: Type.Optional(name('The user that the token stands for; the first one when left out.')),
    scopes: Type.Unsafe<'*' | string[]>({
      title: '"*" or an array of scopes such as "volumes:read_only"',
      description: 'The scopes that the token carries; "*" for all of them.',
      anyOf: [{ const: '*' }, { type: 'array', items: { type: 'string', minLength: 1 } }],
    }),
    secret: Type.Unsafe<string | { env: string }>({
      title: '{ env: "NAME" } or a string',
      description:
        'Where the secret comes from: an environment variable, { env: "NAME" }. A string is the secret itself; keep such a file out of version control.',
      anyOf: [
        { type: 'object', required: ['env'], properties: { env: { type: 'string', minLength: 1 } }, ...closed },
        { type: 'string', minLength: 1 },
      ],
    }),
  },
  closed,
)

const safety = Type.Object(
  {
    prefix: Type.Optional(
      Type.String({
        title: '2 to 8 lower-case letters and digits, a letter first',
        pattern: '^[a-z][a-z0-9]{1,7}$',
        default: defaults.prefix,
        description:
          'What the names of everything created begin with; `touchstone sweep` deletes by the names that runs make of it.',
      }),
    ),
    maxLive: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
        title: 'a map from a kind such as "volumes" to an integer of at least 0',
        description:
          'The most resources of a kind that the run keeps alive at a time; `default` is for kinds that are not named (20, on an exclusive target 300).',
      }),
    ),
    maxVolumeGiB: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The largest volume to create, in GiB (20, on an exclusive target 10240).',
      }),
    ),
    allow: Type.Optional(
      Type.Array(text('An id.'), {
        default: [],
        description:
          'Ids of operations that run only where they are named here: `object-storage.cancel` on an exclusive target, `tickets.create` and `ips.allocate` on one that is not.',
      }),
    ),
  },
  { ...closed, description: 'How far a run may go.' },
)

const expectation = Type.Object(
  {
    passed: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'So many clauses pass in a run of everything; one in which fewer do is inconclusive.',
      }),
    ),
  },
  { ...closed, description: 'The evidence without which a run is inconclusive.' },
)

const tls = Type.Object(
  {
    ca: Type.Optional(
      text(
        'A PEM file of certificates of authorities that may vouch for the target, besides those that Node.js comes with.',
      ),
    ),
    cert: Type.Optional(text("A PEM file of the client's certificate, and of those between it and its authority.")),
    key: Type.Optional(text('A PEM file of the private key of `cert`, without a passphrase.')),
  },
  {
    ...closed,
    description:
      'How the target and its client prove who they are, where that takes more than the target having a certificate that all trust. Paths are relative to the target file.',
  },
)

const pace = Type.Object(
  {
    rate: Type.Optional(
      Type.String({
        title: 'a rate such as "20/s", "300/min" or "5000/h"',
        pattern: '^(?=.*[1-9])[0-9]+(\\.[0-9]+)?/(s|min|h)$',
        description: 'The most requests in a time; no bound when left out.',
      }),
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: defaults.pace.concurrency,
        description:
          'The most requests under way at a time. Programs run side by side where a call takes longer than 10 ms or the run has to wait for what takes time, and one after another where this is 1.',
      }),
    ),
    requestTimeoutMs: milliseconds(
      defaults.pace.requestTimeoutMs,
      1,
      'How long to wait for a reply before its outcome counts as unknown.',
    ),
    settleMs: milliseconds(
      defaults.pace.settleMs,
      0,
      'How long a status such as `creating` may take to settle, a change to show, a timed-out write to land, and an event to be read.',
    ),
    listLagMs: milliseconds(
      defaults.pace.listLagMs,
      0,
      'How long a list may lag behind a write in recorded traffic, and how long a run waits before each list; a run finds out by itself where this is 0.',
    ),
    hooks: milliseconds(defaults.pace.hooks, 1, 'How long a hook may take before it counts as failed.'),
  },
  { ...closed, description: 'How fast a run may go, and how patient it is.' },
)

/** The schema of a target file, hooks apart: JSON cannot hold functions. */
export const targetSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'Where an editor finds the JSON Schema; for JSON files.' })),
    name: Type.Optional(name('What reports call this target; the host of `baseUrl` when left out.')),
    baseUrl: Type.String({
      title: 'an http or https URL',
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
      description: 'The address that all paths are relative to, with its version segment.',
    }),
    exclusive: Type.Optional(
      Type.Boolean({
        default: defaults.exclusive,
        description:
          'True where nobody else changes these accounts during a run; counts and absences are then judged. Where it is false, what cannot be taken back is not sent unless `safety.allow` names it: without `tickets.create` there, next to nothing of support tickets is tested, and without `ips.allocate` nothing of new addresses.',
      }),
    ),
    accounts: list(account, `The accounts that are used; one called "${defaults.account}" when left out.`),
    users: list(user, `The users that tokens stand for; an unrestricted one called "${defaults.user}" when left out.`),
    tokens: list(
      token,
      `The credentials to use; one called "${defaults.token}" with all scopes and its secret in ${defaults.secretVariable} when left out.`,
    ),
    fixtures: Type.Optional(fixtureTables),
    explanations: Type.Optional(
      Type.Object(
        Object.fromEntries(
          Object.entries(suppositions).map(([name, text]) => [
            name,
            Type.Optional(
              Type.Boolean({
                // Whoever sees the calls go by lacks none of them.
                description: `Whether it may be assumed that ${text}; ${name === 'gap' ? 'true for a HAR and false for a guard' : 'true'} when left out.`,
              }),
            ),
          ]),
        ) as Record<ExplanationName, TOptional<TBoolean>>,
        {
          additionalProperties: false,
          title: 'a map from the name of an explanation to a boolean',
          description:
            'What may not be assumed of this target to excuse a deviation is false: `quota: false` says that no creation is refused for a quota.',
        },
      ),
    ),
    pins: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }), {
        title: 'a map from the id of a choice to a string, number or boolean',
        description:
          'Choices that this implementation has fixed, by id; a drift from one is a finding. `touchstone list choices` shows each, and how its pin is written.',
      }),
    ),
    vocabulary: Type.Optional(
      Type.Unsafe<VocabularyFile>({
        type: 'object',
        title: "a map from the document's word to the target's",
        description:
          'This implementation\'s spelling of a neutral word, such as node_id: "instance_id". `segments`, `scopes` and `events` hold such maps for segments of paths, scopes and kinds of events; `values` and `parts` hold, by member, maps for its values and for parts of its texts. A word that would mean two members of the document is refused. A scope of an area that only the target has, and whose name is nearly that of another, stands under `scopes` as itself.',
        additionalProperties: {
          title: 'a word, or a map of words',
          anyOf: [
            { type: 'string', minLength: 1 },
            {
              type: 'object',
              additionalProperties: {
                anyOf: [
                  { type: 'string', minLength: 1 },
                  { type: 'object', additionalProperties: { type: 'string', minLength: 1 } },
                ],
              },
            },
          ],
        },
      }),
    ),
    attachmentField: Type.Optional(
      Type.String({
        minLength: 1,
        default: defaults.attachmentField,
        description: 'The name of the form field that carries a ticket attachment.',
      }),
    ),
    expect: Type.Optional(expectation),
    tls: Type.Optional(tls),
    safety: Type.Optional(safety),
    pace: Type.Optional(pace),
  },
  {
    ...closed,
    title: 'a target file: an object that has a baseUrl',
    description: 'What a conformance run has to know of its target.',
  },
)
