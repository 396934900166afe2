// What a client and the target see of the proxy: nothing, but where the target does not answer.

import http, { type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createProxy } from '../../guard/proxy.js'
import type { PassedReply, PassedRequest } from '../../guard/traffic.js'

const listening = async (server: http.Server): Promise<number> => {
  await new Promise<void>((resolved) => server.listen(0, '127.0.0.1', resolved))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

interface Told {
  readonly request: PassedRequest
  readonly reply: PassedReply | undefined
  readonly broken: string | undefined
}

/** A target that does this, with a proxy in front of it. */
const behind = async (does: RequestListener | number) => {
  const target = typeof does === 'number' ? does : await listening(http.createServer(does))
  const told: Told[] = []
  const ends: (() => void)[] = []
  const proxy = createProxy({
    origin: `http://127.0.0.1:${target}`,
    begin: () => ({
      sent: () => undefined,
      ended: (request, reply, broken) => {
        told.push({ request, reply, broken })
        for (const end of ends.splice(0)) end()
      },
    }),
    isKeeping: () => true,
  })
  const port = await listening(proxy)
  const over = (): Promise<void> =>
    told.length > 0 ? Promise.resolve() : new Promise((resolved) => void ends.push(resolved))
  return { port, target, told, over }
}

const read = async (message: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const chunk of message) text += chunk
  return text
}

const send = (port: number, options: http.RequestOptions, body = '', trailers: [string, string][] = []) =>
  new Promise<IncomingMessage & { readonly text: string }>((resolved, rejected) => {
    const request = http.request({ host: '127.0.0.1', port, agent: false, ...options }, async (reply) => {
      resolved(Object.assign(reply, { text: await read(reply).catch(() => 'cut') }))
    })
    request.once('error', rejected)
    if (trailers.length > 0) request.addTrailers(trailers)
    request.end(body)
  })

