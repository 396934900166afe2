// Tests of the HTTP client against targets that behave and that do not; what a reply means is judged elsewhere.

import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import zlib, { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCertificate } from '../../driver/certificate.js'
import { maxReplyBytes } from '../../driver/exchange.js'
import { damagedToken, damages, schemes, wrongToken } from '../../models/language/access.js'
import { seed } from '../seed.js'
import {
  bytesTarget,
  callOf,
  clientOf,
  heldTime,
  jsonReply,
  list,
  listen,
  notingTarget,
  patient,
  rawTarget,
  secrets,
  silentTarget,
} from './hostile.js'

describe('what is sent', () => {
  test('a request carries its method, path, query and JSON body', async () => {
    const { baseUrl, seen } = await notingTarget()
    const client = clientOf(`${baseUrl}/`)
    await client.send(callOf('volumes.resize', { path: { volumeId: 7 }, body: { size: 30 } }), 1)
    await client.send(callOf('volumes.list', { query: { page: 2 } }), 2)
    expect(seen.map(({ method, url, body }) => [method, url, body.toString()])).toEqual([
      ['POST', '/v4/volumes/7/resize', '{"size":30}'],
      ['GET', '/v4/volumes?page=2', ''],
    ])
    expect(seen[0]?.headers['content-type']).toBe('application/json')
    expect(seen[1]?.headers).not.toHaveProperty('content-type')
  })

  test('every request tells its run, its step and the suite', async () => {
    const { baseUrl, seen } = await notingTarget()
    await clientOf(baseUrl).send(list, 41)
    expect(seen[0]?.headers).toMatchObject({
      'x-touchstone-step': 'run-1-41',
      'user-agent': expect.stringMatching(/^touchstone\/\S+ \(interface 4\.175\.0\)$/),
    })
  })

  test('a token is sent as its secret, no token as nothing, and the wrong one as text that is no secret', async () => {
    const { baseUrl, seen } = await notingTarget()
    const client = clientOf(baseUrl)
    for (const as of ['owner', 'reader', null, wrongToken]) await client.send({ ...list, as }, 1)
    const [owner, reader, none, wrong] = seen.map(({ headers }) => headers.authorization)
    expect([owner, reader, none]).toEqual(['Bearer embedded-owner', 'Bearer embedded-owner-reader', undefined])
    expect(wrong).toMatch(/^Bearer [0-9a-f]{48}$/)
    expect([...secrets.values()]).not.toContain(wrong?.slice(7))
  })

  test('a damaged token holds the secret, and is not it or not where it belongs', async () => {
    const { baseUrl, seen } = await notingTarget()
    const client = clientOf(baseUrl)
    for (const how of [...damages, ...schemes]) await client.send({ ...list, as: damagedToken(how, 'owner') }, 1)
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer embedded-ownerembedded-owner',
      'Bearer xembedded-owner',
      'Basic embedded-owner',
      'Token embedded-owner',
      'embedded-owner',
    ])
  })

  test('a token without a secret is told as a defect of the suite, and nothing is sent', async () => {
    const { baseUrl, seen } = await notingTarget()
    const client = clientOf(baseUrl)
    expect(await client.send({ ...list, as: 'stranger' }, 1)).toEqual({
      lost: 'refused',
      detail: 'suite defect: no secret for the token stranger; nothing was sent',
    })
    expect([seen.length, client.requests()]).toEqual([0, 0])
  })

  test('a raw body is sent as it stands, null as null and an empty object as one', async () => {
    const { baseUrl, seen } = await notingTarget()
    const client = clientOf(baseUrl, { vocabulary: { size: 'gigabytes' } })
    const call = callOf('volumes.create')
    await client.send({ ...call, body: '{"size":', raw: '{"size":' }, 1)
    await client.send({ ...call, body: null }, 2)
    await client.send({ ...call, body: {} }, 3)
    expect(seen.map(({ body }) => body.toString())).toEqual(['{"size":', 'null', '{}'])
  })

  test('every byte of a file arrives, with its field, name and media type', async () => {
    const { baseUrl, seen } = await notingTarget()
    const content = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
    await clientOf(baseUrl).send(
      callOf('ticket-attachments.create', { path: { ticketId: 1 }, file: { name: 'shot.PNG', content } }),
      1,
    )
    const text = seen[0]?.body.toString('latin1') ?? ''
    expect(seen[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(text).toContain('name="file"; filename="shot.PNG"')
    expect(text).toContain('Content-Type: image/png')
    expect(text).toContain(`\r\n\r\n${content}\r\n`)
  })

  test('calls one after another share a connection', async () => {
    const { baseUrl, connections } = await notingTarget()
    const client = clientOf(baseUrl, patient(300_000, 1))
    for (let step = 1; step <= 5; step += 1) await client.send(list, step)
    expect([connections(), client.requests()]).toEqual([1, 5])
  })
})

