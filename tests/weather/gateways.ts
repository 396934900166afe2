// Gateways and proxies before a target that has nothing wrong with it: what they answer in its place, and what they make of its replies.
import { setTimeout as pause } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { policies } from './policies.js'
import { always, type Exchange, type Gateway, html, isWrite, json, said, some, turnedAway } from './replies.js'

/** One request in so many is answered in the target's place, which may have been asked before. */
const inPlace =
  (oneIn: number, answer: (draw: () => number) => Exchange): Gateway =>
  ({ draw }) =>
  async (_, pass) => {
    if (draw() * oneIn >= 1) return pass()
    if (draw() < 0.5) await pass()
    return answer(draw)
  }

/** From the 150th request on, one in so many is not let through for so long. */
const shut =
  (ms: number, oneIn: number, answer: () => Exchange): Gateway =>
  ({ now }) => {
    let until: number | undefined
    return async ({ n }, pass) => {
      if (n >= 150) until ??= now() + ms
      return now() < (until ?? 0) && n % oneIn === 0 ? answer() : pass()
    }
  }

/** Gives a reply to a read again to the same token for so long, with its age. */
const kept =
  (ms: number): Gateway =>
  ({ now }) => {
    const replies = new Map<string, { readonly at: number; readonly reply: Exchange }>()
    return async ({ method, url, headers }, pass) => {
      const name = `${url} ${headers.authorization}`
      const known = method === 'GET' ? replies.get(name) : undefined
      const ageMs = known ? now() - known.at : 0
      if (known && ageMs < ms)
        return { ...known.reply, headers: { ...known.reply.headers, age: String(Math.floor(ageMs / 1000)) } }
      const reply = await pass()
      if (method === 'GET' && reply.status === 200) replies.set(name, { at: now(), reply })
      return reply
    }
  }

/** Answers a read as a cache does whose client has told what it has kept, though none did. */
const unchanged = (isKept: (given: string, reply: Exchange) => boolean): ReturnType<Gateway> => {
  const given = new Map<string, string>()
  return async ({ method, url, headers }, pass) => {
    const key = `${url} ${headers.authorization}`
    const reply = await pass()
    if (method !== 'GET' || reply.status !== 200) return reply
    const before = given.get(key)
    given.set(key, String(reply.body))
    return before !== undefined && isKept(before, reply) ? said(304, 'application/json', '') : reply
  }
}

const upstream = { reason: 'The service is down for maintenance. Please try again later.' }

