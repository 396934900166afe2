// Runs a random program: each step is chosen in the world as it is by then; the first finding ends it.

import { arrange, type StepSeed } from '../arbitraries/programs.js'
import { makerOf, operationById, removerOf } from '../models/index.js'
import { mostLive } from '../models/language/environment.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type CallStep, type Step, withRefs } from '../models/language/plan.js'
import { referencesOf } from '../models/language/references.js'
import { find, idIn, isOurs, live } from '../models/language/world.js'
import { tags } from '../models/tags/record.js'
import { type Deviation, gates } from '../oracle/judgement.js'
import { close, finish, type ProgramOutcome } from './conduct.js'
import { begin, type Running, type Subject } from './running.js'
import type { Sent, Session } from './session.js'
import { perform } from './step.js'

/** A random program under way. */
export interface Walk {
  /** Takes a step, and returns its deviations. */
  readonly step: (seed: StepSeed) => Promise<readonly Deviation[]>
  /** Reports what the walk has shown, and removes what it made. */
  readonly finish: () => Promise<ProgramOutcome>
  /** Removes what it made, and reports nothing. */
  readonly abandon: () => Promise<void>
}

/** Begins a walk: each step is made from its seed for the world as it then is. Fixtures are used only if a draft names them. */
export const beginWalk = (session: Session, name: string): Walk => {
  const running = begin(session, name)
  const restore: CallStep[] = []
  return {
    step: async (seed) => {
      const op = operationById(seed.operation)
      if (!op || isForbidden(session, op)) return []
      const { instance } = running.origin
      const told = session.fold.spottedIn(instance).length
      const before = running.sent.length
      await take(running, op, seed, restore)
      noteMadeForGood(session, running.sent.slice(before))
      return session.fold
        .spottedIn(instance)
        .slice(told)
        .map(({ deviation }) => deviation)
    },
    finish: () => finish(running, undefined, distinct(restore)),
    abandon: async () => {
      await close(running, undefined, distinct(restore))
    },
  }
}

/** A random program; what it makes is removed in the end. */
export const randomWalk = async (
  session: Session,
  name: string,
  seeds: readonly StepSeed[],
): Promise<ProgramOutcome> => {
  const walk = beginWalk(session, name)
  for (const seed of seeds) if ((await walk.step(seed)).some(gates)) break
  return walk.finish()
}

const distinct = (steps: readonly CallStep[]): readonly CallStep[] => [
  ...new Map(steps.map((step) => [JSON.stringify(step), step])).values(),
]

/** Guarded operations are left to their own probes, except those that only add something on an exclusive target, up to `safety.maxLive` in all. */
const isForbidden = ({ options: { environment } }: Session, op: Operation): boolean =>
  op.guarded !== undefined && !(environment.exclusive && op.makes !== undefined)

/** Takes a step of the program. Its calls that put fixtures back go before those of earlier steps. */
const take = async (running: Running, op: Operation, seed: StepSeed, restore: CallStep[]): Promise<void> => {
  const turn = running.sent.filter((sent) => sent.op === op).length
  const program = arrange(op, seed, { ...running.session.context, turn })
  if (program.missing.length > 0) return
  const offset = running.subjects.length
  restore.unshift(...(program.restore ?? []).map((step) => shift(step, offset) as CallStep))
  let position = 0
  for (const [i, step] of program.steps.entries()) {
    const existing = i < program.steps.length - 1 ? existingFor(running, step, seed, position) : undefined
    if (existing) {
      running.subjects.push(existing)
      position += 1
      continue
    }
    if (isFull(running, step)) return
    const stopped = await perform(
      running,
      shift(i === program.steps.length - 1 ? aged(running, borrowing(running, step, seed), seed) : step, offset),
    )
    if (stopped !== undefined) return
    if (running.subjects.length < offset + i + 1) running.subjects.push(undefined)
  }
}

