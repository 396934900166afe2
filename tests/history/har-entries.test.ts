import { describe, expect, test } from 'vitest'
import type { CallEntry } from '../../history/entry.js'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import { baseUrl, type Exchange, entryOf, gating, judgeHar, recordingsOf, told } from '../oracle/traffic.js'

const as = 'owner'
const refusal = { errors: [{ field: '', reason: 'no' }] }
const volume = (label = 'disk') => ({
  id: 7,
  label,
  status: 'active',
  size: 20,
  region: 'r1',
  hardware_type: 'hdd',
  filesystem_path: `/dev/disk/by-id/scsi-0Node_Volume_${label}`,
  node_id: null,
  node_label: null,
  tags: [],
  created: '2026-01-01T00:00:00',
  updated: '2026-01-01T00:00:00',
})
const withId = (id: string) => ({ ...volume(), id })
const disk = { path: { volumeId: 7 } }
const creates = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
const renames = told('volumes.update', { as, ...disk, body: { label: 'b' } }, 200, volume('b'))
const views = (label = 'disk', more: Partial<Exchange> = {}) =>
  told('volumes.view', { as, ...disk }, 200, volume(label), more)

type Entry = Record<string, unknown>
const entry = (exchange: Exchange, i = 0, more: object = {}): Entry => ({ ...entryOf(exchange, i), ...more })
const har = (...entries: readonly unknown[]) => ({ log: { version: '1.2', entries } })
const request = (one: Entry, more: object): Entry => ({ ...one, request: { ...(one.request as object), ...more } })
const response = (one: Entry, more: object): Entry => ({ ...one, response: { ...(one.response as object), ...more } })
const callsOf = (json: unknown): readonly CallEntry[] =>
  recordingsOf(json, true).flatMap(({ events }) => events.filter((one): one is CallEntry => one.kind === 'call'))
const outcomes = (json: unknown) =>
  callsOf(json).map(({ outcome }) => ('lost' in outcome ? outcome.lost : outcome.status))
const begun = (at: string, time: unknown): object => ({ startedDateTime: `2026-01-01T00:00:${at}Z`, time })

