// The kinds of weather, and the clean targets that stand in it; what a run makes of them is the affair of others.
import type { Late } from '../../reference/embedded.js'
import { startEmbedded, targetFileOf } from '../../reference/serve.js'
import { hooksOf, targetFile } from '../targets/harbour/examine.js'
import { PLAIN } from '../targets/harbour/options.js'
import { openHarbour } from '../targets/harbour/server.js'
import { type GatewayName, gateways, isGateway } from './gateways.js'
import { openGateway, openProxy, type Trouble } from './proxy.js'

export interface Sky {
  readonly name: string
  readonly trouble: Trouble | GatewayName
  readonly late?: Late
  /** How wrong the target's clock is. */
  readonly clockMs?: number
  /** How long what is under way takes to come to rest. */
  readonly restMs?: number
}

const HOUR = 3_600_000

export const skies: readonly Sky[] = [
  { name: 'clean', trouble: 'none' },
  { name: 'resets', trouble: 'reset' },
  { name: 'replies lost', trouble: 'lost' },
  { name: 'no answer', trouble: 'hang' },
  { name: '502, 503, 504 with HTML', trouble: 'html' },
  { name: '429', trouble: 'busy' },
  { name: '429 with Retry-After', trouble: 'busy, told when' },
  { name: 'truncated bodies', trouble: 'truncated' },
  { name: 'dripping bodies', trouble: 'drip' },
  { name: 'duplicates', trouble: 'twice' },
  { name: '503 in its own envelope', trouble: 'own envelope' },
  { name: '408 and 425', trouble: 'too early' },
  { name: 'connections closed', trouble: 'closed after' },
  { name: 'replies cached for 1 s', trouble: 'cache' },
  { name: 'odd headers', trouble: 'headers' },
  { name: 'HTTP/1.0', trouble: 'HTTP/1.0' },
  { name: 'chunks with trailers', trouble: 'trailers' },
  { name: 'jitter', trouble: 'jitter' },
  { name: 'two connections', trouble: 'two connections' },
  { name: 'clock hours off', trouble: 'none', clockMs: -5 * HOUR },
  { name: 'one connection', trouble: 'one connection' },
  { name: 'restart', trouble: 'restart' },
  { name: 'refused for 2 s', trouble: 'refusals' },
  { name: 'HTML with 200', trouble: 'html 200' },
  { name: '520, 529, 599', trouble: 'other statuses' },
  { name: 'storms of 401', trouble: 'unknown token' },
  { name: 'storms of 403', trouble: 'forbidden' },
  { name: '429 with odd Retry-After', trouble: 'busy, told oddly' },
  { name: 'closed while idle', trouble: 'idle closed' },
  { name: 'length too short', trouble: 'too short' },
  { name: 'length too long', trouble: 'too long' },
  { name: '100 and 103 before', trouble: 'continue' },
  { name: 'replies said twice', trouble: 'said twice' },
  { name: 'folded headers', trouble: 'folded' },
  { name: 'slow first byte', trouble: 'slow' },
  { name: 'replica, all reads', trouble: 'none', late: { ms: 300, to: 'reads' } },
  { name: 'replica, lists', trouble: 'none', late: { ms: 300, to: 'lists' } },
  { name: 'replica, every second', trouble: 'none', late: { ms: 300, to: 'every second read' } },
  { name: 'effects 150 ms late', trouble: 'none', late: { ms: 150, to: 'all' } },
  { name: 'rest after 2 s', trouble: 'none', restMs: 2000 },
  ...Object.keys(gateways).map((name): Sky => ({ name, trouble: name as GatewayName })),
]

interface Clean {
  readonly file: object
  readonly hooks: Readonly<Record<string, unknown>>
  readonly close: () => Promise<void>
}

const behind = async (baseUrl: string, { trouble }: Sky, others: readonly string[] = []) => {
  const { origin, pathname } = new URL(baseUrl)
  const more = others.map((other) => new URL(other).origin)
  const proxy = await (isGateway(trouble) ? openGateway([origin, ...more], trouble, 7) : openProxy(origin, trouble, 7))
  return { baseUrl: `${proxy.origin}${pathname}`, close: proxy.close }
}

const pace = (sky: Sky): object => ({ requestTimeoutMs: 1500, settleMs: Math.max(10_000, 5 * (sky.restMs ?? 0)) })

const reference = async (sky: Sky): Promise<Clean> => {
  const { late, clockMs, restMs } = sky
  const open = () =>
    startEmbedded({
      seed: 1,
      ...(late && { late }),
      ...(clockMs !== undefined && { clock: () => Date.now() + clockMs }),
      ...(restMs !== undefined && { restAfter: { ms: restMs } }),
    })
  const target = await open()
  const other = await open()
  const proxy = await behind(target.baseUrl, sky, [other.baseUrl])
  return {
    file: { ...targetFileOf({ ...target, baseUrl: proxy.baseUrl }), pace: pace(sky) },
    hooks: target.hooks as Clean['hooks'],
    close: async () => {
      await proxy.close()
      await target.server.close()
      await other.server.close()
    },
  }
}

const harbour = async (sky: Sky): Promise<Clean> => {
  const { late, clockMs = 0, restMs } = sky
  const options = {
    ...PLAIN,
    clockMs,
    ...(late && { lagMs: late.ms, lagsFor: late.to }),
    ...(restMs !== undefined && { settling: 'slow' as const }),
  }
  const target = await openHarbour(options, 'many')
  const other = await openHarbour(options, 'many')
  const proxy = await behind(target.baseUrl, sky, [other.baseUrl])
  const file = targetFile({ ...target, baseUrl: proxy.baseUrl }, PLAIN, {
    exclusive: true,
    fixtures: 'many',
    hooks: true,
  })
  return {
    file: { ...file, pace: pace(sky) },
    hooks: hooksOf(target) as Clean['hooks'],
    close: async () => {
      await proxy.close()
      await target.close()
      await other.close()
    },
  }
}

export const TARGETS = { reference, harbour } as const
export type TargetName = keyof typeof TARGETS
