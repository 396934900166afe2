// A run in which every reply of one operation is broken off is never green, whatever explains that.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbedded, targetFileOf } from '../../reference/serve.js'
import { folder, invoke } from './invoke.js'

/** A way to a target on which no list of volumes comes to its end, once anything was written. */
const breakingOff = async (baseUrl: string): Promise<string> => {
  const { origin } = new URL(baseUrl)
  let isWritten = false
  const server = createServer(async (request, reply) => {
    const { method = 'GET', url = '/', headers } = request
    const { authorization = '', 'content-type': type = 'application/json' } = headers
    isWritten ||= method !== 'GET'
    const body = method === 'GET' ? undefined : await text(request)
    const got = await fetch(origin + url, {
      method,
      headers: { authorization, 'content-type': type },
      body: body || null,
    })
    const whole = Buffer.from(await got.arrayBuffer())
    const isBroken = isWritten && method === 'GET' && got.ok && new URL(url, origin).pathname.endsWith('/volumes')
    reply.writeHead(got.status, {
      'content-type': got.headers.get('content-type') ?? '',
      ...(isBroken && { connection: 'close' }),
      'content-length': whole.length + (isBroken ? 10 : 0),
    })
    reply.write(whole, () => (isBroken ? reply.destroy() : reply.end()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(baseUrl).pathname}`
}

test('a target that breaks off every list of volumes is not called conforming, and the list is named', async () => {
  const target = await startEmbedded({ seed: 1 })
  onTestFinished(() => target.server.close())
  const dir = folder()
  const file = join(dir, 'touchstone.config.json')
  writeFileSync(file, JSON.stringify({ ...targetFileOf(target), baseUrl: await breakingOff(target.baseUrl) }))
  const args = ['--operation', 'volumes.list', '--seed', '7']
  const { exitCode, out } = await invoke('run', '--target', file, ...args, '--out', join(dir, 'out'))
  expect(exitCode).not.toBe(0)
  expect(out).toMatch(/volumes\.list gave no reply|volumes\.list\.accepts/)
})
