// Gateways and targets with rules of their own: what they forbid, how much they allow, and when they are shut; what they let through is answered rightly.
import { setTimeout as pause } from 'node:timers/promises'
import zlib from 'node:zlib'
import { type Asking, always, type Exchange, type Gateway, html, isWrite, json, turnedAway } from './replies.js'

const errors = (status: number, reason: string, headers: Exchange['headers'] = {}): Exchange =>
  json(status, { errors: [{ reason }] }, headers)

const pathOf = ({ url }: Pick<Asking, 'url'>): string => url.replace(/\?.*/, '')
/** A path without ids. */
const kindOf = (asking: Pick<Asking, 'url'>): string => pathOf(asking).replaceAll(/\d+/g, '0')

/** Turns away what a rule forbids, each time. */
const forbidding =
  (isForbidden: (asking: Asking) => boolean, answer: () => Exchange): Gateway =>
  () =>
  async (asking, pass) =>
    isForbidden(asking) ? answer() : pass()

const isRemoval = ({ method }: Asking): boolean => method === 'DELETE'

const textOf = ({ url, body }: Asking): string =>
  `${decodeURIComponent(url.replaceAll(/%(?![0-9a-f]{2})/gi, ''))} ${body}`
const isSuspect = (asking: Asking): boolean => /<|' or|\.\.\/|%00|;|javascript:|union select/i.test(textOf(asking))
const isStrict = (asking: Asking): boolean =>
  /<|'|\.\.\/|;|[^ -~]/.test(textOf(asking)) || asking.body.length > 1000 || /%2f/i.test(asking.url)

const isMaking = ({ method, url }: Asking): boolean =>
  method === 'POST' &&
  /\/(?:volumes|firewalls|tags|contacts|credentials|services|ranges|keys|ips|devices|buckets)$/.test(pathOf({ url }))

/** Refuses what is made beyond so many at a time, of one kind or of all. */
const quota =
  (most: number, of: (asking: Asking) => string, answer: () => Exchange): Gateway =>
  () => {
    const counts = new Map<string, number>()
    const add = (key: string, by: number): unknown => counts.set(key, (counts.get(key) ?? 0) + by)
    return async (asking, pass) => {
      const { method, url } = asking
      const key = method === 'DELETE' ? of({ ...asking, url: pathOf({ url }).replace(/\/[^/]+$/, '') }) : of(asking)
      if (isMaking(asking)) {
        if ((counts.get(key) ?? 0) >= most) return answer()
        add(key, 1)
      }
      const reply = await pass()
      if (isMaking(asking) && reply.status >= 300) add(key, -1)
      if (method === 'DELETE' && reply.status < 300) add(key, -1)
      return reply
    }
  }

/** From one request on, some are turned away for so long. */
const during =
  (from: number, ms: number, isMet: (asking: Asking) => boolean, answer: () => Exchange): Gateway =>
  ({ now }) => {
    let until: number | undefined
    return async (asking, pass) => {
      if (asking.n >= from) until ??= now() + ms
      return now() < (until ?? 0) && isMet(asking) ? answer() : pass()
    }
  }

/** Lets through so many in a second of each, and says when there is room again. */
const limit =
  (perSecond: number, of: (asking: Asking) => string, answer: () => Exchange): Gateway =>
  ({ now }) => {
    const windows = new Map<string, { readonly from: number; count: number }>()
    return async (asking, pass) => {
      const key = of(asking)
      const known = windows.get(key)
      const window = known && now() - known.from < 1000 ? known : { from: now(), count: 0 }
      windows.set(key, window)
      window.count += 1
      return window.count > perSecond ? answer() : pass()
    }
  }

const busy = (headers: Exchange['headers'] = {}): Exchange => errors(429, 'Too many requests', headers)

const one =
  (answer: () => Exchange): Gateway =>
  () => {
    let underWay = 0
    return async (_, pass) => {
      if (underWay > 0) return answer()
      underWay += 1
      try {
        await pause(3)
        return await pass()
      } finally {
        underWay -= 1
      }
    }
  }

const raw = (text: string, reply: Exchange): Exchange => ({ ...reply, raw: text })

