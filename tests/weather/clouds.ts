// Bad networks and late targets in time that passes while nothing is to be done: runs of some tasks behind them, in this process; no tests.
import { runInTurn, runJobs } from '../../driver/schedule.js'
import type { SessionOptions, Transport } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import type { Job } from '../../driver/units.js'
import { recorded } from '../../history/calls.js'
import { isAccepted } from '../../history/outcomes.js'
import type { Outcome, WireCall } from '../../history/wire.js'
import { allClauses } from '../../models/index.js'
import { isObject } from '../../models/language/objects.js'
import { type Afar, createAfar } from '../../reference/afar.js'
import { createEmbedded, type EmbeddedOptions, type Late } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { stagesOf, tasksOf } from '../../suites/catalog.js'
import { suitesFor } from '../../suites/filter.js'
import type { Setting, Task } from '../../suites/tasks.js'
import { random } from '../targets/harbour/options.js'

type Send = Transport['send']

interface Tools {
  readonly draw: () => number
  readonly afar: Afar
  /** To a target of the same kind that shares nothing with the one that is tested. */
  readonly other: Send
}

interface Cloud {
  readonly late?: Late
  readonly restMs?: number
  /** What becomes of one call in so many; of every call where it is left out. */
  readonly oneIn?: number
  readonly meets?: (send: Send, tools: Tools) => Send
  /** Calls after which the target begins anew, with what it held at first. */
  readonly restartsAfter?: number
}

const html = (status: number): Outcome => ({ status, text: `<h1>${status}</h1>`, contentType: 'text/html' })
const envelope: Outcome = {
  status: 503,
  body: { errors: [{ reason: 'upstream connect error', field: 'upstream' }] },
  contentType: 'application/json',
}

/** Either the target is never asked, or what it answered is lost on the way. */
const inPlace =
  (outcome: (draw: () => number) => Outcome): NonNullable<Cloud['meets']> =>
  (send, { draw }) =>
  async (call, step) => {
    if (draw() < 0.5) await send(call, step)
    return outcome(draw)
  }

const cacheMs = 1000
/** From which call on nothing is let through, and for how long. */
const maintained = { after: 100, ms: 20_000 }
/** How long every second call comes to a node that is down. */
const nodeDownMs = 500

export const saying = (status: number, body: unknown): Outcome => ({ status, body, contentType: 'application/json' })

const limited: Outcome = saying(403, { errors: [{ reason: 'Rate limit exceeded' }] })

const maintenance =
  (outcome: Outcome, ms = maintained.ms): NonNullable<Cloud['meets']> =>
  (send, { afar }) => {
    let until: number | undefined
    let calls = 0
    return async (call, step) => {
      calls += 1
      if (calls > maintained.after) until ??= afar.now() + ms
      return afar.now() < (until ?? 0) ? outcome : send(call, step)
    }
  }

/** What a read was answered is given again for a while to whoever has the same key. */
const cached =
  (keyOf: (call: Pick<WireCall, 'url' | 'as'>) => string): NonNullable<Cloud['meets']> =>
  (send, { afar }) => {
    const kept = new Map<string, { readonly until: number; readonly outcome: Outcome }>()
    return async (call, step) => {
      const known = call.method === 'GET' ? kept.get(keyOf(call)) : undefined
      if (known && known.until > afar.now()) return structuredClone(known.outcome)
      const outcome = await send(call, step)
      if (call.method === 'GET' && 'status' in outcome && outcome.status === 200)
        kept.set(keyOf(call), { until: afar.now() + cacheMs, outcome: structuredClone(outcome) })
      return outcome
    }
  }

/** What succeeds comes without its body, or with another one. */
const bare =
  (body: Pick<Extract<Outcome, { readonly status: number }>, 'body'>): NonNullable<Cloud['meets']> =>
  (send) =>
  async (call, step) => {
    const outcome = await send(call, step)
    return isAccepted(outcome) && 'status' in outcome
      ? { status: outcome.status, contentType: 'application/json', ...body }
      : outcome
  }

