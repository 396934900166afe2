// Tests of the embedded server: routes, credentials and bodies as a real server treats them; what operations answer is tested elsewhere.

import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import type { Outcome } from '../../history/wire.js'
import { operations } from '../../models/index.js'
import { wrongToken } from '../../models/language/access.js'
import type { Operation } from '../../models/language/operation.js'
import { maxBodyBytes, maxDepth } from '../../reference/request-body.js'
import { clientOf, heldTime, list, patient } from '../driver/hostile.js'
import { seed } from '../seed.js'
import { noting } from './serving.js'

const error = (reason: string) => ({ errors: [{ field: '', reason: expect.stringContaining(reason) }] })

const bearer = { authorization: 'Bearer embedded-owner' }
const json = { ...bearer, 'content-type': 'application/json' }

describe('routes', () => {
  const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  const valuesOf = (op: Operation) =>
    fc.record({
      path: fc.record(Object.fromEntries(Object.keys(op.params).map((name) => [name, names]))),
      query: fc.dictionary(names, fc.string({ unit: 'grapheme' }), { maxKeys: 3 }),
      body: op.body
        ? fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
        : fc.constant(undefined),
    })

  test('every operation hears the very call that the client sent, whatever its names hold', async () => {
    const { baseUrl, calls } = await noting()
    const client = clientOf(baseUrl)
    const sent = fc.constantFrom(...operations).chain((op) => valuesOf(op).map((values) => ({ op, ...values })))
    await fc.assert(
      fc.asyncProperty(sent, async ({ op, path, query, body }) => {
        const call = buildCall(op, {
          path,
          query,
          as: 'owner',
          ...(body && { body: JSON.parse(JSON.stringify(body)) }),
        })
        expect(await client.send(call, 1)).toMatchObject({ status: 200 })
        expect(calls.pop()).toEqual(recorded(call))
      }),
      { seed, numRuns: 500 },
    )
  })

  test('every operation is reached', async () => {
    const { baseUrl, calls } = await noting()
    const client = clientOf(baseUrl)
    for (const op of operations)
      await client.send(
        buildCall(op, { path: Object.fromEntries(Object.keys(op.params).map((name) => [name, '7'])) }),
        1,
      )
    expect(calls.map(({ operation }) => operation)).toEqual(operations.map(({ id }) => id))
  })

  test.each([
    ['GET', '/managed/credentials/sshkey', '/managed/credentials/sshkey', {}],
    ['PUT', '/managed/credentials/sshkey', '/managed/credentials/{credentialId}', { credentialId: 'sshkey' }],
    [
      'POST',
      '/managed/credentials/sshkey/revoke',
      '/managed/credentials/{credentialId}/revoke',
      { credentialId: 'sshkey' },
    ],
    ['POST', '/networking/ips/share', '/networking/ips/share', {}],
    ['GET', '/networking/ips/share', '/networking/ips/{address}', { address: 'share' }],
    ['GET', '/networking/ips/2001:db8::1', '/networking/ips/{address}', { address: '2001:db8::1' }],
    ['GET', '/networking/ips/2001%3Adb8%3a%3A1', '/networking/ips/{address}', { address: '2001:db8::1' }],
    ['GET', '/networking/ipv6/ranges/2001:db8::%2F64', '/networking/ipv6/ranges/{range}', { range: '2001:db8::/64' }],
    [
      'GET',
      '/object-storage/buckets/c1/ssl',
      '/object-storage/buckets/{clusterId}/{bucket}',
      { clusterId: 'c1', bucket: 'ssl' },
    ],
    [
      'GET',
      '/object-storage/buckets/c1/ssl/ssl/',
      '/object-storage/buckets/{clusterId}/{bucket}/ssl',
      { clusterId: 'c1', bucket: 'ssl' },
    ],
    ['GET', `/tags/${'a'.repeat(300)}`, '/tags/{tagLabel}', { tagLabel: 'a'.repeat(300) }],
    ['GET', '/tags/a%2Fb%25%20c', '/tags/{tagLabel}', { tagLabel: 'a/b% c' }],
  ])('%s %s is %s', async (method, url, path, values) => {
    const { baseUrl, calls } = await noting()
    await fetch(baseUrl + url, { method })
    const op = operations.find((one) => one.method === method && one.path === path)
    expect(calls).toMatchObject([{ operation: op?.id, path: values }])
  })

  test.each(['/v4/volumes', '/volumes', '/v4/volumes/', '/volumes/?page=1'])('%s lists volumes', async (url) => {
    const { origin, calls } = await noting()
    await fetch(origin + url)
    expect(calls.map(({ operation }) => operation)).toEqual(['volumes.list'])
  })

  test.each(['/v4', '/', '/v5/volumes', '/v4/volume', '/v4/volumes/7/8', '/v4/tags/%zz', '/_control/events'])(
    '%s is refused as unknown, in the envelope',
    async (url) => {
      const { origin, calls } = await noting()
      const reply = await fetch(origin + url)
      expect([reply.status, await reply.json(), calls]).toEqual([404, error('no operation has the path'), []])
    },
  )

  test.each(['DELETE', 'PATCH'])('a path that does not take %s says what it takes', async (method) => {
    const { baseUrl, calls } = await noting()
    const reply = await fetch(`${baseUrl}/volumes`, { method })
    expect([reply.status, reply.headers.get('allow'), calls]).toEqual([405, 'GET, POST', []])
    expect(await reply.json()).toEqual(error(`takes GET, POST, received ${method}`))
  })
})

