// The embedded target without HTTP: the reference implementation's state, its dice and its clock; not a server.
import type { Outcome, WireCall } from '../history/record.js'
import { applyHook } from '../models/hooks.js'
import { allTables, operationById } from '../models/index.js'
import type { Environment } from '../models/language/environment.js'
import { factTables } from '../models/language/facts.js'
import type { HookName } from '../models/language/plan.js'
import { type AnyEntity, close, type Dice, find, put, type World } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { answer, type Fault, plainVariation, type Variation } from './handler.js'

export interface EmbeddedOptions {
  readonly environment: Environment
  readonly variation?: Partial<Variation>
  readonly fault?: Fault
  readonly seed?: number
  /** How many further calls it takes until something comes to rest. */
  readonly restAfter?: number
  /** How many milliseconds it takes, in place of that. */
  readonly restMs?: number
  /** Milliseconds from any origin. */
  readonly clock?: () => number
  readonly randomIds?: boolean
}

export interface Embedded {
  /** Its body may share values with the target's state: it is there to be spelled out as JSON. */
  readonly handle: (call: WireCall) => Outcome
  readonly hook: (name: HookName, args: readonly unknown[]) => void
  /** Events so far, oldest first. */
  readonly events: () => readonly { readonly action: string; readonly at: number }[]
  readonly world: () => World
}

/** A small generator of numbers: the same seed gives the same series (mulberry32). */
const generator = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const createDice = (seed: number, randomIds: boolean): Dice => {
  const random = generator(seed)
  const series = new Map<string, number>()
  const integer = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1))
  let time = Date.UTC(2026, 0, 1)
  return {
    integer,
    pick: (values) => values[integer(0, values.length - 1)] as (typeof values)[number],
    next: (name) => {
      const last = series.get(name) ?? 1000
      const next = last + (randomIds ? integer(1, 1000) : 1)
      series.set(name, next)
      return next
    },
    now: () => {
      time += 1000
      return new Date(time).toISOString()
    },
  }
}

/** A closed world with everything that the fixtures say, every open field of them drawn. */
const firstWorld = (environment: Environment, dice: Dice): World => {
  let world = startWorld(environment)
  for (const table of [...allTables(), ...factTables])
    for (const account of environment.accounts) world = close(world, table, account.name)
  for (const table of allTables())
    for (const entity of [...(world.tables.get(table.name)?.live.values() ?? [])]) {
      const draws = { ...(table.draw?.(dice, entity as never) ?? {}), ...(table.rest ?? {}) } as Readonly<
        Record<string, unknown>
      >
      const open = Object.fromEntries(Object.entries(draws).filter(([field]) => entity[field] === undefined))
      world = put(world, table, { ...entity, ...open } as never)
    }
  return world
}

export const createEmbedded = ({
  environment,
  variation,
  fault,
  seed = 1,
  restAfter = 4,
  restMs,
  clock = Date.now,
  randomIds = false,
}: EmbeddedOptions): Embedded => {
  const dice = createDice(seed, randomIds)
  let world = firstWorld(environment, dice)
  const moving = new Map<AnyEntity['key'], { readonly table: string; readonly due: number }>()
  const events: { action: string; at: number }[] = []
  let calls = 0
  /** What is told how long it takes to rest: the clock where that is given, else the calls so far. */
  const present = (): number => (restMs === undefined ? calls : clock())

  /** What is under way comes to rest after some calls. */
  const advance = (): void => {
    for (const [id, { table: name, due }] of moving) {
      if (present() < due) continue
      moving.delete(id)
      const table = allTables().find((one) => one.name === name)
      const entity = table && (find(world, table, id.slice(name.length + 1)) as AnyEntity | undefined)
      const rest = entity && (table.drifts?.(entity as never).at(-1) as AnyEntity | undefined)
      if (table && rest) world = put({ ...world, operation: 'time' }, table, rest as never)
    }
  }

  const watch = (): void => {
    for (const table of allTables()) {
      if (!table.settled) continue
      for (const entity of world.tables.get(table.name)?.live.values() ?? [])
        if (!table.settled(entity as never) && !moving.has(`${table.name}/${entity.key}`))
          moving.set(`${table.name}/${entity.key}`, { table: table.name, due: present() + (restMs ?? restAfter) })
    }
  }

  return {
    world: () => world,
    events: () => events,
    hook: (name, args) => {
      world = applyHook({ ...world, operation: `hook ${name}` }, name, args)
    },
    handle: (call) => {
      calls += 1
      advance()
      const op = operationById(call.operation)
      if (!op) return { status: 404, body: { errors: [{ field: '', reason: 'no such operation' }] } }
      const before = world
      const {
        status,
        body,
        world: after,
        events: emitted,
      } = answer(before, op, call, calls, {
        variation: { ...plainVariation, ...variation },
        dice,
        ...(fault && { fault }),
      })
      world = after
      if (op.makes || op.id === 'volumes.resize') watch()
      for (const action of emitted) events.push({ action, at: calls })
      return body === undefined ? { status } : { status, body }
    },
  }
}
