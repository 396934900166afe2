// Secrets of traffic stand nowhere in what a guard writes: a target that shows again what it was sent, in every spelling and place.

import { expect, test } from 'vitest'
import { createTrafficSecrets } from '../../driver/traffic-secrets.js'
import { notingTarget } from '../driver/hostile.js'
import { base64, basic, canaries, minted, password, privateKey, spelled, textsIn, token } from './canaries.js'
import { guarded } from './clients.js'

/** Every kind of call that carries a secret, and one that carries none, to a target that answers so. */
const written = async (
  status: number,
  type: string,
  reply: (echo: readonly string[]) => string,
): Promise<readonly string[]> => {
  const sent = new Set([minted])
  const { baseUrl } = await notingTarget((response, { headers: { authorization }, body }) => {
    for (const [secret, mark] of [
      [token, 'Bearer'],
      [basic, 'Basic'],
    ] as const)
      if (authorization?.startsWith(mark)) sent.add(secret)
    if (body.includes('password')) sent.add(password)
    if (body.includes('private_key')) sent.add(privateKey)
    const place = `/there?key=${encodeURIComponent(minted)}&by=${encodeURIComponent(token)}`
    response.writeHead(status, { 'content-type': type, location: place, 'x-seen': base64(token) })
    response.end(reply([...sent].flatMap(spelled)))
  })
  const path = new URL(baseUrl).pathname
  const { out, err, folder } = await guarded(
    baseUrl,
    async (origin) => {
      const send = (method: string, below: string, authorization: string, body?: object) =>
        fetch(origin + path + below, {
          method,
          redirect: 'manual',
          headers: { authorization, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }).then((answer) => answer.text())
      await send('POST', '/managed/credentials', `Bearer ${token}`, { label: 'a', password })
      const key = { certificate: 'c', private_key: privateKey }
      await send('POST', '/object-storage/buckets/c1/b/ssl', `Bearer ${token}`, key)
      await send('POST', '/object-storage/keys', `Bearer ${token}`, { label: 'ts-key' })
      await send('GET', '/volumes', `Basic ${base64(`ann:${basic}`)}`)
      await send('GET', `/tags?of=${base64(token)}`, `Bearer ${token}`)
    },
    { har: 'out/a.har' },
  )
  const texts = [...textsIn(folder).values()]
  return [out, err, ...texts]
}

test.each([
  [
    'a reason',
    400,
    'application/json',
    (echo: readonly string[]) => JSON.stringify({ errors: [{ reason: echo.join(' ') }], secret_key: minted }),
  ],
  ['a page', 502, 'text/html', (echo: readonly string[]) => `<pre>${echo.join('\n')}</pre>{"secret_key":"${minted}"`],
  [
    'other names',
    200,
    'application/json',
    (echo: readonly string[]) => JSON.stringify({ id: 1, secret_key: minted, note: echo, [token]: minted }),
  ],
  ['a redirect', 302, 'application/json', () => JSON.stringify({ secret_key: minted })],
] as const)('a target that shows secrets again in %s puts none into any file', async (_, status, type, reply) => {
  const texts = await written(status, type, reply)
  expect(texts.length).toBeGreaterThan(6)
  expect(canaries.filter((canary) => texts.some((text) => text.includes(canary)))).toEqual([])
  expect(texts.join()).toMatch(/«(token |redacted)/)
})

test('whatever lets a caller in is a secret, in which header, parameter or cookie it may stand', async () => {
  const shown = (n: number): string => `canary-${'abcdefghi'[n]}-0123456789`
  const { baseUrl } = await notingTarget((response, { headers, url }) => {
    response.writeHead(403, {
      'content-type': 'application/json',
      'set-cookie': `sid=${shown(0)}; Path=/`,
      'x-id': 'r-1',
    })
    const [pair = ''] = Buffer.from(String(headers['proxy-authorization']).slice(6), 'base64').toString().split('@')
    response.end(JSON.stringify({ errors: [{ reason: `${JSON.stringify(headers)} ${url} ${pair}` }] }))
  })
  const send = (origin: string) =>
    fetch(`${origin}${new URL(baseUrl).pathname}/volumes?api_key=${shown(1)}&page=1`, {
      headers: {
        cookie: `theme=dark; session=${shown(2)}`,
        'x-api-key': shown(3),
        'proxy-authorization': `Basic ${base64(`ann:${shown(4)}`)}`,
        authorization: `Token token="${shown(5)}"`,
        'ocp-apim-subscription-key': shown(6),
        'x-acme': shown(7),
        'x-forwarded-access-token': shown(8),
        'x-request-id': 'request-number-1',
        'x-proxy-cache': 'HIT',
      },
    }).then((answer) => answer.text())
  const { out, err, folder, file } = await guarded(baseUrl, send, { har: 'out/a.har' })
  const all = [out, err, ...textsIn(folder).values()].join('\n')
  // What a header of no known name holds may be anything: it is left out, and nobody takes it for a secret elsewhere.
  expect([0, 1, 2, 3, 4, 5, 6, 8].filter((n) => all.includes(shown(n)))).toEqual([])
  const [{ request }] = JSON.parse(file('out/a.har')).log.entries
  expect(
    Object.fromEntries(request.headers.map((one: Readonly<Record<string, string>>) => [one.name, one.value])),
  ).toMatchObject({
    'x-acme': 'masked (?)',
    'x-request-id': 'request-number-1',
    'x-proxy-cache': 'HIT',
    cookie: 'masked (?)',
  })
})

test('a password that is a word of the record or of the document leaves these readable', async () => {
  const { baseUrl } = await notingTarget((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"id":12345678}')
  })
  const { results, file } = await guarded(
    baseUrl,
    async (origin) => {
      for (const one of ['password', 'operation', 'exercised', 'accepts', '12345678'])
        await fetch(`${origin}/v4/managed/credentials`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ label: 'a', password: one }),
        }).then((answer) => answer.text())
    },
    { har: 'out/a.har' },
  )
  expect(results.requests).toBe(5)
  expect(file('out/run.ndjson')).toContain('"operation":"managed-credentials.create"')
  const { log } = JSON.parse(file('out/a.har'))
  for (const { response } of log.entries) expect(JSON.parse(response.content.text)).toEqual({ id: 12345678 })
})

test('what is remembered of secrets is bounded, and the latest are known', () => {
  const { hearToken, text } = createTrafficSecrets(new Map([['owner', token]]))
  const other = (i: number): string => `${basic}-${String(i).padStart(4, '0')}`
  for (let i = 0; i < 2300; i += 1) hearToken(other(i), '?1')
  expect(text(`${token} ${other(2299)} ${other(1100)}`)).toBe('«token owner» «token ?1» «token ?1»')
  expect(text(other(0))).toBe(other(0))
})
