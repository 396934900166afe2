// Before a run: what is wrong with the address or a secret is said to be that, and no conforming target is turned away.
import { expect, it, vi } from 'vitest'
import type { Target } from '../../config/target-file.js'
import { pageOfHtml } from '../../driver/client.js'
import { notConnected } from '../../driver/connections.js'
import { lossOf } from '../../driver/loss.js'
import type { Outcome } from '../../history/wire.js'
import { embeddedTarget } from '../../reference/target.js'
import { askOnce, preflight } from '../../suites/preflight.js'
import { folder, invoke, served } from '../cli/invoke.js'
import { rawTarget } from '../driver/hostile.js'

const target: Target = {
  ...embeddedTarget({
    baseUrl: 'https://api.example/v4',
    secrets: [
      ['owner', 'a'],
      ['reader', 'b'],
      ['limited', 'c'],
    ],
  }),
  environment: {
    name: 'example',
    exclusive: false,
    accounts: [{ name: 'main' }],
    users: [
      { name: 'owner', account: 'main', restricted: false },
      { name: 'limited', account: 'main', restricted: true },
    ],
    tokens: [
      { name: 'owner', user: 'owner', scopes: '*' },
      { name: 'reader', user: 'owner', scopes: ['volumes:read_only'] },
      { name: 'limited', user: 'limited', scopes: '*' },
    ],
    fixtures: {},
    pins: {},
    safety: { prefix: 'ts', maxLive: {}, maxVolumeGiB: 20, allow: [] },
  },
  secretVariables: new Map([['owner', 'TOUCHSTONE_TOKEN']]),
}
const page: Outcome = { status: 200, body: { data: [], page: 1, pages: 1, results: 0 } }
const refusal = (status: number): Outcome => ({ status, body: { errors: [{ reason: 'no' }] } })

const allAreas = ['volumes', 'object-storage', 'networking', 'tags', 'support']

const ask = async (answer: (as: string, path: string) => Outcome, areas: readonly string[] = allAreas) => {
  const calls: string[] = []
  const sleep = vi.fn(async () => undefined)
  const reach: Parameters<typeof askOnce>[1] = {
    sleep,
    call: async (op, { as }) => {
      calls.push(`${as} ${op.path}`)
      return answer(as, op.path)
    },
  }
  const said = await askOnce(target, reach, new Set(areas))
  return { said, calls, sleep }
}

/** A list of each other area. */
const furtherLists = ['/object-storage/buckets', '/networking/ips', '/tags', '/support/tickets']

it('says of a token that two areas refuse, and another does not, that it has not all scopes', async () => {
  const narrow = (as: string, path: string) => (as === 'owner' && !/volumes|ips/.test(path) ? refusal(403) : page)
  const { said } = await ask(narrow)
  expect(said.wrong).toContain(
    'token owner has all scopes and an unrestricted user by the target file, but GET /object-storage/buckets, GET /tags, GET /support/tickets answered it 403, and GET /volumes did not',
  )
  expect((await ask((_, path) => (path === '/tags' ? refusal(403) : narrow('', path)))).said.wrong).toBeUndefined()
  // What a run is not about may be closed to it.
  expect((await ask(narrow, ['volumes', 'tags'])).said.wrong).toBeUndefined()
})

it('takes no refusal of a further token for a wrong address', async () => {
  const { said } = await ask((as) => (as === 'reader' ? refusal(404) : page))
  expect(said.wrong).toBeUndefined()
})

it('asks once with each token that surely may read a list, and once with none that the target knows', async () => {
  const { said, calls } = await ask((as) => (as === '!wrong' ? refusal(418) : page))
  expect(calls).toEqual([
    'owner /volumes',
    'reader /volumes',
    ...furtherLists.map((path) => `owner ${path}`),
    '!wrong /volumes',
  ])
  expect(said).toEqual({
    credentials: { refusedWith: 418, inEnvelope: true, reads: { owner: 'volumes.list', reader: 'volumes.list' } },
  })
})

it('names the token, the call and the variable where a secret is not known, whatever the code', async () => {
  for (const status of [400, 401, 403]) {
    const { said } = await ask((as) => (as === 'owner' ? refusal(status) : page))
    expect(said.wrong).toMatch(`token owner was answered ${status}: no by GET /volumes: check TOUCHSTONE_TOKEN`)
  }
})

it.each([
  ['serves HTML', { lost: 'foreign', detail: `${pageOfHtml} with status 200` }],
  ['redirects', { status: 302, text: '' }],
  ['has no interface', { status: 404, text: 'not found' }],
  ['has no interface', refusal(404)],
] as const)('says of an address that it %s', async (what, outcome) => {
  expect((await ask(() => outcome)).said.wrong).toContain(`https://api.example/v4 ${what}`)
})