describe('entries', () => {
  test('that stand in the file twice are taken once, with the credential that one of them has', () => {
    const bare = request(entry(creates), { headers: [{ name: 'accept', value: '*/*' }] })
    const json = har(bare, entry(creates), entry(views(), 1), entry(views(), 1))
    expect(callsOf(json).map(({ call }) => call.as)).toEqual(['owner', 'owner'])
    expect(recordingsOf(json)[0]?.ignored).toEqual({ 'stands in the file twice': 2 })
  })
  test.each<[string, Entry]>([
    ['null as status', response(entry(renames, 1), { status: null })],
    ['no response', entry(renames, 1, { response: undefined })],
    ['no time', entry(renames, 1, { startedDateTime: '' })],
  ])('with %s count as lost, so that they may have taken effect', (_, odd) => {
    const json = har(entry(creates), odd, entry(views('b'), 2))
    expect(outcomes(json)).toContain('reset')
    expect(gating(judgeHar(json, true))).toEqual([])
  })
  test('of a page and of its service worker count once, whichever stands first', () => {
    const [page, own] = [response(entry(views()), { _fetchedViaServiceWorker: true }), entry(views())]
    for (const json of [har(page, own), har(own, page)]) {
      expect(outcomes(json)).toEqual([200])
      expect(recordingsOf(json)[0]?.ignored).toEqual({ 'stands in the file twice': 1 })
    }
  })
  test('of interim replies tell nothing, for another reply follows', () => {
    const hints = entry({ ...views(), status: 103, reply: undefined })
    expect(outcomes(har(hints, entry(views(), 1)))).toEqual(['reset', 200])
    expect(gating(judgeHar(har(hints, entry(views(), 1))))).toEqual([])
  })
  test('of which nothing is told are left out where they name no operation', () => {
    const odd = { request: { method: 'GET', url: 'wss://x.test/live' }, startedDateTime: '' }
    expect(callsOf(har(entry(creates), odd))).toHaveLength(1)
  })
  test('that a cache answered by the words of Firefox are left out', () => {
    const cached = entry(views(), 2, { time: 0, cache: { afterRequest: { hitCount: 1 } } })
    expect(gating(judgeHar(har(entry(creates), entry(renames, 1), cached), true))).toEqual([])
  })
  test.each<[string, object, boolean]>([
    ['of which nothing came over the network', { _transferSize: 0 }, false],
    ['of which little came over the network', { _transferSize: 1 }, true],
    ['that are older than their request', { headers: [{ name: 'Age', value: '12' }] }, false],
    ['that are as old as their request', { headers: [{ name: 'Age', value: '0' }] }, true],
  ])('%s are left out where they are reads', (_, told, isJudged) => {
    const old = har(entry(creates), response(entry(renames, 1), told), response(entry(views(), 2), told))
    expect(callsOf(old)).toHaveLength(isJudged ? 3 : 2)
    expect(gating(judgeHar(old, true)).length > 0).toBe(isJudged)
  })
  test.each([
    ['X-Cache', 'Hit from cloudfront'],
    ['CF-Cache-Status', 'HIT'],
    ['Cache-Status', 'edge; hit; ttl=30'],
  ])('that a cache on the way answered by its header %s are left out', (name, value) => {
    const hit = response(entry(views('old'), 2), { headers: [{ name, value }] })
    expect(callsOf(har(entry(creates), entry(renames, 1), hit)).map(({ op }) => op.id)).toEqual([
      'volumes.create',
      'volumes.update',
    ])
  })
  test('that a cache answered by the words of Safari are left out', () => {
    const cached = (_fetchType: string) => har(entry(creates), entry(renames, 1), entry(views(), 2, { _fetchType }))
    expect(gating(judgeHar(cached('Disk Cache'), true))).toEqual([])
    expect(gating(judgeHar(cached('Network Load'), true))).not.toEqual([])
  })
  test.each<[string, Entry]>([
    ['a member of the reply', entry(views('[REDACTED]'), 2)],
    ['all texts of a reply', entry(told('volumes.list', { as }, 200, { data: [{ id: '***', label: '***' }] }), 2)],
    ['an id in the path', entry({ ...views(), url: '/volumes/%3Credacted%3E' }, 2)],
    ['the text of the reply', response(entry(views(), 2), { content: { mimeType: '', text: '[body removed]' } })],
    ['what was sent', entry({ ...renames, body: { label: '<redacted>' } }, 2)],
    ['the end of a text', entry(views('a long name of a di…'), 2)],
    ['an object within a reply', entry(views('[Object]'), 2)],
    ['items of a list', entry(told('tags.list', { as }, 200, { data: ['... 7 more items'] }), 2)],
    ['a part of an address', entry(told('ips.view', { as, path: { address: '10.1.x.x' } }, 200, { address: '*' }), 2)],
    ['an id, and a name in its place', entry({ ...views(), url: '/volumes/:volumeId' }, 2)],
    ['the ids of a reply', entry(told('volumes.list', { as }, 200, { data: [withId('[ID]'), withId('[ID]')] }), 2)],
    ['an id, and put a word there', entry(told('volumes.view', { as, ...disk }, 200, withId('ID')), 2)],
    ['an id, and put a row of x there', entry(told('volumes.view', { as, ...disk }, 200, withId('xxxx')), 2)],
    [
      'an id, and put its name there',
      entry(told('volumes.view', { as, path: { volumeId: 7 } }, 200, withId('<id>')), 2),
    ],
    [
      'an id, and put that of the path there',
      entry(told('volumes.view', { as, path: { volumeId: 7 } }, 200, withId('{volumeId}')), 2),
    ],
    [
      'a number, and put signs there',
      entry(
        told('managed-contacts.create', { as, body: { name: 'Ann', phone: { primary: '+X XXX XXX XXXX' } } }, 200, {}),
        2,
      ),
    ],
    [
      'what a query asks for',
      entry({
        ...told('volumes.list', { as }, 200, { data: [volume()], page: 1, pages: 1, results: 1 }),
        url: '/volumes?page=REDACTED&page_size=***',
      }),
    ],
    ['an id, and a sign in its place', entry({ ...views(), url: '/volumes/*' }, 2)],
    ['a text, with a note of its size', response(entry(views(), 2), { content: { text: '(body too large: 2.1 kB)' } })],
    ['bytes', response(entry(views(), 2), { content: { text: '\u008b\u0005\u0080{"id":\ufffd7}\u0003' } })],
    [
      'a reply that came in pieces',
      response(entry(views(), 2), {
        headers: [{ name: 'Transfer-Encoding', value: 'chunked' }],
        content: { size: 0, mimeType: 'application/json' },
        bodySize: -1,
      }),
    ],
    [
      'a text, and the lengths of its pieces',
      response(entry(views(), 2), { content: { text: 'e\r\n{"id":7,"la\r\n0\r\n\r\n' } }),
    ],
    ['the text that was sent', request(entry(renames, 2), { postData: { mimeType: '', text: '(filtered)' } })],
  ])('that keep back %s are taken for what is not known', (_, hidden) => {
    expect(judgeHar(har(entry(creates), hidden, entry(views(), 3)), true).found).toEqual([])
  })
  test('in base64 are read as JSON even where nothing says so', () => {
    const text = Buffer.from(JSON.stringify(volume())).toString('base64')
    const old = response(entry(views(), 2), { headers: [], content: { mimeType: 'application/json', text } })
    expect(gating(judgeHar(har(entry(creates), entry(renames, 1), old), true))).toContain(
      'volumes.update.takes-effect:label',
    )
  })
  test.each([true, false, 7, 12_345, 'https://x.invalid', 'é'])(
    'in base64 are read as JSON even where nothing says so and they hold no more than %j',
    (body) => {
      const text = Buffer.from(JSON.stringify(body)).toString('base64')
      const taken = response(entry(views()), { headers: [], content: { mimeType: 'application/json', text } })
      expect(callsOf(har(taken))).toMatchObject([{ outcome: { status: 200, body } }])
    },
  )
  test.each(['OK', 'Done', 'OKAY', 'true-ish'])('that are words are no JSON in base64: %s', (text) => {
    const taken = response(entry(views()), { headers: [], content: { mimeType: 'application/json', text } })
    expect(callsOf(har(taken))).toMatchObject([{ outcome: { status: 200, text } }])
  })
  test('of lists are left out where the file has no query at all, and one address shows several pages', () => {
    const list = (n: number, i: number) =>
      entry(told('volumes.list', { as }, 200, { data: [volume()], page: n, pages: 2, results: 2 }), i)
    expect(judgeHar(har(list(1, 0), list(2, 1)), true).found).toEqual([])
    expect(gating(judgeHar(har(list(2, 0), list(2, 1)), true))).toContain('volumes.list.page:page')
  })
  test('of a list that was filtered by a header are left out, for the document has no such header', () => {
    const list = entry(told('volumes.list', { as }, 200, { data: [], page: 1, pages: 1, results: 0 }), 2)
    const filtered = request(list, { headers: [{ name: 'X-Filter', value: '{"label":"x"}' }] })
    expect(callsOf(har(entry(creates), filtered))).toHaveLength(1)
  })
  test('are read whole where only secrets are kept back, or a text merely has such a word', () => {
    const label = 'removed masked disk'
    const secret = told('object-keys.create', { as, body: { label } }, 200, { id: 9, label, secret_key: '[REDACTED]' })
    expect(outcomes(har(entry(secret), entry(views(label), 1)))).toEqual([200, 200])
  })
  test('are read whole where a text is of signs that a mask has as well', () => {
    const long = 'x'.repeat(33)
    const taken = entry(told('volumes.create', { as, body: { label: long, region: 'r1' } }, 200, volume(long)))
    expect(gating(judgeHar(har(taken), true))).toEqual([expect.stringContaining('label.maxLength')])
    const wrong = entry(told('volumes.view', { as, path: { volumeId: 7 } }, 200, withId('id')))
    expect(gating(judgeHar(har(wrong), true))).toContain('volumes.view.reply.id.type:shape')
  })
  test('of another host that answers in no form of the interface are left out, unless it is shown the same token', () => {
    const other = (as: string | undefined, i: number) =>
      told(
        'volumes.list',
        { as: null },
        200,
        { items: [] },
        { as, url: 'https://shop.example/v4/volumes', at: i * 100 },
      )
    const all = (as: string | undefined) => har(entry(creates), entry(views(), 1), entry(other(as, 2), 2))
    const judged = (json: unknown) => recordingsOf(json).flatMap((one) => gating(judgeTraffic(one)))
    expect(judged(all(undefined))).toEqual([])
    expect(recordingsOf(all(undefined))[0]?.ignored).toEqual({ 'is of a host that does not speak the interface': 1 })
    expect(judged(all(as))).not.toEqual([])
    expect(judged(har(entry(other(undefined, 0))))).not.toEqual([])
    const silent = { ...other(undefined, 2), reply: undefined, status: 403 }
    expect(judged(har(entry(creates), entry(views(), 1), entry(silent, 2)))).toEqual([])
  })
  test('whose path ends in a slash name no operation', () => {
    expect(callsOf(har(entry({ method: 'GET', url: '/volumes/', status: 404, reply: refusal })))).toEqual([])
  })
  test('that tell their query beside the URL only are judged by it', () => {
    const one = entry({ method: 'GET', url: '/volumes', as, status: 200 })
    const pairs = { queryString: [{ name: 'page', value: '2' }] }
    expect(callsOf(har(request(one, pairs)))[0]?.call.query).toEqual({ page: '2' })
    const both = request(one, { ...pairs, url: `${baseUrl}/volumes?page=3` })
    expect(callsOf(har(both))[0]?.call.query).toEqual({ page: '3' })
  })
  test('that ask for something else than JSON are left out where that is refused', () => {
    const one = entry(views('disk', { status: 406, reply: refusal }), 1)
    const asks = (value: string) => har(entry(creates), request(one, { headers: [{ name: 'Accept', value }] }))
    expect(callsOf(asks('text/html'))).toHaveLength(1)
    expect(callsOf(asks('text/html, */*;q=0.1'))).toHaveLength(2)
  })
})

