// Tests of the target file: what is accepted, where it is found and what it resolves to; not what is refused.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { renderTargetFileDocs } from '../../config/docs.js'
import { variables } from '../../config/env.js'
import { renderTargetSchema } from '../../config/schema.js'
import { defineTarget, loadTarget, nearest, parseRate, type TargetFile } from '../../config/target-file.js'
import type { Account, Fixtures, Grants, Safety, Token, User } from '../../models/language/environment.js'
import { minimal, refusal, secret, useFolder } from './config-folder.js'

/** The example of the contract, hooks apart. */
const full = {
  name: 'staging',
  baseUrl: 'https://api.staging.example/v4',
  exclusive: false,
  accounts: [{ name: 'main', balance: 'positive', managed: true }, { name: 'other' }],
  users: [
    { name: 'owner', account: 'main', restricted: false },
    {
      name: 'limited',
      account: 'main',
      restricted: true,
      grants: {
        global: ['add_volumes'],
        nodes: { 101: 'read_write', 102: 'read_only' },
        nodebalancers: {},
        volumes: {},
        domains: {},
        firewalls: {},
      },
    },
  ],
  tokens: [
    { name: 'owner', user: 'owner', scopes: '*', secret: { env: 'STAGING_TOKEN' } },
    { name: 'volumes-reader', user: 'owner', scopes: ['volumes:read_only'], secret: { env: 'STAGING_RO' } },
  ],
  fixtures: {
    regions: [{ id: 'r1', vlans: true }],
    clusters: [{ id: 'c1' }],
    nodes: [
      {
        id: 101,
        label: 'web-1',
        region: 'r1',
        memoryGiB: 16,
        configs: [501],
        liveMigration: false,
        extraAddresses: true,
        ipv4: { public: ['203.0.113.7'], private: [], natted: [] },
        slaac: '2001:db8::1',
      },
    ],
    nodebalancers: [{ id: 301, region: 'r1', account: 'other' }],
    domains: [{ id: 401 }],
    volumes: [{ id: 601, region: 'r1', migrating: true }],
    vlans: [{ label: 'lan-1', region: 'r1' }],
    buckets: [{ cluster: 'c1', label: 'photos', objects: ['a/1.jpg'] }],
    dns: [{ name: 'host.example', address: '203.0.113.7' }],
    managedIssues: [{ id: 901 }],
  },
  pins: { 'volumes.create.status': 'creating', limit: 3, strict: true },
  vocabulary: { node_id: 'instance_id' },
  attachmentField: 'attachment',
  safety: { prefix: 'ts', maxLive: { volumes: 20 }, maxVolumeGiB: 20, allow: [] },
  pace: { rate: '20/s', concurrency: 4, requestTimeoutMs: 10000, settleMs: 60000, listLagMs: 0 },
} satisfies TargetFile

const fullSecrets = { STAGING_TOKEN: 'aaa', STAGING_RO: 'bbb' }

const { put, load, loadJson, ...folder } = useFolder()