describe('what is read', () => {
  test.each([
    ['JSON', '{"id":7}', { body: { id: 7 } }],
    ['a bare null', 'null', { body: null }],
    ['nothing', '', {}],
    ['text that is no JSON', '<html>no', { text: '<html>no' }],
    ['JSON with something after it', '{} {}', { text: '{} {}' }],
  ])('a reply of %s is told as such', async (_, text, told) => {
    const client = clientOf(await bytesTarget(jsonReply(text)))
    expect(await client.send(list, 1)).toEqual({ status: 200, contentType: 'application/json', ...told })
  })

  test.each([
    ['a list that is cut off', '[{"id":7},{"i', 'foreign'],
    ['a record whose last bracket is missing', '{"a":{"b":1}', 'foreign'],
  ])('%s counts as a reply that was cut off', async (_, text, lost) => {
    const client = clientOf(await bytesTarget(jsonReply(text)))
    expect(await client.send(list, 1)).toMatchObject({ lost, detail: expect.stringContaining('ends in the middle') })
  })

  test.each(['{"a":1,}', '{"a":1}}', '{a:1}', "{'a':1}"])('%s is no JSON, and whole', async (text) => {
    const client = clientOf(await bytesTarget(jsonReply(text)))
    expect(await client.send(list, 1)).toMatchObject({ status: 200, text })
  })

  test.each([
    [200, { lost: 'foreign', detail: 'a page of HTML with status 200' }],
    [404, { status: 404, text: '<h1>no</h1>', contentType: 'text/html' }],
  ])(
    'a page in place of a result may be anybody’s, and one in place of a refusal is the target’s: %i',
    async (status, told) => {
      const head = `HTTP/1.1 ${status} Said\r\ncontent-type: text/html\r\ncontent-length: 11\r\n\r\n`
      const client = clientOf(await bytesTarget(`${head}<h1>no</h1>`))
      expect(await client.send(list, 1)).toEqual(told)
    },
  )

  test('a reply is JSON by what it holds, whatever its content type says', async () => {
    const client = clientOf(
      await bytesTarget('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\n{}'),
    )
    expect(await client.send(list, 1)).toEqual({ status: 200, contentType: 'text/html', body: {} })
  })

  test('long text that is no JSON is cut, and what was left out is counted', async () => {
    const client = clientOf(await bytesTarget(jsonReply('x'.repeat(20_000))))
    expect(await client.send(list, 1)).toMatchObject({ text: `${'x'.repeat(16_384)}… (3616 characters more)` })
  })

  test('characters that are split between packets are read whole', async () => {
    const bytes = Buffer.from(jsonReply('{"label":"é€😀"}'))
    const target = await rawTarget(async (socket) => {
      for (const byte of bytes) await new Promise((done) => socket.write(Buffer.of(byte), done))
    })
    expect(await clientOf(target).send(list, 1)).toMatchObject({ body: { label: 'é€😀' } })
  })

  test.each([
    ['hints', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'],
    ['a 100 that was not asked for', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['several', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100\r\nx: y\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('an interim reply is skipped: %s', async (_, interim) => {
    const bytes = Buffer.from(interim + jsonReply('{"id":7}'))
    for (const size of [bytes.length, interim.length, 32]) {
      const target = await rawTarget(async (socket) => {
        for (let i = 0; i < bytes.length; i += size)
          await new Promise((done) => socket.write(bytes.subarray(i, i + size), done))
      })
      expect(await clientOf(target).send(list, 1)).toMatchObject({ status: 200, body: { id: 7 } })
    }
  })

  test('a redirect is told, not followed', async () => {
    const { baseUrl, seen } = await notingTarget((response) => {
      response.writeHead(302, { location: '/v4/elsewhere' })
      response.end()
    })
    expect(await clientOf(baseUrl).send(list, 1)).toEqual({ status: 302 })
    expect(seen).toHaveLength(1)
  })

  test('a reply nested deeper than the suite can walk is lost as too large', async () => {
    const client = clientOf(await bytesTarget(jsonReply(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)))
    expect(await client.send(list, 1)).toEqual({
      lost: 'too-large',
      detail: 'a reply of status 200 that is nested more than 500 deep',
    })
  })

  test('a reply whose integers cannot be read exactly is lost as too large, and digits in a text are no integer', async () => {
    const client = clientOf(await bytesTarget(jsonReply('{"id":9007199254740993}')))
    expect(await client.send(list, 1)).toMatchObject({ lost: 'too-large', detail: expect.stringContaining('2^53') })
    const text = clientOf(await bytesTarget(jsonReply('{"label":"9007199254740993"}')))
    expect(await text.send(list, 1)).toMatchObject({ body: { label: '9007199254740993' } })
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['Deflate, GZIP', (text: string) => gzipSync(deflateSync(text))],
    ['identity', Buffer.from],
  ])('a body that is coded as %s all the same is read', async (coding, encode) => {
    const { baseUrl, seen } = await notingTarget((response) => {
      response.writeHead(200, { 'content-encoding': coding })
      response.end(encode('{"id":7}'))
    })
    expect(await clientOf(baseUrl).send(list, 1)).toMatchObject({ status: 200, body: { id: 7 } })
    expect(seen[0]?.headers['accept-encoding']).toBe('identity')
  })

  test('a body that is not coded as it says is no JSON, and says why', async () => {
    const client = clientOf(await bytesTarget(jsonReply('{"id":7}', '200 OK', 'content-encoding: gzip\r\n')))
    expect(await client.send(list, 1)).toEqual({
      status: 200,
      text: '(its content-encoding is gzip, and it is not so encoded) {"id":7}',
      contentType: 'application/json',
    })
  })

  test('a body that is coded as zstd is read, or nothing is judged by it', async () => {
    // One raw block in one frame.
    const body = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 8, 65, 0, 0]), Buffer.from('{"id":7}')])
    const { baseUrl } = await notingTarget((response) => {
      response.writeHead(200, { 'content-encoding': 'zstd' })
      response.end(body)
    })
    const isRead = 'zstdDecompressSync' in zlib
    expect(await clientOf(baseUrl).send(list, 1)).toMatchObject(
      isRead ? { body: { id: 7 } } : { lost: 'too-large', detail: expect.stringContaining('zstd') },
    )
  })

  test('the head of a reply may be as long as gateways make it', async () => {
    const head = `x-policy: ${'x'.repeat(40_000)}\r\n`
    const client = clientOf(await bytesTarget(jsonReply('{"id":7}', '200 OK', head)))
    expect(await client.send(list, 1)).toMatchObject({ status: 200, body: { id: 7 } })
  })

  test('a coding that nobody asked for and few know is no JSON, and is named', async () => {
    for (const coding of ['compress', 'constructor']) {
      const client = clientOf(await bytesTarget(jsonReply('{"id":7}', '200 OK', `content-encoding: ${coding}\r\n`)))
      expect(await client.send(list, 1)).toMatchObject({
        text: `(its content-encoding is ${coding}, which was not asked for) {"id":7}`,
      })
    }
  })

  test.each([
    ['transfer-encoding: compress, chunked', 'its transfer-encoding is compress, which was not asked for'],
    ['transfer-encoding: gzip, chunked', 'its transfer-encoding is gzip, and it is not so encoded'],
    [
      'transfer-encoding: gzip\r\ntransfer-encoding: chunked',
      'its transfer-encoding is gzip, and it is not so encoded',
    ],
    [
      'content-encoding: identity, br\r\ntransfer-encoding: chunked',
      'its content-encoding is br, and it is not so encoded',
    ],
  ])('a body of which %j is untrue is told by that header', async (header, lie) => {
    const reply = `HTTP/1.1 200 OK\r\n${header}\r\n\r\n8\r\n{"id":7}\r\n0\r\n\r\n`
    const client = clientOf(await bytesTarget(Buffer.from(reply)))
    expect(await client.send(list, 1)).toMatchObject({ text: `(${lie}) {"id":7}` })
  })

  test('a body that was packed on its way is unpacked, as one that the target packed is', async () => {
    const packed = gzipSync('{"id":7}')
    const head = `HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n${packed.length.toString(16)}\r\n`
    const reply = Buffer.concat([Buffer.from(head), packed, Buffer.from('\r\n0\r\n\r\n')])
    expect(await clientOf(await bytesTarget(reply)).send(list, 1)).toEqual({ status: 200, body: { id: 7 } })
  })

  test('a body that is not UTF-8 is no JSON, and says why; one that is stays as it is', async () => {
    const reply = (label: Buffer): Buffer =>
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${label.length + 12}\r\n\r\n{"label":"`),
        label,
        Buffer.from('"}'),
      ])
    const sentAs = async (coding: BufferEncoding) =>
      clientOf(await bytesTarget(reply(Buffer.from('blåbær', coding)))).send(list, 1)
    expect(await sentAs('utf8')).toEqual({ status: 200, body: { label: 'blåbær' } })
    expect(await sentAs('latin1')).toMatchObject({ status: 200, text: expect.stringMatching(/^\(it is not UTF-8\) /) })
  })

  test('brackets inside a string are no nesting', async () => {
    const client = clientOf(await bytesTarget(jsonReply(JSON.stringify({ label: '['.repeat(5000) }))))
    expect(await client.send(list, 1)).toMatchObject({ body: { label: '['.repeat(5000) } })
  })
})

