// Tests of what is refused in a target file, and that the message helps without showing a secret.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { loadTarget } from '../../config/target-file.js'
import { minimal, refusal, secret, useFolder } from './config-folder.js'

const { put, load, loadJson, ...folder } = useFolder()

test.each(['requestTimeoutMs', 'settleMs', 'hooks'])('no timer takes as long as %s may say', async (key) => {
  expect(await refusal(loadJson({ ...minimal, pace: { [key]: 2 ** 31 } }))).toContain(
    `pace.${key}: expected a whole number of milliseconds from`,
  )
})

describe('a module', () => {
  test.each([
    [
      'holds itself',
      'const regions = [{ id: "r1" }]; regions[0].self = regions; export default { fixtures: { regions } }',
      'fixtures.regions[0].self is an object that holds itself',
    ],
    [
      'throws where it is read',
      'export default { get baseUrl() { throw new Error("no address") } }',
      'while loading it: no address',
    ],
  ])('that %s is refused as one that does not load', async (_, text, told) => {
    await put('touchstone.config.mjs', text)
    expect(await refusal(load({ env: secret }))).toContain(`touchstone.config.mjs: expected a module that loads`)
    expect(await refusal(load({ env: secret }))).toContain(told)
  })

  test('may name one object at two places', async () => {
    await put(
      'touchstone.config.mjs',
      `const id = { id: 'x1' }; export default { ...${JSON.stringify(minimal)}, fixtures: { regions: [id], clusters: [id] } }`,
    )
    expect((await load({ env: secret }))?.environment.fixtures.clusters).toEqual([{ id: 'x1' }])
  })

  test('that waits for what never comes is given up', async () => {
    await put('touchstone.config.mjs', 'await new Promise(() => {}); export default {}')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const refused = refusal(load({ env: secret }))
    await vi.waitUntil(() => vi.getTimerCount() > 0, { timeout: 300_000 })
    vi.advanceTimersByTime(60_000)
    expect(await refused).toContain('it had not ended after a minute')
  })
})

test('a key that a JSON file has twice is refused, since only one of the two could count', async () => {
  await put('touchstone.config.json', '{"baseUrl": "https://a.example/v4", "pace": {"rate": "1/s",\n"rate": "9/s"}}')
  expect(await refusal(load({ env: secret }))).toBe(
    'touchstone.config.json:2:1: expected each key once; received rate again. Remove one of the two.',
  )
})

describe('secrets', () => {
  test('a variable in braces is no secret, and its name is put where it belongs', async () => {
    const tokens = [{ name: 'owner', scopes: '*', secret: `\${STAGING_TOKEN}` }]
    expect(await refusal(loadJson({ ...minimal, tokens }))).toContain('Write { "env": "STAGING_TOKEN" }')
  })

  const tokens = [{ name: 'reader', scopes: '*', secret: { env: 'READER' } }]

  test('a variable that is not set is named together with its token', async () => {
    const message = await refusal(loadJson({ ...minimal, tokens }, { READER: '' }))
    expect(message).toContain('touchstone.config.json:7:7 tokens[0].secret: expected the secret of token "reader"')
    expect(message).toContain('in the environment variable READER')
    expect(message).toContain('Set READER, or remove the token.')
  })

  test('the token that is implied asks for TOUCHSTONE_TOKEN', async () => {
    expect(await refusal(load({ target: 'https://api.example' }))).toBe(
      '--target: expected the secret of token "owner" in the environment variable TOUCHSTONE_TOKEN; received a variable that is not set, or is empty. Set TOUCHSTONE_TOKEN, or list the tokens under "tokens" in a target file.',
    )
  })

  test('a secret may be missing where nothing is sent', async () => {
    await put('touchstone.config.json', JSON.stringify({ ...minimal, tokens }))
    const target = await load({ secrets: 'optional' })
    expect(target?.environment.tokens.map((token) => token.name)).toEqual(['reader'])
    expect(target?.secrets.size).toBe(0)
  })

  test('a secret may stand in the file', async () => {
    const { secrets } = await loadJson({ ...minimal, tokens: [{ name: 't', scopes: '*', secret: 'in-the-file' }] }, {})
    expect(secrets.get('t')).toBe('in-the-file')
  })

  test('two tokens of one secret are refused', async () => {
    const twice = [...tokens, { name: 'writer', scopes: '*', secret: { env: 'WRITER' } }]
    const message = await refusal(loadJson({ ...minimal, tokens: twice }, { READER: 'same', WRITER: 'same' }))
    expect(message).toContain('tokens[1].secret: expected a secret of token "writer" that no other token has')
    expect(message).toContain('the secret of token "reader"')
    expect(message).not.toContain('same')
  })

  test.each([
    ['a line break', 'tell-nobody\n'],
    ['a space', 'tell nobody'],
  ])('a secret with %s is refused without being shown', async (_, value) => {
    const message = await refusal(loadJson({ ...minimal, tokens }, { READER: value }))
    expect(message).toContain('tokens[0].secret: expected a secret of token "reader" that a header can carry')
    expect(message).not.toContain('tell')
  })

  test.each([
    ['a list of strings', { tokens: ['tell-nobody'] }],
    ['a wrong key', { tokens: [{ name: 't', scopes: '*', secert: 'tell-nobody' }] }],
    ['a key too many', { tokens: [{ name: 't', scopes: '*', secret: { value: 'tell-nobody' } }] }],
    ['a map', { tokens: { t: 'tell-nobody' } }],
    ['a URL with a password', { baseUrl: 'https://me:tell-nobody@api.example' }],
  ])('a secret in the wrong place (%s) is refused without being shown', async (_, content) => {
    const message = await refusal(loadJson({ ...minimal, ...content }))
    expect(message).toMatch(/tokens|baseUrl/)
    expect(message).not.toContain('tell-nobody')
  })

  test('a JSON error quotes nothing of the file', async () => {
    await put('touchstone.config.json', '{ "tokens": [{ "secret": "tell-nobody" "x" }] }')
    expect(await refusal(load())).not.toContain('tell-nobody')
  })
})