test('replies in the form that was asked for instead of JSON are not known', () => {
  const told = response(entry(views()), { content: { mimeType: 'text/event-stream', text: 'data: x\n\n' } })
  const asks = (value: string) => outcomes(har(request(told, { headers: [{ name: 'Accept', value }] })))
  expect(asks('text/event-stream')).toEqual(['too-large'])
  expect(asks('*/*')).toEqual([200])
})

test('queries without their values, which were taken, are not known', () => {
  const one = (status: number) => entry({ method: 'GET', url: '/volumes?page=&page_size=', as, status, reply: refusal })
  expect(callsOf(har(one(200)))).toEqual([])
  expect(callsOf(har(one(400)))).toHaveLength(1)
})

describe('times', () => {
  const judge = (...times: readonly (readonly [string, unknown])[]) => {
    const calls = [creates, renames, views()]
    return gating(
      judgeHar(har(...calls.map((call, i) => entry(call, i, begun(...(times[i] as [string, unknown]))))), true),
    )
  }
  test.each<[string, readonly (readonly [string, unknown])[]]>([
    [
      'in whole seconds',
      [
        ['00', 40],
        ['10', 60],
        ['11', 10],
      ],
    ],
    [
      'of which the durations are whole seconds',
      [
        ['00.000', 1000],
        ['10.000', 0],
        ['10.600', 1000],
      ],
    ],
    [
      'in whole milliseconds',
      [
        ['00.000', 5],
        ['01.100', 9],
        ['01.110', 2.5],
      ],
    ],
    [
      'that are not told',
      [
        ['00.000', 20],
        ['01.000', null],
        ['09.000', 20],
      ],
    ],
    [
      'of -1',
      [
        ['00.000', 20],
        ['01.000', -1],
        ['09.000', 20],
      ],
    ],
    [
      'of 0 throughout',
      [
        ['00.000', 0],
        ['01.000', 0],
        ['09.000', 0],
      ],
    ],
  ])('%s leave open which call came first', (_, times) => {
    expect(judge(...times)).toEqual([])
  })
  test('that are far apart tell which came first', () => {
    expect(judge(['00.000', 40], ['01.000', 60], ['02.000', 10])).toContain('volumes.update.takes-effect:label')
    expect(judge(['00.000', 1000], ['10.000', 0], ['11.600', 1000])).toContain('volumes.update.takes-effect:label')
  })
  test('in whole seconds of one recorder, which cuts or rounds all in one way, tell which came first two seconds later', () => {
    const found = 'volumes.update.takes-effect:label'
    expect(judge(['00', 40], ['10', 60], ['12', 10])).toContain(found)
    const inTwoWays = [creates, renames, views()].map((call, i) =>
      entry(call, i, { startedDateTime: `2026-01-01T00:00:${['00Z', '10Z', '12+00:00'][i]}`, time: 10 }),
    )
    expect(gating(judgeHar(har(...inTwoWays), true))).toEqual([])
  })
  test('may have a comma before the parts of a second', () => {
    const calls = callsOf(har(entry(creates), entry(views(), 1, { startedDateTime: '2026-01-01T00:00:07,250Z' })))
    expect(calls.map(({ outcome }) => 'status' in outcome)).toEqual([true, true])
  })
  test('that are not told end where the same connection is used again, or what was made is named', () => {
    const on = (connection: string) => ({ connection })
    const one = (exchange: Exchange, i: number, more: object) =>
      response(entry(exchange, i, more), { httpVersion: 'HTTP/1.1' })
    const unknown = { time: null }
    const json = har(
      one(creates, 0, unknown),
      one(renames, 1, { ...unknown, ...on('4') }),
      one(views('b'), 2, on('4')),
      one(views('b'), 3, unknown),
    )
    const [made, renamed, , last] = callsOf(json)
    expect([made?.endedAt, renamed?.endedAt, last?.endedAt]).toEqual([100, 200, 300])
  })
})

