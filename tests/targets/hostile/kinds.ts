// Hostile ways to answer, each by its name: what a target does that is broken, badly meant or behind a broken gateway; no test.

import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Met, Spoil } from './proxy.js'

export interface Kind {
  readonly name: string
  /** The area that a run asks for. */
  readonly area: string
  /** Made anew for each run: it may count. */
  readonly make: () => Spoil
}

type Json = Record<string, unknown>

const headed = (type = 'application/json; charset=utf-8') => ({ 'content-type': type })

/** As the target has answered. */
export const pass: Spoil = (response, { status, text }) => {
  response.writeHead(status, text === '' ? {} : headed())
  response.end(text)
}

const given =
  (status: number, text: string | Buffer, headers: Readonly<Record<string, string | string[]>> = headed()): Spoil =>
  (response) => {
    response.writeHead(status, headers)
    response.end(text)
  }

/** Spoils some replies, and passes on the others. */
const where =
  (is: (met: Met) => boolean, spoil: Spoil): Spoil =>
  (response, met) =>
    is(met) ? spoil(response, met) : pass(response, met)

const isDone = ({ status, text }: Met): boolean => status < 300 && text !== ''
const isPage = (met: Met): boolean => isDone(met) && met.isPage
const isRecord = (met: Met): boolean => isDone(met) && !met.isPage && met.text.startsWith('{')
const isRefused = ({ status, text }: Met): boolean => status >= 400 && text.startsWith('{')
const isWrite = (met: Met): boolean => met.method !== 'GET'
const isCreation = (met: Met): boolean => met.method === 'POST' && isRecord(met)

/** Changes the text of a reply. */
const text =
  (change: (text: string, met: Met) => string): Spoil =>
  (response, met) => {
    response.writeHead(met.status, headed())
    response.end(change(met.text, met))
  }

/** Changes what a reply says. */
const json = (change: (body: Json, met: Met) => unknown): Spoil =>
  text((old, met) => JSON.stringify(change(JSON.parse(old) as Json, met)))

const records = (change: (record: Json, met: Met) => unknown): Spoil =>
  where(
    isDone,
    json((body, met) =>
      Array.isArray(body.data)
        ? { ...body, data: body.data.map((one) => change(one as Json, met)) }
        : change(body, met),
    ),
  )

/** Sends a piece now and then, for as long as anybody listens. */
const drip = (response: ServerResponse, everyMs: number, piece: string | Buffer, head = ''): void => {
  response.writeHead(200, headed())
  response.write(head)
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer)
    else response.write(piece)
  }, everyMs)
  response.on('close', () => clearInterval(timer))
}

const hang: Spoil = () => undefined

const flood = (response: ServerResponse, piece: Buffer): void => {
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more)
  }
  response.writeHead(200, headed())
  more()
}

const megabyte = Buffer.alloc(1 << 20, 0x20)
const bomb = (): Buffer => gzipSync(Buffer.alloc(200 << 20, 0x20))
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const injection = `</script><script>alert(1)</script><img src=x onerror=alert(2)>]]>\u001b[2J\u001b]0;title\u0007\u009b31m\u0000\b\r\n::error::x "'&<`
const raw = (response: ServerResponse, bytes: string): void => {
  response.socket?.end(bytes)
}
const plain = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const kind = (name: string, area: string, spoil: Spoil | (() => Spoil), isMade = false): Kind => ({
  name,
  area,
  make: isMade ? (spoil as () => Spoil) : () => spoil as Spoil,
})
const counting = (name: string, area: string, make: () => Spoil): Kind => kind(name, area, make, true)