export const clouds = {
  clean: {},
  resets: { oneIn: 40, meets: () => async () => ({ lost: 'reset' }) },
  'replies lost': {
    oneIn: 40,
    meets: (send) => async (call, step) => {
      await send(call, step)
      return { lost: 'reset' }
    },
  },
  'every eighth reply lost': {
    oneIn: 8,
    meets: (send) => async (call, step) => {
      await send(call, step)
      return { lost: 'reset' }
    },
  },
  'no answer': {
    oneIn: 60,
    meets:
      (send, { afar }) =>
      async (call, step) => {
        await send(call, step)
        await afar.sleep(1500)
        return { lost: 'timeout' }
      },
  },
  'done after its time': {
    oneIn: 60,
    meets:
      (send, { afar, draw }) =>
      async (call, step) => {
        if (call.method !== 'GET') void afar.sleep(1500 + 1000 * draw()).then(() => send(call, step))
        await afar.sleep(1500)
        return { lost: 'timeout' }
      },
  },
  'done 3 s after a 504': {
    oneIn: 60,
    meets:
      (send, { afar }) =>
      async (call, step) => {
        if (call.method !== 'GET') void afar.sleep(3000).then(() => send(call, step))
        return html(504)
      },
  },
  'a third of writes done 1 s after a 504': {
    oneIn: 3,
    meets:
      (send, { afar, draw }) =>
      async (call, step) => {
        if (call.method === 'GET') return send(call, step)
        void afar.sleep(900 + 1100 * draw()).then(() => send(call, step))
        return html(504)
      },
  },
  'slow ways there': {
    meets:
      (send, { afar, draw }) =>
      async (call, step) => {
        await afar.sleep(1000 * draw() ** 4)
        return send(call, step)
      },
  },
  'gateways with HTML': { oneIn: 40, meets: inPlace((draw) => html(502 + Math.floor(3 * draw()))) },
  'gateways with an envelope': { oneIn: 40, meets: inPlace(() => envelope) },
  '408 and 425': {
    oneIn: 40,
    meets:
      (_, { draw }) =>
      async () =>
        html(draw() < 0.5 ? 408 : 425),
  },
  'a maintenance': { meets: maintenance(envelope) },
  'a maintenance that says 200': { meets: maintenance(saying(200, { status: 'maintenance' })) },
  'a maintenance that says it in a message': { meets: maintenance(saying(200, { message: 'Back at 12:00.' })) },
  'a limit by 403': { meets: maintenance(limited) },
  'a limit by 403 for good': { meets: maintenance(limited, Number.POSITIVE_INFINITY) },
  'one of two nodes down': {
    meets: (send, { afar }) => {
      let until: number | undefined
      let calls = 0
      return async (call, step) => {
        calls += 1
        if (calls > maintained.after) until ??= afar.now() + nodeDownMs
        return afar.now() < (until ?? 0) && calls % 2 === 0 ? html(502) : send(call, step)
      }
    },
  },
  'statuses of proxies': {
    oneIn: 40,
    meets: inPlace((draw) => html([460, 499, 520, 526][Math.floor(4 * draw())] ?? 499)),
  },
  duplicates: {
    oneIn: 4,
    meets: (send) => async (call, step) => {
      if (call.method === 'GET' || call.method === 'PUT') await send(call, step)
      return send(call, step)
    },
  },
  'removals sent twice': {
    oneIn: 20,
    meets: (send) => async (call, step) => {
      if (call.method === 'DELETE') await send(call, step)
      return send(call, step)
    },
  },
  'updates sent again later': {
    meets: (send, { draw }) => {
      let due: { readonly at: number; readonly again: () => unknown }[] = []
      let calls = 0
      return async (call, step) => {
        calls += 1
        for (const { again } of due.filter(({ at }) => at <= calls)) await again()
        due = due.filter(({ at }) => at > calls)
        const isMet = call.method === 'PUT' && draw() < 0.1
        if (isMet) due.push({ at: calls + 1 + Math.floor(12 * draw()), again: () => send(call, step) })
        return send(call, step)
      }
    },
  },
  'replies cached': { meets: cached(({ url, as }) => `${url} ${as}`) },
  'replies cached for any token': { meets: cached(({ url }) => url) },
  'replies swapped': {
    meets: (send, { afar, draw }) => {
      let waiting: { readonly outcome: Outcome; readonly give: (outcome: Outcome) => void } | undefined
      return async (call, step) => {
        await afar.sleep(5 * draw())
        const outcome = await send(call, step)
        const other = waiting
        waiting = undefined
        if (other) {
          other.give(outcome)
          return other.outcome
        }
        if (draw() >= 0.05) return outcome
        return new Promise((give) => {
          waiting = { outcome, give }
          void afar.sleep(200).then(() => {
            if (waiting?.give !== give) return
            waiting = undefined
            give(outcome)
          })
        })
      }
    },
  },
  'bodies lost': { oneIn: 20, meets: bare({}) },
  'bodies of views of volumes lost': {
    oneIn: 3,
    meets: (send, tools) => async (call, step) =>
      (call.operation === 'volumes.view' ? bare({})(send, tools) : send)(call, step),
  },
  'objects emptied': { oneIn: 20, meets: bare({ body: {} }) },
  'reads of another state': {
    oneIn: 10,
    meets:
      (send, { other }) =>
      async (call, step) =>
        call.method === 'GET' ? other(call, step) : send(call, step),
  },
  'two states at random': {
    oneIn: 2,
    meets: (_, { other }) => other,
  },
  'two creations of ranges lost': {
    meets: (send, { afar }) => {
      let lost = 0
      return async (call, step) => {
        const isRange = call.method === 'POST' && call.url === '/networking/ipv6/ranges'
        const isPlain = isObject(call.body) && !('route_target' in call.body)
        // The first is not looked for any more when the second is sent.
        if (lost === 1) await afar.sleep(1000)
        const isNext = lost === 0 ? !isObject(call.body) : lost === 1 && isPlain && afar.now() > 60_000
        if (!isRange || !isNext) return send(call, step)
        lost += 1
        if (lost === 2) await send(call, step)
        return { lost: 'reset' }
      }
    },
  },
  'pages in place of tags': {
    meets: (send) => async (call, step) =>
      call.url.startsWith('/tags/') && call.method === 'GET' ? { lost: 'foreign', detail: 'a page' } : send(call, step),
  },
  'long bodies dropped': {
    meets: (send) => async (call, step) =>
      JSON.stringify(call.body ?? '').length > 3000 ? { lost: 'reset' } : send(call, step),
  },
  'reads late': { late: { ms: 300, to: 'reads' } },
  'lists late': { late: { ms: 300, to: 'lists' } },
  'every second read late': { late: { ms: 300, to: 'every second read' } },
  'all late': { late: { ms: 150, to: 'all' } },
  'slow to rest': { restMs: 2000 },
  'a restart that forgets all': { restartsAfter: 420 },
} as const satisfies Record<string, Cloud>