describe('what a file may hold', () => {
  test('scopes of areas that the document does not speak of, and its own as the target spells them', async () => {
    const scopes = ['events:read_only', 'domains:read_write', 'vpc:read_only', 'volume:read_only']
    const { environment } = await loadJson({
      baseUrl: 'https://api.example/v4',
      tokens: [{ name: 't', scopes, secret: 'x' }],
      vocabulary: { scopes: { 'volumes:read_only': 'volume:read_only' } },
    })
    expect(environment.tokens[0]?.scopes).toEqual([...scopes.slice(0, 3), 'volumes:read_only'])
  })

  test('its own scopes in whatever form the target spells them', async () => {
    const { environment } = await loadJson({
      baseUrl: 'https://api.example/v4',
      tokens: [{ name: 't', scopes: ['compute.Write', 'volumes:read_only'], secret: 'x' }],
      vocabulary: { scopes: { 'nodes:read_write': 'compute.Write' } },
    })
    expect(environment.tokens[0]?.scopes).toEqual(['nodes:read_write', 'volumes:read_only'])
  })

  test('scopes of areas that only look a little like one of the document', async () => {
    const scopes = ['roles:read_only', 'models:read_only', 'nodal:read_write', 'domes:read_only']
    const { environment } = await loadJson({
      baseUrl: 'https://api.example/v4',
      tokens: [{ name: 't', scopes, secret: 'x' }],
    })
    expect(environment.tokens[0]?.scopes).toEqual(scopes)
  })

  test("the contract's example resolves to the environment that it spells out", async () => {
    const { environment, ...rest } = await loadJson(full, fullSecrets)
    expect(environment).toEqual({
      name: 'staging',
      exclusive: false,
      accounts: full.accounts,
      users: full.users,
      tokens: [
        { name: 'owner', user: 'owner', scopes: '*' },
        { name: 'volumes-reader', user: 'owner', scopes: ['volumes:read_only'] },
      ],
      fixtures: full.fixtures,
      pins: full.pins,
      safety: { ...full.safety, maxLive: { default: 20, volumes: 20 } },
    })
    expect(rest).toEqual({
      baseUrl: 'https://api.staging.example/v4',
      secrets: new Map([
        ['owner', 'aaa'],
        ['volumes-reader', 'bbb'],
      ]),
      secretVariables: new Map([
        ['owner', 'STAGING_TOKEN'],
        ['volumes-reader', 'STAGING_RO'],
      ]),
      vocabulary: { node_id: 'instance_id' },
      pace: {
        perSecond: 20,
        concurrency: 4,
        requestTimeoutMs: 10_000,
        settleMs: 60_000,
        listLagMs: 0,
        hooks: 60_000,
      },
      hooks: {},
      attachmentField: 'attachment',
      path: join(folder.path(), 'touchstone.config.json'),
    })
  })

  test('a base URL alone is a target, with every default filled in', async () => {
    const { environment, secrets, pace, attachmentField, vocabulary, hooks } = await loadJson(minimal)
    expect(environment).toEqual({
      name: 'api.example',
      exclusive: false,
      accounts: [{ name: 'main' }],
      users: [{ name: 'owner', account: 'main', restricted: false }],
      tokens: [{ name: 'owner', user: 'owner', scopes: '*' }],
      fixtures: {},
      pins: {},
      safety: { prefix: 'ts', maxLive: { default: 20 }, maxVolumeGiB: 20, allow: [] },
    })
    expect(secrets).toEqual(new Map([['owner', 's3cret']]))
    expect(pace).toEqual({
      perSecond: undefined,
      concurrency: 24,
      requestTimeoutMs: 10_000,
      settleMs: 60_000,
      listLagMs: 0,
      hooks: 60_000,
    })
    expect({ attachmentField, vocabulary, hooks }).toEqual({ attachmentField: 'file', vocabulary: {}, hooks: {} })
  })

  test('an exclusive target may hold more, but not more than its file says', async () => {
    const free = await loadJson({ ...minimal, exclusive: true })
    expect(free.environment.safety).toMatchObject({ maxLive: { default: 300 }, maxVolumeGiB: 10_240 })
    const bound = await loadJson({ ...minimal, exclusive: true, safety: { maxLive: { default: 5 }, maxVolumeGiB: 30 } })
    expect(bound.environment.safety).toMatchObject({ maxLive: { default: 5 }, maxVolumeGiB: 30 })
  })

  test('users and tokens belong to the first account and user unless they say otherwise', async () => {
    const { environment } = await loadJson({
      ...minimal,
      accounts: [{ name: 'a' }, { name: 'b' }],
      users: [{ name: 'u' }, { name: 'v', account: 'b' }],
      tokens: [
        { name: 't', scopes: '*', secret: 'one' },
        { name: 'w', user: 'v', scopes: '*', secret: 'two' },
      ],
    })
    expect(environment.users.map((user) => user.account)).toEqual(['a', 'b'])
    expect(environment.tokens.map((token) => token.user)).toEqual(['u', 'v'])
  })

  test('the scheme of the base URL may be written in any case', async () => {
    expect((await loadJson({ baseUrl: 'HTTPS://api.example/V4' })).baseUrl).toBe('https://api.example/V4')
  })

  test.each(['https://api.example/v4/', 'https://api.example/v4//'])(
    'the slash at the end of %s is dropped',
    async (baseUrl) => {
      expect((await loadJson({ baseUrl })).baseUrl).toBe('https://api.example/v4')
    },
  )

  test('a JSON file may be as editors on Windows write it, with comments and commas at the end', async () => {
    await put('touchstone.config.json', `\uFEFF// staging\r\n{\r\n  "baseUrl": "${minimal.baseUrl}", // v4\r\n}\r\n`)
    expect(await load({ secrets: 'optional' })).toMatchObject({ baseUrl: minimal.baseUrl })
  })

  test('a JSON file may name its schema', async () => {
    expect((await loadJson({ $schema: './target.schema.json', ...minimal })).environment.name).toBe('api.example')
  })

  test('the types that are inferred from the schema are those of the model', () => {
    type List<Key extends 'accounts' | 'users' | 'tokens'> = NonNullable<TargetFile[Key]>[number]
    type Loosened<T, Key extends keyof T> = Omit<T, Key> & { readonly [K in Key]?: T[K] }
    expectTypeOf<List<'accounts'>>().toEqualTypeOf<Account>()
    expectTypeOf<NonNullable<List<'users'>['grants']>>().toEqualTypeOf<Grants>()
    expectTypeOf<List<'users'>>().branded.toEqualTypeOf<Loosened<User, 'account' | 'restricted'>>()
    expectTypeOf<Omit<List<'tokens'>, 'secret'>>().branded.toEqualTypeOf<Loosened<Token, 'user'>>()
    expectTypeOf<NonNullable<TargetFile['fixtures']>>().toEqualTypeOf<Fixtures>()
    expectTypeOf<NonNullable<TargetFile['safety']>>().toEqualTypeOf<Partial<Safety>>()
  })
})

