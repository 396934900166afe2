// Lanes of clients that call one embedded target at the same time, in a time of their own, and what judges make of it. No tests.

import fc from 'fast-check'
import { arrange, type StepSeed, stepSeed } from '../../arbitraries/programs.js'
import { createLiveJudge } from '../../guard/live.js'
import { buildCall, idValue, lineOf, recorded } from '../../history/calls.js'
import type { CallEntry } from '../../history/entry.js'
import { environmentFor } from '../../history/har.js'
import type { Outcome, WireCall } from '../../history/wire.js'
import { makerOf, operationById, operations } from '../../models/index.js'
import { isMisplaced, unknownToken } from '../../models/language/access.js'
import type { Environment } from '../../models/language/environment.js'
import { grouped } from '../../models/language/grouped.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { type Args, type CallStep, withRefs } from '../../models/language/plan.js'
import { type AnyEntity, idIn } from '../../models/language/world.js'
import { judgeRun } from '../../oracle/judge-run.js'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import { createEmbedded, type Embedded, type EmbeddedOptions } from '../../reference/embedded.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { certificate } from '../../reference/in-process.js'
import { type VariationName, variationNames, variations } from '../../reference/variations.js'

/** A call and its times: until it is sent, until it takes effect, until its reply is there. */
interface Deed {
  readonly seed: StepSeed
  readonly wait: number
  readonly there: number
  readonly back: number
  /** Whether the mishap of the scene befalls it. */
  readonly isStruck: boolean
}

/**
 * What goes wrong beside the target, or what it is free to do: its lists are late, replies or requests are lost, a write takes effect
 * after its reply was lost, a gateway answers in its place, a token has expired, an account is full, or some
 * calls are not recorded.
 */
type Mishap =
  | 'none'
  | 'late lists'
  | 'lost reply'
  | 'lost request'
  | 'late write'
  | 'gateway'
  | 'token'
  | 'quota'
  | 'gap'

const besideLanes: readonly Mishap[] = ['none', 'none', 'late lists', 'lost reply', 'lost request']

const inTurn: readonly Mishap[] = [
  'none',
  'late lists',
  'lost reply',
  'lost request',
  'late write',
  'gateway',
  'token',
  'quota',
  'gap',
]

interface Lane {
  /** The name of its token. */
  readonly client: string
  readonly deeds: readonly Deed[]
}

export interface Scene {
  /** Lanes that go side by side; those of a round begin when all of the round before are answered. */
  readonly rounds: readonly (readonly Lane[])[]
  readonly variation: VariationName
  readonly mishap: Mishap
  /** After how many milliseconds what was changed comes to rest. */
  readonly restMs: number
}

const clients = ['owner', 'owner', 'owner', 'limited', 'guest', 'debtor', 'other']

const areas = [...grouped(operations, ({ area }) => area).values()]

const deedOf = (some: readonly Operation[]): fc.Arbitrary<Deed> =>
  fc.record({
    seed: stepSeed(some),
    wait: fc.nat(20),
    there: fc.nat(20),
    back: fc.nat(20),
    isStruck: fc.nat(7).map((n) => n === 7),
  })

const laneOf = (some: readonly Operation[], deeds: number): fc.Arbitrary<Lane> =>
  fc.record({
    client: fc.constantFrom(...clients),
    deeds: fc.array(deedOf(some), { minLength: 1, maxLength: deeds, size: 'max' }),
  })

/** Some operations of an area. */
const poolOf = (area: readonly Operation[]): fc.Arbitrary<readonly Operation[]> =>
  fc.subarray([...area], { minLength: Math.min(area.length, 4) })

const oneArea = fc.constantFrom(...areas).chain(poolOf)
const twoAreas = fc
  .subarray(areas, { minLength: 2, maxLength: 2 })
  .chain((pair) => fc.tuple(...pair.map(poolOf)))
  .map((pools) => pools.flat())

type Rounds = (some: readonly Operation[]) => fc.Arbitrary<Scene['rounds']>