/** A live resource of this run in place of a new one. */
const existingFor = (
  running: Running,
  step: Step,
  { reuses, positions }: StepSeed,
  position: number,
): Subject | undefined => {
  if ('hook' in step || !reuses) return undefined
  const table = operationById(step.operation)?.makes
  if (!table || makerOf(table)?.id !== step.operation) return undefined
  const own = ownOf(running, table)
  return own.length === 0 ? undefined : own[(positions[position % positions.length] ?? 0) % own.length]
}

const ownOf = ({ session, from }: Running, table: AnyTable): readonly Subject[] =>
  session.creations
    .slice(from)
    .filter((creation) => creation.table === table && session.world().tables.get(table.name)?.live.has(creation.key()))

/** More live resources of a kind than the target file allows, or more than a program needs. */
const isFull = (running: Running, step: Step): boolean => {
  const table = 'hook' in step ? undefined : operationById(step.operation)?.makes
  if (hasTooManyTags(running, step)) return true
  if (!table) return false
  const most = mostLive(running.session.options.environment, table.name)
  if ((running.session.memory.madeForGood.get(table.name) ?? 0) >= most) return true
  const lost = running.session.lost.filter((one) => one.table === table).length
  return ownOf(running, table).length + lost >= Math.min(most, 12)
}

const noteMadeForGood = ({ memory: { madeForGood } }: Session, sent: readonly Sent[]): void => {
  for (const { op, judgement } of sent) {
    const { makes } = op
    if (makes && judgement.made !== undefined && !removerOf(makes))
      madeForGood.set(makes.name, (madeForGood.get(makes.name) ?? 0) + 1)
  }
}

/** More tags than the target file allows: whatever is given one makes it. */
const hasTooManyTags = ({ session }: Running, step: Step): boolean => {
  if ('hook' in step) return false
  const isMade = operationById(step.operation)?.makes === tags
  const given = step.body && 'tags' in step.body && Array.isArray(step.body.tags) ? step.body.tags : []
  if (!isMade && given.length === 0) return false
  const world = session.world()
  const own = live(world, tags).flatMap(({ label }) => (isOurs(world, label) ? [label] : []))
  return new Set([...own, ...given]).size + (isMade ? 1 : 0) > mostLive(session.options.environment, tags.name)
}

/** Refs count from the start of the whole program. */
export const shift = (step: Step, by: number): Step => withRefs(step, (ref) => ({ ...ref, $step: ref.$step + by }))

/** The call with a member of its body as another resource of its kind has it: a label in use, a size that is no larger. */
const borrowing = ({ session, from }: Running, step: Step, { borrowed = null }: StepSeed): Step => {
  if (borrowed === null || 'hook' in step || !step.body) return step
  const world = session.world()
  const op = operationById(step.operation)
  const kind = op?.makes ?? (op && 'table' in op.reply ? op.reply.table : undefined)
  const lent = session.creations.slice(from).flatMap(({ table, key }) => {
    const entity: object = (table === kind && find(world, table, key())) || {}
    return Object.entries(step.body ?? {}).flatMap(([name, value]) => {
      const other: unknown = Reflect.get(entity, name)
      const isPlain = /^(?:string|number)$/.test(typeof value) && typeof other === typeof value && other !== value
      return isPlain && !isReference(op, name) ? [{ [name]: other }] : []
    })
  })
  return { ...step, body: { ...step.body, ...lent[borrowed % lent.length] } } satisfies CallStep
}

/** Whether a member of the body names a resource: such a value could lead to one that is not ours. */
const isReference = (op: Operation | undefined, name: string): boolean =>
  /(?:^|_)id$/.test(name) || op?.body?.properties[name]?.ref !== undefined

/** The call with a deleted resource in its path. */
const aged = (running: Running, step: Step, { stale }: StepSeed): Step => {
  if ('hook' in step || !stale) return step
  const op = operationById(step.operation)
  const [name, reference] = (op && referencesOf(op).at(-1)) ?? []
  if (name === undefined || !reference || reference.key) return step
  const { session } = running
  const gone = session
    .world()
    .tables.get(reference.table.name)
    ?.gone.findLast(({ entity }) => !session.isOthers(reference.table, entity.key))
  return gone ? ({ ...step, path: { ...step.path, [name]: idIn(gone.entity.key) } } satisfies CallStep) : step
}