describe('where a target comes from', () => {
  test('without a file, a flag or a variable there is no target', async () => {
    expect(await load()).toBeUndefined()
  })

  test('the nearest file upward is taken', async () => {
    await put('touchstone.config.json', JSON.stringify({ ...minimal, name: 'far' }))
    await put('a/touchstone.config.json', JSON.stringify({ ...minimal, name: 'near' }))
    await mkdir(join(folder.path(), 'a/b/c'), { recursive: true })
    const target = await loadTarget({ cwd: join(folder.path(), 'a/b/c'), env: secret })
    expect(target?.environment.name).toBe('near')
    expect(target?.path).toBe(join(folder.path(), 'a/touchstone.config.json'))
  })

  test('of two in one folder none is taken, unless one is made of the other', async () => {
    const module = `export default ${JSON.stringify({ ...minimal, name: 'module' })}`
    await put('touchstone.config.ts', module)
    await put('touchstone.config.js', module)
    expect((await load({ env: secret }))?.environment.name).toBe('module')
    await put('touchstone.config.json', JSON.stringify({ ...minimal, name: 'served' }))
    await expect(load({ env: secret })).rejects.toThrow(
      'touchstone.config.ts: expected no other target file beside it; received touchstone.config.json as well.',
    )
    expect((await load({ target: 'touchstone.config.json', env: secret }))?.environment.name).toBe('served')
  })

  test.each(['ts', 'mts', 'js', 'mjs'])(
    'a %s file may import touchstone without having it installed',
    async (extension) => {
      const file = `import { defineTarget } from 'touchstone'\nexport default defineTarget(${JSON.stringify(minimal)})\n`
      await put(`touchstone.config.${extension}`, file)
      expect((await load({ env: secret }))?.baseUrl).toBe(minimal.baseUrl)
    },
  )

  test('a ts file may use types, import its neighbours and hold hooks', async () => {
    await put('address.ts', `export const baseUrl: string = '${minimal.baseUrl}'\n`)
    await put(
      'touchstone.config.ts',
      `import { defineTarget, type TargetFile } from 'touchstone'
       import { baseUrl } from './address.js'
       const file: TargetFile = { baseUrl, hooks: { readEvents: async (since: Date) => [{ action: since.toISOString() }] } }
       export default defineTarget(file)`,
    )
    const target = await load({ env: secret })
    expect(await target?.hooks.readEvents?.(new Date(0))).toEqual([{ action: '1970-01-01T00:00:00.000Z' }])
  })

  test('a member that is undefined is one left out, and what is of a class stays whole', async () => {
    await put(
      'touchstone.config.ts',
      `class Hooks { async readEvents() { return [{ action: 'firewall_create' }] } }
       const file = { ...${JSON.stringify(minimal)}, exclusive: undefined, fixtures: { nodes: undefined } }
       export default { ...file, hooks: new Hooks() }`,
    )
    const target = await load({ env: secret })
    expect(target?.environment.exclusive).toBe(false)
    expect(target?.environment.fixtures).toEqual({})
    expect(await target?.hooks.readEvents?.(new Date(0))).toEqual([{ action: 'firewall_create' }])
  })

  test('a file that changed is read again', async () => {
    await put('touchstone.config.ts', `export default { ...${JSON.stringify(minimal)}, name: 'one' }`)
    expect((await load({ env: secret }))?.environment.name).toBe('one')
    await put('touchstone.config.ts', `export default { ...${JSON.stringify(minimal)}, name: 'two' }`)
    expect((await load({ env: secret }))?.environment.name).toBe('two')
  })

  test('the flag stands above TOUCHSTONE_TARGET, and that above the file found upward', async () => {
    for (const name of ['touchstone.config', 'flag', 'variable']) {
      await put(`${name}.json`, JSON.stringify({ ...minimal, name }))
    }
    const env = { ...secret, TOUCHSTONE_TARGET: 'variable.json' }
    expect((await load({ env, target: 'flag.json' }))?.environment.name).toBe('flag')
    expect((await load({ env }))?.environment.name).toBe('variable')
    expect((await load({ env: secret }))?.environment.name).toBe('touchstone.config')
  })

  test('a URL is a target of one account, one user and one token', async () => {
    await put('touchstone.config.json', JSON.stringify({ ...minimal, name: 'not this one' }))
    const env = { ...secret, TOUCHSTONE_BASE_URL: 'https://elsewhere.example' }
    const target = await load({ target: 'http://127.0.0.1:8080/v4', env })
    expect(target).toMatchObject({
      baseUrl: 'http://127.0.0.1:8080/v4',
      environment: { name: '127.0.0.1:8080', users: [{ name: 'owner', restricted: false }], tokens: [{ scopes: '*' }] },
    })
    expect(target?.secrets.get('owner')).toBe('s3cret')
    expect(target).not.toHaveProperty('path')
  })

  test('TOUCHSTONE_BASE_URL is a target where there is no file: the run must not fall back to the embedded one', async () => {
    const target = await load({ env: { ...secret, TOUCHSTONE_BASE_URL: 'https://elsewhere.example/v4' } })
    expect(target?.baseUrl).toBe('https://elsewhere.example/v4')
  })
})

