// Judges the record of a run again, as the run itself was judged: with its names, its hooks and its look at what was there.

import type { RecordedCall, RecordedEvent, RecordedHook, Recording } from '../history/recording.js'
import { applyHook } from '../models/hooks.js'
import { allTables, operationById } from '../models/index.js'
import { principal } from '../models/language/access.js'
import { clausesOf } from '../models/language/derive.js'
import { factTables } from '../models/language/facts.js'
import { close, type World } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { type Belief, believe, observe } from './belief.js'
import { createBlamer, withinClause } from './blame.js'
import type { Deviation, Judgement } from './judgement.js'
import { linearize, overlapping } from './linearize.js'
import {
  createFinder,
  createQuotaFilter,
  guarded,
  observationOf,
  type Rejudged,
  type RejudgedRecording,
  type Trail,
  undecided,
  verdictOf,
} from './rejudged.js'
import type { Observe } from './shrink.js'

/** Programs that look after another one carry its name: `volumes.resize.only-up (cleaning up)`. */
const mainName = (program: string): string => program.replace(/ \([\w ]+\)$/, '')

type Change = (world: World) => World

export const adjusted = (belief: Belief, change: Change): Belief => ({
  ...belief,
  hypotheses: belief.hypotheses.map((one) => ({ ...one, world: change(one.world) })),
})

interface Followed {
  readonly start: Belief
  readonly trail: Rejudged[]
  readonly blamer: ReturnType<typeof createBlamer>
}

/** More programs than a run has side by side. */
const mostFollowed = 64

/** What is known of the programs under way, each apart, as they may go side by side. */
const createFollowing = () => {
  const followed = new Map<string, Followed>()
  return {
    of: (program: string, belief: Belief): Followed => {
      const name = mainName(program)
      const one = followed.get(name) ?? { start: belief, trail: [], blamer: createBlamer('run') }
      followed.delete(name)
      followed.set(name, one)
      const [oldest] = followed.keys()
      if (followed.size > mostFollowed && oldest !== undefined) followed.delete(oldest)
      return one
    },
  }
}

/** Judges a run as it was judged: each call where its reply was taken in. */
export const judgeRun = ({ environment, nonce, events }: Recording): RejudgedRecording => {
  const finder = createFinder()
  const quotaFilter = createQuotaFilter(events, finder)
  const surveyor = createSurveyor(environment)
  const attribute = createAttribution()
  let belief = believe(startWorld(environment, { nonce }))
  const programs = createFollowing()
  const look = guarded(observe)
  const take = (event: RecordedCall, judgement: Judgement): Rejudged => {
    const { start, trail, blamer } = programs.of(event.program, belief)
    const trailOf = (): Trail => ({ start, steps: [...trail], look })
    const { deviations: spotted, write } = blamer.hear({ ...event, judgement })
    const step: Rejudged = {
      event,
      judgement,
      verdict: judgement.verdict,
      deviations: attribute(event, judgement, spotted),
    }
    trail.push(step)
    const deviations = quotaFilter.hear(step, trailOf)
    finder.add(deviations, trailOf, write)
    return { ...step, deviations, verdict: verdictOf(step, deviations.length) }
  }
  const steps: Rejudged[] = []
  for (const group of groupsOf(events)) {
    const [event] = group
    if (!event || event.kind === 'blank') continue
    belief = adjusted(belief, surveyor.before(event))
    if (event.kind === 'hook') {
      belief = adjusted(belief, hooked(event))
      continue
    }
    programs.of(event.program, belief)
    const calls = group.filter((one): one is RecordedCall => one.kind === 'call')
    if (calls.length > 1) {
      const raced = judgeRace(belief, calls, look)
      belief = raced.belief
      steps.push(...raced.steps.map(([call, judgement]) => take(call, judgement)))
      continue
    }
    const { belief: after, judgement } = look(belief, observationOf(event), operationById)
    belief = adjusted(after, surveyor.after(event, judgement.accepted))
    steps.push(take(event, judgement))
  }
  const sorted = steps.sort((a, b) => a.event.n - b.event.n)
  return { steps: quotaFilter.close(sorted), found: finder.all(), unordered: [] }
}

