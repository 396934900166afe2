// The files by which a target and a client prove who they are: what is taken, what is refused, and what is never shown.
import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { generate } from 'selfsigned'
import { beforeAll, describe, expect, test } from 'vitest'
import { createProxy } from '../../guard/proxy.js'
import { wrongConnection } from '../../suites/preflight.js'
import { invoke } from '../cli/invoke.js'
import { clientOf, list, listen } from '../driver/hostile.js'
import { minimal, refusal, secret, useFolder } from './config-folder.js'

interface Pair {
  readonly cert: string
  readonly private: string
}

const day = 86_400_000

const pairOf = (validDays = 1, fromDays = -2): Promise<Pair> =>
  generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    notBeforeDate: new Date(Date.now() + fromDays * day),
    notAfterDate: new Date(Date.now() + validDays * day),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })

const files = useFolder()
let [target, client, expired] = [{} as Pair, {} as Pair, {} as Pair]
beforeAll(async () => {
  ;[target, client, expired] = await Promise.all([pairOf(), pairOf(), pairOf(-1)])
})

/** A target that wants to know who its client is, unless told otherwise. */
const served = async (pair: Pair = target, requestCert = true) => {
  const clients: string[] = []
  const server = createServer(
    { key: pair.private, cert: pair.cert, ca: client.cert, requestCert, rejectUnauthorized: requestCert },
    (request, response) => {
      clients.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN?.toString() ?? '')
      response.end('{}')
    },
  )
  return { baseUrl: `https://localhost:${await listen(server)}/v4`, clients }
}

const loaded = async (baseUrl: string, tls: Readonly<Record<string, string>>, ca = target) => {
  await files.put('secrets/ca.pem', ca.cert)
  await files.put('secrets/client.pem', client.cert)
  await files.put('secrets/client.key', client.private)
  await files.put('secrets/expired.pem', expired.cert)
  await files.put('secrets/expired.key', expired.private)
  await files.put('secrets/none.pem', 'nothing of the kind')
  return files.loadJson({ ...minimal, baseUrl, tls })
}

const all = { ca: 'secrets/ca.pem', cert: 'secrets/client.pem', key: 'secrets/client.key' }

describe('a target that wants to know who its client is', () => {
  test('is reached with a certificate and a key, by the suite and through a guard', async () => {
    const { baseUrl, clients } = await served()
    const { tls } = await loaded(baseUrl, all)
    expect(await clientOf(baseUrl, { ...(tls && { tls }) }).send(list, 1)).toEqual({ status: 200, body: {} })
    expect(clients).toEqual(['localhost'])
    const begin = () => ({ sent: () => undefined, ended: () => undefined })
    const proxy = createProxy({ origin: new URL(baseUrl).origin, tls, begin, isKeeping: () => false })
    const reply = await fetch(`http://127.0.0.1:${await listen(proxy)}/v4/volumes`)
    expect([reply.status, clients.length]).toEqual([200, 2])
  })

  test('is not reached without', async () => {
    const { baseUrl, clients } = await served()
    const { tls } = await loaded(baseUrl, { ca: all.ca })
    expect(await clientOf(baseUrl, { ...(tls && { tls }) }).send(list, 1)).toMatchObject({
      lost: expect.stringMatching(/tls|reset/),
    })
    expect(clients).toEqual([])
  })

  test('is not read of where nothing is sent', async () => {
    await files.put('touchstone.config.json', JSON.stringify({ ...minimal, tls: all }))
    expect((await files.load({ env: secret, secrets: 'optional' }))?.tls).toBeUndefined()
  })
})