describe('environment variables', () => {
  const values: Readonly<Record<string, readonly [string, unknown]>> = {
    TOUCHSTONE_NAME: ['other', { environment: { name: 'other' } }],
    TOUCHSTONE_BASE_URL: ['https://b.example', { baseUrl: 'https://b.example' }],
    TOUCHSTONE_EXCLUSIVE: ['1', { environment: { exclusive: true } }],
    TOUCHSTONE_PREFIX: ['ci', { environment: { safety: { prefix: 'ci', allow: [] } } }],
    TOUCHSTONE_MAX_VOLUME_GIB: ['50', { environment: { safety: { maxVolumeGiB: 50 } } }],
    TOUCHSTONE_RATE: ['90/min', { pace: { perSecond: 1.5 } }],
    TOUCHSTONE_CONCURRENCY: ['2', { pace: { concurrency: 2 } }],
    TOUCHSTONE_REQUEST_TIMEOUT_MS: ['500', { pace: { requestTimeoutMs: 500 } }],
    TOUCHSTONE_SETTLE_MS: ['0', { pace: { settleMs: 0 } }],
    TOUCHSTONE_LIST_LAG_MS: ['70', { pace: { listLagMs: 70 } }],
  }

  test.each(variables.map(({ name }) => name))('%s stands above the file', async (name) => {
    const [value, expected] = values[name] ?? ['', 'suite defect: no value for this variable']
    expect(await loadJson(full, fullSecrets)).not.toMatchObject(expected as object)
    expect(await loadJson(full, { ...fullSecrets, [name]: value })).toMatchObject(expected as object)
    expect(await loadJson(minimal, { ...secret, [name]: value })).toMatchObject(expected as object)
  })

  test('an empty variable counts as not set', async () => {
    expect((await loadJson(full, { ...fullSecrets, TOUCHSTONE_NAME: '' })).environment.name).toBe('staging')
  })

  test('a wrong value is reported under the name of the variable', async () => {
    expect(await refusal(loadJson(minimal, { ...secret, TOUCHSTONE_EXCLUSIVE: 'yes' }))).toMatch(
      /^environment variable TOUCHSTONE_EXCLUSIVE exclusive: expected a boolean; received "yes"\./,
    )
    expect(await refusal(loadJson(minimal, { ...secret, TOUCHSTONE_CONCURRENCY: 'many' }))).toContain(
      'environment variable TOUCHSTONE_CONCURRENCY pace.concurrency: expected an integer of at least 1; received "many"',
    )
  })

  test.each([5, null, []])('a variable does not hide that the file has %j above its place', async (pace) => {
    expect(await refusal(loadJson({ ...minimal, pace }, { ...secret, TOUCHSTONE_RATE: '1/s' }))).toContain(
      'pace: expected an object; received',
    )
  })
})