describe('what is lost', () => {
  test.each([
    ['before a reply', '', 'reset'],
    ['in the headers', 'HTTP/1.1 200 OK\r\ncontent-le', 'reset'],
    ['in a body of told length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":', 'reset', 6],
    [
      'in a body of told length on its last connection',
      'HTTP/1.0 200 OK\r\ncontent-length: 100\r\n\r\n{"id":',
      'reset',
      6,
    ],
    [
      'in a chunked body on its last connection',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n',
      'reset',
      5,
    ],
    ['in a chunked body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n', 'reset', 5],
    ['after bytes that are no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'malformed'],
    ['after a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n{}', 'malformed'],
    [
      'after a chunk size that is no number',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'malformed',
      0,
    ],
    ['after headers without end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`, 'too-large'],
  ])(
    'a connection that ends %s is lost by its kind, with how much of a body had come',
    async (_, bytes, lost, came?: number) => {
      expect(await clientOf(await bytesTarget(bytes)).send(list, 1)).toEqual({
        lost,
        ...(came !== undefined && { bytes: came, longestWhole: 0 }),
        detail: expect.stringMatching(/./),
      })
    },
  )

  test('a truncated body tells how far it came', async () => {
    const client = clientOf(await bytesTarget('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":'))
    expect(await client.send(list, 1)).toMatchObject({ detail: expect.stringContaining('status 200 and 6 bytes') })
  })

  test('a truncated body tells how long the longest whole one was, in bytes as sent', async () => {
    const packed = gzipSync(JSON.stringify({ label: 'é'.repeat(2000) }))
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n`
    const whole = Buffer.concat([Buffer.from(`${head}connection: close\r\n\r\n`), packed])
    let times = 0
    const target = await rawTarget((socket) => {
      times += 1
      socket.end(times === 1 ? whole : 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":')
    })
    const client = clientOf(target)
    await client.send(list, 1)
    expect(await client.send(list, 2)).toMatchObject({ bytes: 6, longestWhole: packed.length })
  })

  test('a reset connection is lost as reset', async () => {
    const client = clientOf(await rawTarget((socket) => socket.resetAndDestroy()))
    expect(await client.send(list, 1)).toMatchObject({ lost: 'reset' })
  })

  test('a port where nobody listens is lost as refused', async () => {
    const server = createServer()
    const port = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    expect(await clientOf(`http://127.0.0.1:${port}/v4`).send(list, 1)).toMatchObject({ lost: 'refused' })
  })

  test('a certificate that nobody vouches for is lost as tls, and says so', async () => {
    const { certificate, private_key } = await createCertificate()
    let requests = 0
    const server = createTlsServer({ cert: certificate, key: private_key }, () => {
      requests += 1
    })
    const client = clientOf(`https://127.0.0.1:${await listen(server)}/v4`)
    expect(await client.send(list, 1)).toEqual({ lost: 'tls', detail: expect.stringContaining('SELF_SIGNED') })
    expect(requests).toBe(0)
  })

  test('a target without TLS under an https address is lost as tls', async () => {
    const client = clientOf((await bytesTarget(jsonReply('{}'))).replace('http:', 'https:'))
    expect(await client.send(list, 1)).toMatchObject({ lost: 'tls' })
  })

  test('a target that never answers is lost as timeout', async () => {
    const { baseUrl, next } = await silentTarget()
    const client = clientOf(baseUrl, patient(30))
    const pass = heldTime()
    const heard = next()
    const outcome = client.send(list, 1)
    await heard
    pass(30)
    expect(await outcome).toEqual({ lost: 'timeout', detail: 'no reply within 30 ms' })
  })

  test('a call takes no longer than what is left of the time when it is sent', async () => {
    const { baseUrl, next } = await silentTarget()
    let leftMs = 0
    const client = clientOf(baseUrl, { ...patient(10_000), leftMs: () => leftMs })
    const pass = heldTime()
    for (leftMs of [40, 15]) {
      const heard = next()
      const outcome = client.send(list, 1)
      await heard
      pass(leftMs)
      expect(await outcome).toEqual({ lost: 'timeout', detail: `no reply within ${leftMs} ms` })
    }
  })

  test('a body that drips without end is lost as timeout, however lively it is', async () => {
    const pass = heldTime()
    const target = await rawTarget((socket) => {
      let drops = 0
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
      const drip = (): void => {
        drops += 1
        // The client reads in this process, between two drops.
        if (drops % 100 === 0) pass(10)
        socket.write('x', (error) => error ?? setImmediate(drip))
      }
      drip()
    })
    expect(await clientOf(target, patient(50)).send(list, 1)).toEqual({
      lost: 'timeout',
      bytes: expect.any(Number),
      longestWhole: 0,
      detail: expect.stringMatching(/^no end of it within 50 ms, after status 200 and \d+ bytes of the body$/),
    })
  })

  test('a body without end is given up before its time, and not kept', async () => {
    const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`
    let sent = 0
    const target = await rawTarget((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const pour = (): void =>
        void socket.write(chunk, (error) => {
          sent += 65_536
          return error ?? setImmediate(pour)
        })
      pour()
    })
    const { lost, detail } = (await clientOf(target).send(list, 1)) as {
      lost?: string
      detail?: string
    }
    expect([lost, detail]).toEqual(['timeout', expect.stringMatching(/^no end of it, after status 200/)])
    expect(sent).toBeLessThan(20 * maxReplyBytes)
  })

  test('a body that is too large but ends is told from one that does not', async () => {
    const { baseUrl } = await notingTarget((response) => response.end(' '.repeat(maxReplyBytes + 1)))
    expect(await clientOf(baseUrl).send(list, 1)).toMatchObject({ lost: 'too-large' })
  })

  test('a request whose time is over while it waits for a connection is never sent', async () => {
    let answering = false
    const pass = heldTime()
    const { baseUrl, seen } = await notingTarget((response) => (answering ? response.end('{}') : pass(100)))
    const client = clientOf(baseUrl, patient(100, 1))
    const outcomes = await Promise.all([client.send(list, 1), client.send(list, 2)])
    answering = true
    expect(outcomes).toEqual([
      { lost: 'timeout', detail: 'no reply within 100 ms' },
      { lost: 'refused', detail: 'no connection within 100 ms; nothing was sent' },
    ])
    expect(await client.send(list, 3)).toMatchObject({ status: 200 })
    expect(seen.map(({ headers }) => headers['x-touchstone-step'])).toEqual(['run-1-1', 'run-1-3'])
  })

  test('whatever bytes a target sends, a call has an outcome', async () => {
    const whole = Buffer.from(jsonReply('{"data":[{"id":7}],"page":1}'))
    const edits = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 })
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.tuple(fc.nat(whole.length), edits).map(([length, changes]) => {
        const copy = Buffer.from(whole)
        for (const [at, byte] of changes) copy[at] = byte
        return copy.subarray(0, length)
      }),
    )
    let reply: Uint8Array = whole
    const client = clientOf(await rawTarget((socket) => socket.end(reply)))
    await fc.assert(
      fc.asyncProperty(bytes, async (next) => {
        reply = next
        const outcome = await client.send(list, 1)
        expect('lost' in outcome ? outcome.lost : outcome.status).not.toBe('timeout')
      }),
      { seed, numRuns: 200 },
    )
  })

  test('a call that waits for its turn ends when the client is closed', async () => {
    const { baseUrl, seen } = await notingTarget()
    const client = clientOf(baseUrl, { pace: { perSecond: 0.001, concurrency: 1, requestTimeoutMs: 1000 } })
    await client.send(list, 1)
    const second = client.send(list, 2)
    await client.close()
    expect(await second).toEqual({ lost: 'refused', detail: 'the client is closed; nothing was sent' })
    expect(seen).toHaveLength(1)
  })

  test('many calls that wait for their turn make Node.js warn of nothing', async () => {
    const { baseUrl } = await notingTarget()
    const client = clientOf(baseUrl, { pace: { perSecond: 0.001, concurrency: 16, requestTimeoutMs: 1000 } })
    const warnings: string[] = []
    const note = ({ name }: Error): unknown => warnings.push(name)
    process.on('warning', note)
    const calls = Array.from({ length: 16 }, (_, step) => client.send(list, step))
    await sleep(50)
    await client.close()
    await Promise.all(calls)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  test('closing the client breaks off a call that is under way', async () => {
    const arrived: { resolve?: () => void } = {}
    const arrival = new Promise<void>((resolve) => Object.assign(arrived, { resolve }))
    const client = clientOf(await rawTarget(() => arrived.resolve?.()), patient(60_000))
    const outcome = client.send(list, 1)
    await arrival
    await client.close()
    expect(await outcome).toMatchObject({ lost: 'reset' })
    expect(await client.send(list, 2)).toEqual({ lost: 'refused', detail: 'the client is closed; nothing was sent' })
  })
})

describe('a target that asks to come again later', () => {
  const busy = (status: number, retryAfter?: string) => (response: ServerResponse) => {
    response.writeHead(status, { ...(retryAfter !== undefined && { 'retry-after': retryAfter }) })
    response.end()
  }

  test('gets no write a second time after a 503, for it may have been done', async () => {
    const { baseUrl, seen } = await notingTarget(busy(503, '0'))
    const client = clientOf(baseUrl)
    for (const [operation, args] of [
      ['volumes.create', { body: { label: 'a' } }],
      ['volumes.update', { path: { volumeId: 1 }, body: { label: 'b' } }],
      ['volumes.delete', { path: { volumeId: 1 } }],
    ] as const)
      expect(await client.send(callOf(operation, args), 5)).toEqual({ status: 503 })
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'PUT', 'DELETE'])
  })

  test.each([
    ['write', 429, callOf('volumes.create', { body: { label: 'a' } })],
    ['read', 503, list],
  ] as const)('is sent the same %s again after a %i', async (_, status, call) => {
    let isBusy = true
    const { baseUrl, seen } = await notingTarget((response) => {
      if (!isBusy) return void response.end('{}')
      isBusy = false
      busy(status, '0')(response)
    })
    const client = clientOf(baseUrl)
    expect(await client.send(call, 5)).toEqual({ status: 200, body: {} })
    expect(client.requests()).toBe(2)
    expect(seen.map(({ body, headers }) => [body.toString(), headers['x-touchstone-step']])).toEqual(
      Array(2).fill(['body' in call ? '{"label":"a"}' : '', 'run-1-5']),
    )
  })

  test('is believed after the fourth time', async () => {
    const { baseUrl, seen } = await notingTarget(busy(429, new Date(0).toUTCString()))
    const from = performance.now()
    expect(await clientOf(baseUrl).send(list, 1)).toEqual({ status: 429 })
    expect(seen).toHaveLength(4)
    // Each time after a longer pause, also where none is asked for.
    expect(performance.now() - from).toBeGreaterThan(1_000)
  })

  test.each([
    ['a 503 that does not say when', 503, undefined],
    ['a 503 whose time cannot be read', 503, 'soon'],
    ['a 500', 500, '0'],
  ])('is believed at once for %s', async (_, status, retryAfter) => {
    const { baseUrl, seen } = await notingTarget(busy(status, retryAfter))
    expect(await clientOf(baseUrl).send(list, 1)).toEqual({ status })
    expect(seen).toHaveLength(1)
  })

  test('is sent again soon where the time that it tells makes no sense', async () => {
    let isBusy = true
    const { baseUrl, seen } = await notingTarget((response) => {
      if (!isBusy) return void response.end('{}')
      isBusy = false
      busy(429, '99999999')(response)
    })
    expect(await clientOf(baseUrl).send(list, 1)).toEqual({ status: 200, body: {} })
    expect(seen).toHaveLength(2)
  })

  test('need not say when', async () => {
    let isBusy = true
    const { baseUrl, seen } = await notingTarget((response) => {
      if (!isBusy) return void response.end('{}')
      isBusy = false
      busy(429)(response)
    })
    expect(await clientOf(baseUrl).send(list, 1)).toEqual({ status: 200, body: {} })
    expect(seen).toHaveLength(2)
  })

  test('is waited for longer while it turns everything away, not what was sent alone', async () => {
    let busyFor = 0
    const { baseUrl, seen } = await notingTarget((response) => {
      busyFor -= 1
      return busyFor < 0 ? response.end('{}') : busy(429)(response)
    })
    const client = clientOf(baseUrl)
    await client.send(list, 1)
    busyFor = 5
    expect(await client.send(callOf('volumes.create', { body: { label: 'a' } }), 2)).toEqual({ status: 200, body: {} })
    // Four times refused, then once more after a look at whether others are.
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST', 'POST', 'POST', 'GET', 'POST'])
  })

  test('is believed at once where waiting was in vain twice', async () => {
    const { baseUrl, seen } = await notingTarget(busy(429))
    const client = clientOf(baseUrl)
    for (const step of [1, 2, 3, 4]) expect(await client.send(list, step)).toEqual({ status: 429 })
    expect(seen).toHaveLength(4 + 4 + 1 + 1)
  })

  test('is waited for when it is asked too often, though waiting for a quota was in vain', async () => {
    let isBusy = false
    const { baseUrl, seen } = await notingTarget((response, { url }) => {
      if (!isBusy && url.endsWith('/volumes')) return void response.end('{}')
      response.writeHead(429)
      response.end(`{"errors":[{"reason":"${isBusy ? 'Too often.' : 'The 5 contacts that you may have are there.'}"}]}`)
      isBusy = false
    })
    const client = clientOf(baseUrl)
    const create = callOf('managed-contacts.create', { body: { name: 'a' } })
    for (const step of [1, 2, 3]) expect(await client.send(create, step)).toMatchObject({ status: 429 })
    expect(seen).toHaveLength(4 + 4 + 1)
    isBusy = true
    expect(await client.send(list, 4)).toEqual({ status: 200, body: {} })
  })

  test('for longer than a run should wait is not asked again, and has refused nothing', async () => {
    const { baseUrl, seen } = await notingTarget(busy(429, '3600'))
    expect(await clientOf(baseUrl).send(list, 1)).toEqual({
      lost: 'refused',
      detail: 'the target answers 429 and would have a request wait for 3600 s; lower pace.rate',
    })
    expect(seen).toHaveLength(1)
  })

  test('is left alone for as long as it asks', async () => {
    const closed = new EventEmitter()
    const answered = once(closed, 'reply')
    const { baseUrl, seen } = await notingTarget((response) => {
      response.once('close', () => closed.emit('reply'))
      busy(429, '20')(response)
    })
    const client = clientOf(baseUrl)
    const outcome = client.send(list, 1)
    await answered
    await sleep(50)
    await client.close()
    expect(await outcome).toHaveProperty('lost')
    expect(seen).toHaveLength(1)
  })
})

describe('what a reply repeats of us', () => {
  test('a secret is replaced wherever the reply holds it', async () => {
    const text = String.raw`{"errors":[{"field":"embedded-owner","reason":"Bearer embedded-owner-reader is \u0065mbedded-owner","embedded-owner":1}]}`
    const client = clientOf(await bytesTarget(jsonReply(text)))
    expect(await client.send(list, 1)).toMatchObject({
      body: {
        errors: [
          {
            field: '«token owner»',
            reason: 'Bearer «token reader» is «token owner»',
            '«token owner»': 1,
          },
        ],
      },
    })
  })

  test.each([
    ['a byte order mark', jsonReply('\ufeff{"id":7}')],
    ['a coding that it is not in', jsonReply('{"id":7}', '200 OK', 'content-encoding: gzip\r\n')],
  ])('with %s is no JSON to a judge, and can be read to remove what it tells of', async (_, reply) => {
    const baseUrl = await bytesTarget(reply)
    expect(await clientOf(baseUrl).send(list, 1)).toMatchObject({ text: expect.stringContaining('{"id":7}') })
    expect(await clientOf(baseUrl, { isLenient: true }).send(list, 1)).toMatchObject({ status: 200, body: { id: 7 } })
  })

  test('a secret is replaced in text that is no JSON', async () => {
    const client = clientOf(await bytesTarget(jsonReply('<p>embedded-owner</p>')))
    expect(await client.send(list, 1)).toMatchObject({ text: '<p>«token owner»</p>' })
  })

  test("the target's words come back as the document's, and ours go out as the target's", async () => {
    const { baseUrl, seen } = await notingTarget((response) => {
      response.end('{"instance_id":7,"errors":[{"field":"instance_id","reason":"x"}]}')
    })
    const client = clientOf(baseUrl, { vocabulary: { node_id: 'instance_id', page: 'p' } })
    expect(await client.send(callOf('volumes.create', { body: { node_id: 7 }, query: { page: 1 } }), 1)).toEqual({
      status: 200,
      body: { node_id: 7, errors: [{ field: 'node_id', reason: 'x' }] },
    })
    expect(seen[0]).toMatchObject({ url: '/v4/volumes?p=1', body: Buffer.from('{"instance_id":7}') })
  })
})
