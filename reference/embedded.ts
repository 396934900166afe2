// The embedded target without HTTP: the reference implementation's state, its dice and its clock; not a server.
import type { Hooks } from '../config/target-file.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { applyHook } from '../models/hooks.js'
import { allTables, operationById, tableNamed } from '../models/index.js'
import { put } from '../models/language/changes.js'
import type { Environment } from '../models/language/environment.js'
import { factTables } from '../models/language/facts.js'
import { isListed, type Operation } from '../models/language/operation.js'
import { type HookName, hookNames } from '../models/language/plan.js'
import { type AnyEntity, close, type Dice, find, type World } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { type Answer, answer, type Fault, plainVariation, type Variation } from './handler.js'
import { draw } from './random.js'

export interface EmbeddedOptions {
  readonly environment: Environment
  readonly variation?: Partial<Variation>
  readonly fault?: Fault
  readonly seed?: number
  /** When what was changed comes to rest; after 4 further calls by default. */
  readonly restAfter?: Rest
  readonly randomIds?: boolean
  /** The present in milliseconds since 1970; when left out, a second passes from one date to the next, from 2026 on. */
  readonly clock?: () => number
  /** How long what was changed takes to show; it shows at once by default. */
  readonly late?: Late
}

/** Which calls see what was there `ms` ago; `all`: writes too, which are then refused for what has passed as well. */
export interface Late {
  readonly ms: number
  readonly to: 'reads' | 'lists' | 'every second read' | 'all'
  /** The only area that lags; every one does when left out. */
  readonly area?: Operation['area']
}

/** A number of further calls, a time in milliseconds, or only when `advance` is called. */
export type Rest = number | { readonly ms: number } | 'by-hand'

/** What may change while it runs. */
export type Settings = Pick<EmbeddedOptions, 'variation' | 'fault' | 'restAfter' | 'randomIds'>

export type Embedded = ReturnType<typeof createEmbedded>

interface Emitted {
  readonly action: string
  /** Number of the call that emitted it. */
  readonly at: number
}

interface Moving {
  readonly table: string
  /** The call and the moment at which it was set going. */
  readonly calls: number
  readonly ms: number
}

/** What the target holds now. */
interface State {
  world: World
  moving: Map<string, Moving>
  events: Emitted[]
  calls: number
}

/** Never changed: worlds are immutable, and the rest is copied. */
export interface Snapshot extends Readonly<State> {
  readonly passedMs: number
  readonly dice: DiceState
}

interface DiceState {
  readonly random: number
  readonly series: ReadonlyMap<string, number>
  /** Milliseconds since 1970. */
  readonly time: number
}

interface SavedDice extends Dice {
  readonly save: () => DiceState
  readonly load: (state: DiceState) => void
  readonly pass: (ms: number) => void
}

interface DiceOptions {
  readonly seed: number
  readonly clock: (() => number) | undefined
  readonly settings: () => Settings
}

const createDice = ({ seed, clock, settings }: DiceOptions): SavedDice => {
  let random = seed >>> 0
  let series = new Map<string, number>()
  let time = Date.UTC(2026, 0, 1)
  const integer = (min: number, max: number): number => {
    const { state, number } = draw(random)
    random = state
    return min + Math.floor(number * (max - min + 1))
  }
  return {
    integer,
    pick: (values) => values[integer(0, values.length - 1)] as (typeof values)[number],
    next: (name) => {
      const last = series.get(name) ?? 1000
      const next = last + (settings().randomIds ? integer(1, 1000) : 1)
      series.set(name, next)
      return next
    },
    now: () => {
      time += 1000
      return spellDate(clock?.() ?? time, settings().variation?.dates ?? plainVariation.dates)
    },
    save: () => ({ random, series: new Map(series), time }),
    load: (state) => {
      random = state.random
      series = new Map(state.series)
      time = state.time
    },
    pass: (ms) => {
      time += ms
    },
  }
}

/** A moment as the interface writes it; without an offset UTC is meant. */
const spellDate = (ms: number, style: Variation['dates']): string => {
  const text = new Date(ms).toISOString()
  return style === 'milliseconds' ? text : text.replace(/\.\d+Z$/, style === 'zone' ? 'Z' : '')
}

/** A closed world with everything that the fixtures say, every open field of them drawn. */
const firstWorld = (environment: Environment, dice: Dice): World => {
  let world = startWorld(environment)
  for (const table of [...allTables(), ...factTables])
    for (const account of environment.accounts) world = close(world, table, account.name)
  for (const table of allTables())
    for (const entity of [...(world.tables.get(table.name)?.live.values() ?? [])]) {
      const draws = { ...(table.draw?.(dice, entity) ?? {}), ...(table.rest ?? {}) } as Readonly<
        Record<string, unknown>
      >
      const open = Object.fromEntries(Object.entries(draws).filter(([field]) => entity[field] === undefined))
      world = put(world, table, { ...entity, ...open })
    }
  return world
}

const defaultRest = 4

/** What was there a while ago; of the present, what calls do not see yet. */
const createPast = (late: Late | undefined, present: () => number) => {
  let past: { readonly until: number; readonly world: World }[] = []
  let reads = 0
  const doesLag = ({ area, method, reply }: Operation): boolean => {
    if (!late || (late.area ?? area) !== area || (method !== 'GET' && late.to !== 'all')) return false
    if (late.to === 'lists') return isListed(reply)
    reads += 1
    return late.to !== 'every second read' || reads % 2 === 0
  }
  return {
    keep: (world: World): void => {
      if (late) past.push({ until: present(), world })
    },
    seenBy: (op: Operation, world: World): World => {
      if (!late || !doesLag(op)) return world
      past = past.filter(({ until }) => until > present() - late.ms)
      return past[0]?.world ?? world
    },
  }
}