it('asks with all other tokens at a time once the first was answered', async () => {
  let under = 0
  let most = 0
  const tokens = ['a', 'b', 'c', 'd'].map((name) => ({ name, user: 'owner', scopes: '*' as const }))
  const many = {
    ...target,
    environment: { ...target.environment, tokens },
    secrets: new Map(tokens.map(({ name }) => [name, 'x'])),
  }
  await askOnce(many, {
    sleep: async () => undefined,
    call: async () => {
      under += 1
      most = Math.max(most, under)
      await new Promise(setImmediate)
      under -= 1
      return page
    },
  })
  expect(most).toBe(tokens.length - 1)
})

it('waits for a target that is not ready, and calls it unreachable in the end', async () => {
  const { said, sleep } = await ask(() => ({ status: 503, text: '' }))
  expect(said.unreachable).toContain('answered GET /volumes 503 for too long')
  let left = 3
  const ready = await ask(() => (left-- > 0 ? { status: 429, text: '' } : page))
  expect(ready.said.wrong ?? ready.said.unreachable).toBeUndefined()
  expect(sleep.mock.calls.length).toBeGreaterThan(3)
})

it('leaves to the run what may be a fault of the target: one list that refuses, a narrow token, a restricted user, one list that is silent', async () => {
  const answers: ((as: string, path: string) => Outcome)[] = [
    (_, path) => (path === '/volumes' ? refusal(403) : page),
    (as) => (as === 'reader' ? refusal(403) : page),
    (as) => (as === 'limited' ? refusal(401) : page),
    () => ({ status: 500, text: '<html>' }),
    (_, path) => (path === '/volumes' ? { lost: 'timeout' } : page),
    () => ({ ...page, contentType: 'text/html' }),
  ]
  for (const answer of answers) {
    const { said } = await ask(answer)
    expect([said.wrong, said.unreachable]).toEqual([undefined, undefined])
  }
})

it('calls a target unreachable that nothing can be sent to, after one call', async () => {
  const { said, calls } = await ask(() => ({ lost: 'refused', detail: 'connect ECONNREFUSED' }))
  expect([said.unreachable, calls.length]).toEqual([
    'https://api.example/v4 was not reached (connect ECONNREFUSED): see that it is up, then run again',
    1,
  ])
})

it('calls a target unreachable that is silent whatever it is asked', async () => {
  const { said, calls } = await ask(() => ({ lost: 'timeout', detail: 'no reply within 10000 ms' }))
  expect([said.unreachable, calls.length]).toEqual([
    'https://api.example/v4 gave no reply to GET /volumes, GET /object-storage/buckets, GET /networking/ips (no reply within 10000 ms): see that it is up, then run again',
    3,
  ])
})

it('says of a certificate that nobody vouches for how to name who does', async () => {
  const { said, calls } = await ask(() => ({ lost: 'tls', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT: self-signed' }))
  expect(calls).toHaveLength(1)
  expect(said.wrong).toMatch(/https:\/\/api\.example\/v4 .*DEPTH_ZERO_SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/)
})

it('takes no refusal but 401 of an account in debt for a wrong secret', async () => {
  const [account] = target.environment.accounts
  const environment = { ...target.environment, accounts: [{ ...account, name: 'main', balance: 'negative' as const }] }
  const wrong = async (status: number) =>
    (await askOnce({ ...target, environment }, { sleep: async () => undefined, call: async () => refusal(status) }))
      .wrong
  expect([await wrong(402), await wrong(403)]).toEqual([undefined, undefined])
  expect(await wrong(401)).toMatch('token owner was answered 401')
})

it('ends a run with a wrong secret with 2, before anything else is sent', async () => {
  const { file } = await served((one) => ({ ...one, tokens: [{ ...one.tokens[0], secret: 'nobody' }] }))
  const { exitCode, err } = await invoke('run', '--target', file, '--out', folder(), '--area', 'tags')
  expect([exitCode, err]).toEqual([2, expect.stringMatching(/token owner was answered 401.* check its secret/)])
})

it('names the proxy that wants credentials, whether it answers itself or makes no connection', async () => {
  const url = 'http://proxy.example:3128'
  const lost = lossOf(
    Object.assign(new Error(`the proxy ${url} answered 407: it wants credentials`), { code: notConnected }),
    '',
  )
  for (const outcome of [{ status: 407, contentType: 'text/html', text: '<html>' }, lost]) {
    const { said, calls } = await ask(() => outcome)
    expect(calls.length).toBeLessThanOrEqual(3)
    expect(said.wrong).toContain(
      'a proxy on the way to https://api.example/v4 answered GET /volumes 407: put the credentials',
    )
  }
})

it('asks no longer than a run may take, be the target silent or not ready', async () => {
  const baseUrl = await rawTarget(() => undefined)
  expect(await preflight({ ...target, baseUrl }, new Set(), { withinMs: 60 })).toMatchObject({
    unreachable: expect.stringMatching(/--max-time\) had passed before http/),
  })
  const pauses: number[] = []
  const said = await askOnce(target, {
    call: async () => refusal(503),
    sleep: async (ms) => void pauses.push(ms),
    leftMs: () => 600,
  })
  expect(said.unreachable).toContain('503')
  expect(Math.max(...pauses)).toBeLessThan(600)
})