/** Bodies that are too much, or never all there. */
const bodies: readonly Kind[] = [
  kind(
    'no list ever ends',
    'tags',
    where(isPage, (response) => flood(response, megabyte)),
  ),
  kind(
    'no body ever ends',
    'volumes',
    where(isDone, (response) => flood(response, megabyte)),
  ),
  kind(
    'lists drip a byte a second',
    'tags',
    where(isPage, (response) => drip(response, 1000, ' ')),
  ),
  kind('everything drips a byte a second', 'tags', (response) => drip(response, 1000, ' ')),
  kind(
    'lists drip quickly and for ever',
    'volumes',
    where(isPage, (response) => drip(response, 1, ' ')),
  ),
  counting('lists are gzip bombs', 'tags', () => {
    const packed = bomb()
    return where(isPage, given(200, packed, { ...headed(), 'content-encoding': 'gzip' }))
  }),
  kind(
    'lists have 100 MB',
    'tags',
    where(isPage, (response, met) => {
      response.writeHead(200, headed())
      for (let i = 0; i < 100; i += 1) response.write(megabyte)
      response.end(met.text)
    }),
  ),
  kind(
    'lists have 15 MB of blanks',
    'tags',
    where(isPage, (response, met) => {
      response.writeHead(200, headed())
      response.end(`${' '.repeat(15 << 20)}${met.text}`)
    }),
  ),
  kind(
    'records have a text of 10 MB',
    'tags',
    where(
      isRecord,
      json((body) => ({ ...body, note: 'x'.repeat(10 << 20) })),
    ),
  ),
  kind(
    'pages have 60,000 records',
    'tags',
    where(
      isPage,
      json((body) => {
        const { data } = body as { readonly data: readonly Json[] }
        return {
          ...body,
          data: Array.from({ length: 60_000 }, (_, i) => ({ ...(data[0] ?? { label: 'x' }), label: `x${i}` })),
        }
      }),
    ),
  ),
  kind(
    'pages of volumes have 4,000 records',
    'volumes',
    where(
      (met) => isPage(met) && met.path === '/volumes',
      json((body) => {
        const { data } = body as { readonly data: readonly Json[] }
        return {
          ...body,
          data: data.length === 0 ? [] : Array.from({ length: 4000 }, (_, i) => ({ ...data[0], id: 900_000 + i })),
        }
      }),
    ),
  ),
  kind(
    'refusals have a million errors',
    'tags',
    where(isRefused, (response, met) => {
      response.writeHead(met.status, headed())
      response.end(`{"errors":[${'{"reason":"no"},'.repeat(300_000)}{"reason":"no"}]}`)
    }),
  ),
  kind(
    'bodies are cut in the middle',
    'tags',
    where(isDone, (response, met) => {
      response.writeHead(met.status, { ...headed(), 'content-length': String(Buffer.byteLength(met.text)) })
      response.write(met.text.slice(0, met.text.length / 2), () => response.destroy())
    }),
  ),
  kind(
    'lists have a head and no body',
    'tags',
    where(isPage, (response, met) =>
      raw(response, `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${met.text.length}\r\n\r\n`),
    ),
  ),
  kind(
    'bodies are longer than they say',
    'tags',
    where(isDone, (response, met) =>
      raw(response, `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\n${met.text}`),
    ),
  ),
  kind(
    '204 with a body',
    'tags',
    where(isDone, (response, met) =>
      raw(response, `HTTP/1.1 204 No Content\r\ncontent-length: ${met.text.length}\r\n\r\n${met.text}`),
    ),
  ),
  kind('200 with nothing', 'tags', where(isDone, given(200, ''))),
]

const endless = (more: (page: number) => number): Spoil =>
  where(
    isPage,
    json((body, { query, path }) => {
      const page = Number(query.get('page') ?? 1)
      const data = Array.from({ length: 100 }, (_, i) => ({ label: `endless-${page}-${i}`, id: page * 1000 + i }))
      return {
        ...body,
        data: path === '/tags' || (body.data as unknown[]).length === 0 ? data : body.data,
        page,
        pages: more(page),
        results: more(page) * 100,
      }
    }),
  )