describe('bodies', () => {
  test('that are empty texts of unknown size may not have been recorded', () => {
    const empty = (more: object) => response(entry(views()), { content: { text: '', ...more }, bodySize: -1 })
    expect(outcomes(har(empty({ size: -1 }), entry(views(), 1)))).toEqual(['too-large', 200])
    expect(outcomes(har(empty({}), entry(views(), 1)))).toEqual(['too-large', 200])
    expect(outcomes(har(empty({ size: 0 }), entry(views(), 1)))).toEqual([200, 200])
  })
  test('that begin with a byte order mark are no JSON, in whatever form they were recorded', () => {
    const text = '\ufeff{"id":7}'
    const encoded = { text: Buffer.from(text).toString('base64'), encoding: 'base64' }
    for (const content of [{ text }, encoded])
      expect(callsOf(har(response(entry(views()), { content })))[0]?.outcome).toEqual({ status: 200, text })
  })
  test('of which a file has none at all were not recorded, whatever size it tells', () => {
    const empty = (i: number) => response(entry(views(), i), { content: { size: 0 }, bodySize: 0 })
    expect(outcomes(har(empty(0), empty(1)))).toEqual(['too-large', 'too-large'])
    const headers = [{ name: 'Content-Length', value: '0' }]
    expect(outcomes(har(empty(0), response(empty(1), { headers })))).toEqual([200, 200])
  })
  const shown = (more: object) => outcomes(har(response(entry(views()), more)))
  const json = 'application/json'
  test.each<[string, object]>([
    ['without text where its length is told', { content: { size: 0, mimeType: json }, bodySize: 312 }],
    [
      'empty where a header tells another length',
      { content: { size: 0, text: '' }, headers: [{ name: 'Content-Length', value: '2' }] },
    ],
    [
      'packed in some way',
      { content: { size: -1, text: 'x\u009c' }, headers: [{ name: 'content-encoding', value: 'deflate' }] },
    ],
    ...['Content-Type', 'Transfer-Encoding'].map((name): [string, object] => [
      `empty though ${name} tells of one`,
      { content: { size: 0 }, bodySize: 0, headers: [{ name, value: name === 'Content-Type' ? json : 'chunked' }] },
    ]),
    ['in hex', { content: { size: -1, text: '7b226964223a377d', encoding: 'hex' } }],
    ['with a byte order mark that no length counts', { content: { size: 8, text: '\ufeff{"id":7}' } }],
    ['cut, as a comment says', { content: { size: -1, text: '{"id":7', comment: 'truncated' } }],
    [
      'cut, as a header says',
      { content: { size: -1, text: '{"id":7' }, headers: [{ name: 'content-length', value: '312' }] },
    ],
    [
      'of a part',
      {
        status: 206,
        content: { size: 7, text: '{"id":7' },
        headers: [{ name: 'content-range', value: 'bytes 0-6/99' }],
      },
    ],
    ['of which only a beginning was kept, whatever size that has', { content: { size: 7, text: '{"id":7' } }],
    ['of which a beginning was kept with a note', { content: { size: -1, text: '{"id":7,"label":"di… (truncated)' } }],
    ['with an id that numbers cannot hold', { content: { size: 24, text: '{"id":12345678901234567890}' } }],
  ])('%s were not recorded', (_, more) => {
    expect(shown(more)).toEqual(['too-large'])
  })
  test.each<[string, object, number]>([
    ['no JSON, whole and unpacked', { content: { size: 2, text: 'OK' } }, 200],
    [
      'no JSON for want of an end, sent like that as a header says',
      { content: { size: 2, text: '{"' }, headers: [{ name: 'Content-Length', value: '2' }] },
      200,
    ],
    ['empty, as their length says', { content: { size: 0, text: '' }, bodySize: 0 }, 200],
    ['a long number in a text', { content: { size: 32, text: '{"label":"12345678901234567890"}' } }, 200],
  ])('that are %s were', (_, more, status) => {
    expect(shown(more)).toEqual([status])
  })
  test.each<[string, object]>([
    ['its size', { bodySize: 13 }],
    ['a header', { bodySize: -1, headers: [{ name: 'Content-Length', value: '13' }] }],
  ])('of a request that was cut when it was recorded is not what was sent, where %s tells its length', (_, more) => {
    const cut = (text: string) => request(entry(renames), { postData: { mimeType: json, text }, ...more })
    expect(recordingsOf(har(cut('{"label":"b"}')))[0]?.events.map(({ kind }) => kind)).toEqual(['call'])
    expect(recordingsOf(har(cut('{"label')))[0]?.events.map(({ kind }) => kind)).toEqual(['blank'])
  })
  test('of an accepted request that has none, or the beginning of one, may not have been kept, unless a header tells its length', () => {
    const kinds = (one: Entry) => recordingsOf(har(one))[0]?.events.map(({ kind }) => kind)
    const { request: sent, ...rest } = entry(creates)
    const { postData: _, ...bare } = sent as { readonly postData: object }
    const noLength = { ...bare, bodySize: 0 }
    const told = {
      ...noLength,
      headers: [...(bare as { headers: object[] }).headers, { name: 'Content-Length', value: '0' }],
    }
    expect(kinds({ ...rest, request: noLength })).toEqual(['blank'])
    expect(kinds({ ...rest, request: { ...noLength, postData: { mimeType: json, text: '' } } })).toEqual(['blank'])
    expect(kinds({ ...rest, request: { ...noLength, postData: { mimeType: json, text: '{"label":"di' } } })).toEqual([
      'blank',
    ])
    const params = [{ name: 'label', value: 'disk' }]
    expect(kinds({ ...rest, request: { ...noLength, postData: { mimeType: json, params } } })).toEqual(['blank'])
    expect(kinds({ ...rest, request: told })).toEqual(['call'])
    expect(kinds(response({ ...rest, request: noLength }, { status: 400 }))).toEqual(['call'])
  })
  test.each([
    ['filename=a.png', 'a.png'],
    ["filename*=UTF-8''b%20c.png", 'b c.png'],
    ['filename="x"; filename*=UTF-8\'\'a.png', 'a.png'],
  ])('tell the name of a file by %s', (told, name) => {
    const text = `--b\r\nContent-Disposition: form-data; name=file; ${told}\r\n\r\nhello\r\n--b--`
    const one = entry({ method: 'POST', url: '/support/tickets/1/attachments', as, status: 200, reply: {} })
    const form = request(one, { postData: { mimeType: 'multipart/form-data; boundary=b', text } })
    expect(callsOf(har(form))[0]?.call.file).toEqual({ field: 'file', name, bytes: 5 })
  })
})