describe('helpers', () => {
  test.each([
    ['20/s', 20],
    ['0.5/s', 0.5],
    ['300/min', 5],
    ['7200/h', 2],
    ['0/s', undefined],
    ['20', undefined],
    ['20/day', undefined],
    ['-1/s', undefined],
  ])('the rate %s is %s a second', (rate, perSecond) => {
    expect(parseRate(rate)).toBe(perSecond)
  })

  test('an area of the target whose name is nearly that of another is taken where the vocabulary names its scope', async () => {
    const scopes = ['notes:read_only', 'volumes:read_only']
    const tokens = [{ name: 'reader', scopes, secret: { env: 'STAGING_TOKEN' } }]
    const vocabulary = { scopes: { 'notes:read_only': 'notes:read_only' } }
    const target = await loadJson({ ...minimal, tokens, vocabulary }, { STAGING_TOKEN: 'abc' })
    expect(target.environment.tokens[0]?.scopes).toEqual(scopes)
    expect(await refusal(loadJson({ ...minimal, tokens }, { STAGING_TOKEN: 'abc' }))).toContain(
      'under vocabulary.scopes: { "nodes:read_only": "notes:read_only" }, or { "notes:read_only": "notes:read_only" }.',
    )
  })

  test('nearest finds a misspelt word and does not guess wildly', () => {
    expect(nearest('volumse', ['nodes', 'volumes'])).toBe('volumes')
    expect(nearest('buckets', ['nodes', 'volumes'])).toBeUndefined()
    expect(nearest('buckets', [])).toBeUndefined()
  })

  test('defineTarget returns what it was given', () => {
    expect(defineTarget(full)).toBe(full)
  })
})

describe('generated files', () => {
  test('target.schema.json is what the schema renders to', async () => {
    await expect(renderTargetSchema()).toMatchFileSnapshot('../../config/target.schema.json')
  })

  test('docs/target-file.md is what the schema renders to', async () => {
    await expect(renderTargetFileDocs()).toMatchFileSnapshot('../../docs/target-file.md')
  })

  test("the published schema accepts the contract's example and refuses hooks", () => {
    const validate = addFormats.default(new Ajv({ allowUnionTypes: true })).compile(JSON.parse(renderTargetSchema()))
    expect(validate(full)).toBe(true)
    expect(validate({ ...full, hooks: {} })).toBe(false)
  })

  test('every key of the published schema has a description, and no object takes keys that it does not list', () => {
    const faults: string[] = []
    const walk = (schema: Record<string, unknown>, path: string) => {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>)
      if (properties.length > 0 && schema.additionalProperties !== false) faults.push(`${path} is open`)
      for (const [key, value] of properties) {
        if (!value.description && !path.endsWith('.secret')) faults.push(`${path}.${key} is not described`)
        walk(value, `${path}.${key}`)
      }
      if (schema.items) walk(schema.items as Record<string, unknown>, `${path}[]`)
      for (const branch of (schema.anyOf ?? []) as Record<string, unknown>[]) walk(branch, path)
    }
    walk(JSON.parse(renderTargetSchema()), '')
    expect(faults).toEqual([])
  })
})
