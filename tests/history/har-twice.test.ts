// Calls that two recorders have seen: a browser and a proxy behind it, each with a file, or in one that was put together.
import { describe, expect, test } from 'vitest'
import { readHars } from '../../history/har.js'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import { type Exchange, entryOf, gating, named, route, told, volume } from '../oracle/traffic.js'

const as = 'owner'
const disk = { path: { volumeId: 7 } }
const firewall = { label: 'wall-1', rules: { inbound_policy: 'DROP', outbound_policy: 'DROP' } }
const calls: readonly Exchange[] = [
  told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume()),
  told('firewalls.create', { as, body: firewall }, 200, { id: 9, status: 'enabled', tags: [], ...firewall }),
  told('volumes.update', { as, ...disk, body: { label: 'b' } }, 200, named('b')),
  told('volumes.delete', { as, ...disk }, 200, {}),
]

const inner = (exchange: Exchange, i: number): object => {
  const entry = entryOf({ ...exchange, at: i * 100 + 3, ms: 4 }, i)
  const { content, ...response } = entry.response as { readonly content: { readonly text: string } }
  const encoded = { ...content, text: Buffer.from(content.text).toString('base64'), encoding: 'base64' }
  const startedDateTime = String(entry.startedDateTime).replace('Z', '000Z')
  return { ...entry, startedDateTime, response: { ...response, content: encoded } }
}
const browser = calls.map(entryOf)
const proxy = calls.map(inner)

const read = (...files: readonly (readonly object[])[]) => {
  const [recording] = readHars(
    files.map((entries, i) => ({ json: { log: { entries } }, file: `${i}.har` })),
    { route },
  )
  return { calls: recording?.events.length, found: recording ? gating(judgeTraffic(recording)) : ['nothing read'] }
}

describe('calls that two recorders have seen', () => {
  test.each([
    ['in two files', [browser, proxy]],
    ['in two files, the inner one first', [proxy, browser]],
    ['in one file', [[...browser, ...proxy]]],
    ['of which one began later', [browser, proxy.slice(2)]],
  ])('are taken once: %s', (_, files) => {
    expect(read(...files)).toEqual({ calls: 4, found: [] })
  })

  test('are taken once where one of them kept no bodies', () => {
    const bare = proxy.map((one) => ({ ...one, response: { status: 200, content: { size: 99 } } }))
    expect(read(bare, browser)).toEqual({ calls: 4, found: [] })
  })

  test('are two where they were sent one after the other', () => {
    const later = calls.map((one, i) => entryOf({ ...one, at: 1000 + i * 100 }, i))
    expect(read(browser, later).calls).toBe(8)
  })
})