export const createEmbedded = ({ environment, seed = 1, clock, late, ...given }: EmbeddedOptions) => {
  let settings: Settings = given
  let passedMs = 0
  const present = (): number => (clock ?? Date.now)() + passedMs
  const dice = createDice({ seed, clock: clock && present, settings: () => settings })
  let state: State = { world: firstWorld(environment, dice), moving: new Map(), events: [], calls: 0 }
  const past = createPast(late, present)

  const snapshot = (): Snapshot => ({ ...copyOf(state), passedMs, dice: dice.save() })
  const restore = ({ dice: saved, ...was }: Snapshot): void => {
    state = copyOf(was)
    passedMs = was.passedMs
    dice.load(saved)
  }
  const first = snapshot()

  /** What is under way, and due, comes to rest. */
  const settle = (isAny = false): void => {
    for (const [id, one] of state.moving) {
      if (!isAny && !isDue(one, settings.restAfter ?? defaultRest, state.calls, present)) continue
      state.moving.delete(id)
      state.world = atRest(state.world, id, one)
    }
  }

  const watch = (): void => {
    const { world, moving, calls } = state
    for (const [id, table] of underWay(world)) if (!moving.has(id)) moving.set(id, { table, calls, ms: present() })
  }

  const answerFrom = (seen: World, op: Operation, call: WireCall): Answer => {
    const { fault, variation } = settings
    const full = { ...plainVariation, ...variation }
    return answer(seen, op, call, state.calls, { variation: full, dice, ...(fault && { fault }) })
  }

  /** The answer of a replica that is late, to a call that only reads or that the replica refuses. */
  const answerLate = (op: Operation, call: WireCall): Answer | undefined => {
    const seen = past.seenBy(op, state.world)
    const early = seen === state.world ? undefined : answerFrom(seen, op, call)
    return early && (op.method === 'GET' || early.status >= 400) ? early : undefined
  }

  const answerNow = (op: Operation, call: WireCall): Answer => {
    const now = answerFrom(state.world, op, call)
    if (op.method !== 'GET') past.keep(state.world)
    state.world = now.world
    return now
  }

  const handle = (op: Operation, call: WireCall): Outcome => {
    const { status, body, events } = answerLate(op, call) ?? answerNow(op, call)
    if (op.method !== 'GET' && 'table' in op.reply && op.reply.table.settled) watch()
    for (const action of events) state.events.push({ action, at: state.calls })
    return body === undefined ? { status } : { status, body }
  }

  return {
    world: (): World => state.world,
    /** Events so far, oldest first. */
    events: (): readonly Emitted[] => state.events,
    hook: (name: HookName, args: readonly unknown[]): void => {
      state.world = applyHook({ ...state.world, operation: `hook ${name}` }, name, args)
    },
    /** Puts these settings in place of those before; what is left out has its default. */
    adjust: (next: Settings): void => {
      settings = next
    },
    /** Lets calls or milliseconds pass, or brings everything to rest that is under way. */
    advance: (by?: { readonly calls?: number; readonly ms?: number }): void => {
      state.calls += by?.calls ?? 0
      passedMs += by?.ms ?? 0
      dice.pass(by?.ms ?? 0)
      settle(!by)
    },
    /** All that it holds, to be handed to `restore` of the same target, any number of times. */
    snapshot,
    restore,
    /** Back to the fixtures, the first ids and the first dice; settings stay. */
    reset: (): void => restore(first),
    /** Its body may share values with the target's state: it is there to be spelled out as JSON. */
    handle: (call: WireCall): Outcome => {
      state.calls += 1
      settle()
      const op = operationById(call.operation)
      return op ? handle(op, call) : { status: 404, body: { errors: [{ field: '', reason: 'no such operation' }] } }
    },
  }
}

/** Changes from outside the interface, by the names that a target file has for them. */
export const hooksOf = (embedded: Embedded): Hooks => ({
  ...Object.fromEntries(hookNames.map((name) => [name, async (...args: unknown[]) => embedded.hook(name, args)])),
  readEvents: async () => embedded.events(),
})

const copyOf = ({ world, moving, events, calls }: Readonly<State>): State => ({
  world,
  moving: new Map(moving),
  events: [...events],
  calls,
})

const isDue = (one: Moving, rest: Rest, calls: number, present: () => number): boolean => {
  if (rest === 'by-hand') return false
  return typeof rest === 'number' ? calls >= one.calls + rest : present() >= one.ms + rest.ms
}

/** Resources that are to come to rest by themselves, and the tables that they are in. */
function* underWay(world: World): Generator<readonly [id: string, table: string]> {
  for (const table of allTables()) {
    if (!table.settled) continue
    for (const entity of world.tables.get(table.name)?.live.values() ?? [])
      if (!table.settled(entity)) yield [`${table.name}/${entity.key}`, table.name]
  }
}

/** The world in which one of them has come to rest. */
const atRest = (world: World, id: string, { table: kind }: Moving): World => {
  const table = tableNamed(kind)
  const entity = table && find(world, table, id.slice(kind.length + 1))
  const rest = entity && (table.drifts?.(entity).at(-1) as AnyEntity | undefined)
  return table && rest ? put({ ...world, operation: 'time' }, table, rest) : world
}