/** Scenes of few operations each, so that lanes meet on the same resources. */
const sceneOf = (
  pool: fc.Arbitrary<readonly Operation[]>,
  rounds: Rounds,
  mishaps: readonly Mishap[],
): fc.Arbitrary<Scene> =>
  pool.chain((some) =>
    fc.record({
      rounds: rounds(some),
      variation: fc.constantFrom('instant-rest' as const, ...variationNames),
      mishap: fc.constantFrom(...mishaps),
      restMs: fc.constantFrom(0, 30, 300),
    }),
  )

/** Several lanes at a time. */
export const scene = sceneOf(
  oneArea,
  (some) =>
    fc.oneof(
      fc.array(fc.array(laneOf(some, 2), { minLength: 1, maxLength: 4, size: 'max' }), {
        minLength: 2,
        maxLength: 6,
      }),
      fc.array(fc.array(laneOf(some, 6), { minLength: 2, maxLength: 8, size: 'max' }), {
        minLength: 1,
        maxLength: 2,
      }),
    ),
  besideLanes,
)

/** One lane at a time. */
const oneByOne: Rounds = (some) =>
  fc.array(
    laneOf(some, 4).map((lane) => [lane]),
    { minLength: 2, maxLength: 8, size: 'max' },
  )

export const sceneInTurn = sceneOf(oneArea, oneByOne, inTurn)

/** The same of calls that have to do with each other and of others. */
export const sceneInTwoAreas = sceneOf(twoAreas, oneByOne, ['none'])

interface Stage {
  readonly embedded: Embedded
  readonly environment: Environment
  readonly mishap: Scene['mishap']
  readonly entries: CallEntry[]
  readonly next: () => number
  /** What clients know to be made, in the order in which they were told. */
  readonly made: { readonly table: AnyTable; readonly key: string; readonly entity: AnyEntity }[]
  readonly time: { now: number }
  /** Calls without an answer that are to take effect. */
  readonly late: { readonly at: number; readonly call: WireCall }[]
  sent: number
  /** Nothing more can be made. */
  isFull: boolean
}

/** How late late lists are, as the target file says. */
const lagMs = 50

/** After how long a late write takes effect. */
const lateMs = 60

/** What came of a scene: every call with its reply, in the order of sending. */
export const play = ({ rounds, variation, mishap, restMs }: Scene, more: Pick<EmbeddedOptions, 'fault'> = {}) => {
  const environment = embeddedEnvironment()
  const listLagMs = mishap === 'late lists' ? lagMs : 0
  const begin = Date.UTC(2026, 0, 1)
  const time = { now: 0 }
  let named = 0
  const embedded = createEmbedded({
    environment,
    restAfter: { ms: restMs },
    ...variations[variation],
    clock: () => begin + time.now,
    ...(listLagMs > 0 && { late: { ms: listLagMs, to: 'lists' } }),
    ...more,
  })
  const stage: Stage = {
    embedded,
    environment,
    mishap,
    entries: [],
    next: () => named++,
    made: [],
    time,
    late: [],
    sent: 0,
    isFull: false,
  }
  for (const lanes of rounds) {
    sideBySide(
      stage,
      lanes.map((lane) => laneOn(stage, lane)),
    )
    time.now += 1
  }
  return { environment, mishap, listLagMs, entries: stage.entries.toSorted((a, b) => a.n - b.n) }
}

export type Played = ReturnType<typeof play>

/** Runs lanes, each of which yields how long it waits, in the order of their times. */
const sideBySide = (stage: Stage, lanes: readonly Generator<number, void>[]): void => {
  const waiting = lanes.map((lane) => ({ lane, at: stage.time.now }))
  for (;;) {
    const [first, ...others] = waiting
    if (!first) return
    const next = others.reduce((one, other) => (other.at < one.at ? other : one), first)
    stage.time.now = next.at
    const { done, value } = next.lane.next()
    if (done) waiting.splice(waiting.indexOf(next), 1)
    else next.at = stage.time.now + value
  }
}