export const gateways = {
  ...policies,
  'large ones refused': () => async (asking, pass) => {
    if (asking.body.length > 4096) return html(413, { connection: 'close' })
    if (asking.url.length > 200) return html(414)
    return pass()
  },
  'large ones refused in JSON': () => async (asking, pass) => {
    if (asking.body.length > 4096) return json(413, { message: 'Request Entity Too Large' })
    if (asking.url.length > 200) return json(414, { message: 'URI Too Long' })
    return pass()
  },
  '499': inPlace(60, () => said(499, 'text/html', '')),
  '520 to 526': inPlace(60, (draw) => html(some(draw, [520, 521, 522, 523, 524, 525, 526]))),
  'API gateway': inPlace(60, (draw) =>
    some(draw, [
      json(502, { message: 'Internal server error' }),
      json(504, { message: 'Endpoint request timed out' }),
      json(503, { message: 'Service Unavailable' }),
    ]),
  ),
  '408 with a close': turnedAway(60, () => ({ ...html(408), headers: { connection: 'close' } })),
  gzip: always((reply) => ({
    ...reply,
    headers: { ...reply.headers, 'content-encoding': 'gzip' },
    body: gzipSync(reply.body),
  })),
  br: always((reply) => ({
    ...reply,
    headers: { ...reply.headers, 'content-encoding': 'br' },
    body: brotliCompressSync(reply.body),
  })),
  'coded twice': always((reply) => ({
    ...reply,
    headers: { ...reply.headers, 'content-encoding': 'deflate, gzip' },
    body: gzipSync(deflateSync(reply.body)),
  })),
  'a Date of its own': always((reply) => ({
    ...reply,
    headers: { ...reply.headers, date: 'Thu, 01 Jan 1970 00:00:00 GMT' },
  })),
  'headers of 12 KB': always((reply) => ({ ...reply, headers: { ...reply.headers, 'x-trace': 'a'.repeat(12_000) } })),
  'deflate without its wrapper': always((reply) => ({
    ...reply,
    headers: { ...reply.headers, 'content-encoding': 'deflate' },
    body: deflateRawSync(reply.body),
  })),
  'members added to errors': always((reply) =>
    reply.status < 400 || reply.body.length === 0
      ? reply
      : json(reply.status, { ...JSON.parse(String(reply.body)), request_id: 'r-1' }),
  ),
  'every eighth reply lost':
    ({ draw }) =>
    async (_, pass) => {
      const reply = await pass()
      return draw() < 1 / 8 ? 'reset' : reply
    },
  'a portal from then on': shut(Number.POSITIVE_INFINITY, 1, () => html(200)),
  'headers said twice': always((reply) => ({
    ...reply,
    headers: {
      ...reply.headers,
      'content-type': ['application/json', 'application/json; charset=utf-8'],
      date: ['x', 'y'],
    },
  })),
  'no content type': always((reply) => ({ ...reply, headers: { ...reply.headers, 'content-type': undefined } })),
  'words forbidden': () => async (asking, pass) => {
    const text = `${decodeURIComponent(asking.url.replaceAll(/%(?![0-9a-f]{2})/gi, ''))} ${asking.body}`
    return /<|'|\.\.\/|--|select|;/i.test(text) ? html(403) : pass()
  },
  'challenges at times': turnedAway(60, () => html(403, { 'cf-mitigated': 'challenge' })),
  '429 on writes until a date': turnedAway(
    80,
    () => html(429, { 'retry-after': new Date(Date.now() + 1000).toUTCString() }),
    isWrite,
  ),
  'kept for 30 s with an Age': kept(30_000),
  '150 in 10 s, then 403': ({ now }) => {
    let window = 0
    let count = 0
    return async (_, pass) => {
      const at = Math.floor(now() / 10_000)
      if (at !== window) [window, count] = [at, 0]
      count += 1
      return count > 150 ? json(403, { message: 'Rate exceeded' }) : pass()
    }
  },
  'token bucket': ({ now }) => {
    let tokens = 60
    let at = now()
    return async (_, pass) => {
      tokens = Math.min(60, tokens + ((now() - at) * 120) / 1000)
      at = now()
      if (tokens < 1) return json(429, { errors: [{ reason: 'Too many requests' }] })
      tokens -= 1
      return pass()
    }
  },
  '503 beyond a rate': ({ now }) => {
    let room = 20
    let at = now()
    return async (_, pass) => {
      room = Math.min(20, room + ((now() - at) * 50) / 1000)
      at = now()
      if (room < 1) return html(503)
      room -= 1
      return pass()
    }
  },
  'encoded slashes not found':
    () =>
    async ({ url }, pass) =>
      /%2f/i.test(url) ? html(404) : pass(),
  'a budget for each operation': ({ now }) => {
    const budgets = new Map<string, { tokens: number; at: number }>()
    return async ({ method, url }, pass) => {
      const name = `${method} ${url.replace(/\?.*/, '').replaceAll(/\d+/g, '')}`
      const { tokens, at } = budgets.get(name) ?? { tokens: 20, at: now() }
      const left = Math.min(20, tokens + ((now() - at) * 20) / 1000)
      budgets.set(name, { tokens: left < 1 ? left : left - 1, at: now() })
      return left < 1 ? json(429, { errors: [{ reason: 'Too many requests' }] }) : pass()
    }
  },
  'maintenance of 20 s': shut(20_000, 1, () => json(503, { errors: [upstream] })),
  'maintenance with 302': shut(10_000, 1, () => ({ ...html(302), headers: { location: '/maintenance.html' } })),
  'maintenance with 404': shut(10_000, 1, () => html(404)),
  'one of two nodes down': shut(8000, 2, () => html(502)),
  'logins at times': turnedAway(80, () => ({ ...html(302), headers: { location: 'https://login.example/' } })),
  'equal GETs sent once': () => {
    const flying = new Map<string, Promise<Exchange>>()
    return async ({ method, url, headers }, pass) => {
      if (method !== 'GET') return pass()
      const key = `${url} ${headers.authorization}`
      const begun = flying.get(key) ?? pause(3).then(() => pass())
      flying.set(key, begun)
      const reply = await begun
      flying.delete(key)
      return reply
    }
  },
  'bodies cut at 8 KB': always((reply) => ({ ...reply, body: reply.body.subarray(0, 8192) })),
  'other escapes':
    () =>
    async ({ url }, pass) =>
      pass({ url: url.replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()) }),
  'JSON spelled anew': always((reply) => {
    if (reply.body.length === 0) return reply
    const text = JSON.stringify(JSON.parse(String(reply.body)), undefined, 2)
    return {
      ...reply,
      body: Buffer.from(
        `\n${text.replaceAll(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`,
      ),
    }
  }),
  '404 at times': turnedAway(80, () => html(404)),
  '304 to each read but the first': () => unchanged(() => true),
  '304 where nothing has changed': () => unchanged((given, reply) => given === String(reply.body)),
  'one in ten to another state':
    ({ draw }) =>
    async (_, pass) =>
      pass({ to: draw() < 0.1 ? 1 : 0 }),
  'paths made plain':
    () =>
    async ({ url }, pass) => {
      const [path = '', ...query] = url.split('?')
      const plain = new URL(path.replaceAll(/\/{2,}/g, '/'), 'http://any').pathname
      return pass({ url: [plain, ...query].join('?') })
    },
} as const satisfies Record<string, Gateway>

export type GatewayName = keyof typeof gateways

export const isGateway = (name: string): name is GatewayName => name in gateways