describe('beside the operations', () => {
  test('HEAD tells the length of what GET answers, and sends no body', async () => {
    const { baseUrl } = await noting()
    const [head, get] = await Promise.all(['HEAD', 'GET'].map((method) => fetch(`${baseUrl}/volumes`, { method })))
    expect(head?.status).toBe(200)
    expect(head?.headers.get('content-length')).toBe(get?.headers.get('content-length'))
    expect(await head?.text()).toBe('')
  })

  test('a page of another origin may call it', async () => {
    const { baseUrl, calls } = await noting()
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
    const preflight = await fetch(`${baseUrl}/volumes`, { method: 'OPTIONS', headers: asked })
    const headers = Object.fromEntries(preflight.headers)
    expect([preflight.status, headers, calls]).toMatchObject([
      204,
      {
        allow: 'GET, POST, OPTIONS',
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'authorization',
      },
      [],
    ])
    expect((await fetch(`${baseUrl}/volumes`)).headers.get('access-control-allow-origin')).toBe('*')
  })

  test('it says that it is up', async () => {
    const { origin } = await noting()
    expect(await (await fetch(`${origin}/healthz`)).json()).toEqual({ status: 'ok' })
  })

  test('a refusal for lack of a credential says which scheme is expected', async () => {
    const { baseUrl } = await noting(() => ({ status: 401, body: {} }))
    expect((await fetch(`${baseUrl}/volumes`)).headers.get('www-authenticate')).toMatch(/^Bearer/)
  })
})

describe('credentials', () => {
  test.each([
    ['no header', undefined, null],
    ['the secret of a token', 'Bearer embedded-owner', 'owner'],
    ['a scheme in other letters', 'bearer embedded-owner-reader', 'reader'],
    ['a secret that nobody holds', 'Bearer embedded-own', wrongToken],
    ['another scheme', 'Basic embedded-owner', wrongToken],
    ['an empty header', '', wrongToken],
  ])('%s is told to the implementation by name', async (_, authorization, as) => {
    const { baseUrl, calls } = await noting()
    await fetch(`${baseUrl}/volumes`, { headers: authorization === undefined ? {} : { authorization } })
    expect(calls.map((call) => call.as)).toEqual([as])
  })
})