/** Lists that lie about themselves. */
const lists: readonly Kind[] = [
  kind(
    'each page says that there is one more',
    'tags',
    endless((page) => page + 1),
  ),
  kind(
    'each page of volumes says that there is one more',
    'volumes',
    endless((page) => page + 1),
  ),
  kind(
    'each list of managed things says that there is one more',
    'managed',
    where(
      isPage,
      json((body, { query }) => ({
        ...body,
        page: Number(query.get('page') ?? 1),
        pages: Number(query.get('page') ?? 1) + 1,
      })),
    ),
  ),
  kind(
    'a list says that it has 10^15 pages',
    'tags',
    where(
      isPage,
      json((body) => ({ ...body, pages: 1e15, results: 1e17 })),
    ),
  ),
  kind(
    'a list says that it has -1 pages',
    'tags',
    where(
      isPage,
      json((body) => ({ ...body, pages: -1, results: -5 })),
    ),
  ),
  kind(
    'totals are text',
    'tags',
    where(
      isPage,
      json((body) => ({ ...body, pages: 'many', results: '12' })),
    ),
  ),
  kind(
    'every page is the first',
    'volumes',
    where(
      isPage,
      json((body) => ({ ...body, page: 1, pages: 3, results: 300 })),
    ),
  ),
  kind(
    'data is null',
    'tags',
    where(
      isPage,
      json((body) => ({ ...body, data: null })),
    ),
  ),
  kind(
    'data is an object',
    'volumes',
    where(
      isPage,
      json((body) => ({ ...body, data: { length: 3, 0: null } })),
    ),
  ),
  kind(
    'items are null',
    'volumes',
    where(
      isPage,
      json((body) => ({ ...body, data: [null, ...(body.data as unknown[]), null] })),
    ),
  ),
  kind(
    'items are arrays, texts and numbers',
    'networking',
    where(
      isPage,
      json((body) => ({ ...body, data: [[], 'x', 7, true, ...(body.data as unknown[])] })),
    ),
  ),
  kind(
    'items are without their members',
    'networking',
    where(
      isPage,
      json((body) => ({ ...body, data: (body.data as unknown[]).map(() => ({})) })),
    ),
  ),
  kind(
    'every list is the list of volumes',
    'networking',
    where(
      isPage,
      given(
        200,
        '{"data":[{"id":1,"label":"a","size":20,"region":"r1","status":"active","tags":[]}],"page":1,"pages":1,"results":1}',
      ),
    ),
  ),
]