/**
 * Lays a refused call to the clause whose program it is part of, as the run did: that of the twin, which follows the probe,
 * and that of a statement where plain calls were accepted before. The record tells programs, not what each call is there for.
 */
const createAttribution = () => {
  const held = new Set<string>()
  const refusals = new Set<string>()
  let program = ''
  let isProbed = false
  return (event: RecordedCall, judgement: Judgement, deviations: readonly Deviation[]): readonly Deviation[] => {
    const { op } = event
    if (event.program !== program) isProbed = false
    program = event.program
    const clause = clausesOf(op).find(({ id }) => id === program)
    const isAbout = clause?.kind === 'statement' && clause.level === 'must' && held.has(`${op.id}.accepts`)
    const isWithin =
      clause !== undefined && clause.kind !== 'general' && clause.kind !== 'token' && (isProbed || isAbout)
    if (clause && judgement.possible.includes(clause.id)) isProbed = true
    for (const id of judgement.held) held.add(id)
    return deviations.map((one) => {
      if (one.clause !== `${op.id}.accepts` || one.kind !== 'refused') return one
      const refusal = `${op.id} ${one.received}`
      if (isWithin && clause && !refusals.has(refusal)) return withinClause(one, clause)
      refusals.add(refusal)
      return one
    })
  }
}

/** Calls of a race that overlap go together, whatever other programs did meanwhile; everything else was judged by itself. */
const groupsOf = (events: readonly RecordedEvent[]): readonly (readonly RecordedEvent[])[] => {
  const groups: RecordedEvent[][] = []
  const races = new Map<string, { readonly group: RecordedEvent[]; readonly end: number }>()
  for (const event of events) {
    const race = event.kind === 'call' && /^race on [\w-]+$/.test(event.program) ? races.get(event.program) : undefined
    const isRaced = race !== undefined && event.startedAt <= race.end
    const group = isRaced ? race.group : [event]
    if (isRaced) group.push(event)
    else groups.push(group)
    const end = isRaced ? Math.max(race.end, event.endedAt) : event.endedAt
    if (event.kind === 'call') races.set(event.program, { group, end })
  }
  return groups
}

/** Sets of calls of one size that are followed: a race is short, but times that are rounded leave more orders than there were. */
const mostStates = 200

const judgeRace = (belief: Belief, calls: readonly RecordedCall[], look: Observe) => {
  const timed = calls.map((event) => ({ observation: observationOf(event), ...event }))
  const options = { observe: overlapping(look), mostStates }
  const { verdict, belief: after, order, judgements } = linearize(belief, timed, operationById, options)
  const isOpen = verdict === 'inconclusive'
  const steps = (isOpen ? calls.map((_, i) => i) : order).map(
    (i) => [calls[i] as RecordedCall, isOpen ? undecided(belief) : (judgements[i] as Judgement)] as const,
  )
  return { belief: after, steps }
}

/** The change that a hook brought about. */
export const hooked =
  ({ n, hook, args }: RecordedHook): Change =>
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
const createSurveyor = (environment: Recording['environment']) => {
  let account: string | undefined
  let walked = ''
  let isWhole = true
  const isSurvey = (event: RecordedEvent): event is RecordedCall =>
    event.kind === 'call' && event.program === 'survey' && environment.exclusive
  const adopt =
    (on: boolean): Change =>
    (world) =>
      world.adopting === on ? world : { ...world, adopting: on }
  const before = (event: RecordedEvent): Change => {
    const next = isSurvey(event) ? principal(environment, event.call.as).account?.name : undefined
    const closing = account === undefined || account === next ? unchanged : closeTold(environment, account)
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
const closeTold = ({ fixtures }: Recording['environment'], account: string): Change => {
  const facts = factTables.filter(({ name }) => fixtures[name as keyof typeof fixtures])
  const told = allTables().filter(({ toldBy }) => toldBy && fixtures[toldBy])
  return (world) => [...facts, ...told].reduce<World>((before, table) => close(before, table, account), world)
}
