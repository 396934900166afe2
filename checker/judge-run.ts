// Judges the record of a run again, as the run itself was judged: with its names, its hooks and its look at what was there.
import { principal } from '../models/access.js'
import { applyHook } from '../models/hooks.js'
import { allTables, operationById } from '../models/index.js'
import { startWorld } from '../models/start.js'
import { factTables } from '../models/tables/facts.js'
import { close, type World } from '../models/world.js'
import { type Belief, believe, observe } from './belief.js'
import type { RecordedCall, RecordedEvent, RecordedHook, Recording } from './recording.js'
import {
  createCourt,
  createFinder,
  guarded,
  observationOf,
  type Rejudged,
  type RejudgedRecording,
  type Trail,
  verdictOf,
} from './rejudged.js'

/** Programs that look after another one carry its name: `volumes.resize.only-up (cleaning up)`. */
const mainName = (program: string): string => program.replace(/ \([\w ]+\)$/, '')

type Change = (world: World) => World

export const adjusted = (belief: Belief, change: Change): Belief => ({
  ...belief,
  hypotheses: belief.hypotheses.map((one) => ({ ...one, world: change(one.world) })),
})

/** Judges a run whose calls were sent one after another. */
export const judgeRun = ({ setting, nonce, events }: Recording): RejudgedRecording => {
  const finder = createFinder()
  const court = createCourt(events, finder)
  const surveyor = createSurveyor(setting)
  let belief = believe(startWorld(setting, { nonce }))
  let program: string | undefined
  let start = belief
  let trail: Rejudged[] = []
  const look = guarded(observe)
  const trailOf = (): Trail => ({ start, steps: [...trail], look })
  const steps = events.flatMap((event): Rejudged[] => {
    if (event.kind === 'blank') return []
    belief = adjusted(belief, surveyor.before(event))
    if (event.kind === 'hook') {
      belief = adjusted(belief, hooked(event, trail.at(-1)?.event.n ?? 0))
      return []
    }
    if (mainName(event.program) !== program) {
      program = mainName(event.program)
      start = belief
      trail = []
    }
    const observed = look(belief, observationOf(event), operationById)
    const { judgement } = observed
    belief = adjusted(observed.belief, surveyor.after(event, judgement.accepted))
    const step: Rejudged = { event, judgement, verdict: judgement.verdict, deviations: judgement.deviations }
    trail.push(step)
    const deviations = court.hear(step, trailOf)
    finder.add(deviations, trailOf)
    return [{ ...step, deviations, verdict: verdictOf(step, deviations.length) }]
  })
  return { steps: court.close(steps), found: finder.all(), unordered: [] }
}

/** The change that a hook brought about. */
export const hooked =
  ({ hook, args }: RecordedHook, n: number): Change =>
  (world) => {
    try {
      return applyHook({ ...world, step: n, operation: `hook ${hook}` }, hook, args)
    } catch {
      // Arguments that no hook can have changed nothing that the model knows of.
      return world
    }
  }

const unchanged: Change = (world) => world

/** Follows the look at what is there before an exclusive run: a list that was walked to its end holds all there is. */
const createSurveyor = (setting: Recording['setting']) => {
  let account: string | undefined
  let walked = ''
  let isWhole = true
  const isSurvey = (event: RecordedEvent): event is RecordedCall =>
    event.kind === 'call' && event.program === 'survey' && setting.exclusive
  const adopt =
    (on: boolean): Change =>
    (world) =>
      world.adopting === on ? world : { ...world, adopting: on }
  const before = (event: RecordedEvent): Change => {
    const next = isSurvey(event) ? principal(setting, event.call.as).account?.name : undefined
    const closing = account === undefined || account === next ? unchanged : closeTold(setting, account)
    account = next
    return isSurvey(event) ? (world) => adopt(true)(closing(world)) : closing
  }
  const after = (event: RecordedCall, accepted: boolean | undefined): Change => {
    if (!isSurvey(event)) return unchanged
    const { op, call } = event
    if (walked !== `${call.as} ${op.id}`) isWhole = true
    walked = `${call.as} ${op.id}`
    isWhole &&= accepted === true
    const isLast = Number(call.query.page ?? 1) >= pagesOf(event)
    const name = account
    const closes = isWhole && isLast && name !== undefined && 'table' in op.reply ? op.reply.table : undefined
    return (world) => (closes ? close(adopt(false)(world), closes, name as string) : adopt(false)(world))
  }
  return { before, after }
}

const pagesOf = ({ outcome }: RecordedCall): number => {
  const body = 'status' in outcome ? (outcome.body as { readonly pages?: unknown } | null | undefined) : undefined
  return typeof body?.pages === 'number' ? body.pages : 1
}

/** What the target file tells whole. */
const closeTold = ({ fixtures }: Recording['setting'], account: string): Change => {
  const facts = factTables.filter(({ name }) => fixtures[name as keyof typeof fixtures])
  const told = allTables().filter(({ toldBy }) => toldBy && fixtures[toldBy])
  return (world) => [...facts, ...told].reduce<World>((before, table) => close(before, table, account), world)
}