describe('through the proxy', () => {
  test('method, path, headers and body arrive as they were sent, and the reply as it was given', async () => {
    const seen: object[] = []
    const { port, target, told } = await behind(async (request, response) => {
      const { method, url, rawHeaders } = request
      seen.push({ method, url, rawHeaders, body: await read(request) })
      response.sendDate = false
      response.writeHead(418, 'Short and stout', [
        'X-One',
        'a',
        'x-one',
        'b',
        'Set-Cookie',
        'c=1',
        'Content-Length',
        '2',
      ])
      response.end('ok')
    })
    const reply = await send(
      port,
      {
        method: 'PATCH',
        path: '/v4/a%2Fb//c?q=%20&q=2',
        headers: { 'X-Mixed': ['1', '2'], 'Content-Length': 5, Connection: 'x-mine', 'X-Mine': 'this hop' },
      },
      'bytes',
    )
    expect(seen).toEqual([
      {
        method: 'PATCH',
        url: '/v4/a%2Fb//c?q=%20&q=2',
        rawHeaders: [
          ...['Host', `127.0.0.1:${target}`, 'X-Mixed', '1', 'X-Mixed', '2', 'Content-Length', '5'],
          ...['Connection', 'keep-alive'],
        ],
        body: 'bytes',
      },
    ])
    expect([reply.statusCode, reply.statusMessage, reply.text]).toEqual([418, 'Short and stout', 'ok'])
    const own = reply.rawHeaders.slice(0, 8)
    expect(own).toEqual(['X-One', 'a', 'x-one', 'b', 'Set-Cookie', 'c=1', 'Content-Length', '2'])
    expect(told).toMatchObject([{ request: { url: '/v4/a%2Fb//c?q=%20&q=2' }, reply: { status: 418 } }])
    expect(Buffer.from(told[0]?.request.body ?? []).toString()).toBe('bytes')
  })

  test.each(['GET', 'POST', 'HEAD'])('headers that are not ASCII pass byte by byte with %s', async (method) => {
    // As HTTP has them: a character stands for a byte, here in ISO 8859-1 and in UTF-8.
    const values = ['caf\u00e9', 'caf\u00c3\u00a9']
    const seen: (string | string[] | undefined)[] = []
    const { port } = await behind((request, response) => {
      seen.push(request.headers['x-one'], request.headers['x-other'])
      response.writeHead(200, { 'X-One': values[0], 'X-Other': values[1] })
      response.end(Buffer.from('[]'))
    })
    const reply = await send(port, { method, path: '/', headers: { 'X-One': values[0], 'X-Other': values[1] } })
    expect(seen).toEqual(values)
    expect([reply.headers['x-one'], reply.headers['x-other']]).toEqual(values)
  })

  test('trailers pass in both directions', async () => {
    const { port } = await behind(async (request, response) => {
      await read(request)
      response.writeHead(200, { Trailer: 'X-Sum', 'X-Te': String(request.headers.te) })
      response.write('ok')
      response.addTrailers({ 'X-Sum': String(request.trailers['x-sum']) })
      response.end()
    })
    const reply = await send(
      port,
      { method: 'POST', path: '/', headers: { 'Transfer-Encoding': 'chunked', TE: 'trailers', Trailer: 'X-Sum' } },
      'body',
      [['X-Sum', '42']],
    )
    expect([reply.headers['x-te'], reply.trailers['x-sum']]).toEqual(['trailers', '42'])
  })

  test.each([
    ['HEAD', 200, '12'],
    ['OPTIONS', 204, undefined],
    ['DELETE', 304, undefined],
  ])('%s with %i has no body, and no more than the target said of one', async (method, status, length) => {
    const { port } = await behind((_, response) => {
      response.writeHead(status, length === undefined ? {} : { 'Content-Length': length })
      response.end()
    })
    const reply = await send(port, { method, path: '/v4/volumes' })
    expect([reply.statusCode, reply.headers['content-length'], reply.text]).toEqual([status, length, ''])
    expect(reply.headers['transfer-encoding']).toBeUndefined()
  })

  test('a body that the client holds back until the target asks for it comes after the asking', async () => {
    const order: string[] = []
    const server = http.createServer()
    server.on('checkContinue', async (request, response) => {
      order.push('asked')
      response.writeContinue()
      order.push(await read(request))
      response.end('done')
    })
    const { port } = await behind(await listening(server))
    const request = http.request({ port, method: 'PUT', path: '/', headers: { Expect: '100-continue' }, agent: false })
    request.flushHeaders()
    await new Promise((resolved) => request.once('continue', resolved))
    expect(order).toEqual(['asked'])
    const reply = new Promise<IncomingMessage>((resolved) => request.once('response', resolved))
    request.end('the body')
    expect(await read(await reply)).toBe('done')
    expect(order).toEqual(['asked', 'the body'])
  })

  test('what the target says before its reply is passed on', async () => {
    const { port } = await behind((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.end('ok')
    })
    const request = http.request({ port, path: '/', agent: false })
    const hints = new Promise<http.InformationEvent>((resolved) => request.once('information', resolved))
    const reply = new Promise<IncomingMessage>((resolved) => request.once('response', resolved))
    request.end()
    expect([(await hints).statusCode, (await hints).headers.link]).toEqual([103, '</style.css>; rel=preload'])
    expect(await read(await reply)).toBe('ok')
  })

  test('a reply without end reaches the client as it comes, and its leaving is told', async () => {
    const { port, told, over } = await behind((_, response) => void response.write('first'))
    const leaving = new AbortController()
    const reply = await fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal })
    const { value } = (await reply.body?.getReader().read()) ?? {}
    expect(Buffer.from(value ?? []).toString()).toBe('first')
    leaving.abort()
    await over()
    expect(told[0]).toMatchObject({ broken: 'the client went away', reply: { status: 200, size: 5, body: undefined } })
  })

  test('a body of many megabytes passes both ways whole, and is not kept', async () => {
    const { port, told } = await behind((request, response) => request.pipe(response))
    const body = Buffer.alloc(12 * 1024 * 1024, 'x')
    const reply = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
    expect((await reply.arrayBuffer()).byteLength).toBe(body.length)
    expect(told[0]).toMatchObject({ request: { size: body.length, body: undefined }, reply: { body: undefined } })
  })

  test('a reply that is cut is cut for the client too, and told as cut', async () => {
    const { port, told, over } = await behind((_, response) => {
      response.writeHead(200, { 'Content-Length': 10 })
      response.write('half', () => response.destroy())
    })
    const reply = await send(port, { path: '/' })
    expect([reply.statusCode, reply.text, reply.complete]).toEqual([200, 'cut', false])
    await over()
    expect(told[0]?.broken).toBeDefined()
  })

  test('an upgrade is not offered: the target answers the request as it stands', async () => {
    const { port } = await behind((request, response) => void response.end(String(request.headers.upgrade)))
    const reply = await send(port, { path: '/', headers: { Connection: 'Upgrade', Upgrade: 'websocket' } })
    expect([reply.statusCode, reply.text]).toEqual([200, 'undefined'])
  })
})

describe('of its own the proxy says', () => {
  test('502 where the target is not there, marked as its own', async () => {
    const gone = http.createServer()
    await new Promise<void>((resolved) => gone.listen(0, '127.0.0.1', resolved))
    const { port: free } = gone.address() as AddressInfo
    await new Promise((resolved) => gone.close(resolved))
    const { port, told } = await behind(free)
    const reply = await send(port, { path: '/v4/volumes' })
    expect([reply.statusCode, reply.headers['touchstone-guard']]).toEqual([502, 'own reply'])
    expect(JSON.parse(reply.text).errors[0].reason).toContain('ECONNREFUSED')
    expect(told).toMatchObject([{ reply: undefined, broken: expect.stringContaining('ECONNREFUSED') }])
  })

  test.each([
    ['CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n', 'HTTP/1.1 501 '],
    ['GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n', 'HTTP/1.1 400 '],
    ['no HTTP at all\r\n\r\n', 'HTTP/1.1 400 '],
  ])('no to %j', async (raw, status) => {
    const { port } = await behind((_, response) => void response.end())
    const socket = connect(port, '127.0.0.1')
    socket.end(raw)
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text.slice(0, status.length)).toBe(status)
    expect(text).toMatch(/touchstone-guard: own reply/i)
  })
})