export type CloudName = keyof typeof clouds

/** Calls on their way behind a cloud. */
const behind =
  ({ meets, oneIn }: Cloud, afar: Afar, other: Send, seed: number) =>
  (options: SessionOptions): SessionOptions => {
    const draw = random(seed)
    const { send } = options.transport
    const met = meets?.(send, { draw, afar, other })
    if (!met) return options
    const isMet = (): boolean => oneIn === undefined || draw() * oneIn < 1
    return { ...options, transport: { send: async (call, step) => (isMet() ? met(call, step) : send(call, step)) } }
  }

const restarting = ({ restartsAfter }: Cloud, options: SessionOptions, restart: () => void): SessionOptions => {
  const { send } = options.transport
  let sent = 0
  const counting: Send = async (call, step) => {
    sent += 1
    if (sent === restartsAfter) restart()
    return send(call, step)
  }
  return { ...options, transport: { send: counting } }
}

interface Asked {
  readonly cloud: CloudName
  readonly areas: readonly string[]
  readonly seed: number
  readonly width: number
  /** One task in so many, of those with such names. */
  readonly oneIn?: number
  readonly tasks?: RegExp
  readonly target?: Partial<EmbeddedOptions>
  /** What becomes of one call in so many, where it is not what the cloud says. */
  readonly met?: number
  /** Calls after which the target begins anew, where it is not when the cloud says. */
  readonly restartsAfter?: number
  /** What the target answers every call of an operation, whatever it does. */
  readonly inPlaceOf?: Readonly<Record<string, Outcome>>
}