function* laneOn(stage: Stage, { client, deeds }: Lane): Generator<number, void> {
  for (const deed of deeds) {
    const op = operationById(deed.seed.operation) as Operation
    const context = { ...stage, nonce: 'ts-t', certificate }
    const { steps, missing } = arrange(op, deed.seed, context)
    if (missing.length > 0 || steps.some((step) => 'hook' in step)) continue
    yield* programOn(stage, client, deed, steps as readonly CallStep[])
  }
}

/** Makes what the last step needs, or takes what others have made, and calls it. */
function* programOn(stage: Stage, client: string, deed: Deed, steps: readonly CallStep[]): Generator<number, void> {
  const subjects: (Stage['made'][number] | undefined)[] = []
  for (const [i, { role: _, operation, as = client, ...args }] of steps.entries()) {
    const op = operationById(operation) as Operation
    const table = op.makes && makerOf(op.makes) === op ? op.makes : undefined
    const some = table && deed.seed.reuses ? stage.made.filter((one) => one.table === table) : []
    const known = some[(deed.seed.positions[i % deed.seed.positions.length] as number) % Math.max(1, some.length)]
    if (known && i < steps.length - 1) subjects.push(known)
    else subjects.push(yield* callOn(stage, deed, op, { ...withSubjects(args, subjects), as }))
  }
}

const withSubjects = (args: Args, subjects: readonly (Stage['made'][number] | undefined)[]): Args =>
  withRefs(args, ({ $step, suffix, field }) => {
    const subject = subjects[$step]
    if (!subject) return 1
    if (suffix !== undefined) return `${idIn(subject.key)}${suffix}`
    return field === undefined ? idValue(subject.key) : (subject.entity[field] ?? null)
  })

const lostReply = { lost: 'timeout' } as const
const refusal = (status: number, reason: string): Outcome => ({
  status,
  contentType: 'application/json',
  body: { errors: [{ reason }] },
})

/** What comes of a call that a mishap befalls, before it reaches the target; undefined where it does. */
const struck = ({ mishap, time, late }: Stage, call: WireCall): Outcome | undefined => {
  switch (mishap) {
    case 'lost request':
      return lostReply
    case 'late write':
      late.push({ at: time.now + lateMs, call })
      return lostReply
    case 'gateway':
      return { status: 503, contentType: 'text/html', text: '<html>Busy</html>', body: undefined }
    case 'token':
      return call.as === null ? undefined : refusal(401, 'expired')
    default:
      return undefined
  }
}

const answered = ({ embedded }: Stage, call: WireCall): Outcome =>
  JSON.parse(JSON.stringify(embedded.handle(structuredClone(call))))

/** What a call comes to. */
const outcomeOf = (stage: Stage, op: Operation, call: WireCall, isStruck: boolean): Outcome => {
  const { late, time, mishap } = stage
  while (late[0] && late[0].at <= time.now) answered(stage, (late.shift() as (typeof late)[number]).call)
  const instead = isStruck ? struck(stage, call) : undefined
  if (instead) return instead
  if (isStruck) stage.isFull = mishap === 'quota'
  if (stage.isFull && op.makes) return refusal(403, 'no more')
  const outcome = answered(stage, call)
  return isStruck && mishap === 'lost reply' ? lostReply : outcome
}

/** Sends a call, and returns what it was told to have made. */
function* callOn(stage: Stage, { wait, there, back, isStruck }: Deed, op: Operation, args: Args) {
  const { embedded, entries, made, mishap } = stage
  yield wait
  stage.sent += 1
  const [n, startedAt, call] = [stage.sent, stage.time.now, recorded(buildCall(op, args))]
  yield there
  const table = op.makes
  const before = table && embedded.world().tables.get(table.name)?.live
  const outcome = outcomeOf(stage, op, call, isStruck)
  const after = table && embedded.world().tables.get(table.name)?.live
  const fresh = table && 'status' in outcome ? [...(after ?? [])].filter(([key]) => !before?.has(key)) : []
  yield back
  const times = { startedAt, endedAt: stage.time.now, ms: stage.time.now - startedAt }
  if (mishap !== 'gap' || !isStruck)
    entries.push({ kind: 'call', n, op, call, outcome, ...times, program: 'lanes', instance: 1, role: 'check' })
  const own = fresh.map(([key, entity]) => ({ table: table as AnyTable, key, entity }))
  made.push(...own)
  return own.at(-1)
}