/** Values that no member should have. */
const values: readonly Kind[] = [
  kind('everything is null', 'volumes', where(isDone, given(200, 'null'))),
  kind('everything is an empty array', 'volumes', where(isDone, given(200, '[]'))),
  kind('everything is {}', 'object-storage', where(isDone, given(200, '{}'))),
  kind(
    'records are arrays',
    'managed',
    where(
      isRecord,
      json((body) => Object.entries(body)),
    ),
  ),
  kind(
    'records are texts',
    'support',
    where(
      isRecord,
      json((body) => JSON.stringify(body)),
    ),
  ),
  kind(
    'every member is null',
    'volumes',
    records((record) => Object.fromEntries(Object.keys(record).map((name) => [name, null]))),
  ),
  kind(
    'every member is an object',
    'volumes',
    records((record) => Object.fromEntries(Object.keys(record).map((name) => [name, { id: {} }]))),
  ),
  kind('replies are nested 9,000 deep', 'tags', where(isDone, given(200, nested(9000)))),
  kind(
    'replies are nested 300,000 deep',
    'tags',
    where(isDone, given(200, `${'['.repeat(300_000)}${']'.repeat(300_000)}`)),
  ),
  kind(
    'notes are nested 400 deep',
    'tags',
    where(
      isRecord,
      text((old) => `${old.slice(0, -1)},"note":${nested(400)}}`),
    ),
  ),
  kind(
    'numbers are 1e400',
    'volumes',
    where(
      isDone,
      text((old) => old.replace(/"(size|id|pages|results)":\d+/g, '"$1":1e400')),
    ),
  ),
  kind(
    'numbers have 40 digits',
    'volumes',
    where(
      isDone,
      text((old) => old.replace(/"size":\d+/g, `"size":${'9'.repeat(40)}`)),
    ),
  ),
  kind(
    'ids are floats',
    'volumes',
    records((record) => ({ ...record, ...(typeof record.id === 'number' && { id: record.id + 0.5 }) })),
  ),
  kind(
    'ids are texts',
    'volumes',
    records((record) => ({ ...record, ...(record.id !== undefined && { id: String(record.id) }) })),
  ),
  kind(
    'ids are empty',
    'volumes',
    records((record) => ({ ...record, id: '' })),
  ),
  kind(
    'ids are beyond 2^53',
    'volumes',
    where(
      isDone,
      text((old) => old.replace(/"id":(\d+)/g, '"id":9007199254740993$1')),
    ),
  ),
  kind(
    'ids are negative',
    'managed',
    records((record) => ({ ...record, ...(typeof record.id === 'number' && { id: -record.id }) })),
  ),
  kind(
    'ids are paths',
    'managed',
    records((record) => ({ ...record, id: '../../volumes/1?x=#' })),
  ),
  kind(
    'all have the same id',
    'volumes',
    records((record) => ({ ...record, ...(typeof record.id === 'number' && { id: 7 }) })),
  ),
  counting('ids are drawn anew each time', 'volumes', () => {
    let n = 0
    const next = (): number => {
      n += 1
      return n
    }
    return records((record) => ({ ...record, ...(typeof record.id === 'number' && { id: next() }) }))
  }),
  kind(
    'creations tell the id of something else',
    'volumes',
    where(
      isCreation,
      json((body) => ({ ...body, id: 601 })),
    ),
  ),
  kind(
    'keys are doubled',
    'volumes',
    where(
      isRecord,
      text((old) => `${old.slice(0, -1)},${old.slice(1)}`),
    ),
  ),
  kind(
    'keys are those of the prototype',
    'volumes',
    where(
      isDone,
      text((old) =>
        old.replaceAll('"label"', '"__proto__":{"isAdmin":true},"constructor":{"prototype":{}},"toString":1,"label"'),
      ),
    ),
  ),
  kind(
    'labels are __proto__',
    'tags',
    records((record) => ({ ...record, ...(record.label !== undefined && { label: '__proto__' }) })),
  ),
  kind(
    'dates are in the year 275760',
    'volumes',
    where(
      isDone,
      text((old) => old.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '+275760-09-13T00:00:00')),
    ),
  ),
  kind(
    'dates are none',
    'support',
    where(
      isDone,
      text((old) => old.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'Invalid Date')),
    ),
  ),
  kind(
    'addresses are none',
    'networking',
    where(
      isDone,
      text((old) => old.replace(/"(address|range|subnet_mask|gateway|region)":"[^"]*"/g, '"$1":"999.1.2.3/-1"')),
    ),
  ),
  kind(
    'volumes never rest',
    'volumes',
    where(
      isDone,
      text((old) => old.replace(/"status":"active"/g, '"status":"creating"')),
    ),
  ),
  kind(
    'states are none',
    'volumes',
    where(
      isDone,
      text((old) => old.replace(/"status":"\w+"/g, `"status":${JSON.stringify(injection)}`)),
    ),
  ),
]

