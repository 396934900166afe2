// Calls through a proxy: what it is asked, and what comes of what it answers.
import { createServer, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createCertificate } from '../../driver/certificate.js'
import { callOf, clientOf, list, listen, notingTarget, patient } from './hostile.js'

interface Asked {
  readonly line: string
  readonly host: string | undefined
  readonly authorization: string | undefined
}

/** A proxy that passes everything on, or answers with a status. */
const openProxy = async (status?: number) => {
  const asked: Asked[] = []
  const note = (line: string, headers: Readonly<Record<string, string | string[] | undefined>>): void =>
    void asked.push({
      line,
      host: String(headers.host),
      authorization: headers['proxy-authorization'] as string | undefined,
    })
  const server = createServer((from, to) => {
    note(`${from.method} ${from.url}`, from.headers)
    if (status !== undefined) return void to.writeHead(status).end()
    const { hostname, port, pathname } = new URL(from.url ?? '')
    const { 'proxy-authorization': _, ...headers } = from.headers
    const onward = request({ hostname: '127.0.0.1', port, path: pathname, method: from.method, headers }, (reply) => {
      to.writeHead(reply.statusCode ?? 0, { ...reply.headers, 'x-host': hostname })
      reply.pipe(to)
    })
    from.pipe(onward)
  })
  server.on('connect', (from, socket) => {
    note(`CONNECT ${from.url}`, from.headers)
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const onward = connect(Number(from.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, asked }
}

const variable = 'HTTPS_PROXY'

describe('without TLS', () => {
  test('a proxy is sent the whole address, with its credentials, and the target gets what is sent', async () => {
    const { baseUrl, seen } = await notingTarget()
    const { url, asked } = await openProxy()
    const named = baseUrl.replace('127.0.0.1', 'api.example')
    const client = clientOf(named, { proxy: { url, variable, authorization: 'Basic bWU6eA==' } })
    expect(await client.send(callOf('volumes.create', { body: { label: 'a' } }), 1)).toEqual({ status: 200, body: {} })
    const { host } = new URL(named)
    expect(asked).toEqual([{ line: `POST ${named}/volumes`, host, authorization: 'Basic bWU6eA==' }])
    expect(seen.map(({ url: path, body, headers }) => [path, body.toString(), headers.host])).toEqual([
      ['/v4/volumes', '{"label":"a"}', host],
    ])
  })

  test('a proxy that wants credentials is seen as such', async () => {
    const { url } = await openProxy(407)
    const client = clientOf('http://api.example/v4', { proxy: { url, variable } })
    expect(await client.send(list, 1)).toEqual({ status: 407 })
  })
})

describe('with TLS', () => {
  test('a proxy is asked to connect, and the target itself is spoken to in confidence', async () => {
    const { certificate: cert, private_key: key } = await createCertificate()
    const server = createTlsServer({ cert, key }, (_, response) => response.end('{}'))
    const port = await listen(server)
    const { url, asked } = await openProxy()
    const client = clientOf(`https://api.example:${port}/v4`, { proxy: { url, variable, authorization: 'Basic x' } })
    // Nobody vouches for the certificate of the target.
    expect(await client.send(list, 1)).toMatchObject({ lost: 'tls' })
    expect(asked).toMatchObject([{ line: `CONNECT api.example:${port}`, authorization: 'Basic x' }])
  })

  test.each([
    [407, 'answered 407: it wants credentials'],
    [403, 'answered 403'],
    [503, 'answered 503'],
  ])('where a proxy does not connect (%i), nothing was sent', async (status, told) => {
    const { url } = await openProxy(status)
    const client = clientOf('https://api.example/v4', { proxy: { url, variable } })
    expect(await client.send(callOf('volumes.create'), 1)).toEqual({
      lost: 'refused',
      detail: expect.stringContaining(`the proxy ${url} ${told}`),
    })
  })

  test('a proxy that is not there, or says nothing, is waited for no longer than a target', async () => {
    const silent = await listen(
      createServer()
        .removeAllListeners('connect')
        .on('connect', () => undefined),
    )
    const gone = clientOf('https://api.example/v4', { proxy: { url: 'http://127.0.0.1:9', variable } })
    expect(await gone.send(list, 1)).toMatchObject({ lost: 'refused', detail: expect.stringContaining('ECONNREFUSED') })
    const waiting = clientOf('https://api.example/v4', {
      ...patient(100),
      proxy: { url: `http://127.0.0.1:${silent}`, variable },
    })
    expect(await waiting.send(list, 1)).toMatchObject({
      lost: 'refused',
      detail: expect.stringContaining('nothing was sent'),
    })
  })
})
