import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  baseUrl,
  type Exchange,
  entryOf,
  gating,
  harOf,
  judgeHar,
  named,
  recordingsOf,
  secretOf,
  told,
  volume,
} from '../oracle/traffic.js'

const as = 'owner'
const path = { volumeId: 7 }
const create = (reply: object = volume(), more: Partial<Exchange> = {}) =>
  told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, reply, more)
const view = (reply: object = volume(), more: Partial<Exchange> = {}) =>
  told('volumes.view', { as, path }, 200, reply, more)

const refusal = { errors: [{ field: '', reason: 'no' }] }

describe('reading a HAR', () => {
  const first = (har: unknown, isKnown = false) => recordingsOf(har, isKnown)[0]
  const callsOf = (har: unknown, isKnown = false) =>
    (first(har, isKnown)?.events ?? []).flatMap((event) => (event.kind === 'call' ? [event] : []))

  test('leaves out what was sent on to another address, and not what leads nowhere else', () => {
    const sentOn = (redirectURL: string, at: number) => ({
      ...entryOf(view(undefined, { at }), 0),
      response: { status: 308, redirectURL, content: { size: 0, mimeType: '' } },
    })
    const entries = [entryOf(view(), 0), sentOn('https://elsewhere.example.test/v4/volumes/7', 100), sentOn('', 200)]
    const har = { log: { version: '1.2', entries } }
    expect(callsOf(har).map(({ outcome }) => outcome)).toMatchObject([{ status: 200 }, { status: 308 }])
    expect(first(har)?.ignored).toEqual({ 'was sent on to another address': 1 })
  })
  test('sorts entries by time and leaves out what names no operation', () => {
    const har = harOf([
      view(volume(), { at: 500 }),
      { method: 'GET', url: 'https://cdn.example.test/logo.png', status: 200 },
      create(volume(), { at: 100 }),
      { method: 'OPTIONS', url: '/volumes/7', status: 204 },
    ])
    expect(callsOf(har).map(({ call }) => call.operation)).toEqual(['volumes.create', 'volumes.view'])
    expect(first(har)?.ignored).toEqual({ 'names no operation of the interface': 2 })
  })

  test.each([
    ['https://x.test/proxy/v4/volumes', 'https://x.test/proxy/v4'],
    ['https://x.test/volumes', 'https://x.test'],
    ['https://x.test/v4/v4/volumes', 'https://x.test/v4/v4'],
  ])('finds where paths begin in %s', (url, base) => {
    expect(first(harOf([{ method: 'GET', url, status: 401, reply: refusal }]))?.baseUrl).toBe(base)
  })

  test('takes the base path from the target file, and another host where the traffic has only that', () => {
    const har = harOf([{ method: 'GET', url: 'http://localhost:1/v4/volumes', status: 401, reply: refusal }])
    expect(callsOf(har, true)).toHaveLength(1)
    expect(callsOf(harOf([{ method: 'GET', url: 'http://localhost:1/volumes', status: 401 }]), true)).toEqual([])
  })

  test('keeps traffic of two origins apart', () => {
    const har = harOf([create(), { ...view(named('b')), url: 'https://other.test/v4/volumes/7' }])
    expect(recordingsOf(har).map(({ events }) => events.length)).toEqual([1, 1])
  })

  test('finds where the paths of each origin begin, and takes no path of another site for one of the interface', () => {
    const at = (url: string) => ({ ...view(named('b')), url })
    const urls = ['https://other.test/cloud/v4/volumes/7', 'https://blog.test/tags', `${baseUrl}/volumes/7`]
    expect(recordingsOf(harOf(urls.map(at))).map((one) => one.baseUrl)).toEqual([
      'https://other.test/cloud/v4',
      baseUrl,
    ])
  })

  test('decodes paths, queries and bodies in base64', () => {
    const entry = entryOf({ method: 'GET', url: '/tags/caf%C3%A9%2Fx?page=2', status: 200 }, 0)
    const text = Buffer.from(JSON.stringify({ data: [] })).toString('base64')
    const har = { log: { entries: [{ ...entry, response: { status: 200, content: { text, encoding: 'base64' } } }] } }
    const [one] = callsOf(har)
    expect(one?.call).toMatchObject({ path: { tagLabel: 'café/x' }, query: { page: '2' } })
    expect(one?.outcome).toMatchObject({ body: { data: [] } })
  })

  test('unpacks bodies that were recorded as they came over the wire, in base64', () => {
    const body = volume()
    const entry = entryOf(told('volumes.view', { as: 'owner', path: { volumeId: 7 } }, 200, body), 0)
    const packed = gzipSync(JSON.stringify(body))
    const outcomeWith = (bytes: Buffer, headers: readonly object[]) => {
      const content = {
        text: bytes.toString('base64'),
        encoding: 'base64',
        size: bytes.length,
        mimeType: 'application/json',
      }
      return callsOf({ log: { entries: [{ ...entry, response: { status: 200, headers, content } }] } })[0]?.outcome
    }
    expect(outcomeWith(packed, [])).toMatchObject({ status: 200, body })
    expect(outcomeWith(packed, [{ name: 'content-encoding', value: 'gzip' }])).toMatchObject({ status: 200, body })
    // One that was cut is not known.
    expect(outcomeWith(packed.subarray(0, packed.length - 12), [])).toMatchObject({ lost: 'too-large' })
  })

  test('knows tokens by their secrets, and tells other secrets apart without naming them', () => {
    const har = harOf([
      view(),
      view(volume(), { as: 'one' }),
      view(volume(), { as: 'two' }),
      view(refusal, { as: null, status: 401 }),
    ])
    expect(callsOf(har, true).map(({ call }) => call.as)).toEqual(['owner', '?1', '?2', null])
    expect(callsOf(har).map(({ call }) => call.as)).toEqual(['?1', '?2', '?3', null])
    expect(JSON.stringify(recordingsOf(har, true))).not.toContain(secretOf('one'))
  })

  test('takes nobody for anonymous where no entry has the header, nor where a cookie was sent', () => {
    expect(callsOf(harOf([view(volume(), { as: undefined })])).map(({ call }) => call.as)).toEqual(['?'])
    const cookie = {
      request: { method: 'GET', url: `${baseUrl}/volumes/7`, headers: [{ name: 'Cookie', value: 'a=b' }] },
    }
    expect(callsOf(harOf([view(), view(volume(), { more: cookie })])).map(({ call }) => call.as)).toEqual(['?1', '?'])
  })

  test('takes for anonymous what has all headers of another call but the credential, however it was answered', () => {
    const clad = (...headers: readonly string[]) => ({
      request: {
        method: 'GET',
        url: `${baseUrl}/volumes/7`,
        headers: headers.map((name) => ({ name, value: `Bearer ${secretOf(as)}` })),
      },
    })
    const asOf = (...headers: readonly string[]) => {
      const har = harOf([
        create(),
        view(volume(), { more: clad('Accept', 'authorization') }),
        view(volume(), { more: clad(...headers) }),
      ])
      return callsOf(har)[2]?.call.as
    }
    expect(asOf('accept')).toBe(null)
    expect([asOf(), asOf('accept', 'x-api-key'), asOf('accept', 'cookie')]).toEqual(['?', '?', '?'])
  })

  test('takes no accepted call for anonymous where many lack the credential, and few of them are turned away', () => {
    const accepted = view(volume(), { as: null })
    const refused = view({ errors: [{ reason: 'who are you?' }] }, { as: null, status: 401 })
    const callersOf = (...exchanges: readonly Exchange[]) =>
      callsOf(harOf([create(), view(), ...exchanges]))
        .slice(2)
        .map(({ call }) => call.as)
    expect(callersOf(accepted)).toEqual([null])
    expect(callersOf(accepted, refused, accepted)).toEqual(['?', null, '?'])
    expect(callersOf(accepted, refused, accepted, refused)).toEqual([null, null, null, null])
  })

  test('finds a call of nobody that is accepted', () => {
    expect(gating(judgeHar(harOf([create(), view(), view(volume(), { as: null })])))).toEqual([
      'volumes.view.token:accepted',
    ])
    expect(gating(judgeHar(harOf([create(), view(), view()])))).toEqual([])
  })

  test.each([
    [{ params: [{ name: 'file', fileName: 'a.png', value: 'xyz' }] }, { field: 'file', name: 'a.png', bytes: 3 }],
    [
      { text: '--b\r\nContent-Disposition: form-data; name="up"; filename="b.txt"\r\n\r\nhello\r\n--b--' },
      { field: 'up', name: 'b.txt', bytes: 5 },
    ],
  ])('takes the name and field of an uploaded file from a form', (form, file) => {
    const entry = entryOf({ method: 'POST', url: '/support/tickets/1/attachments', status: 200, reply: {} }, 0)
    const postData = { mimeType: 'multipart/form-data; boundary=b', ...form }
    const har = { log: { entries: [{ ...entry, request: { ...(entry.request as object), postData } }] } }
    expect(callsOf(har)[0]?.call.file).toEqual(file)
  })

  test('takes a reply whose body was not recorded for a lost one, and a failed entry too', () => {
    const stripped = { response: { status: 200, content: { size: 200, mimeType: 'application/json' } } }
    const har = harOf([view(volume(), { more: stripped }), view(volume(), { more: { _error: 'net::ERR_FAILED' } })])
    expect(callsOf(har).map(({ outcome }) => 'lost' in outcome && outcome.lost)).toEqual(['too-large', 'reset'])
  })

  test('forgets what it knew at a write whose body was not recorded', () => {
    const blank = { method: 'PUT', url: '/volumes/7', as, status: 200, more: {} } as const
    const entry = entryOf(blank, 2)
    const entries = [create(), view()].map(entryOf)
    const har = (bodySize: number) => ({
      log: {
        entries: [
          ...entries,
          { ...entry, request: { ...(entry.request as object), bodySize } },
          entryOf(view(named('z')), 3),
        ],
      },
    })
    expect(gating(judgeHar(har(30), true))).toEqual([])
    expect(recordingsOf(har(30))[0]?.events.map(({ kind }) => kind)).toEqual(['call', 'call', 'blank', 'call'])
  })

  test('leaves out what a cache answered', () => {
    expect(
      first(harOf([view(volume(), { status: 304 }), view(volume(), { more: { _fromCache: 'disk' } })]))?.events,
    ).toEqual([])
  })

  const entry = entryOf(view(), 0)
  test.each<[unknown, string]>([
    [[], 'a.har: /log: expected a HAR'],
    [{ log: {} }, '/log/entries: expected an array, received nothing'],
    [{ log: { entries: [7] } }, '/log/entries/0: expected an object, received 7'],
    [{ log: { entries: [{ ...entry, request: { url: 'x' } }] } }, '/log/entries/0/request/method: expected a text'],
  ])('says where a file is no HAR: %j', (json, message) => {
    expect(() => recordingsOf(json)).toThrow(message)
  })

  test('survives whatever an entry may hold', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    const odd = [
      { request: { method: 'POST', url: `${baseUrl}/volumes`, postData: { text: deep } } },
      { request: { method: 'POST', url: `${baseUrl}/volumes`, postData: { text: '{' } } },
      {
        request: {
          method: 'POST',
          url: `${baseUrl}/volumes`,
          postData: { text: '{"__proto__":{"label":1},"label":null}' },
        },
      },
      { request: { method: 'GET', url: `${baseUrl}/volumes/%E0%A4%A`, headers: 'no' } },
      { request: { method: 'GET', url: 'not a url', headers: [null, 7, {}] } },
      { response: { status: 200, content: { text: deep } } },
      { response: { status: 200, content: 'x', headers: 9 } },
      { response: { status: -1 } },
      { time: Number.MAX_VALUE, response: { status: 99_999, content: { text: '' } } },
      { response: { status: 200, content: { text: '{"data":{"length":9}}' } } },
      { response: { status: 200, content: { text: '%%%', encoding: 'base64' } } },
    ]
    for (const more of odd)
      for (const isKnown of [true, false]) {
        const judged = recordingsOf({ log: { entries: [{ ...entry, ...more }] } }, isKnown)
        expect(judged.length).toBeGreaterThan(0)
        expect(() => judgeHar({ log: { entries: [{ ...entry, ...more }, entry] } }, isKnown)).not.toThrow()
      }
  })
})
