// Secrets of a recording stand nowhere in what `judge` writes of it, in whatever place and spelling the target shows them again.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { base64, basic, canaries, minted, password, privateKey, spelled, textsIn, token } from '../guard/canaries.js'
import { folder, invoke } from './invoke.js'

const echo = [password, privateKey, token, basic, minted].flatMap(spelled)

const entryOf = (method: string, path: string, authorization: string, sent?: object) => ({
  startedDateTime: '2026-01-01T00:00:00.000Z',
  time: 5,
  request: {
    method,
    url: `https://api.example/v4${path}`,
    headers: [{ name: 'Authorization', value: authorization }],
    ...(sent && { postData: { mimeType: 'application/json', text: JSON.stringify(sent) } }),
  },
  response: {
    status: 200,
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    content: {
      mimeType: 'application/json',
      encoding: 'base64',
      text: base64(JSON.stringify({ id: 1, secret_key: minted, note: echo, [token]: echo.join(' ') })),
    },
  },
})

test('a recording that shows secrets again puts none into any file', async () => {
  const dir = folder()
  const key = { certificate: 'c', private_key: privateKey }
  const entries = [
    entryOf('GET', `/tags?of=${base64(token)}`, `Basic ${base64(`ann:${basic}`)}`),
    entryOf('POST', '/managed/credentials', `Bearer ${token}`, { label: 'a', password }),
    entryOf('POST', '/object-storage/buckets/c1/b/ssl', `Bearer ${token}`, key),
    entryOf('POST', '/object-storage/keys', `Bearer ${token}`, { label: 'ts-key' }),
  ]
  writeFileSync(join(dir, 'a.har'), JSON.stringify({ log: { version: '1.2', entries } }))
  const out = join(dir, 'out')
  const { exitCode, ...printed } = await invoke('judge', join(dir, 'a.har'), '--out', out)
  expect(exitCode).toBe(1)
  const texts = [...textsIn(out).values()]
  const all = [JSON.stringify(printed), ...texts]
  expect(canaries.filter((canary) => all.some((text) => text.includes(canary)))).toEqual([])
  expect(texts.join()).toMatch(/«(token |redacted)/)
})