describe('credentials', () => {
  const by = (value: string, i = 0) =>
    request(entry(views(), i), { headers: [{ name: 'Authorization', value: `Bearer ${value}` }] })
  test.each(['FILTERED', 'TOKEN', '{{token}}', 'sanitized', 'secret', '●●●●●●●●●●●●', 'xxxxxx', '<token>'])(
    'that an exporter replaced by %s are of nobody known',
    (mask) => {
      expect(callsOf(har(by(mask)))[0]?.call.as).toBe('?')
    },
  )
  test.each([
    ['owner', 'owner'],
    ['?1', '?'],
    ['somebody', '?'],
  ])('that a guard has masked, and wrote to be those of %s, are those of %s', (_caller, as) => {
    const headers = [{ name: 'Authorization', value: `masked (${_caller})` }]
    expect(callsOf(har({ ...request(entry(views()), { headers }), _caller }))[0]?.call.as).toBe(as)
  })
  test('of their own are told apart, and a short one of the target file is known', () => {
    expect(callsOf(har(by('a1b2c3'), by('secret-of-owner', 1))).map(({ call }) => call.as)).toEqual(['?1', 'owner'])
  })
  test('that are missing were not sent only where the call was refused', () => {
    const bare = views('disk', { as: null })
    const json = har(entry(creates), entry(bare, 1), entry({ ...bare, status: 401, reply: refusal }, 2))
    expect(callsOf(json).map(({ call }) => call.as)).toEqual(['owner', '?', null])
    expect(gating(judgeHar(json, true))).toEqual([])
  })
  test('that were refused may have expired', () => {
    const [recording] = recordingsOf(har(entry(views('disk', { status: 401, reply: refusal }))), true)
    expect(gating(judgeTraffic(recording as NonNullable<typeof recording>))).toEqual([])
    expect(gating(judgeHar(har(entry(views('disk', { status: 401, reply: {} }))), true))).toEqual([
      'volumes.view.refusal.envelope:envelope',
    ])
  })
})

describe('what a gateway answers is not the target’s:', () => {
  test.each([407, 408, 413, 421, 425, 431, 511, 520, 522, 530])('%i', (status) => {
    const page = { content: { size: 6, mimeType: 'text/html', text: '<html>' } }
    const judged = judgeHar(har(response(entry(told('volumes.list', { as }, status)), page)), true)
    expect(gating(judged)).toEqual([])
    expect(judged.steps[0]?.verdict).toBe('inconclusive')
  })
})