describe('bodies', () => {
  const post = (url: string, body: string | FormData, headers: Record<string, string> = json) =>
    fetch(url, { method: 'POST', body, headers })

  test.each(['{"label":', '{}{}', 'label=a', '\u0000'])(
    'the body %j is refused as no JSON before the implementation hears of it',
    async (body) => {
      const { baseUrl, calls } = await noting()
      const reply = await post(`${baseUrl}/volumes`, body)
      expect([reply.status, await reply.json(), calls]).toEqual([400, error('the body is no JSON'), []])
    },
  )

  test('JSON is read by its content type, and an empty body is none', async () => {
    const { baseUrl, calls } = await noting()
    for (const type of ['application/json', 'application/merge-patch+json', 'Application/JSON; charset=utf-8'])
      for (const body of ['null', '[1]', '']) await post(`${baseUrl}/volumes`, body, { 'content-type': type })
    expect(calls.map((call) => ('body' in call ? call.body : 'none'))).toEqual(
      Array.from({ length: 3 }, () => [null, [1], 'none']).flat(),
    )
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded'])('a body of the type %s is refused', async (type) => {
    const { baseUrl, calls } = await noting()
    const reply = await post(`${baseUrl}/volumes`, '{}', { 'content-type': type })
    expect([reply.status, await reply.json(), calls]).toEqual([415, error(`received ${type}`), []])
  })

  test('JSON is read up to a depth, and refused beyond it', async () => {
    const { baseUrl, calls } = await noting()
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    expect((await post(`${baseUrl}/volumes`, nested(maxDepth))).status).toBe(200)
    for (const depth of [maxDepth + 1, 9000]) {
      const reply = await post(`${baseUrl}/volumes`, nested(depth))
      expect([reply.status, await reply.json()]).toEqual([400, error('nested deeper')])
    }
    await post(`${baseUrl}/volumes`, JSON.stringify({ label: '[{'.repeat(maxDepth) }))
    expect(calls).toHaveLength(2)
  })

  test('a body beyond the bound is refused with 413, and the connection serves on', async () => {
    const { baseUrl, calls } = await noting()
    const reply = await post(`${baseUrl}/volumes`, 'x'.repeat(maxBodyBytes + 1))
    expect([reply.status, await reply.json()]).toEqual([413, error(`more than ${maxBodyBytes} bytes`)])
    await post(`${baseUrl}/volumes`, '{}')
    expect(calls).toHaveLength(1)
  })

  test('a file is told by its field, its name and its size, other fields left aside', async () => {
    const { baseUrl, calls } = await noting()
    const form = new FormData()
    form.append('note', 'x')
    form.append('upload', new Blob([Uint8Array.from({ length: 70_000 }, (_, i) => i)]), 'shots/shöt 1.png')
    form.append('second', new Blob(['x']), 'second.png')
    await post(`${baseUrl}/support/tickets/7/attachments`, form, bearer)
    expect(calls.map(({ file }) => file)).toEqual([{ field: 'upload', name: 'shots/shöt 1.png', bytes: 70_000 }])
    expect(calls[0]).not.toHaveProperty('body')
  })

  test.each([
    ['without a boundary', 'multipart/form-data', '--x\r\n'],
    [
      'that is cut off in a file',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="f"; filename="a.png"\r\n\r\nabc',
    ],
    [
      'that is cut off in the headers of a file',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="f"',
    ],
    ['that is no form', 'multipart/form-data; boundary=x', '{}'],
  ])('a form %s is refused', async (_, type, body) => {
    const { baseUrl, calls } = await noting()
    const reply = await post(`${baseUrl}/support/tickets/7/attachments`, body, { 'content-type': type })
    expect([reply.status, await reply.json(), calls]).toEqual([400, error('the body is no multipart/form-data'), []])
  })

  test('a form is no JSON where no file is foreseen', async () => {
    const { baseUrl } = await noting()
    const form = new FormData()
    form.append('label', 'a')
    expect((await post(`${baseUrl}/volumes`, form, bearer)).status).toBe(415)
  })

  test('a request that breaks off is not carried out', async () => {
    const { baseUrl, calls } = await noting()
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
    socket.end('POST /v4/volumes HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{}')
    await new Promise((resolve) => socket.on('close', resolve).resume())
    expect(calls).toEqual([])
  })
})

describe('replies', () => {
  test('a reply without a body is empty', async () => {
    const { baseUrl } = await noting(() => ({ status: 200 }))
    const reply = await fetch(`${baseUrl}/volumes`)
    expect([reply.status, reply.headers.get('content-length'), reply.headers.get('content-type')]).toEqual([
      200,
      '0',
      null,
    ])
  })

  test('text of another type passes as it is', async () => {
    const { baseUrl } = await noting(() => ({ status: 502, text: '<p>é', contentType: 'text/html' }))
    expect(await clientOf(baseUrl).send(list, 1)).toEqual({ status: 502, text: '<p>é', contentType: 'text/html' })
  })

  test('an implementation that answers nothing is heard as a broken connection', async () => {
    const { baseUrl } = await noting(() => ({ lost: 'reset' }))
    expect(await clientOf(baseUrl).send(list, 1)).toMatchObject({ lost: 'reset' })
  })

  test('an implementation that fails is a defect of the suite, and the server serves on', async () => {
    const { baseUrl } = await noting(() => {
      throw new Error('no such table')
    })
    for (let step = 1; step <= 2; step += 1)
      expect(await clientOf(baseUrl).send(list, step)).toMatchObject({
        status: 500,
        body: { errors: [{ reason: 'suite defect: no such table' }] },
      })
  })

  test('a reply that is held back is of a call that has taken effect', async () => {
    const pass = heldTime()
    const answer = (): Outcome => {
      pass(50)
      return { status: 200, body: {} }
    }
    const { baseUrl, calls } = await noting(answer, { latency: { ms: 60_000 } })
    expect(await clientOf(baseUrl, patient(50)).send(list, 1)).toMatchObject({ lost: 'timeout' })
    expect(calls).toHaveLength(1)
  })

  test('a closed server breaks off the call that is under way', async () => {
    const server: { close?: () => Promise<void> } = {}
    const { baseUrl, close } = await noting(
      () => {
        closed = server.close?.()
        return { status: 200 }
      },
      { latency: { ms: 60_000 } },
    )
    let closed: Promise<void> | undefined
    server.close = close
    expect(await clientOf(baseUrl).send(list, 1)).toMatchObject({ lost: 'reset' })
    await closed
  })

  test('what is no HTTP is refused in the envelope', async () => {
    const { baseUrl } = await noting()
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
    socket.write('FETCH ME\r\n\r\n')
    const text = await new Promise<string>((resolve) => {
      let got = ''
      socket.on('data', (chunk) => {
        got += chunk
      })
      socket.on('close', () => resolve(got))
    })
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toEqual(error('the request is no HTTP'))
  })
})