/** Who calls, as somebody beside it sees it who knows these tokens. */
const seen = ({ call, ...entry }: CallEntry, { tokens }: Environment): CallEntry => {
  const { as } = call
  const named = as === null || tokens.some(({ name }) => name === as) ? as : `${unknownToken}${as}`
  const caller = isMisplaced(as) ? unknownToken : named
  const { instance: _, role: __, ...rest } = entry
  return { ...rest, call: { ...call, as: caller } satisfies WireCall }
}

const gatingWithSteps = (
  found: readonly {
    readonly id: string
    readonly deviation: { readonly level: string }
    readonly steps: readonly { readonly call: WireCall; readonly outcome: unknown }[]
  }[],
) =>
  found
    .filter(({ deviation: { level } }) => level !== 'should')
    .map(({ id, steps }) => ({
      id,
      steps: steps.map(({ call, outcome }) => `${lineOf(call)}: ${JSON.stringify(outcome)}`),
    }))

/** What is found in a recording of the calls. */
export const judgedAsTraffic = ({ environment, listLagMs, entries }: Played, isKnown: boolean, mayLack: boolean) => {
  const known = isKnown ? { ...environment, exclusive: false } : environmentFor([])
  const events = entries.map((entry) => seen(entry, known))
  const nobody = { kind: 'traffic', baseUrl: '', nonce: '', sequential: false, ignored: {} } as const
  return judgeTraffic({ ...nobody, environment: known, listLagMs, mayLack, events }).found
}

export const foundInTraffic = (...args: Parameters<typeof judgedAsTraffic>) => gatingWithSteps(judgedAsTraffic(...args))
export const foundByRun = (played: Played) => gatingWithSteps(judgedAsRun(played))

/** What a guard finds that judges in small windows, beside the calls that are under way by then. */
export const foundByGuard = ({ environment, listLagMs, entries }: Played, isKnown: boolean) => {
  const known = isKnown ? { ...environment, exclusive: false } : environmentFor([])
  const all = entries.map((entry) => seen(entry, known))
  const setting = { environment: known, baseUrl: 'https://api.example.test/v4', listLagMs: isKnown ? listLagMs : 0 }
  const live = createLiveJudge(setting, { window: 24, carried: 12, remembered: 48 })
  const found = []
  for (const entry of all.toSorted((a, b) => a.endedAt - b.endedAt || a.n - b.n)) {
    live.take(entry)
    if (!live.isFull()) continue
    const lost = { lost: 'timeout', detail: 'it is still under way' } as const
    const underWay = all.filter(({ startedAt, endedAt }) => startedAt <= entry.endedAt && endedAt > entry.endedAt)
    found.push(...live.look(underWay.map((one) => ({ ...one, outcome: lost }))).found)
  }
  return gatingWithSteps([...found, ...live.look([], true).found])
}

/** What a run finds that sent the calls itself: those that overlap in time, as sent together. */
export const judgedAsRun = ({ environment, entries }: Played) => {
  let group = 0
  let until = -1
  const events = entries.map((entry) => {
    if (entry.startedAt > until) group = entry.n
    until = Math.max(until, entry.endedAt)
    return { ...entry, group }
  })
  const alone = (n: number): boolean => events.filter((one) => one.group === n).length === 1
  return judgeRun({
    kind: 'run',
    environment,
    baseUrl: '',
    nonce: 'ts-t',
    sequential: true,
    listLagMs: 0,
    ignored: {},
    events: [
      ...environment.accounts.map(({ name: account }) => ({ kind: 'surveyed', account }) as const),
      ...events.map(({ group: own, ...one }) => (alone(own) ? one : { ...one, group: own })),
    ],
  }).found
}