describe('messages', () => {
  test.each([
    [
      'a key at the top that belongs elsewhere',
      { regions: [{ id: 'r1' }] },
      'regions: expected one of the keys name, baseUrl, ',
      'Put it under "fixtures".',
    ],
    [
      'a misspelt key',
      { exklusive: true },
      'exklusive: expected one of the keys name, baseUrl, exclusive',
      'Did you mean "exclusive"?',
    ],
    ['a key like none', { zzzzzzzz: 1 }, 'received the unknown key "zzzzzzzz"', 'Remove it.'],
    [
      'a misspelt key inside',
      { pace: { rat: '1/s' } },
      'pace.rat: expected one of the keys rate',
      'Did you mean "rate"?',
    ],
    ['a wrong kind', { exclusive: 'no' }, 'exclusive: expected a boolean; received "no"', 'leave it out'],
    [
      'a missing key',
      { fixtures: { nodes: [{ id: 1 }] } },
      'fixtures.nodes[0].region: expected a string; received nothing',
      'Add fixtures.nodes[0].region.',
    ],
    [
      'a wrong word',
      { accounts: [{ name: 'a', balance: 'high' }] },
      'accounts[0].balance: expected "positive" or "negative"; received "high"',
      'Correct it',
    ],
    [
      'a rate without a unit',
      { pace: { rate: '20' } },
      'pace.rate: expected a rate such as "20/s", "300/min" or "5000/h"; received "20"',
      'Correct it',
    ],
    ['a rate of nothing', { pace: { rate: '0.0/s' } }, 'pace.rate: expected a rate', 'Correct it'],
    [
      'a grant by name',
      { users: [{ name: 'u', restricted: true, grants: { nodes: { 'web-1': 'read_only' } } }] },
      'users[0].grants.nodes["web-1"]: expected a map from an id',
      'Remove it.',
    ],
    [
      'an id that is a string',
      { fixtures: { nodes: [{ id: '1', region: 'r' }] } },
      'fixtures.nodes[0].id: expected an integer of at least 0; received "1"',
      'Correct it',
    ],
    [
      'a scope without access',
      { tokens: [{ name: 't', scopes: ['volumes'], secret: 'x' }] },
      'tokens[0].scopes[0]: expected a scope such as "volumes:read_only"; received "volumes"',
      'say under vocabulary.scopes which scope of the document the target spells so',
    ],
    [
      'a secret of neither form',
      { tokens: [{ name: 't', scopes: '*', secret: { environment: 'X' } }] },
      'tokens[0].secret: expected { env: "NAME" } or a string; received an object with the key environment',
      'Correct it',
    ],
    [
      'no tokens',
      { tokens: [] },
      'tokens: expected an array of objects with at least 1; received an empty array',
      'Correct it',
    ],
    [
      'an address that is none',
      { fixtures: { dns: [{ name: 'a', address: '1.2.3' }] } },
      'fixtures.dns[0].address: expected an IPv4 or IPv6 address; received "1.2.3"',
      'Correct it',
    ],
    [
      'another protocol',
      { baseUrl: 'ftp://api.example' },
      'baseUrl: expected an http or https URL; received "ftp://api.example"',
      'Correct it. ',
    ],
    [
      'an address without a host',
      { baseUrl: 'https://' },
      'baseUrl: expected an http or https URL; received "https://"',
      'Correct it',
    ],
    [
      'a query',
      { baseUrl: 'https://api.example/?a=1' },
      'baseUrl: expected a URL without a query or fragment',
      'Take that part out.',
    ],
    [
      'a prefix that a label could not begin with',
      { safety: { prefix: '-x' } },
      'safety.prefix: expected 2 to 8 lower-case letters and digits',
      'Correct it',
    ],
    [
      'a pin of no plain value',
      { pins: { 'a.b': [] } },
      'pins["a.b"]: expected a string, a number, or a boolean; received an empty array',
      'Correct it',
    ],
    [
      'an id that is none',
      { fixtures: { nodes: [{ id: '101', region: 'r1' }] } },
      'fixtures.nodes[0].id: expected an integer of at least 0; received "101"',
      'Correct it. ',
    ],
    [
      'an optional key of another kind',
      { users: [{ name: 'u', grants: { nodes: { 101: 'write' } } }] },
      'users[0].grants.nodes.101: expected "read_only" or "read_write"; received "write"',
      'Correct it or leave it out.',
    ],
    ['hooks', { hooks: {} }, 'hooks: expected no hooks in a JSON file', 'ts or js'],
    [
      'an unknown user',
      { tokens: [{ name: 't', user: 'ownr', scopes: '*', secret: 'x' }] },
      'tokens[0].user: expected the name of one of the users: owner; received "ownr"',
      'Did you mean "owner"?',
    ],
    [
      'a misspelt scope',
      { tokens: [{ name: 't', scopes: ['volumes:read_only', 'volume:read_only'], secret: 'x' }] },
      'tokens[0].scopes[1]: expected a scope for one of volumes, nodes, ',
      'Did you mean "volumes:read_only"?',
    ],
    [
      'a scope with two letters swapped',
      { tokens: [{ name: 't', scopes: ['ndoes:read_only'], secret: 'x' }] },
      'tokens[0].scopes[0]: expected a scope for one of volumes, nodes, ',
      'Did you mean "nodes:read_only"?',
    ],
    [
      'an unknown account of a user',
      { users: [{ name: 'u', account: 'b' }] },
      'users[0].account: expected the name of one of the accounts: main; received "b"',
      'list that account under "accounts"',
    ],
    [
      'an unknown account of a fixture',
      { fixtures: { domains: [{ id: 1, account: 'b' }] } },
      'fixtures.domains[0].account: expected the name of one of the accounts: main; received "b"',
      'Correct it',
    ],
    [
      'grants without restriction',
      { users: [{ name: 'u', grants: { global: [] } }] },
      'users[0].grants: expected no grants of a user who is not restricted',
      'Set "restricted": true',
    ],
    [
      'an account twice',
      { accounts: [{ name: 'a' }, { name: 'a' }] },
      'accounts[1]: expected no second one with the same name; received "a", as at position 0',
      'Remove one',
    ],
    ['a user twice', { users: [{ name: 'a' }, { name: 'a' }] }, 'users[1]: expected no second one', 'Remove one'],
    [
      'a token twice',
      {
        tokens: [
          { name: 'a', scopes: '*', secret: 'x' },
          { name: 'a', scopes: '*', secret: 'y' },
        ],
      },
      'tokens[1]: expected no second one',
      'Remove one',
    ],
    [
      'a fixture twice',
      {
        fixtures: {
          nodes: [
            { id: 1, region: 'r' },
            { id: 1, region: 's' },
          ],
        },
      },
      'fixtures.nodes[1]: expected no second one with the same id; received "1"',
      'Remove one',
    ],
    [
      'a bucket twice',
      {
        fixtures: {
          buckets: [
            { cluster: 'c', label: 'l' },
            { cluster: 'c', label: 'l' },
          ],
        },
      },
      'fixtures.buckets[1]: expected no second one with the same cluster and label; received "c l"',
      'Remove one',
    ],
  ])('%s is refused with its place, what was expected and what to do', async (_, content, says, advises) => {
    const message = await refusal(loadJson({ ...minimal, ...content }))
    expect(message).toMatch(/^touchstone\.config\.json:\d+:\d+ /)
    expect(message).toContain(says)
    expect(message).toContain(advises)
    expect(message.split('\n')).toHaveLength(1)
  })

  test('names and ids that differ in one part only are not taken for duplicates', async () => {
    const fixtures = {
      buckets: [
        { cluster: 'c', label: 'l' },
        { cluster: 'd', label: 'l' },
      ],
      vlans: [
        { region: 'r', label: 'l' },
        { region: 's', label: 'l' },
      ],
      dns: [
        { name: 'a', address: '192.0.2.1' },
        { name: 'a', address: '2001:db8::1' },
      ],
      volumes: [{ id: 1 }],
      domains: [{ id: 1 }],
    }
    expect((await loadJson({ ...minimal, fixtures })).environment.fixtures).toEqual(fixtures)
  })

  test('all problems are reported at once, each at its line', async () => {
    const message = await refusal(loadJson({ name: '', exclusive: 1, pace: { rate: 5 } }))
    expect(message.split('\n').map((line) => line.split(';')[0])).toEqual([
      '4 problems in touchstone.config.json:',
      '  touchstone.config.json:1:1 baseUrl: expected an http or https URL',
      '  touchstone.config.json:2:3 name: expected a string that is not empty',
      '  touchstone.config.json:3:3 exclusive: expected a boolean',
      '  touchstone.config.json:5:5 pace.rate: expected a rate such as "20/s", "300/min" or "5000/h"',
    ])
  })

  test('a JSON error names its line and column', async () => {
    await put('touchstone.config.json', '{\n  "baseUrl" "https://api.example"\n}\n')
    expect(await refusal(load())).toBe(
      'touchstone.config.json:2:13: expected JSON; received text that is none: colon expected. Correct that line.',
    )
  })

  test.each(['json', 'ts'])('an empty %s file is refused instead of skipped', async (extension) => {
    await put('a/touchstone.config.json', JSON.stringify(minimal))
    await put(`a/b/touchstone.config.${extension}`, ' \n')
    const message = await refusal(loadTarget({ cwd: join(folder.path(), 'a/b'), env: secret }))
    expect(message).toContain(`touchstone.config.${extension}: expected a target file; received an empty file.`)
  })

  test.each([
    ['nowhere.json', 'nowhere.json: expected a target file; received no such file.'],
    ['folder.json', 'folder.json: expected a target file; received a folder.'],
    ['target.yaml', 'target.yaml: expected a target file ending in .ts, .mts, .js, .mjs, .json, or a URL'],
    ['api.example/v4', 'or a URL that begins with http:// or https://; received "api.example/v4"'],
  ])('--target %s is refused', async (target, says) => {
    await mkdir(join(folder.path(), 'folder.json'))
    expect(await refusal(load({ target }))).toContain(says)
  })

  test.each([
    ['does not parse', 'export default {\n  name: ,\n}', 'Unexpected token (line and column 2:8). Correct the file.'],
    [
      'throws',
      `throw new Error('no vault here')`,
      'received an error while loading it: no vault here. Correct the file.',
    ],
    [
      'has no default export',
      'export const target = {}',
      'touchstone.config.ts: expected a default export; received none',
    ],
    [
      'exports a function',
      'export default () => ({})',
      'expected a target file: an object that has a baseUrl; received a function',
    ],
    [
      'has a hook that is none',
      `export default { baseUrl: 'https://a', hooks: { reset: 1 } }`,
      'hooks.reset: expected an async function; received 1',
    ],
    [
      'has an unknown hook',
      `export default { baseUrl: 'https://a', hooks: { rest() {} } }`,
      'hooks.rest: expected one of the keys reset, deleteNode, setLiveMigration',
    ],
  ])('a ts file that %s is refused', async (_, content, says) => {
    await put('touchstone.config.ts', content)
    expect(await refusal(load({ env: secret }))).toContain(says)
  })
})