/** Texts that mean something to a terminal, a page, XML or a CI system. */
const texts: readonly Kind[] = [
  kind(
    'reasons are injections',
    'tags',
    where(isRefused, given(400, JSON.stringify({ errors: [{ reason: injection, field: injection }] }))),
  ),
  kind(
    'everything is an injection',
    'volumes',
    where((met) => met.n > 12, given(500, injection, headed('text/html'))),
  ),
  kind(
    'labels are injections',
    'volumes',
    records((record) => ({ ...record, label: injection })),
  ),
  kind(
    'content types are injections',
    'tags',
    where(isWrite, given(400, 'no', { 'content-type': 'text/html;</script><script>alert(1)</script>"\'' })),
  ),
  kind(
    'texts have lone surrogates',
    'tags',
    where(isRefused, given(400, '{"errors":[{"reason":"\\ud800 \\udfff\\u0000\\uffff"}]}')),
  ),
  kind(
    'labels have lone surrogates',
    'tags',
    where(
      isDone,
      text((old) => old.replace(/"label":"[^"]*"/g, '"label":"\\udc00"')),
    ),
  ),
  kind(
    'bytes are not UTF-8',
    'tags',
    where(isDone, (response, met) => {
      response.writeHead(met.status, headed())
      response.end(Buffer.from(met.text.replaceAll('"label":"', '"label":"\u00ff\u00fe'), 'latin1'))
    }),
  ),
  kind(
    'bytes are UTF-16',
    'tags',
    where(isDone, (response, met) => {
      response.writeHead(met.status, headed('application/json; charset=utf-16le'))
      response.end(Buffer.from(`\ufeff${met.text}`, 'utf16le'))
    }),
  ),
  kind(
    'texts begin with a mark of order',
    'tags',
    where(
      isDone,
      text((old) => `\ufeff${old}`),
    ),
  ),
  kind(
    'NUL in the midst of JSON',
    'tags',
    where(
      isDone,
      text((old) => `${old.slice(0, 5)}\u0000${old.slice(5)}`),
    ),
  ),
]

/** HTTP gone wrong. */
const wire: readonly Kind[] = [
  kind(
    'redirects in a loop',
    'tags',
    where((met) => met.n > 8, given(302, '', { location: '/v4/tags' })),
  ),
  kind('redirects to elsewhere', 'tags', where(isWrite, given(307, '', { location: 'http://127.0.0.1:9/v4/tags' }))),
  kind(
    'a flood of interim replies',
    'tags',
    where(isWrite, (response) => {
      const bytes = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(20)
      const timer = setInterval(
        () => (response.socket?.destroyed ? clearInterval(timer) : response.socket?.write(bytes)),
        5,
      )
    }),
  ),
  kind(
    'an interim reply that never ends',
    'tags',
    where(isWrite, (response) => {
      const { socket } = response
      const more = (): void => {
        while (socket && !socket.destroyed && socket.write(megabyte));
        if (!socket?.destroyed) socket?.once('drain', more)
      }
      socket?.write('HTTP/1.1 100 Continue\r\nx: ')
      more()
    }),
  ),
  kind(
    'a switch of protocols',
    'tags',
    where(isWrite, (response) =>
      raw(response, 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nxx'),
    ),
  ),
  kind(
    'headers are a bomb',
    'tags',
    where(isWrite, (response) =>
      raw(
        response,
        `HTTP/1.1 200 OK\r\n${Array.from({ length: 2000 }, (_, i) => `x-${i}: ${'a'.repeat(500)}\r\n`).join('')}content-length: 2\r\n\r\n{}`,
      ),
    ),
  ),
  kind(
    'one header is a megabyte',
    'tags',
    where(isWrite, (response) =>
      raw(response, `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(1 << 20)}\r\ncontent-length: 2\r\n\r\n{}`),
    ),
  ),
  kind(
    'no HTTP at all',
    'tags',
    where(isWrite, (response) => raw(response, 'SSH-2.0-OpenSSH_9.6\r\n')),
  ),
  kind(
    'two lengths that differ',
    'tags',
    where(isWrite, (response) => raw(response, plain('{}', 'content-length: 40\r\n'))),
  ),
  kind(
    'a status of 99',
    'tags',
    where(isWrite, (response) => raw(response, 'HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n')),
  ),
  kind(
    'a status of 999',
    'tags',
    where(isWrite, (response) => raw(response, 'HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n')),
  ),
  kind(
    'chunks that lie',
    'tags',
    where(isWrite, (response) =>
      raw(response, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffff\r\n{}'),
    ),
  ),
  kind('connections are closed at once', 'tags', (response, met) => {
    response.setHeader('connection', 'keep-alive')
    pass(response, met)
    setImmediate(() => response.socket?.destroySoon())
  }),
  kind(
    'connections are reset',
    'tags',
    where(isWrite, (response) => void response.socket?.resetAndDestroy()),
  ),
  kind(
    'bodies say that they are gzip',
    'tags',
    where(isDone, (response, { status, text: plainly }) => {
      response.writeHead(status, { ...headed(), 'content-encoding': 'gzip' })
      response.end(plainly)
    }),
  ),
  kind(
    'what writes answer comes as HTML',
    'tags',
    where(
      (met) => isDone(met) && isWrite(met),
      (response, { status, text: plainly }) => {
        response.writeHead(status, headed('text/html'))
        response.end(plainly)
      },
    ),
  ),
  kind(
    'JSON comes twice in each body',
    'tags',
    where(
      isDone,
      text((old) => old + old),
    ),
  ),
  kind(
    'every reply comes twice',
    'tags',
    where(isDone, (response, met) => {
      const one = plain(met.text)
      response.socket?.write(one + one)
    }),
  ),
]

/** Targets that break down, or part of which does. */
const outages: readonly Kind[] = [
  kind(
    'everything hangs after 200 calls',
    'volumes',
    where((met) => met.n > 200, hang),
  ),
  kind(
    'creations hang',
    'volumes',
    where((met) => met.method === 'POST' && met.path === '/volumes', hang),
  ),
  kind(
    'one operation hangs',
    'tags',
    where((met) => met.method === 'GET' && met.path.startsWith('/tags/'), hang),
  ),
  kind(
    'one operation never ends its body',
    'volumes',
    where(
      (met) => isDone(met) && met.method === 'GET' && met.path === '/volumes',
      (response) => drip(response, 50, ' '),
    ),
  ),
  kind(
    'removals hang',
    'tags',
    where((met) => met.method === 'DELETE', hang),
  ),
  kind(
    'one operation answers 500',
    'volumes',
    where((met) => met.path.endsWith('/resize'), given(500, '{"errors":[{"reason":"oops"}]}')),
  ),
  kind(
    'one operation answers 503',
    'volumes',
    where((met) => met.path.endsWith('/clone'), given(503, 'busy', { 'retry-after': '1' })),
  ),
  kind(
    'removals answer 500',
    'tags',
    where((met) => met.method === 'DELETE', given(500, '')),
  ),
  kind(
    'everything answers 500 after 50 calls',
    'volumes',
    where((met) => met.n > 50, given(500, '')),
  ),
  kind(
    'everything answers 503 after 50 calls',
    'volumes',
    where((met) => met.n > 50, given(503, '')),
  ),
  kind(
    'everything answers 429 after 50 calls',
    'tags',
    where((met) => met.n > 50, given(429, '')),
  ),
  kind(
    'Retry-After is 99999999',
    'tags',
    where((met) => met.n > 50, given(429, '', { 'retry-after': '99999999' })),
  ),
  kind(
    'Retry-After is 99999999 of a 503',
    'tags',
    where((met) => met.n > 50, given(503, '', { 'retry-after': '99999999' })),
  ),
  kind(
    'Retry-After is in the year 275760',
    'tags',
    where((met) => met.n % 7 === 0, given(429, '', { 'retry-after': 'Sat, 13 Sep 275760 00:00:00 GMT' })),
  ),
  kind(
    'it dies and comes back',
    'volumes',
    where(
      (met) => met.n % 150 > 120,
      (response) => void response.socket?.destroy(),
    ),
  ),
  kind(
    'every third call hangs',
    'tags',
    where((met) => met.n > 8 && met.n % 3 === 0, hang),
  ),
  kind(
    'every secret expires',
    'tags',
    where((met) => met.n > 60, given(401, '{"errors":[{"reason":"Invalid Token"}]}')),
  ),
  kind(
    'HTML 200 for everything, after a while',
    'volumes',
    where((met) => met.n > 60, given(200, '<!doctype html><h1>Log in</h1>', headed('text/html'))),
  ),
  kind(
    'the same page for everything, after a while',
    'volumes',
    where((met) => met.n > 60, given(200, '{"data":[],"page":1,"pages":1,"results":0}')),
  ),
  kind('HTML 200 for everything', 'volumes', given(200, '<!doctype html><h1>Log in</h1>', headed('text/html'))),
  kind('404 for everything', 'volumes', given(404, 'not found', headed('text/plain'))),
  kind('500 for everything', 'volumes', given(500, 'oops', headed('text/plain'))),
  kind('an empty 200 for everything', 'volumes', given(200, '')),
  kind('an empty page for everything', 'volumes', given(200, '{"data":[],"page":1,"pages":1,"results":0}')),
  kind('everything hangs', 'volumes', hang),
  counting('it forgets everything every 100 calls', 'volumes', () =>
    where(
      (met) => isPage(met) && met.n % 200 > 100,
      json((body) => ({ ...body, data: [], results: 0 })),
    ),
  ),
]

/** A store that keeps whatever it is sent under whatever path, checks nothing, and knows no rule: what mock servers do. */
const storing = (paged: boolean, idOf: (n: number, sent: Json) => unknown) => (): Spoil => {
  const shelves = new Map<string, Json[]>()
  const shelf = (path: string): Json[] => {
    const there = shelves.get(path) ?? []
    shelves.set(path, there)
    return there
  }
  let n = 0
  return (response, { method, path, sent }) => {
    const body = kept(sent)
    const [, parent = '', name = ''] = /^(.*)\/([^/]+)$/.exec(path) ?? []
    const one = shelf(parent).find((record) => Object.values(record).map(String).includes(decodeURIComponent(name)))
    const all = shelf(path)
    const answer = (reply: unknown, status = 200): void => given(status, JSON.stringify(reply))(response, {} as Met)
    if (method === 'POST') {
      n += 1
      const record = { ...body, id: idOf(n, body) }
      all.push(record)
      return answer(record, 201)
    }
    if (method === 'DELETE') shelf(parent).splice(0, shelf(parent).length, ...shelf(parent).filter((it) => it !== one))
    if (method === 'PUT' && one) Object.assign(one, body)
    if (one || method !== 'GET') return answer(one ?? {}, one ? 200 : 404)
    return answer(paged ? { data: all, page: 1, pages: 1, results: all.length } : all)
  }
}

const kept = (sent: string): Json => {
  try {
    return { ...JSON.parse(sent) }
  } catch {
    return {}
  }
}

const stores: readonly Kind[] = [
  counting(
    'a store of tags that checks nothing',
    'tags',
    storing(true, (n) => n),
  ),
  counting(
    'a store of managed things that checks nothing',
    'managed',
    storing(true, (n) => n),
  ),
  counting(
    'a store of networking that checks nothing',
    'networking',
    storing(true, (n) => n),
  ),
  counting(
    'a store of buckets that checks nothing',
    'object-storage',
    storing(true, (n) => n),
  ),
  counting(
    'a store without pages, with ids as texts',
    'managed',
    storing(false, (n) => `id-${n}`),
  ),
  counting(
    'a store that takes the id that it is sent',
    'networking',
    storing(true, (n, { label }) => label ?? n),
  ),
]

export const kinds: readonly Kind[] = [...bodies, ...lists, ...values, ...texts, ...wire, ...outages, ...stores]