const answeringFor =
  (given: Readonly<Record<string, Outcome>>) =>
  (options: SessionOptions): SessionOptions => {
    const send: Send = async (call, step) => {
      const outcome = await options.transport.send(call, step)
      return given[call.operation] ?? outcome
    }
    return { ...options, transport: { send } }
  }

/** Runs tasks behind a cloud, and tells what came of it. */
export const runBehind = async ({
  cloud: name,
  areas,
  seed,
  width,
  oneIn = 1,
  tasks: named = /./,
  target,
  met,
  restartsAfter,
  inPlaceOf = {},
}: Asked) => {
  const cloud: Cloud = {
    ...clouds[name],
    ...(met !== undefined && { oneIn: met }),
    ...(restartsAfter !== undefined && { restartsAfter }),
  }
  const afar = createAfar(() => 1)
  const embeddedOptions: EmbeddedOptions = {
    environment: embeddedEnvironment(),
    clock: () => Date.UTC(2026, 0, 1) + afar.now(),
    ...(cloud.late && { late: cloud.late }),
    ...(cloud.restMs !== undefined && { restAfter: { ms: cloud.restMs } }),
    ...target,
  }
  const { handle } = createEmbedded(embeddedOptions)
  const other: Send = async (call) => JSON.parse(JSON.stringify(handle(structuredClone(recorded(call)))))
  const { session, lines, ledger, embedded } = inProcess(embeddedOptions, 'ts-t', (plain) =>
    afar.adapt(
      behind(
        cloud,
        afar,
        other,
        seed,
      )(restarting(cloud, { ...answeringFor(inPlaceOf)(plain), settleMs: 10_000 }, () => embedded.reset())),
    ),
  )
  await survey(session)
  const filters = { areas, operations: [], clauses: [], shard: [1, 1] } as const
  const setting: Setting = {
    session,
    options: { filters, fuzz: false, seed, programs: 4 },
    isEmbedded: true,
    width,
    emit: () => undefined,
  }
  const onEnd = (): void => undefined
  for (const suites of stagesOf(suitesFor(filters))) {
    const tasks = suites.flatMap(tasksOf).filter(({ name }) => named.test(name))
    const jobs = tasks.flatMap((task: Task, i): readonly Job[] => {
      const planned = (i + seed) % oneIn === 0 ? task.plan(setting) : { skip: undefined }
      return 'skip' in planned ? [] : planned
    })
    if (width > 1) await runJobs(session, jobs, { width, isOver: () => false, onEnd })
    else await runInTurn(session, jobs, { isOver: () => false, onEnd })
  }
  const withdrawn = lines.flatMap((line) => (line.type === 'withdrawn' ? [line.finding] : []))
  return {
    findings: lines.flatMap((line) =>
      line.type === 'finding' && !withdrawn.includes(line.finding.id) ? [line.finding] : [],
    ),
    held: allClauses().filter(({ id }) => session.isHeld(id)),
    troubles: lines.flatMap((line) => (line.type === 'trouble' ? [line.text] : [])),
    assumed: lines.flatMap((line) => (line.type === 'assumed' ? [line.assumed] : [])),
    /** Removals by the run that nothing was found for. */
    astray: lines.flatMap((line) =>
      line.type === 'step' && line.role === 'clean' && 'status' in line.outcome && line.outcome.status === 404
        ? [line.call.url]
        : [],
    ),
    /** What it was noted to have made under another name than was sent. */
    misnamed: ledger.flatMap(({ event, key = '', body }) => {
      const { label } = (body ?? {}) as { readonly label?: unknown }
      return event === 'created' && typeof label === 'string' && /^[a-z]/.test(key) && !key.includes(label)
        ? [`${label} as ${key}`]
        : []
    }),
    gone: session.gone(),
    requests: lines.filter(({ type }) => type === 'step').length,
    ms: afar.now(),
  }
}