const chunked = (reply: Exchange): Exchange =>
  reply.status === 204
    ? reply
    : raw(
        `HTTP/1.1 ${reply.status} Said\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${reply.body.length.toString(16)};name=value;other="a b"\r\n${reply.body}\r\n0;last=1\r\n\r\n`,
        reply,
      )

export const policies = {
  'one of two backends dead': forbidding(
    ({ n }) => n % 2 === 0,
    () => html(503),
  ),
  'one of two backends refuses':
    () =>
    async ({ n }, pass) =>
      n % 2 === 0 ? 'reset' : pass(),
  'two states by turns':
    () =>
    async ({ n }, pass) =>
      pass({ to: n % 2 }),
  'two states at random':
    ({ draw }) =>
    async (_, pass) =>
      pass({ to: draw() < 0.5 ? 1 : 0 }),
  'reads of another state':
    ({ draw }) =>
    async ({ method }, pass) =>
      pass({ to: method === 'GET' && draw() < 0.1 ? 1 : 0 }),
  'bodies lost':
    ({ draw }) =>
    async (_, pass) => {
      const reply = await pass()
      return draw() * 20 < 1 && reply.status === 200 ? { ...reply, body: Buffer.from('') } : reply
    },
  'objects emptied':
    ({ draw }) =>
    async (_, pass) => {
      const reply = await pass()
      return draw() * 20 < 1 && reply.status === 200 ? { ...reply, body: Buffer.from('{}') } : reply
    },
  'DELETE 405 in HTML': forbidding(isRemoval, () => html(405)),
  'DELETE 403 in HTML': forbidding(isRemoval, () => html(403)),
  'DELETE 403 in JSON': forbidding(isRemoval, () => json(403, { message: 'Forbidden' })),
  'DELETE 405 in an envelope': forbidding(isRemoval, () => errors(405, 'Method Not Allowed')),
  'DELETE 503': forbidding(isRemoval, () => errors(503, 'not now')),
  'DELETE reset': () => async (asking, pass) => (isRemoval(asking) ? 'reset' : pass()),
  'a WAF with HTML': forbidding(isSuspect, () => html(403)),
  'a WAF with JSON': forbidding(isSuspect, () => json(403, { message: 'Request blocked' })),
  'a WAF with 406': forbidding(isSuspect, () => html(406)),
  'a WAF with text': forbidding(isSuspect, () => ({
    status: 403,
    headers: { 'content-type': 'text/plain' },
    body: Buffer.from('Forbidden'),
  })),
  'a WAF with nothing': forbidding(isSuspect, () => ({ status: 403, headers: {}, body: Buffer.from('') })),
  'a WAF with 200': forbidding(isSuspect, () => html(200)),
  'a WAF that resets': () => async (asking, pass) => (isSuspect(asking) ? 'reset' : pass()),
  'a strict WAF': forbidding(isStrict, () => html(403)),
  'quota of 2 each, 400': quota(2, kindOf, () => errors(400, 'Limit reached')),
  'quota of 2 each, 422': quota(2, kindOf, () => errors(422, 'Limit reached')),
  'quota of 2 each, 403': quota(2, kindOf, () => errors(403, 'Limit reached')),
  'quota of 2 each, 429': quota(2, kindOf, () => errors(429, 'Limit reached')),
  'quota of 1 each, 400': quota(1, kindOf, () => errors(400, 'Limit reached')),
  'quota of 5 in all, 400': quota(
    5,
    () => '',
    () => errors(400, 'Limit reached'),
  ),
  'quota of 5 in all, 429': quota(
    5,
    () => '',
    () => errors(429, 'Limit reached'),
  ),
  'room for 40 ever': (): ReturnType<Gateway> => {
    let made = 0
    return async (asking, pass) => {
      if (!isMaking(asking)) return pass()
      if (made >= 40) return errors(400, 'Limit reached')
      const reply = await pass()
      if (reply.status < 300) made += 1
      return reply
    }
  },
  'room that others take': quota(
    3,
    (asking) => kindOf(asking),
    () => errors(400, 'Limit reached'),
  ),
  'read-only 20 s, 503': during(150, 20_000, isWrite, () => errors(503, 'read-only maintenance')),
  'read-only 20 s, 403': during(150, 20_000, isWrite, () => errors(403, 'read-only maintenance')),
  'read-only 20 s, 403 in HTML': during(150, 20_000, isWrite, () => html(403)),
  'read-only 20 s, 405': during(150, 20_000, isWrite, () => json(405, { message: 'read-only' })),
  'read-only from then on': during(150, Number.POSITIVE_INFINITY, isWrite, () => errors(403, 'read-only maintenance')),
  'a login page from then on': during(
    150,
    Number.POSITIVE_INFINITY,
    () => true,
    () => ({
      ...html(302),
      headers: { location: 'https://login.example/' },
    }),
  ),
  'expired from then on': during(
    150,
    Number.POSITIVE_INFINITY,
    ({ headers }) => headers.authorization !== undefined,
    () => errors(401, 'Invalid Token'),
  ),
  'single 401s': turnedAway(200, () => errors(401, 'Invalid Token')),
  'single 401s in JSON': turnedAway(200, () => json(401, { message: 'Unauthorized' })),
  'rate limits told': always((reply) => ({
    ...reply,
    headers: { ...reply.headers, 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' },
  })),
  '20/s for each token': limit(
    20,
    ({ headers }) => String(headers.authorization),
    () => busy(),
  ),
  '20/s for each path': limit(20, kindOf, () => busy({ 'retry-after': new Date(Date.now() + 1000).toUTCString() })),
  '20/s for each method': limit(
    20,
    ({ method }) => method,
    () => busy({ 'retry-after': '1' }),
  ),
  '10/s with 5 s penalty': ({ now }) => {
    let stamps: number[] = []
    let until = 0
    return async (_, pass) => {
      const at = now()
      if (at < until) return busy()
      stamps = [...stamps.filter((one) => at - one < 1000), at]
      if (stamps.length <= 10) return pass()
      until = at + 5000
      return busy()
    }
  },
  'one at a time, 429': one(() => busy()),
  'one at a time, 503': one(() => html(503)),
  'bodies of GET and DELETE dropped':
    () =>
    async ({ method, body }, pass) =>
      pass(method === 'GET' || method === 'DELETE' ? { body: Buffer.from('') } : { body }),
  zstd: always((reply) => {
    const pack = (zlib as { readonly zstdCompressSync?: (body: Buffer) => Buffer }).zstdCompressSync
    return pack
      ? { ...reply, headers: { ...reply.headers, 'content-encoding': 'zstd' }, body: pack(reply.body) }
      : reply
  }),
  'a byte order mark': always((reply) =>
    reply.body.length === 0 ? reply : { ...reply, body: Buffer.concat([Buffer.from('\ufeff'), reply.body]) },
  ),
  'GET answered as HEAD': () => async (asking, pass) => {
    const reply = await pass()
    return asking.method === 'GET' ? { ...reply, body: Buffer.from('') } : reply
  },
  '200 for all that succeeds': always((reply) => (reply.status < 300 ? { ...reply, status: 200 } : reply)),
  'chunks with extensions': always(chunked),
  'lines ended otherwise at times':
    ({ draw }) =>
    async (_, pass) => {
      const reply = await pass()
      const head = `HTTP/1.1 ${reply.status} Said\ncontent-type: application/json\ncontent-length: ${reply.body.length}\n\n`
      return draw() * 40 < 1 && reply.status !== 204 ? raw(`${head}${reply.body}`, reply) : reply
    },
  'closed after each': always((reply) => ({ ...reply, headers: { ...reply.headers, connection: 'close' } })),
  'slower by 1 ms each':
    () =>
    async ({ n }, pass) => {
      await pause(n)
      return pass()
    },
  'one operation hangs': () => async (asking, pass) => {
    if (asking.method === 'POST' && /\/(?:resize|clone|addresses|replies)$|\/tags$/.test(pathOf(asking)))
      await pause(60_000)
    return pass()
  },
  'replies of one operation dropped': () => async (asking, pass) => {
    const reply = await pass()
    return asking.method === 'POST' && /\/(?:resize|clone)$|\/tags$/.test(pathOf(asking)) ? 'reset' : reply
  },
} as const satisfies Record<string, Gateway>