test.each([
  [{ cert: all.cert }, /tls: expected a key as well; received nothing. Name both, or neither/],
  [
    { ...all, key: 'secrets/gone.key' },
    /tls\.key: expected a PEM file of a private key .* "secrets\/gone\.key", which cannot be read \(ENOENT\)/,
  ],
  [
    { ...all, cert: 'secrets/none.pem' },
    /tls\.cert: expected a PEM file of a certificate; received "secrets\/none\.pem", which holds none/,
  ],
  [{ ca: all.key }, /tls\.ca: expected a PEM file of certificates of authorities/],
  [{ ...all, key: 'secrets/expired.key' }, /tls\.cert: expected the certificate of tls\.key; .* that of another key/],
  [
    { cert: 'secrets/expired.pem', key: 'secrets/expired.key' },
    /tls\.cert: expected a certificate that is valid; .* Renew it/,
  ],
])('what is no good is told by name, without what the files hold: %j', async (tls, text) => {
  const told = await refusal(loaded(minimal.baseUrl, tls as Record<string, string>))
  expect(told).toMatch(text)
  expect(told).not.toMatch(/BEGIN|nothing of the kind/)
})

describe('where no confidence comes about', () => {
  const why = async (baseUrl: string, ca?: Pair) => {
    const { tls } = ca ? await loaded(baseUrl, { ca: all.ca }, ca) : {}
    const outcome = await clientOf(baseUrl, { ...(tls && { tls }) }).send(list, 1)
    return 'lost' in outcome ? wrongConnection(baseUrl, outcome) : undefined
  }

  test('the user is told what to do', async () => {
    const own = await served(target, false)
    expect(await why(own.baseUrl)).toMatch(/SELF_SIGNED.*tls\.ca.*NODE_EXTRA_CA_CERTS/)
    expect(await why(own.baseUrl.replace('localhost', '127.0.0.1'), target)).toMatch(
      /ALTNAME_INVALID.*see that baseUrl/,
    )
    const old = await served(expired, false)
    expect(await why(old.baseUrl, expired)).toMatch(/CERT_HAS_EXPIRED.*renewed/)
    expect(await why('https://touchstone.invalid/v4')).toMatch(/host that is not known.*see that baseUrl is right/)
  })

  test('the clock is named where a certificate is not valid yet', async () => {
    const early = await pairOf(2, 1)
    const { baseUrl } = await served(early, false)
    expect(await why(baseUrl, early)).toMatch(/CERT_NOT_YET_VALID.*set this machine's clock/)
  })

  test('HTTP/1.1 is asked for where a target speaks HTTP/2 alone', async () => {
    const server = createSecureServer({ key: target.private, cert: target.cert })
    const baseUrl = `https://localhost:${await listen(server)}/v4`
    expect(await why(baseUrl, target)).toMatch(/NO_APPLICATION_PROTOCOL.*HTTP\/1\.1/)
  })

  const ended = async (command: string, baseUrl: string, tls?: object) => {
    const file = join(files.path(), 'touchstone.config.json')
    await files.put(
      'touchstone.config.json',
      JSON.stringify({ baseUrl, tls, tokens: [{ name: 'a', scopes: '*', secret: 's' }] }),
    )
    const where = command === 'doctor' ? [] : ['--out', join(files.path(), 'out')]
    const { exitCode, err, out } = await invoke(command, '--target', file, ...where)
    return [exitCode, err + out]
  }

  const commands = ['run', 'fuzz', 'doctor', 'guard', 'sweep']

  test.each(commands)('%s ends with 2', async (command) => {
    const { baseUrl } = await served(target, false)
    expect(await ended(command, baseUrl)).toEqual([2, expect.stringMatching(/TLS with \S+ failed/)])
  })

  test.each(commands)('%s ends with 2 where the target wants to know who its client is', async (command) => {
    const { baseUrl } = await served()
    await loaded(baseUrl, {})
    expect(await ended(command, baseUrl, { ca: all.ca })).toEqual([
      2,
      expect.stringMatching(/name its files in tls\.cert/),
    ])
  })

  test('a gateway that tells so in a page is understood', async () => {
    const page = '<html><center>400 No required SSL certificate was sent</center></html>'
    const server = createServer({ key: target.private, cert: target.cert }, (_, response) => {
      response.writeHead(400, { 'content-type': 'text/html' }).end(page)
    })
    const baseUrl = `https://localhost:${await listen(server)}/v4`
    await loaded(baseUrl, {})
    expect(await ended('sweep', baseUrl, { ca: all.ca })).toEqual([
      2,
      expect.stringMatching(/name its files in tls\.cert/),
    ])
  })
})
